//! Programs in two stages: Kim and Kim, *LazyRS*, Electronics 12(4):843, 2023, Section 3.2.

use super::search::{least, rising};
use super::{Findings, Fit, Plot, Series};
use wordline_cell::{Chip, Conditions, Error, Plan, Step, WordLine, analytic, math, read};

const CHIP: &str = "lazyrs-tlc";
const QLC: &str = "lazyrs-qlc";
const EXPECTED: &str = include_str!("../../../experiments/lazyrs/expected.csv");
/// Wear of the retention model.
const PEC: f64 = 1000.0;
/// A stage's retention ends when this share of what the ECC corrects is wrong.
const ECC_SHARE: f64 = 0.9;
const DAY_H: f64 = 24.0;
const YEAR_D: f64 = 365.0;
/// Retention of the write modes of Section 4.2, in days.
const MODES_D: [f64; 3] = [1.0, 7.0, 30.0];
/// The longest mode's, whose stage_t goes before the idle interval of Figure 5b.
const MONTH_D: f64 = 30.0;
/// Largest step that is looked at, in units: more than the pitch of the states.
const LARGEST_STEP: f64 = 80.0;

/// Errors of the worst page per codeword after so many days, by the best references: N_ret(t).
fn errors(chip: &Chip, plan: &Plan, days: f64) -> f64 {
    errors_at(chip, plan, PEC, days)
}

fn errors_at(chip: &Chip, plan: &Plan, pec: f64, days: f64) -> f64 {
    let conditions = Conditions::fresh(pec).aged(days * DAY_H, chip.retention.reference_c);
    let classes = analytic::voltages(chip, plan, &conditions, &WordLine::NOMINAL);
    let best = read::optimal_references(plan, &classes);
    let worst = math::largest(read::error_rates(plan, &classes, &best));
    chip.ecc.errors_per_codeword(worst)
}

fn bearable(chip: &Chip) -> f64 {
    ECC_SHARE * f64::from(chip.ecc.bits)
}

/// The largest ΔV_ISPP by which a first stage is bearable after so many days, in units.
fn largest_step(chip: &Chip, days: f64) -> f64 {
    let goal = bearable(chip);
    rising(0.5, LARGEST_STEP.min(2.0 * pitch(chip)), goal, |step| {
        errors(chip, &Plan::first_stage(chip, step, PEC), days)
    })
}

/// Mean distance of the programmed states, in units.
fn pitch(chip: &Chip) -> f64 {
    let verify = &chip.program.verify;
    (verify[verify.len() - 1] - verify[0]) / (verify.len() - 1) as f64
}

/// The stage_t that holds for so many days, by the largest steps.
fn stage_t(chip: &Chip, days: f64) -> Plan {
    Plan::first_stage(chip, largest_step(chip, days), PEC)
}

/// Loops of the last program of a plan.
fn last_loops(chip: &Chip, plan: &Plan) -> f64 {
    plan.loops(chip).last().copied().unwrap_or(0.0)
}

/// Latency of a plan's last program, as a share of the program that holds for a year.
fn of_conventional(chip: &Chip, plan: &Plan) -> f64 {
    last_loops(chip, plan) / last_loops(chip, &Plan::one_shot(chip))
}

/// Latency of the stage_t that holds for so many days, in whole loops as the chip's table has it.
fn relative_latency(chip: &Chip, days: f64) -> f64 {
    of_conventional(chip, &stage_t(chip, days))
}

/// As [`relative_latency`] without regard to whole loops, which a fit needs.
fn smooth_latency(chip: &Chip, days: f64) -> f64 {
    // The loop at V_start, and half of one: so much more whole loops are in the mean.
    const BESIDES: f64 = 1.5;
    let loops = |plan: &Plan| match &plan.steps[0] {
        Step::Program { verify, step, .. } => {
            chip.program.volts(math::largest(verify.iter().flatten().copied())) / step + BESIDES
        }
        Step::Neighbour { .. } | Step::Rest { .. } => BESIDES,
    };
    loops(&stage_t(chip, days)) / loops(&Plan::one_shot(chip))
}

/// The stage_s `idle_d` days after the stage_t that holds for `days`.
fn stage_s(chip: &Chip, days: f64, idle_d: f64) -> Plan {
    Plan::second_stage(chip, largest_step(chip, days), PEC, idle_d * DAY_H)
}

