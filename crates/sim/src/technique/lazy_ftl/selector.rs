//! The write mode selector: many blocks that wait ask for a slower mode that holds longer, few for a
//! faster one. A block that may not open because its die could not secure all in time asks for a slower mode, too.

use super::LazyFtlConfig;
use super::entry::{Length, LengthOf, Thresholds};
use super::lists::{Entry, Lists};
use super::mode::WriteMode;
use crate::drive::DriveState;
use crate::ids::{DieId, Ids};
use crate::nand::Group;

/// Second stages over which the selector remembers how many were due.
const REMEMBERED: f64 = 1000.0;

/// Changes of the mode that are told.
const TOLD: usize = 1000;

/// A change of the mode.
#[derive(Debug, Clone, Copy)]
pub(super) struct Switch {
    pub at_ns: u64,
    /// How full the list was.
    pub share: f64,
    /// The mode from then on.
    pub mode: WriteMode,
}

/// The selector.
#[derive(Debug, Clone)]
pub(super) struct Selector {
    mode: WriteMode,
    is_fixed: bool,
    high: f64,
    low: f64,
    thresholds: Thresholds,
    /// The share of the latest second stages that came because they were due, or would have.
    pressure: f64,
    counted: Length,
    /// Blocks of a full list.
    of_blocks: f64,
    /// Whether a block was refused since the last look.
    refused: bool,
    day_ns: u64,
    pub switches: u64,
    /// The first of them.
    pub transcript: Vec<Switch>,
}

impl Selector {
    pub fn new(config: &LazyFtlConfig, group: &Group, logical_units: u64) -> Self {
        let fixed = config.mode.mode();
        let all_blocks = f64::from(group.blocks.count());
        Self {
            mode: fixed.unwrap_or(WriteMode::M1),
            is_fixed: fixed.is_some(),
            high: config.u_high,
            low: config.u_low,
            thresholds: config.thresholds,
            pressure: 0.0,
            counted: config.length,
            of_blocks: match config.length_of {
                LengthOf::Logical => logical_units as f64 / f64::from(group.units_per_block),
                LengthOf::Drive => all_blocks,
            },
            refused: false,
            day_ns: (config.day_s * 1e9) as u64,
            switches: 0,
            transcript: Vec::new(),
        }
    }

    /// The mode in which a block opens now.
    pub fn mode(&self) -> WriteMode {
        self.mode
    }

    /// So many second stages come in idle time, or because they are due.
    pub fn note(&mut self, are_due: bool, lines: u64) {
        if self.thresholds == Thresholds::Fixed {
            // They do not look at it.
            return;
        }
        let left = libm::exp(-(lines as f64) / REMEMBERED);
        self.pressure = self.pressure * left + f64::from(are_due) * (1.0 - left);
    }

    /// A block may not open in the mode, because its die could not secure all in time.
    pub fn refuse(&mut self, lines: u64) {
        self.refused = true;
        self.note(true, lines);
    }

    /// Looks at the lists once more; returns how full they are and the mode that follows, where that is another.
    pub fn look(&mut self, state: &DriveState, lists: &Lists, view: View) -> Option<Switch> {
        if self.is_fixed {
            return None;
        }
        let share = self.share(state, lists, view);
        let mode = self.choose(share);
        self.refused = false;
        (mode != self.mode).then_some(Switch { at_ns: view.now_ns, share, mode })
    }

    /// The share of a die's time for second stages that a faster mode may ask for.
    pub fn calm_share(&self) -> f64 {
        let (low, high) = self.limits();
        if high > 0.0 { low / high } else { 0.0 }
    }

    /// Takes another mode.
    pub fn switch(&mut self, switch: Switch) {
        self.mode = switch.mode;
        self.switches += 1;
        if self.transcript.len() < TOLD {
            self.transcript.push(switch);
        }
    }

