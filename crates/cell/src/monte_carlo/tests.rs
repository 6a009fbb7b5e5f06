//! Monte Carlo and the distributions are one model.

use super::*;
use crate::{Density, Levels, analytic, read};

const IDENTITY: Identity = Identity { seed: 7, chip: 3, block: 11, word_line: 5 };
const CELLS: u32 = 2_000_000;

fn chip() -> Chip {
    Chip::preset("planar-tlc").unwrap()
}

fn aged(pec: f64) -> Conditions {
    Conditions { reads: 2e4, ..Conditions::fresh(pec).aged(8760.0, 30.0) }
}

/// Both evaluations of a plan, with the references that are best for it and with the default ones.
fn compare(chip: &Chip, plan: &Plan, conditions: &Conditions, line: &WordLine) {
    let classes = analytic::voltages(chip, plan, conditions, line);
    for references in [plan.references.clone(), read::optimal_references(plan, &classes)] {
        let expected = read::error_rates(plan, &classes, &references);
        let tally = MonteCarlo::new(chip, plan, conditions, line, &references)
            .unwrap()
            .read(IDENTITY, 0..CELLS);
        assert_eq!(tally.cells, u64::from(CELLS));
        for (page, rate) in expected.iter().enumerate() {
            let mean = rate * f64::from(CELLS);
            // 4.5 standard deviations, and 1 % for what the grid and the integers round.
            let within = 4.5 * mean.max(1.0).sqrt() + 0.01 * mean;
            let found = tally.errors[page] as f64;
            assert!((found - mean).abs() <= within, "page {page}: {found}, expected {mean}");
        }
    }
    moments(chip, plan, conditions, line, &classes);
}

