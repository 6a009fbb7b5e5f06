//! What reuse does to the cells: for how long a chip's tables allow it, and the strain of a reused cycle.

use crate::declare::choice;
use crate::error::Error;
use crate::ids::{BlockId, ById};
use crate::nand::infeasible;
use crate::reliability::{Rate, RateTable};
use crate::schema::References;

choice! {
    /// A chip of the publication, whose tables of the cell laboratory are built in.
    pub enum Chip {
        A16 = "a16",
        A27 = "a27",
        B16 = "b16",
        B29 = "b29",
        C35 = "c35",
    }
}

macro_rules! table {
    ($chip:literal) => {
        include_str!(concat!("../../../../../presets/cells/tables/llh-", $chip, "/reprogram.csv"))
    };
}

/// Low pages, low pages again, high pages.
const MODE: &str = "low_low_high";
/// The mean error rate of a block's pages at which a life ends (Margaglia et al., USENIX FAST 2016, Section
/// 3.1).
const LIMIT: f64 = 1e-3;
/// Share of a life below which reuse is not worth the room that it takes.
const LEAST: f64 = 0.05;

impl Chip {
    fn table(self) -> &'static str {
        match self {
            Self::A16 => table!("a16"),
            Self::A27 => table!("a27"),
            Self::B16 => table!("b16"),
            Self::B29 => table!("b29"),
            Self::C35 => table!("c35"),
        }
    }

    /// Share of the chip's life in which reused blocks stay within the limit of errors, as far as its table
    /// goes, if each reused cycle wears as much as `strain` ones.
    ///
    /// # Errors
    /// A chip that forbids reuse.
    pub fn safe_share(self, strain: f64) -> Result<f64, Error> {
        let share = share_below(&errors(self), LIMIT) / strain;
        if share < LEAST {
            return Err(infeasible(
                format!(
                    "technique llh_ftl: reused blocks of chip {self} reach an error rate of {LIMIT:e} after {:.2} % of their life",
                    100.0 * share
                ),
                "set technique.llh_ftl.chip to another one, or safe to \"share\"",
            ));
        }
        Ok(share)
    }
}

/// Mean error rate of the pages by P/E cycles, fresh, by default references.
fn errors(chip: Chip) -> Vec<(f64, f64)> {
    let name = format!("reprogram.csv of llh-{chip}");
    let table = RateTable::parse(&name, chip.table());
    let rows = table.unwrap_or_else(|error| panic!("a table that is built in: {error}")).rows;
    let of = |row: &Rate<'_>| {
        let is_fresh = row.mode == MODE && row.reprograms == 1 && row.age_h == 0.0;
        is_fresh.then_some((row.pec, row.by_references[References::Default as usize]))
    };
    let mut means: Vec<(f64, f64, f64)> = Vec::new();
    for (pec, rate) in rows.iter().filter_map(of) {
        match means.last_mut().filter(|last| last.0 == pec) {
            Some(last) => (last.1, last.2) = (last.1 + rate, last.2 + 1.0),
            None => means.push((pec, rate, 1.0)),
        }
    }
    means.into_iter().map(|(pec, sum, pages)| (pec, sum / pages)).collect()
}

/// Share of the last P/E cycles up to which errors stay below a limit, on the line between its neighbours.
fn share_below(errors: &[(f64, f64)], limit: f64) -> f64 {
    let Some(&(last, _)) = errors.last() else { return 0.0 };
    let Some(after) = errors.iter().position(|&(_, rate)| rate > limit) else { return 1.0 };
    if after == 0 {
        return 0.0;
    }
    let ((from, low), (to, high)) = (errors[after - 1], errors[after]);
    (from + (to - from) * (limit - low) / (high - low)) / last
}

/// What reused cycles add to each block's wear, in whole P/E cycles as they add up.
#[derive(Debug, Clone)]
pub(super) struct Strain {
    /// Of a reused cycle, beyond a conventional one.
    each: f64,
    /// By block: cycles that were added, and what is left of one.
    added: ById<BlockId, (u32, f32)>,
}

impl Strain {
    /// `strain` is what a reused cycle stands for.
    pub fn new(strain: f64, blocks: u32) -> Self {
        Self { each: strain - 1.0, added: ById::filled((0, 0.0), blocks) }
    }

    /// A block ends so many cycles in which it was reused: those that they stand for.
    pub fn of_reused(&mut self, block: BlockId, cycles: u32) -> u32 {
        let (added, rest) = &mut self.added[block];
        let more = f64::from(*rest) + self.each * f64::from(cycles);
        let whole = more.floor();
        *rest = (more - whole) as f32;
        *added += whole as u32;
        cycles.saturating_add(whole as u32)
    }

    /// The blocks are as worn as the configuration says, whatever came before.
    pub fn begin(&mut self) {
        self.added = ById::filled((0, 0.0), self.added.count());
    }

    /// Cycles of a block that were added to those it went through.
    pub fn added(&self, block: BlockId) -> u32 {
        self.added[block].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_life_is_safe_up_to_where_its_errors_cross_the_limit() {
        let errors = [(0.0, 1.0), (100.0, 3.0), (200.0, 4.0)];
        for (limit, share) in [(0.9, 0.0), (1.0, 0.0), (2.0, 0.25), (3.5, 0.75), (4.0, 1.0)] {
            assert_eq!(share_below(&errors, limit), share, "{limit}");
        }
    }

    #[test]
    fn the_tables_say_what_the_publication_measured() {
        // Table 4, reprogramming for the entire life: 38, 59.5, 99 and 31 % of it are lost. The tables are of
        // the laboratory, whose cells were fitted to other figures: within 15 points.
        for (chip, lost) in [(Chip::A16, 38.0), (Chip::A27, 59.5), (Chip::B29, 31.0)] {
            let share = chip.safe_share(1.136).expect("it allows reuse");
            assert!((100.0 * (1.0 - share) - lost).abs() < 15.0, "{chip}: {share}");
        }
        // B16 lasts for 1 % of its life.
        let share = share_below(&errors(Chip::B16), LIMIT);
        assert!(share < 0.05, "{share}");
    }

    #[test]
    fn what_reused_cycles_add_comes_in_whole_cycles() {
        let mut strain = Strain::new(1.25, 2);
        let told: Vec<u32> = (0..8).map(|_| strain.of_reused(BlockId(1), 1)).collect();
        assert_eq!(told, [1, 1, 1, 2, 1, 1, 1, 2]);
        assert_eq!((strain.added(BlockId(0)), strain.added(BlockId(1))), (0, 2));
        assert_eq!(strain.of_reused(BlockId(0), 10), 12);
    }
}