    /// How full the lists are, or of what waits the share that is valid.
    fn share(&self, state: &DriveState, lists: &Lists, view: View) -> f64 {
        match self.counted {
            Length::Surviving => surviving(state, lists, view.dies),
            _ => self.length(lists, view.dies, view.now_ns) as f64 / self.of_blocks,
        }
    }

    /// The blocks that count.
    fn length(&self, lists: &Lists, dies: Ids<DieId>, now_ns: u64) -> u64 {
        match self.counted {
            Length::All | Length::Surviving => lists.blocks(),
            Length::Own => lists.blocks_in(self.mode),
            Length::Due => due(lists, dies, now_ns + self.day_ns),
        }
    }

    /// Below and beyond which shares of the list the mode changes.
    fn limits(&self) -> (f64, f64) {
        match self.thresholds {
            Thresholds::Fixed => (self.low, self.high),
            Thresholds::Adaptive => {
                let high = 1.0 - self.pressure;
                (if self.high > 0.0 { high * self.low / self.high } else { 0.0 }, high)
            }
        }
    }

    /// The mode for lists that are that full.
    fn choose(&self, share: f64) -> WriteMode {
        let (low, high) = self.limits();
        if share > high || self.refused {
            self.mode.slower()
        } else if share < low {
            self.mode.faster()
        } else {
            self.mode
        }
    }
}

/// The dies whose lists are looked at, and when.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub dies: Ids<DieId>,
    pub now_ns: u64,
}

/// Of the data in blocks that wait, the share that is valid.
fn surviving(state: &DriveState, lists: &Lists, dies: Ids<DieId>) -> f64 {
    let entries = dies.iter().flat_map(|die| lists.of_die(die));
    let blocks = entries.flat_map(|entry| lists.members(entry.block));
    // Valid units may wait for a program that has yet to be counted.
    let units =
        blocks.map(|block| &state.blocks[block]).map(|it| (it.valid, it.next.max(it.valid)));
    let (valid, written) = units.fold((0, 0), |(valid, written), (more, next)| {
        (valid + u64::from(more), written + u64::from(next))
    });
    if written > 0 { valid as f64 / written as f64 } else { 0.0 }
}

