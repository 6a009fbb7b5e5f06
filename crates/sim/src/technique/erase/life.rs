//! The life of blocks by one scheme, without a drive: what errors and erases come to, cycle by cycle.

use super::blocks::{Rule, Wear, advance};
use super::cells::Cells;
use crate::error::Error;
use crate::ids::Ids;
use crate::nand::infeasible;
use crate::schema::Config;
use serde::Serialize;
use wordline_stats::normal_quantile;

/// Blocks that stand for all of their kind, and cycles between looks at them.
const BLOCKS: u32 = 200;
const EVERY_PEC: u32 = 50;
/// Beyond this no block is followed.
const MOST_PEC: u32 = 30_000;

/// Blocks that have all seen so many cycles.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Age {
    /// P/E cycles.
    pub pec: u32,
    /// Errors of the worst page after a year, per KiB: mean over blocks.
    pub errors_mean: f64,
    /// Errors of the worst page of the worst block after a year, per KiB.
    pub errors_max: f64,
    /// Share of blocks beyond the requirement.
    pub worn_share: f64,
    /// Time under pulses of an erase, in ms, mean over blocks.
    pub pulse_ms: f64,
    /// Cycles by ISPE that do as much damage, mean over blocks.
    pub equivalent_ispe_pec: f64,
}

/// A life of blocks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Life {
    /// P/E cycles at which the mean of the errors passes the requirement; none: not within 30,000.
    pub lifetime_pec: Option<f64>,
    /// P/E cycles at which the first block passes it.
    pub first_worn_pec: Option<f64>,
    /// How they age, every 50 cycles, until all are worn out.
    pub ages: Vec<Age>,
}

/// The life of the blocks of a configuration by its erase scheme.
///
/// # Errors
/// A scheme that knows nothing of damage; parameters that contradict one another.
pub fn life(config: &Config) -> Result<Life, Error> {
    super::build(config)?.life().ok_or_else(|| {
        infeasible(
            format!("erase.scheme = {} tells no life of blocks", config.erase.scheme),
            "choose a scheme of erase pulses: ispe, i_ispe, dpes, aero or reo",
        )
    })
}

/// Takes evenly spread blocks through their cycles until all have more errors than `requirement`.
pub(super) fn of_blocks(by: (&Cells, &dyn Rule), requirement: f64, seed: u64) -> Life {
    let place = |block: u32| normal_quantile((f64::from(block) + 0.5) / f64::from(BLOCKS));
    let mut blocks: Vec<(f64, Wear)> =
        (0..BLOCKS).map(|block| (place(block), Wear::default())).collect();
    let mut ages: Vec<Age> = Vec::new();
    for pec in (0..MOST_PEC).step_by(EVERY_PEC as usize) {
        let mut age = look(by.0, requirement, pec, &blocks);
        for (number, (hardness, wear)) in Ids::all(BLOCKS).into_iter().zip(&mut blocks) {
            let pulses_us = advance(by, wear, (number, *hardness), pec..pec + EVERY_PEC, seed);
            age.pulse_ms += f64::from(pulses_us) / 1000.0 / f64::from(BLOCKS);
        }
        let is_over = age.worn_share >= 1.0;
        ages.push(age);
        if is_over {
            break;
        }
    }
    let passes = |errors: fn(&Age) -> f64| {
        ages.windows(2).find(|pair| errors(&pair[1]) >= requirement).map(|pair| {
            let (low, high) = (errors(&pair[0]), errors(&pair[1]));
            let share = ((requirement - low) / (high - low)).clamp(0.0, 1.0);
            f64::from(pair[0].pec) + share * f64::from(EVERY_PEC)
        })
    };
    Life {
        lifetime_pec: passes(|age| age.errors_mean),
        first_worn_pec: passes(|age| age.errors_max),
        ages,
    }
}

fn look(cells: &Cells, requirement: f64, pec: u32, blocks: &[(f64, Wear)]) -> Age {
    let count = blocks.len() as f64;
    let errors = || blocks.iter().map(|(_, wear)| cells.errors(wear.damage_us));
    let equivalent = blocks.iter().map(|(_, wear)| cells.equivalent_pec(wear.damage_us));
    Age {
        pec,
        errors_mean: errors().sum::<f64>() / count,
        errors_max: errors().fold(0.0, f64::max),
        worn_share: errors().filter(|&errors| errors > requirement).count() as f64 / count,
        pulse_ms: 0.0,
        equivalent_ispe_pec: equivalent.sum::<f64>() / count,
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::{Asked, Erasing};
    use super::*;
    use crate::reliability::Chip;

    /// One full pulse of the first loop, whatever a block needs.
    struct OnePulse;

    impl Rule for OnePulse {
        fn erase(&self, cells: &Cells, _: &Asked, out: &mut Erasing) {
            out.pulse(1, 0, cells.full_us(1));
        }
    }

    /// Every cycle does the damage of a full pulse here.
    #[test]
    fn blocks_have_the_cycles_of_their_age_behind_them() {
        let cells = Cells::of(Chip::ReoTlc).expect("its tables are built in");
        let life = of_blocks((&cells, &OnePulse), 63.0, 7);
        let of_cycle_us = cells.damage_us(1, 0, cells.full_us(1));
        assert!(life.ages.len() > 20);
        for (age, at) in life.ages.iter().zip(0..) {
            assert_eq!(age.pec, 50 * at);
            let equivalent_pec = cells.equivalent_pec(age.pec * of_cycle_us);
            assert!((age.equivalent_ispe_pec - equivalent_pec).abs() < 1e-6, "{age:?}");
        }
    }
}
