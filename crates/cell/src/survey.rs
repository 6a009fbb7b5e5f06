//! A word line under chosen conditions: what `wordline lab vth` shows.

use crate::chip::Chip;
use crate::{Conditions, Density, Error, Levels, Plan, WordLine, analytic, read};
use serde::Serialize;

/// Distributions, references and errors of a nominal word line.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Survey {
    /// The chip's name.
    pub chip: String,
    /// The mode in which it was programmed.
    pub mode: Levels,
    /// P/E cycles.
    pub pec: f64,
    /// Hours since the program.
    pub age_h: f64,
    /// Temperature in °C.
    pub temperature_c: f64,
    /// Reads of other pages.
    pub reads: f64,
    /// Hours at the chip's reference temperature that change as much.
    pub equivalent_h: f64,
    /// The states, lowest first.
    pub states: Vec<State>,
    /// Reads by default and by the best references.
    pub reads_by: Vec<Reading>,
    /// Retries until the worst page can be corrected on average; none if the chip's are not enough.
    pub retries: Option<u32>,
    /// Errors that a codeword may have.
    pub ecc_bits: u32,
    /// Data bytes of a codeword.
    pub ecc_data_bytes: u32,
    /// Voltages of the densities, in units.
    pub voltages: Vec<f64>,
}

/// A state's distribution.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct State {
    /// ER, P1, …
    pub name: String,
    /// Bits, the lowest page's last.
    pub bits: String,
    /// Mean in units.
    pub mean: f64,
    /// Standard deviation in units.
    pub sigma: f64,
    /// Share of its cells at each voltage, per unit.
    pub density: Vec<f64>,
}

/// A way to read, and what it gives.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reading {
    /// `default` or `optimal`.
    pub references_are: &'static str,
    /// References in units.
    pub references: Vec<f64>,
    /// Share of wrong bits, by page, the lowest first.
    pub rber: Vec<f64>,
    /// Errors per codeword, by page.
    pub errors_per_codeword: Vec<f64>,
    /// Probability that a codeword of the page cannot be corrected.
    pub codeword_failure: Vec<f64>,
}

/// Densities are given at every so manyth voltage of the grid.
const STRIDE: usize = 2;

impl Survey {
    /// Surveys a nominal word line of a chip, called `name`, programmed at once in `mode`, or in its
    /// own where that is `None`.
    ///
    /// # Errors
    /// A mode that it does not have, or conditions that its laws do not reach.
    pub fn new(
        name: &str,
        chip: &Chip,
        mode: Option<Levels>,
        conditions: &Conditions,
    ) -> Result<Self, Error> {
        let mode = mode.unwrap_or(chip.levels);
        let plan = Plan::mode(chip, mode)?;
        conditions.check(chip)?;
        let classes = analytic::voltages(chip, &plan, conditions, &WordLine::NOMINAL);
        let optimal = read::optimal_references(&plan, &classes);
        let reads_by = vec![
            Reading::new(chip, &plan, &classes, "default", plan.references.clone()),
            Reading::new(chip, &plan, &classes, "optimal", optimal),
        ];
        let bits = f64::from(chip.ecc.bits) / f64::from(chip.ecc.data_bytes * 8);
        let Conditions { pec, age_h, temperature_c, reads } = *conditions;
        Ok(Self {
            chip: name.into(),
            mode,
            pec,
            age_h,
            temperature_c,
            reads,
            equivalent_h: chip.retention.equivalent_h(age_h, temperature_c),
            states: states(mode, &plan, &classes),
            reads_by,
            retries: read::with_retries(chip, &plan, &classes, bits).retries,
            ecc_bits: chip.ecc.bits,
            ecc_data_bytes: chip.ecc.data_bytes,
            voltages: Density::voltages().step_by(STRIDE).collect(),
        })
    }
}

