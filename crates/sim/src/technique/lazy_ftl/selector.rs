//! The write mode selector: many blocks that wait ask for a slower mode that holds longer, few for a
//! faster one.

use super::LazyFtlConfig;
use super::lists::Lists;
use super::modes::{MODES, WriteMode};
use crate::ids::{DieId, Ids};
use crate::nand::Geometry;

/// Which entries are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// Those of all lists.
    All,
    /// Those of the list of the mode in use.
    Own,
    /// Those whose second stage is due within a day.
    Due,
}

/// The selector.
#[derive(Debug, Clone)]
pub(super) struct Selector {
    mode: WriteMode,
    is_fixed: bool,
    high: f64,
    low: f64,
    counted: Counted,
    /// Blocks of a full list.
    of_blocks: f64,
    day_ns: u64,
    pub switches: u64,
}

impl Selector {
    pub fn new(config: &LazyFtlConfig, geometry: &Geometry, logical_units: u64) -> Self {
        let fixed = WriteMode::named(&config.mode);
        let all_blocks = f64::from(geometry.blocks());
        Self {
            mode: fixed.unwrap_or(WriteMode::M1),
            is_fixed: fixed.is_some(),
            high: config.u_high,
            low: config.u_low,
            counted: match config.length.as_str() {
                "own" => Counted::Own,
                "due" => Counted::Due,
                _ => Counted::All,
            },
            of_blocks: match config.length_of.as_str() {
                "logical" => logical_units as f64 / f64::from(geometry.stride),
                _ => all_blocks,
            },
            day_ns: (config.day_s * 1e9) as u64,
            switches: 0,
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
        let length = match self.counted {
            Counted::All => lists.blocks(),
            Counted::Own => lists.blocks_in(self.mode),
            Counted::Due => due(lists, retention_ns, dies, now_ns + self.day_ns),
        };
        let next = self.choose(length as f64 / self.of_blocks);
        self.switches += u64::from(next != self.mode);
        self.mode = next;
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
        let is_due = move |since_ns: u64| since_ns + retention_ns[mode as usize] <= until_ns;
        let entries = lists.of_mode(die, mode).take_while(move |entry| is_due(entry.since_ns));
        entries.map(|entry| lists.members(entry.block).count() as u64).sum::<u64>()
    };
    dies.iter().flat_map(|die| WriteMode::ALL.map(|mode| of_mode(die, mode))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Config;

    fn selector(mode: WriteMode) -> Selector {
        let geometry = Geometry::new(&Config::default()).expect("the drive works");
        Selector { mode, ..Selector::new(&LazyFtlConfig::default(), &geometry, 1000) }
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
