//! Planar TLC of Cai et al., Proc. IEEE 105(9), 2017, Table 5: where the scale of voltages comes
//! from, and the first check of retention.

use super::{Findings, Fit, Plot, Series};
use wordline_cell::chip::Chip;
use wordline_cell::math::least_squares;
use wordline_cell::{Conditions, Density, Error, Levels, Plan, WordLine, analytic, read};

const CHIP: &str = "planar-tlc";
const EXPECTED: &str = include_str!("../../../experiments/planar-tlc/expected.csv");
/// Ages of the table, in hours.
const AGES: [(&str, f64); 5] =
    [("1d", 24.0), ("1w", 168.0), ("1mo", 730.0), ("3mo", 2190.0), ("1y", 8760.0)];
/// P/E cycles of the table's ageing, and of its other two columns of means.
const PEC: f64 = 2000.0;
const OTHER_PEC: [f64; 2] = [0.0, 3000.0];

fn at(chip: &Chip, plan: &Plan, pec: f64, age_h: f64) -> Vec<Density> {
    let conditions = Conditions::fresh(pec).aged(age_h, chip.retention.reference_c);
    analytic::voltages(chip, plan, &conditions, &WordLine::NOMINAL)
}

pub(super) fn run() -> Result<Findings, Error> {
    let chip = Chip::preset(CHIP)?;
    let plan = Plan::one_shot(&chip);
    let names = Levels::Tlc.state_names();
    let mut findings = Findings::default();
    let fixed = read::optimal_references(&plan, &at(&chip, &plan, PEC, AGES[0].1));
    for (age, hours) in AGES {
        let classes = at(&chip, &plan, PEC, hours);
        for (name, class) in names.iter().zip(&classes) {
            findings.set(format!("planar/mean/{age}/{name}"), class.mean());
            findings.set(format!("planar/sigma/{age}/{name}"), class.sigma());
        }
        let best = read::optimal_references(&plan, &classes);
        for (which, references) in [("fixed", &fixed), ("best", &best)] {
            let rates = read::error_rates(&plan, &classes, references);
            let mean = rates.iter().sum::<f64>() / rates.len() as f64;
            let errors = chip.ecc.errors_per_codeword(mean);
            findings.set(format!("planar/errors_per_kib/{age}/{which}"), errors);
        }
        if age == "1d" || age == "1y" {
            findings.plots.push(distribution(&format!("Planar TLC after {age}"), &names, &classes));
        }
    }
    for pec in OTHER_PEC {
        for (name, class) in names.iter().zip(&at(&chip, &plan, pec, AGES[0].1)) {
            findings.set(format!("planar/mean/pec={pec}/{name}"), class.mean());
        }
    }
    findings.note(
        "planar/mean/pec=",
        "programmed states rise a little with wear in the table; wear acts on retention alone here",
    );
    Ok(findings)
}

/// Distributions of all classes of a plan, as a plot.
pub(super) fn distribution(title: &str, names: &[String], classes: &[Density]) -> Plot {
    let series = names.iter().zip(classes).map(|(name, class)| {
        let points = Density::voltages().zip(class.bins()).step_by(4);
        let seen = points.filter(|(_, bin)| **bin > 1e-9).map(|(v, bin)| (v, *bin));
        Series { name: name.clone(), points: seen.collect() }
    });
    Plot {
        title: title.into(),
        x: "threshold voltage (units)".into(),
        y: "share of the cells of the state, per half unit".into(),
        log_y: true,
        series: series.collect(),
    }
}

/// Fits drift, diffusion and levels by least squares to the table.
pub(super) fn fits() -> Result<Vec<Fit>, Error> {
    let chip = Chip::preset(CHIP)?;
    let goals = super::expected::Goals::of(EXPECTED);
    let of = |id: String| goals.get(&id);
    let names = Levels::Tlc.state_names();
    let log_time = |hours: f64| libm::log1p(hours / chip.retention.t0_h);
    let (mut rows, mut means) = (vec![], vec![]);
    for (age, hours) in AGES {
        for (state, name) in names.iter().enumerate() {
            let mean = of(format!("planar/mean/{age}/{name}"));
            let (time, x) = (log_time(hours), mean / 512.0);
            let mut row: Vec<f64> = (0..8).map(|k| f64::from(u8::from(k == state))).collect();
            row.extend([time, time * x, time * x * x]);
            rows.push(row);
            means.push(mean);
        }
    }
    let undetermined =
        || Error::new("the table does not determine the fit", "restore expected.csv");
    let mean = least_squares(&rows, &means).ok_or_else(undetermined)?;
    let (mut ages, mut variances) = (vec![], vec![]);
    for (age, hours) in AGES {
        for (name, level) in names.iter().zip(&mean[..8]).skip(1) {
            // Where the drift grows with the voltage, it narrows or widens the state as well.
            let slope = (mean[9] + 2.0 * mean[10] * level / 512.0) / 512.0;
            let width = 1.0 + slope * log_time(hours);
            let sigma = of(format!("planar/sigma/{age}/{name}"));
            ages.push(vec![width * width, log_time(hours)]);
            variances.push(sigma * sigma);
        }
    }
    let variance = least_squares(&ages, &variances).ok_or_else(undetermined)?;
    let rise = neighbour_rise(&chip, &mean[..8]);
    let overshoot = chip.program.step / 2.0;
    let noise = variance[0] - chip.program.step * chip.program.step / 12.0 - rise.1;
    let mut parameters: Vec<(String, f64)> = (1..8)
        .map(|k| (format!("program.verify.{}", k - 1), mean[k] - overshoot - rise.0))
        .collect();
    parameters.extend((0..3).map(|k| (format!("retention.drift.{k}"), mean[8 + k])));
    parameters.push(("retention.diffusion".into(), variance[1]));
    parameters.push(("program.noise_sigma".into(), libm::sqrt(noise)));
    let worn_mean = mean[0] - rise.0;
    parameters.push(("erased.mean".into(), worn_mean - chip.erased.rise_per_kpec * PEC / 1000.0));
    let plan = Plan::one_shot(&chip);
    let best = read::optimal_references(&plan, &at(&chip, &plan, PEC, AGES[0].1));
    parameters.extend(best.iter().enumerate().map(|(k, v)| (format!("read.references.{k}"), *v)));
    let free = parameters.len() - best.len(); // references follow from the rest
    Ok(vec![Fit::new(CHIP, parameters, free, goals.read()).told(
        "means and sigmas of Table 5 at 2,000 P/E cycles (planar/mean, planar/sigma)",
        "linear least squares in ln(1 + t/t0) and powers of V/512",
    )])
}

/// Mean and variance of what the neighbour's program adds, for states at these voltages.
fn neighbour_rise(chip: &Chip, means: &[f64]) -> (f64, f64) {
    let rise = |state: usize| {
        let up = if state == 0 {
            0.0
        } else {
            means[state] - chip.program.step / 2.0 - chip.erased.mean
        };
        chip.disturb.word_line * up
    };
    let n = means.len() as f64;
    let mean = (0..means.len()).map(rise).sum::<f64>() / n;
    let variance = (0..means.len()).map(|k| (rise(k) - mean) * (rise(k) - mean)).sum::<f64>() / n;
    (mean, variance)
}
