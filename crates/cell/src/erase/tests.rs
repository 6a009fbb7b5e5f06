use super::*;
use crate::Chip;
use proptest::prelude::*;

fn erase() -> Erase {
    Chip::preset("reo-tlc").unwrap().erase.unwrap()
}

/// The formula of the publication's table: min(cap, 0.5 (k + 1)), and what the margin takes off.
#[test]
fn pulses_follow_the_prediction_table() {
    let erase = erase();
    for pulse in 1..=5u32 {
        let cap: f64 = if pulse == 1 { 2.5 } else { 3.5 };
        let margin = [1.0, 1.0, 1.0, 0.5, 0.0][pulse as usize - 1];
        for k in 0..8 {
            let fail_bits = erase.fail_bits_last + f64::from(k) * erase.fail_bits_per_step;
            let step = 0.5 * (f64::from(k) + 1.0);
            assert_eq!(erase.predicted_ms(pulse, fail_bits), cap.min(step), "{pulse} {k}");
            let aggressive = (step - margin).clamp(0.0, cap);
            assert_eq!(erase.aggressive_ms(pulse, fail_bits), aggressive, "{pulse} {k}");
        }
        assert_eq!(erase.predicted_ms(pulse, 1e9), cap);
    }
}

/// What the margin of 63 errors per KiB bears, given the errors of blocks of each number of pulses, is
/// what the publication's table takes off.
#[test]
fn margins_are_what_the_code_leaves() {
    let chip = Chip::preset("reo-tlc").unwrap();
    let erase = chip.erase.clone().unwrap();
    let tables = crate::tables::of_chip("reo-tlc").unwrap();
    let curves = tables.iter().find(|table| table.file == "pulses.csv").unwrap();
    for (number, margin_ms) in (1..).zip(&erase.margin_ms) {
        let start = format!("errors_of,{number},0.0000,");
        let line = curves.text.lines().find_map(|line| line.strip_prefix(&start)).unwrap();
        let spare = 63.0 - line.parse::<f64>().unwrap();
        let bears_ms = (spare / erase.short_errors_per_ms).clamp(0.0, 1.0);
        assert_eq!((bears_ms / erase.step_ms).floor() * erase.step_ms, *margin_ms, "{number}");
    }
}

#[test]
fn blocks_of_a_gentler_scheme_wear_less() {
    let erase = erase();
    let wear = |scheme| {
        let mut block = Block::new(0.3);
        for _ in 0..3000 {
            erase.erase(&mut block, scheme);
        }
        block
    };
    let [ispe, hurried, conservative, aggressive] = Scheme::ALL.map(wear);
    assert!(aggressive.wear_ms < conservative.wear_ms && conservative.wear_ms < ispe.wear_ms);
    assert!(
        aggressive.damage_ms < conservative.damage_ms && conservative.damage_ms < ispe.damage_ms
    );
    assert!(hurried.damage_ms > ispe.damage_ms, "beginning high wears more");
}

proptest! {
    #[test]
    fn conservative_erases_complete_and_no_scheme_takes_longer_than_ispe(
        hardness in -3.5f64..3.5, wear_ms in 0.0f64..60_000.0,
    ) {
        let erase = erase();
        let block = Block { wear_ms, ..Block::new(hardness) };
        let need_ms = erase.need_ms(&block);
        let at = |scheme| erase.erase(&mut { block }, scheme);
        let (ispe, conservative, aggressive) =
            (at(Scheme::Ispe), at(Scheme::Conservative), at(Scheme::Aggressive));
        prop_assert!(ispe.pulse_ms >= need_ms - 1e-9);
        prop_assert!(conservative.short_ms < 1e-9, "{conservative:?} {need_ms}");
        prop_assert!(conservative.pulse_ms <= ispe.pulse_ms + 1e-9);
        prop_assert!(conservative.pulse_ms < need_ms.max(erase.shallow_ms) + erase.step_ms + 1e-9);
        prop_assert!(aggressive.pulse_ms <= conservative.pulse_ms);
        prop_assert!(aggressive.short_ms <= 1.0 + 1e-9);
        prop_assert_eq!(ispe.verifies, erase.pulses(need_ms));
    }

    #[test]
    fn fail_bits_fall_with_every_bit_of_pulse(left in 0.0f64..4.0, more in 0.01f64..1.0) {
        let erase = erase();
        prop_assert!(erase.fail_bits(left + more) > erase.fail_bits(left));
        prop_assert_eq!(erase.fail_bits(0.0), erase.fail_bits_pass);
    }
}