fn moments(
    chip: &Chip,
    plan: &Plan,
    conditions: &Conditions,
    line: &WordLine,
    classes: &[Density],
) {
    let cells =
        MonteCarlo::new(chip, plan, conditions, line, &[]).unwrap().voltages(IDENTITY, 0..200_000);
    for (number, class) in classes.iter().enumerate() {
        let found: Vec<f64> = cells.iter().filter(|c| c.0 == number).map(|c| c.1).collect();
        let n = found.len() as f64;
        let mean = found.iter().sum::<f64>() / n;
        let sigma = (found.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt();
        assert!((mean - class.mean()).abs() < 5.0 * class.sigma() / n.sqrt() + 0.02, "{number}");
        assert!((sigma / class.sigma() - 1.0).abs() < 4.0 / n.sqrt() + 0.005, "{number}");
    }
}

#[test]
fn one_shot_programs_agree() {
    for pec in [0.0, 3000.0] {
        compare(&chip(), &Plan::one_shot(&chip()), &aged(pec), &WordLine::NOMINAL);
    }
}

#[test]
fn word_lines_that_differ_and_fall_short_agree() {
    let mut chip = chip();
    chip.program.max_loops -= 3;
    chip.retention.fast_share = 0.02;
    chip.retention.fast_scale = 3.0;
    let line = WordLine { shift: -6.0, spread: 1.2, reach: -9.0 };
    compare(&chip, &Plan::one_shot(&chip), &aged(2000.0), &line);
}

#[test]
fn other_modes_agree() {
    for levels in [Levels::Slc, Levels::Mlc] {
        let plan = Plan::mode(&chip(), levels).unwrap();
        compare(&chip(), &plan, &aged(3000.0), &WordLine::NOMINAL);
    }
}

#[test]
fn programs_in_two_passes_agree() {
    let plan = Plan::coarse_fine(&chip(), 25.0, 2.0, 730.0);
    compare(&chip(), &plan, &aged(2000.0), &WordLine::NOMINAL);
}

#[test]
fn cells_below_others_of_their_strings_agree() {
    let mut chip = Chip::preset("ressd-tlc").unwrap();
    chip.disturb.back_pattern = 90.0;
    let plan = crate::moves::lower_of_two(&chip, 2);
    compare(&chip, &plan, &aged(1000.0), &WordLine::NOMINAL);
}

#[test]
fn a_cell_is_the_same_alone_and_among_others() {
    let chip = chip();
    let (plan, conditions) = (Plan::one_shot(&chip), aged(2000.0));
    let cells =
        MonteCarlo::new(&chip, &plan, &conditions, &WordLine::NOMINAL, &plan.references).unwrap();
    let all = cells.voltages(IDENTITY, 0..1000);
    for cell in [0, 1, 127, 128, 999] {
        assert_eq!(cells.voltages(IDENTITY, cell..cell + 1)[0], all[cell as usize]);
    }
    let halves = [cells.read(IDENTITY, 0..333), cells.read(IDENTITY, 333..1000)];
    let mut merged = halves[0];
    merged.merge(&halves[1]);
    assert_eq!(merged, cells.read(IDENTITY, 0..1000));
    let other = Identity { word_line: 6, ..IDENTITY };
    assert_ne!(cells.voltages(other, 0..1000), all);
}

/// These integers stay the same on every machine and in every version, or the change says why.
#[test]
fn the_same_integers_everywhere() {
    let chip = chip();
    let (plan, conditions) = (Plan::one_shot(&chip), aged(2000.0));
    let cells =
        MonteCarlo::new(&chip, &plan, &conditions, &WordLine::NOMINAL, &plan.references).unwrap();
    let wide = cells.read(IDENTITY, 0..131_072);
    let mut narrow = [0u32; 4];
    for first in (0..131_072).step_by(kernel::BATCH) {
        let errors = kernel::read_portable(&cells.0, IDENTITY, first, kernel::BATCH);
        narrow.iter_mut().zip(errors).for_each(|(sum, more)| *sum += more);
    }
    assert_eq!(wide.errors, narrow.map(u64::from));
}

/// All 2^24 sums, counted, beside the normal distribution: shares beyond so many standard deviations.
#[test]
fn normals_have_the_tails_of_normal_numbers() {
    let mut sums: Vec<i32> = compiled::NORMALS.iter().map(|z| i32::from(*z)).collect();
    sums.sort_unstable();
    let beyond = |sigmas: f64| {
        let goal = libm::ceil(sigmas * f64::from(1 << NORMAL_BITS)) as i32;
        // The least sum that comes out at the goal or beyond.
        let least = (0..=goal).find(|sum| kernel::stretched(*sum) >= goal).unwrap();
        let pairs: usize =
            sums.iter().map(|a| sums.len() - sums.partition_point(|b| a + b < least)).sum();
        pairs as f64 / f64::from(1 << 24)
    };
    for (sigmas, within) in [
        (1.0, 0.001),
        (2.0, 0.001),
        (3.0, 0.015),
        (3.5, 0.02),
        (4.0, 0.04),
        (4.4, 0.05),
        (4.7, 0.05),
        (4.9, 0.14),
        (5.0, 0.06),
    ] {
        let off = beyond(sigmas) / wordline_stats::normal_cdf(-sigmas) - 1.0;
        assert!(off.abs() < within, "{sigmas}: {off}");
    }
    assert_eq!(kernel::stretched(-30_000), -kernel::stretched(30_000));
}

/// What the kernel's integers do not hold is refused: products of 197 units wrapped, and of a tenth
/// of the cells that lose more every cell did.
#[test]
fn what_the_integers_do_not_hold_is_refused() {
    let plan = Plan::one_shot(&chip());
    let refused = |chip: &Chip, line: &WordLine| {
        MonteCarlo::new(chip, &plan, &aged(2000.0), line, &[]).err().map(|error| error.what)
    };
    let wide = WordLine { spread: 25.0, ..WordLine::NOMINAL };
    assert!(refused(&chip(), &wide).unwrap().contains("program noise is 192"));
    let wider = WordLine { spread: 21.0, ..WordLine::NOMINAL };
    assert_eq!(refused(&chip(), &wider), None);
    let mut many = chip();
    (many.retention.fast_share, many.retention.fast_scale) = (0.1, 3.0);
    assert!(refused(&many, &WordLine::NOMINAL).unwrap().contains("fast_share is 0.1"));
    many.retention.fast_share = f64::NAN;
    assert!(refused(&many, &WordLine::NOMINAL).is_some());
}

/// As many of the cells fall as the chip says, at the largest share that it may say.
#[test]
fn the_largest_share_of_fast_cells_agrees() {
    let mut chip = chip();
    (chip.retention.fast_share, chip.retention.fast_scale) = (0.06, 4.0);
    let conditions = Conditions::fresh(2000.0).aged(8760.0, 30.0);
    compare(&chip, &Plan::one_shot(&chip), &conditions, &WordLine::NOMINAL);
}
