//! Rows of programs in two stages.

use super::{AGES_H, TEMPERATURES_C, error_rates, programs, row};
use crate::energy::Loops;
use crate::stages::Stages;
use crate::{Chip, Conditions, Levels, Plan, WordLine, analytic, read};

/// Ages in the error rates of first stages, in hours: fresh, a day, a week, a month.
const FIRST_AGES_H: [f64; 4] = [0.0, 24.0, 168.0, 730.0];
const HOURS_OF_A_DAY: f64 = 24.0;

/// The programs of first stages, and of second ones as late as each holds.
pub(super) fn latencies(chip: &Chip, stages: &Stages, out: &mut String) {
    for (days, step) in stages.each() {
        for (page, loops) in programs(chip, &first_stage(chip, step)) {
            let us = loops.count * chip.program.loop_us;
            row(out, format_args!("program,{},{page},{us:.1}", first_name(days)));
        }
    }
    for (days, step) in stages.each() {
        let plan = second_stage(chip, step, days * HOURS_OF_A_DAY);
        let loops = Loops::of_plan(chip, &plan).last().map_or(0.0, |second| second.count);
        let us = loops * chip.program.loop_us;
        row(out, format_args!("program,{},all,{us:.1}", secured(days)));
    }
}

/// Temperatures of the error rates of a chip's conventional programs. Those beside which its stages stand have the
/// reference temperature as well.
pub(super) fn temperatures_c(chip: &Chip, levels: Levels) -> Vec<f64> {
    let is_staged = chip.stages.is_some() && levels == chip.levels;
    let own_c = chip.retention.reference_c;
    let own_c = Some(own_c).filter(|c| is_staged && !TEMPERATURES_C.contains(c));
    own_c.into_iter().chain(TEMPERATURES_C).collect()
}

/// The name of a first stage that holds for so many days, as the publication has it.
fn first_name(days: f64) -> String {
    format!("m{days}")
}

/// The name of a second stage that comes when that first one holds no longer.
fn secured(days: f64) -> String {
    format!("secured_{}", first_name(days))
}

fn first_stage(chip: &Chip, step: f64) -> Plan {
    Plan::first_stage(chip, step, chip.endurance_pec)
}

fn second_stage(chip: &Chip, step: f64, idle_h: f64) -> Plan {
    Plan::second_stage(chip, step, chip.endurance_pec, idle_h)
}

/// Error rates of first stages, and of second ones: right after the fastest of the first, so that no
/// idle interval has made it better, and after each as late as it holds. At the chip's reference
/// temperature, too.
pub(super) fn errors(chip: &Chip, stages: &Stages, out: &mut String) {
    let temperatures_c = temperatures_c(chip, chip.levels);
    for (days, step) in stages.each() {
        let plan = first_stage(chip, step);
        error_rates(chip, &first_name(days), &plan, (&FIRST_AGES_H, &temperatures_c), out);
    }
    let fastest = crate::math::largest(stages.step.iter().copied());
    let mut second = |name: &str, step: f64, idle_h: f64| {
        let plan = second_stage(chip, step, idle_h);
        error_rates(chip, name, &plan, (&AGES_H, &temperatures_c), out);
    };
    second("secured", fastest, 0.0);
    for (days, step) in stages.each() {
        second(&secured(days), step, days * HOURS_OF_A_DAY);
    }
}

impl Plan {
    /// The first stage by steps of `step` units, to the levels from which a second one goes on: the coarse pass of
    /// [`Plan::second_stage`] alone. It is read by the best references of an unworn word line of its own.
    pub fn first_stage(chip: &Chip, step: f64, pec: f64) -> Self {
        let mut plan = Self::second_stage(chip, step, pec, 0.0);
        plan.steps.truncate(2);
        let unworn = Conditions::fresh(0.0);
        let classes = analytic::voltages(chip, &plan, &unworn, &WordLine::NOMINAL);
        plan.references = read::optimal_references(&plan, &classes);
        plan
    }
}