/// Blocks whose deadline comes by `until_ns`.
fn due(lists: &Lists, dies: Ids<DieId>, until_ns: u64) -> u64 {
    let of_mode = |die, mode: WriteMode| {
        let is_due = move |entry: &Entry| entry.until_ns <= until_ns;
        let entries = lists.of_mode(die, mode).take_while(is_due);
        entries.map(|entry| lists.members(entry.block).count() as u64).sum::<u64>()
    };
    dies.iter().flat_map(|die| WriteMode::ALL.map(|mode| of_mode(die, mode))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::Lane;
    use crate::ids::{BlockId, Unit};
    use crate::nand::Geometry;
    use crate::schema::Config;

    fn selector(mode: WriteMode) -> Selector {
        let geometry = Geometry::new(&Config::default()).expect("the drive works");
        Selector { mode, ..Selector::new(&LazyFtlConfig::default(), &geometry.groups[0], 1000) }
    }

    #[test]
    fn each_reading_counts_its_own_blocks_of_its_own_list() {
        let config = Config::default();
        let geometry = Geometry::new(&config).expect("the drive works");
        // Two dies: three blocks in M1, of which one was opened a day ago and is due, two in M7, due in six.
        let mut lists = Lists::new(8, 2);
        let day_ns = 86_400_000_000_000;
        let opened = [
            (0, 0, WriteMode::M1, 0),
            (1, 4, WriteMode::M1, 1),
            (0, 1, WriteMode::M1, day_ns),
            (0, 2, WriteMode::M7, day_ns),
            (1, 5, WriteMode::M7, day_ns),
        ];
        for (die, block, mode, now_ns) in opened {
            lists.open(
                DieId(die),
                &[Lane { block: BlockId(block), first_unit: Unit(0), offset: 0 }],
                mode,
                now_ns..now_ns + [1, 7, 30][mode as usize] * day_ns,
            );
        }
        let length = |length, mode, now_ns| {
            let own = LazyFtlConfig { length, ..LazyFtlConfig::default() };
            let selector = Selector { mode, ..Selector::new(&own, &geometry.groups[0], 1000) };
            selector.length(&lists, Ids::new(DieId(0), 2), now_ns)
        };
        assert_eq!(length(Length::All, WriteMode::M1, day_ns), 5);
        let own = WriteMode::ALL.map(|mode| length(Length::Own, mode, day_ns));
        assert_eq!(own, [3, 2, 0]);
        // Within a day of the end of the first day, of the moment before it, and of the sixth and seventh.
        let due = [0, 1, day_ns, 6 * day_ns, 7 * day_ns]
            .map(|now_ns| length(Length::Due, WriteMode::M1, now_ns));
        assert_eq!(due, [1, 2, 3, 3, 5]);

        // Half a day from the start nothing is due.
        let own = LazyFtlConfig { length: Length::Due, day_s: 43_200.0, ..Default::default() };
        let selector = Selector::new(&own, &geometry.groups[0], 1000);
        let dies = Ids::new(DieId(0), 2);
        let due = [0, day_ns / 2].map(|now_ns| selector.length(&lists, dies, now_ns));
        assert_eq!(due, [0, 1]);

        let full = |length_of| {
            let own = LazyFtlConfig { length_of, ..LazyFtlConfig::default() };
            Selector::new(&own, &geometry.groups[0], 3 * u64::from(geometry.stride)).of_blocks
        };
        assert_eq!(full(LengthOf::Drive), f64::from(geometry.blocks().count()));
        assert_eq!(full(LengthOf::Logical), 3.0);
    }

    #[test]
    fn thresholds_themselves_keep_the_mode() {
        use WriteMode::{M1, M7, M30};
        for (mode, share, next) in [
            (M1, 0.6, M1),
            (M1, 0.601, M7),
            (M7, 0.601, M30),
            (M30, 0.9, M30),
            (M30, 0.3, M30),
            (M30, 0.299, M7),
            (M7, 0.299, M1),
            (M1, 0.0, M1),
        ] {
            assert_eq!(selector(mode).choose(share), next, "{mode:?} at {share}");
        }
        let own = LazyFtlConfig { u_low: 0.125, u_high: 0.25, ..LazyFtlConfig::default() };
        let geometry = Geometry::new(&Config::default()).expect("the drive works");
        for (share, next) in [(0.124, M1), (0.125, M7), (0.25, M7), (0.251, M30)] {
            let selector = Selector { mode: M7, ..Selector::new(&own, &geometry.groups[0], 1000) };
            assert_eq!(selector.choose(share), next, "{share}");
        }
    }

    #[test]
    fn adaptive_thresholds_fall_with_what_is_due() {
        let own = LazyFtlConfig { thresholds: Thresholds::Adaptive, ..LazyFtlConfig::default() };
        let geometry = Geometry::new(&Config::default()).expect("the drive works");
        let mut selector = Selector::new(&own, &geometry.groups[0], 1000);
        assert_eq!(selector.limits(), (0.5, 1.0));
        // A thousand are due: 1 - 1/e of what is remembered.
        selector.note(true, 400);
        selector.note(true, 600);
        let high = libm::exp(-1.0);
        assert!(
            (selector.limits().1 - high).abs() < 1e-12
                && (selector.limits().0 - high / 2.0).abs() < 1e-12
        );
        assert_eq!(selector.choose(high - 1e-9), WriteMode::M1);
        assert_eq!(selector.choose(high + 1e-9), WriteMode::M7);
        selector.note(false, 1000);
        assert!((selector.limits().1 - (1.0 - (1.0 - high) * high)).abs() < 1e-12);
        let fixed = Selector { thresholds: Thresholds::Fixed, ..selector };
        assert_eq!(fixed.limits(), (0.3, 0.6));
    }
}
