use super::*;
use crate::Chip;
use proptest::prelude::*;

fn erase() -> Erase {
    Chip::preset("reo-tlc").unwrap().erase.unwrap()
}

fn full_erase(erase: &Erase) -> scheme::Applied {
    Scheme::Ispe.apply(erase, &Block::new(0.0))
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

#[test]
fn an_erase_takes_its_pulses_and_a_verify_for_each() {
    let erase = Erase { verify_ms: 0.1, ..erase() };
    let mut applied = scheme::Applied { pulse_ms: 7.0, verifies: 3, ..full_erase(&erase) };
    assert_eq!(applied.latency_ms(&erase), 7.0 + 3.0 * 0.1);
    applied.verifies = 0;
    assert_eq!(applied.latency_ms(&erase), 7.0);
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

/// Blocks that erase as another chip's take the same share of a full pulse after the same share of
/// their life, by every scheme.
#[test]
fn borrowed_erases_are_the_lenders_in_another_time_and_over_another_life() {
    let lender = erase();
    for (pulse_ms, endurance_pec) in [(1.75, 53_000.0), (7.0, 530.0)] {
        let borrowed = BorrowedErase { chip: "reo-tlc".into(), pulse_ms, verify_ms: 0.1 };
        let own = borrowed.scaled(&lender, endurance_pec);
        own.check().unwrap();
        for scheme in Scheme::ALL {
            let looks = |erase: &Erase| {
                let every = 10 * cycling::stride_pec(erase);
                cycling::cycle(erase, scheme, erase.endurance_pec as u32, every)
            };
            let (ours, theirs) = (looks(&own), looks(&lender));
            assert_eq!(ours.len(), theirs.len());
            for (ours, theirs) in ours.iter().zip(&theirs) {
                let shares = [
                    (ours.mean_pulse_ms() / own.pulse_ms, theirs.mean_pulse_ms() / lender.pulse_ms),
                    (
                        ours.mean_damage_ms() / own.pulse_ms / own.endurance_pec,
                        theirs.mean_damage_ms() / lender.pulse_ms / lender.endurance_pec,
                    ),
                ];
                for (ours, theirs) in shares {
                    assert!((ours - theirs).abs() <= 1e-9 * theirs, "{scheme:?}: {ours} {theirs}");
                }
            }
        }
    }
}

#[test]
fn a_stride_is_a_round_hundredth_of_a_life() {
    for (endurance_pec, stride) in
        [(100.0, 1), (530.0, 5), (1500.0, 10), (3000.0, 20), (5300.0, 50), (60_000.0, 500)]
    {
        let erase = Erase { endurance_pec, ..erase() };
        assert_eq!(cycling::stride_pec(&erase), stride, "{endurance_pec}");
    }
}

#[test]
fn erases_are_borrowed_from_a_chip_that_has_them() {
    let refused = |text: &str| Chip::parse(text).unwrap_err().to_string();
    let as_ =
        |chip: &str| format!("[erase_as]\nchip = {chip:?}\npulse_ms = 1.4\nverify_ms = 0.1\n");
    let told = refused(&format!("base = \"planar-tlc\"\n{}", as_("llh-a16")));
    assert_eq!(
        told,
        "erase_as.chip: llh-a16 has no erases of its own (name a chip with [erase], such as reo-tlc)"
    );
    assert!(refused(&format!("base = \"planar-tlc\"\n{}", as_("x"))).contains("unknown chip `x`"));
    assert!(refused(&format!("base = \"reo-tlc\"\n{}", as_("reo-tlc"))).starts_with("both"));
    let long = refused("base = \"llh-a16\"\n[erase_as]\npulse_ms = 1e6\n");
    assert!(long.starts_with("erase_as.pulse_ms is 1000000"), "{long}");
    let few = refused("base = \"lazyrs-tlc\"\n[stages]\nstep = [30.0]\n");
    assert!(few.starts_with("stages.step: 1 steps, and 3 days"), "{few}");
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