/// The stage_s at the end of a stage_t, by the largest steps that then still hold a year.
fn fastest_stage_s(chip: &Chip, days: f64) -> Plan {
    let by = |step: f64| {
        let mut plan = stage_s(chip, days, days);
        let programs = plan.steps.iter_mut().filter_map(|of| match of {
            Step::Program { step, .. } => Some(step),
            Step::Neighbour { .. } | Step::Rest { .. } => None,
        });
        programs.last().into_iter().for_each(|own| *own = step);
        plan
    };
    let largest = LARGEST_STEP.min(2.0 * pitch(chip));
    by(rising(0.5, largest, bearable(chip), |step| errors(chip, &by(step), YEAR_D)))
}

/// Errors a year after a stage_s that came `idle_d` days after the stage_t of a month.
fn after_idle(chip: &Chip, idle_d: f64) -> f64 {
    errors(chip, &stage_s(chip, MONTH_D, idle_d), YEAR_D)
}

/// Share of the errors that an idle interval takes away, in %.
fn gain(chip: &Chip, idle_d: f64) -> f64 {
    100.0 * (1.0 - after_idle(chip, idle_d) / after_idle(chip, 0.0))
}

pub(super) fn run() -> Result<Findings, Error> {
    let mut findings = Findings::default();
    for (name, kind) in [(CHIP, ""), (QLC, "qlc/")] {
        let chip = Chip::preset(name)?;
        let held = errors(&chip, &Plan::one_pass(&chip, chip.program.step), YEAR_D);
        findings.set(format!("lazyrs/{kind}fig5a/errors/retention=365d"), held);
        for days in MODES_D {
            let id = format!("lazyrs/{kind}fig5a/latency/retention={days}d");
            findings.set(id, relative_latency(&chip, days));
            let second = of_conventional(&chip, &stage_s(&chip, days, days));
            findings.set(format!("lazyrs/{kind}stage_s/latency/after={days}d"), second);
            let fastest = of_conventional(&chip, &fastest_stage_s(&chip, days));
            findings.set(format!("lazyrs/{kind}stage_s/fastest/after={days}d"), fastest);
        }
        findings.set(format!("lazyrs/{kind}fig5b/errors/idle=0d"), after_idle(&chip, 0.0));
        for days in MODES_D {
            findings.set(format!("lazyrs/{kind}fig5b/gain/idle={days}d"), gain(&chip, days));
        }
        plots(&chip, name, &mut findings);
    }
    let chip = Chip::preset(CHIP)?;
    let oven_d = chip.retention.equivalent_h(13.0, 85.0) / DAY_H;
    findings.set("lazyrs/acceleration/13h_85C", oven_d);
    let top = |chip: &Chip| chip.program.verify[chip.program.verify.len() - 1];
    let loops = |chip: &Chip| chip.program.loops(top(chip), chip.program.step);
    findings.set("lazyrs/qlc/program_time", loops(&Chip::preset(QLC)?) / loops(&chip));
    notes(&mut findings);
    Ok(findings)
}

fn plots(chip: &Chip, name: &str, findings: &mut Findings) {
    const DAYS: [f64; 9] = [0.25, 0.5, 1.0, 3.0, 7.0, 14.0, 30.0, 90.0, 365.0];
    const IDLE_D: [f64; 7] = [0.0, 0.25, 1.0, 3.0, 7.0, 14.0, 30.0];
    let one = |name: &str, points: Vec<(f64, f64)>| vec![Series { name: name.into(), points }];
    findings.plots.push(Plot {
        title: format!("Figure 5a: {name}, latency of stage_t against the retention that it holds"),
        x: "retention at 30 °C (days)".into(),
        y: "latency (share of a program that holds a year)".into(),
        log_y: false,
        series: one("stage_t", DAYS.map(|d| (d, relative_latency(chip, d))).to_vec()),
    });
    findings.plots.push(Plot {
        title: format!("Figure 5b: {name}, errors a year after stage_s against the idle interval"),
        x: "idle interval between the stages (days)".into(),
        y: "errors per codeword of the worst page".into(),
        log_y: false,
        series: one("after stage_s", IDLE_D.map(|d| (d, after_idle(chip, d))).to_vec()),
    });
}

