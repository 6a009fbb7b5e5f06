//! The chips of Liu et al., *Centaur*, POMACS 4(2):28, 2020, Table 2: what the paper gives of
//! them, and what the model adds, errors and how long they last. Nothing is fitted; latencies are
//! what the chips' durations of a loop and of a sensing were chosen for.

use super::search::rising;
use super::{Findings, Fit, Plot, Series};
use wordline_cell::energy::Loops;
use wordline_cell::{Chip, Conditions, Error, Levels, Plan, WordLine, analytic, read};

const SLC: &str = "centaur-slc";
const TLC: &str = "centaur-tlc";
/// The planar chip whose bits per cell are compared (Section 1).
const PLANAR: &str = "planar-tlc";
const AGES_H: [(&str, f64); 3] = [("fresh", 0.0), ("month", 730.0), ("year", 8760.0)];
/// Most cycles that are looked at, as multiples of the chip's endurance.
const LONGEST: f64 = 60.0;

pub(super) fn run() -> Result<Findings, Error> {
    let mut findings = Findings::default();
    for (kind, name) in [("slc", SLC), ("tlc", TLC)] {
        let chip = Chip::preset(name)?;
        operations(&chip, kind, &mut findings)?;
        errors(&chip, kind, &mut findings)?;
    }
    full_sequence(&Chip::preset(TLC)?, &mut findings)?;
    let planar = Chip::preset(PLANAR)?;
    let [mlc, tlc] = [life(&planar, Levels::Mlc)?, life(&planar, Levels::Tlc)?];
    findings.set("centaur/planar/mlc_life_over_tlc", mlc / tlc);
    findings.note(
        "centaur/planar/mlc_life_over_tlc",
        "the same planar cells used by two bits and by three, read by the best references with the \
         same code; the paper cites other chips",
    );
    Ok(findings)
}

/// Latencies of a program of a word line and of a read on average, and pages.
fn operations(chip: &Chip, kind: &str, findings: &mut Findings) -> Result<(), Error> {
    let plan = Plan::mode(chip, chip.levels)?;
    let loops: f64 = Loops::of_plan(chip, &plan).iter().map(|own| own.count).sum();
    let sensings: usize = (0..plan.pages).map(|page| plan.sensings(page)).sum();
    let read_us = chip.read.sense_us * sensings as f64 / plan.pages as f64;
    let unit_kib = f64::from(chip.geometry.page_kib) * plan.pages as f64;
    for (what, value) in [
        ("program_us", loops * chip.program.loop_us),
        ("read_us", read_us),
        ("program_unit_of_a_plane_kib", unit_kib),
        ("pages_per_block", f64::from(chip.geometry.pages_per_block(chip.levels))),
    ] {
        findings.set(format!("centaur/{kind}/{what}"), value);
    }
    Ok(())
}

/// Errors of the worst page per codeword at the end of the published endurance.
fn errors(chip: &Chip, kind: &str, findings: &mut Findings) -> Result<(), Error> {
    let mut curves = Vec::new();
    for (name, age_h) in AGES_H {
        let at = |pec: f64| errors_per_codeword(chip, chip.levels, pec, age_h);
        findings.set(format!("centaur/{kind}/errors/{name}"), at(chip.endurance_pec)?);
        let mut points = Vec::new();
        for i in 0..=12 {
            let pec = chip.endurance_pec * f64::from(i) / 8.0;
            points.push((pec, at(pec)?));
        }
        curves.push(Series { name: name.into(), points });
    }
    findings.set(format!("centaur/{kind}/life"), life(chip, chip.levels)?);
    findings.plots.push(Plot {
        title: format!("Centaur's {}: errors by wear and age", chip.levels.name().to_uppercase()),
        x: "P/E cycles".into(),
        y: "errors per codeword of the worst page".into(),
        log_y: false,
        series: curves,
    });
    Ok(())
}

/// Errors of the worst page per codeword, by the best references.
fn errors_per_codeword(chip: &Chip, mode: Levels, pec: f64, age_h: f64) -> Result<f64, Error> {
    let plan = Plan::mode(chip, mode)?;
    let conditions = Conditions::fresh(pec).aged(age_h, chip.retention.reference_c);
    let classes = analytic::voltages(chip, &plan, &conditions, &WordLine::NOMINAL);
    let best = read::optimal_references(&plan, &classes);
    let worst = wordline_cell::math::largest(read::error_rates(&plan, &classes, &best));
    Ok(chip.ecc.errors_per_codeword(worst))
}

/// P/E cycles after which the worst page has as many errors on average, a year later, as the code
/// corrects.
fn life(chip: &Chip, mode: Levels) -> Result<f64, Error> {
    Plan::mode(chip, mode)?;
    let (_, year_h) = AGES_H[2];
    let most = LONGEST * chip.endurance_pec;
    Ok(rising(1.0, most, f64::from(chip.ecc.bits), |pec| {
        errors_per_codeword(chip, mode, pec, year_h).unwrap_or(f64::NAN)
    }))
}

/// A full sequence against one page after the other, each of which goes through the window once more.
fn full_sequence(chip: &Chip, findings: &mut Findings) -> Result<(), Error> {
    let loops = |mode: Levels| -> Result<f64, Error> {
        let plan = Plan::mode(chip, mode)?;
        Ok(Loops::of_plan(chip, &plan).iter().map(|own| own.count).sum())
    };
    let (all, [low, middle]) = (loops(Levels::Tlc)?, [loops(Levels::Slc)?, loops(Levels::Mlc)?]);
    findings.set("centaur/tlc/full_sequence/over_three_pages", all / (low + middle + all));
    Ok(())
}

/// Nothing: durations were chosen, the rest is the chips below.
pub(super) fn fits() -> Result<Vec<Fit>, Error> {
    Ok(Vec::new())
}
