//! Both ways to count fail bits are one model, and the pulses do what closed forms say.

use super::monte_carlo::{Cells, fail_bits};
use super::*;
use crate::monte_carlo::{Identity, MonteCarlo};
use crate::{Conditions, Plan, WordLine, analytic};

const BLOCK: Identity = Identity { seed: 5, chip: 2, block: 9, word_line: 0 };

fn chip() -> Chip {
    let mut chip = Chip::preset("reo-tlc").unwrap();
    // So few cells that a test may draw them all.
    chip.geometry.layers = 12;
    chip.geometry.page_kib = 1;
    chip
}

/// Fail bits of a block by both ways, over all margins that matter.
fn compare(chip: &Chip, cells: CellErase, gates: Gates) {
    let lines = cells.word_lines(chip, BLOCK.seed, BLOCK.block);
    let set = gates.voltages(&cells, chip, BLOCK.seed, &lines);
    let seen: Vec<f64> = lines.iter().zip(&set).map(|(line, gate)| line + gate).collect();
    let (plan, fresh) = (Plan::one_shot(chip), Conditions::fresh(0.0));
    let before = analytic::programmed(chip, &plan, 0.0, &WordLine::NOMINAL);
    let failing = Failing::new(chip, cells, &before, &seen);
    let programmed = MonteCarlo::new(chip, &plan, &fresh, &WordLine::NOMINAL, &[]).unwrap();
    let bit_lines = bit_lines(chip);
    let drawn = Cells { programmed: &programmed, cells, lines: &seen, bit_lines };
    let worst = drawn.worst(BLOCK, 0..bit_lines);
    for bits in [1.0, 10.0, 50.0, 500.0, 2000.0, 5000.0, 8000.0] {
        let margin = failing.margin(bits);
        let found = f64::from(fail_bits(&worst, margin));
        let share = bits / f64::from(bit_lines);
        let within = 4.5 * (bits * (1.0 - share)).sqrt() + 0.01 * bits + 1.0;
        assert!((found - bits).abs() <= within, "{gates:?}: {found}, expected {bits}");
    }
}

#[test]
fn both_ways_to_count_agree() {
    let chip = chip();
    let cells = CellErase::of(&chip).unwrap();
    for gates in Gates::ALL {
        compare(&chip, cells, gates);
    }
    compare(&chip, CellErase { bit_line_range: 0.0, cell_sigma: 34.0, ..cells }, Gates::Ground);
    compare(&chip, CellErase { log_slope: 120.0, verify: 30.0, ..cells }, Gates::Ground);
}

#[test]
fn a_bit_line_is_the_same_alone_and_among_others() {
    let chip = chip();
    let cells = CellErase::of(&chip).unwrap();
    let lines = cells.word_lines(&chip, 1, 0);
    let plan = Plan::one_shot(&chip);
    let fresh = Conditions::fresh(0.0);
    let programmed = MonteCarlo::new(&chip, &plan, &fresh, &WordLine::NOMINAL, &[]).unwrap();
    let drawn =
        Cells { programmed: &programmed, cells, lines: &lines, bit_lines: bit_lines(&chip) };
    let all = drawn.worst(BLOCK, 0..400);
    for bit_line in [0, 1, 128, 399] {
        assert_eq!(drawn.worst(BLOCK, bit_line..bit_line + 1)[0], all[bit_line as usize]);
    }
}

/// A pulse at one voltage is the law of logarithms; pulses in steps fall by a step each in the end.
#[test]
fn pulses_fall_as_closed_forms_say() {
    let cells = CellErase::of(&chip()).unwrap();
    let (s, step) = (cells.log_slope, cells.voltage_step);
    for (from, to) in [(0.5, 1.0), (1.0, 3.5)] {
        let fallen = cells.fall(3.5, to) - cells.fall(3.5, from);
        assert!((fallen - s * (to / from).ln()).abs() < 1e-9);
    }
    let later = |pulses: f64| cells.fall(3.5, 3.5 * pulses);
    let q = (step / s).exp();
    let third = s * ((1.0 + q + q * q) / (1.0 + q)).ln();
    assert!((later(3.0) - later(2.0) - third).abs() < 1e-9);
    assert!((later(30.0) - later(29.0) - step).abs() < 1e-6);
    assert!(cells.fall(3.5, 3.5 + 1e-9) - cells.fall(3.5, 3.5) < 1e-6, "no jump between pulses");
}

#[test]
fn low_cells_need_less() {
    let cells = CellErase::of(&chip()).unwrap();
    assert_eq!(cells.head_start(cells.verify), f64::NEG_INFINITY);
    assert!(cells.head_start(cells.verify + 5.0) < cells.head_start(cells.verify + 50.0));
    assert!(cells.head_start(450.0).abs() < 0.1);
}

#[test]
fn gates_only_slow_word_lines_down_and_make_them_alike() {
    let chip = chip();
    let cells = CellErase { gate_most: 1e3, ..CellErase::of(&chip).unwrap() };
    let lines = cells.word_lines(&chip, 3, 4);
    let slowest = lines.iter().copied().fold(f64::MIN, f64::max);
    let set = Gates::ByWordLine.voltages(&cells, &chip, 3, &lines);
    for (line, gate) in lines.iter().zip(&set) {
        assert!(*gate >= 0.0 && line + gate <= slowest + 1e-9);
        assert!(line + gate > slowest - cells.gate_step);
    }
    let by_layer = Gates::ByLayer.voltages(&cells, &chip, 3, &lines);
    let other = cells.word_lines(&chip, 3, 5);
    assert_eq!(by_layer, Gates::ByLayer.voltages(&cells, &chip, 3, &other));
    assert!(Gates::Ground.voltages(&cells, &chip, 3, &lines).iter().all(|gate| *gate == 0.0));
}

#[test]
fn what_cannot_be_is_refused() {
    let text = |line: &str| format!("base = \"reo-tlc\"\n[erase_cells]\n{line}\n");
    let wrong = |line: &str| Chip::parse(&text(line)).unwrap_err().what;
    assert!(wrong("log_slope = 0.0").contains("erase_cells.log_slope"));
    assert!(wrong("gate_step = -1.0").contains("erase_cells.gate_step"));
    assert!(wrong("bit_line_range = -1.0").contains("erase_cells.bit_line_range"));
    assert!(CellErase::of(&Chip::preset("planar-tlc").unwrap()).is_err());
}