fn notes(findings: &mut Findings) {
    findings.note(
        "lazyrs/qlc",
        "the paper says that its evaluation applies to QLC and gives no figure; sixteen states \
         in the same window hold a year after 1,000 cycles only by cells with less than half the noise \
         and loss, which is what the chip assumes",
    );
    findings.note(
        "lazyrs/stage_s/latency",
        "by the conventional step, to the conventional levels: as many loops, because the cells of the \
         lowest state are below the first of them",
    );
    findings.note(
        "lazyrs/stage_s/fastest",
        "by the largest steps that hold a year after this idle interval, so that none of its fewer errors \
         are left; both stages together take longer than a conventional program",
    );
    findings.note(
        "lazyrs/fig5a/latency",
        "to levels so low that the second stage finds nearly every cell below its own, as a coarse program: \
         13, 15 and 18 loops of 39. By the levels of a conventional program they would be 14, 17 and 20",
    );
}

/// The step and the loss by which a program holds a year, and which give the three write modes, and the
/// share of the charge whose clock the second stage sets back.
pub(super) fn fits() -> Result<Vec<Fit>, Error> {
    let mut chip = Chip::preset(CHIP)?;
    let goals = super::expected::Goals::of(EXPECTED);
    let of = |id: &str| goals.get(&format!("lazyrs/{id}"));
    // A smaller step leaves room for more loss: each has the one that makes a year bearable.
    let loss = |chip: &mut Chip, step: f64| {
        chip.program.step = step;
        let goal = of("fig5a/errors/retention=365d");
        chip.retention.diffusion = rising(1.0, 16.0, goal, |diffusion| {
            chip.retention.diffusion = diffusion;
            errors(chip, &Plan::one_pass(chip, step), YEAR_D)
        });
    };
    let step = least(8.0, 20.0, 11, |step| {
        loss(&mut chip, step);
        let gap = |days: f64| {
            let published = of(&format!("fig5a/latency/retention={days}d"));
            libm::log(smooth_latency(&chip, days) / published)
        };
        MODES_D.map(|days| gap(days) * gap(days)).iter().sum()
    });
    loss(&mut chip, step);
    chip.retention.renewed = least(0.5, 1.0, 14, |renewed| {
        chip.retention.renewed = renewed;
        (gain(&chip, MONTH_D) - of("fig5b/gain/idle=30d")).abs()
    });
    let parameters = vec![
        ("program.step".into(), step),
        ("retention.diffusion".into(), chip.retention.diffusion),
        ("retention.renewed".into(), chip.retention.renewed),
    ];
    Ok(vec![Fit::new(CHIP, parameters, 3, goals.read()).told(
        "write modes of 1, 7 and 30 days, 90 % of the ECC's errors after a year, 31.2 % fewer errors by \
         an idle month",
        "golden sections over the step, the loss being what a year then allows",
    )])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `stages.step` of a chip is the largest by which its states hold for `stages.days`.
    #[test]
    fn first_stages_are_as_fast_as_their_days_allow() {
        for name in [CHIP, QLC] {
            let chip = Chip::preset(name).unwrap();
            let stages = chip.stages.clone().unwrap();
            assert_eq!(stages.days, MODES_D);
            for (days, step) in stages.each() {
                let largest = largest_step(&chip, days);
                assert!((step / largest - 1.0).abs() < 2e-3, "{name} {days}: {step}, {largest}");
                let held = errors(&chip, &Plan::first_stage(&chip, step, PEC), days);
                assert!((held / bearable(&chip) - 1.0).abs() < 0.02, "{name} {days}: {held}");
            }
        }
    }

    /// By wear, lazyFTL promises twice the time for each so many cycles fewer (`halved_by_pec`).
    const HALVED_BY_PEC: f64 = 145.0;

    #[test]
    fn first_stages_of_less_worn_cells_hold_as_long_as_lazy_ftl_promises() {
        let chip = Chip::preset(CHIP).unwrap();
        for (days, step) in chip.stages.clone().unwrap().each() {
            let held = |pec: f64| {
                let plan = Plan::first_stage(&chip, step, pec);
                rising(0.1, 1e4, bearable(&chip), |days| errors_at(&chip, &plan, pec, days))
            };
            for pec in [750.0, 500.0] {
                let promised = libm::exp2((PEC - pec) / HALVED_BY_PEC) * days;
                assert!(held(pec) >= promised, "{days} days, {pec} cycles: {}", held(pec));
            }
            // Not so much longer that twice as many second stages are due.
            assert!(held(750.0) < 2.2 * libm::exp2(250.0 / HALVED_BY_PEC) * days, "{days} days");
        }
    }
}
