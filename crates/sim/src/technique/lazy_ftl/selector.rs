//! The write mode selector: many blocks that wait ask for a slower mode that holds longer, few for a
//! faster one.

use super::LazyFtlConfig;
use super::entry::{Length, LengthOf};
use super::lists::{Entry, Lists};
use super::mode::{MODES, WriteMode};
use crate::ids::{DieId, Ids};
use crate::nand::Geometry;

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
    counted: Length,
    /// Blocks of a full list.
    of_blocks: f64,
    day_ns: u64,
    pub switches: u64,
    /// The first of them.
    pub transcript: Vec<Switch>,
}

impl Selector {
    pub fn new(config: &LazyFtlConfig, geometry: &Geometry, logical_units: u64) -> Self {
        let fixed = config.mode.mode();
        let all_blocks = f64::from(geometry.blocks().count());
        Self {
            mode: fixed.unwrap_or(WriteMode::M1),
            is_fixed: fixed.is_some(),
            high: config.u_high,
            low: config.u_low,
            counted: config.length,
            of_blocks: match config.length_of {
                LengthOf::Logical => logical_units as f64 / f64::from(geometry.stride),
                LengthOf::Drive => all_blocks,
            },
            day_ns: (config.day_s * 1e9) as u64,
            switches: 0,
            transcript: Vec::new(),
        }
    }

    /// The mode in which a block opens now.
    pub fn mode(&self) -> WriteMode {
        self.mode
    }

    /// Looks at the lists once more.
    pub fn look(
        &mut self,
        lists: &Lists,
        retention_ns: &[u64; MODES],
        dies: Ids<DieId>,
        now_ns: u64,
    ) {
        if self.is_fixed {
            return;
        }
        let length = self.length(lists, retention_ns, dies, now_ns);
        let share = length as f64 / self.of_blocks;
        let mode = self.choose(share);
        if mode == self.mode {
            return;
        }
        self.mode = mode;
        self.switches += 1;
        if self.transcript.len() < TOLD {
            self.transcript.push(Switch { at_ns: now_ns, share, mode });
        }
    }

    /// The blocks that count.
    fn length(
        &self,
        lists: &Lists,
        retention_ns: &[u64; MODES],
        dies: Ids<DieId>,
        now_ns: u64,
    ) -> u64 {
        match self.counted {
            Length::All => lists.blocks(),
            Length::Own => lists.blocks_in(self.mode),
            Length::Due => due(lists, retention_ns, dies, now_ns + self.day_ns),
        }
    }

    /// The mode for lists that are that full.
    fn choose(&self, share: f64) -> WriteMode {
        if share > self.high {
            self.mode.slower()
        } else if share < self.low {
            self.mode.faster()
        } else {
            self.mode
        }
    }
}

/// Blocks whose deadline comes by `until_ns`.
fn due(lists: &Lists, retention_ns: &[u64; MODES], dies: Ids<DieId>, until_ns: u64) -> u64 {
    let of_mode = |die, mode: WriteMode| {
        let is_due = move |entry: &Entry| entry.deadline_ns(retention_ns) <= until_ns;
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
    use crate::schema::Config;

    fn selector(mode: WriteMode) -> Selector {
        let geometry = Geometry::new(&Config::default()).expect("the drive works");
        Selector { mode, ..Selector::new(&LazyFtlConfig::default(), &geometry, 1000) }
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
                &[Lane { block: BlockId(block), first_unit: Unit(0) }],
                mode,
                now_ns,
            );
        }
        let retention_ns = [day_ns, 7 * day_ns, 30 * day_ns];
        let length = |length, mode, now_ns| {
            let own = LazyFtlConfig { length, ..LazyFtlConfig::default() };
            let selector = Selector { mode, ..Selector::new(&own, &geometry, 1000) };
            selector.length(&lists, &retention_ns, Ids::new(DieId(0), 2), now_ns)
        };
        assert_eq!(length(Length::All, WriteMode::M1, day_ns), 5);
        let own = WriteMode::ALL.map(|mode| length(Length::Own, mode, day_ns));
        assert_eq!(own, [3, 2, 0]);
        // Within a day of the end of the first day, of the moment before it, and of the sixth and seventh.
        let due = [0, 1, day_ns, 6 * day_ns, 7 * day_ns]
            .map(|now_ns| length(Length::Due, WriteMode::M1, now_ns));
        assert_eq!(due, [1, 2, 3, 3, 5]);

        let full = |length_of| {
            let own = LazyFtlConfig { length_of, ..LazyFtlConfig::default() };
            Selector::new(&own, &geometry, 3 * u64::from(geometry.stride)).of_blocks
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
    }
}