fn states(mode: Levels, plan: &Plan, classes: &[Density]) -> Vec<State> {
    let one = |(state, class): (usize, &Density)| State {
        name: crate::levels::state_name(state),
        bits: format!("{:0width$b}", plan.classes[state].bits, width = mode.bits()),
        mean: class.mean(),
        sigma: class.sigma(),
        density: class.bins().iter().step_by(STRIDE).map(|bin| bin / crate::density::BIN).collect(),
    };
    classes.iter().enumerate().map(one).collect()
}

impl Reading {
    fn new(
        chip: &Chip,
        plan: &Plan,
        classes: &[Density],
        references_are: &'static str,
        references: Vec<f64>,
    ) -> Self {
        let rber = read::error_rates(plan, classes, &references);
        let each = |of: &dyn Fn(f64) -> f64| rber.iter().map(|rate| of(*rate)).collect();
        Self {
            references_are,
            errors_per_codeword: each(&|rate| chip.ecc.errors_per_codeword(rate)),
            codeword_failure: each(&|rate| chip.ecc.failure_probability(rate)),
            references,
            rber,
        }
    }
}

/// Conditions as people write them.
///
/// # Errors
/// What cannot be read, or cannot be.
pub fn conditions(pec: &str, age: &str, temp: &str, reads: &str) -> Result<Conditions, Error> {
    Ok(Conditions {
        pec: crate::parse_count(pec).map_err(|error| error.at("pec"))?,
        age_h: crate::parse_age_h(age).map_err(|error| error.at("age"))?,
        temperature_c: crate::parse_temperature_c(temp).map_err(|error| error.at("temp"))?,
        reads: crate::parse_count(reads).map_err(|error| error.at("reads"))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planar() -> Chip {
        Chip::preset("planar-tlc").unwrap()
    }

    #[test]
    fn age_wear_and_heat_make_errors_and_better_references_take_them_away() {
        let at = |pec: &str, age: &str, temp: &str| {
            let conditions = conditions(pec, age, temp, "0").unwrap();
            Survey::new("planar-tlc", &planar(), None, &conditions).unwrap()
        };
        let worst = |survey: &Survey, by: usize| -> f64 {
            survey.reads_by[by].rber.iter().copied().fold(0.0, f64::max)
        };
        let (young, old) = (at("2K", "1d", "30C"), at("2K", "1y", "30C"));
        let (hot, worn) = (at("2K", "1y", "55C"), at("3K", "1y", "30C"));
        assert!(worst(&young, 0) < worst(&old, 0));
        assert!(worst(&old, 0) < worst(&hot, 0) && worst(&old, 0) < worst(&worn, 0));
        for survey in [&young, &old, &hot, &worn] {
            assert!(worst(survey, 1) <= worst(survey, 0) * (1.0 + 1e-9));
            let mass: f64 = survey.states[3].density.iter().sum();
            assert!((mass - 1.0).abs() < 1e-3, "{mass}");
        }
    }

    #[test]
    fn modes_of_fewer_bits_have_fewer_errors() {
        let conditions = conditions("3K", "1y", "40C", "1e4").unwrap();
        let rates = [Levels::Tlc, Levels::Mlc, Levels::Slc].map(|mode| {
            let survey = Survey::new("planar-tlc", &planar(), Some(mode), &conditions).unwrap();
            assert_eq!(survey.states.len(), mode.states());
            survey.reads_by[1].rber.iter().copied().fold(0.0, f64::max)
        });
        assert!(rates[0] > 10.0 * rates[1] && rates[1] > rates[2], "{rates:?}");
        let error =
            Survey::new("planar-tlc", &planar(), Some(Levels::Qlc), &conditions).unwrap_err();
        assert!(error.help.contains("slc, mlc, tlc"));
    }

    #[test]
    fn the_quantity_that_is_wrong_is_named() {
        assert_eq!(conditions("x", "1y", "40C", "0").unwrap_err().place, "pec");
        assert_eq!(conditions("1", "-1y", "40C", "0").unwrap_err().place, "age");
        assert_eq!(conditions("1", "1y", "400C", "0").unwrap_err().place, "temp");
        assert_eq!(conditions("1", "1y", "40C", "0.5").unwrap_err().place, "reads");
    }
}
