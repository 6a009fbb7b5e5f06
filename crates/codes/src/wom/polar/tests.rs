//! Round trips, and failure rates against the bound and against numbers from elsewhere.

use super::*;
use crate::bits::{fill_random, get, last_mask, random_word, words};
use crate::monte_carlo::{Stop, Tally, run};
use crate::wom::SecondWrite;
use proptest::prelude::*;
use std::ops::ControlFlow;

fn random(bits: usize, seed: u64) -> Vec<u64> {
    let mut vector = vec![0; words(bits)];
    fill_random(&mut vector, seed);
    if let Some(last) = vector.last_mut() {
        *last &= last_mask(bits);
    }
    vector
}

proptest! {
    #[test]
    fn what_is_written_is_read_and_no_zero_becomes_one(
        cells in 256_usize..3000,
        rate in 0.05_f64..0.6,
        shuffle in any::<bool>(),
        seed in any::<u64>(),
        fixed in proptest::collection::vec(0_u32..256, 0..4),
    ) {
        let size = Size::Bits((rate * cells as f64) as usize);
        let spec = Spec { shuffle, seed, fixed, tries: 8, ..Spec::new(cells, size) };
        let code = Polar::new(spec).unwrap();
        let used = random(cells, seed ^ 1);
        let message = random(code.message_bits(), seed ^ 2);
        let mut outcomes = Vec::new();
        for isa in Isa::ALL {
            let code = code.clone().with_isa(isa);
            let mut worker = code.worker();
            let mut target = vec![u64::MAX; words(cells)];
            let attempt = worker.write(&used, &message, &mut target);
            if let Some(attempt) = attempt {
                for (target, used) in target.iter().zip(&used) {
                    prop_assert_eq!(target & !used, 0);
                }
                let mut read = vec![u64::MAX; message.len()];
                prop_assert_eq!(worker.read(&target, attempt, &mut read), Ok(0));
                prop_assert_eq!(&read, &message);
            } else {
                target.clear();
            }
            outcomes.push((attempt, target));
        }
        prop_assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
    }

    #[test]
    fn any_cells_and_any_attempt_can_be_read(
        cells in 256_usize..1000, attempt in any::<u32>(), seed in any::<u64>(),
    ) {
        let code = Polar::new(Spec::new(cells, Size::FailureRate(0.1))).unwrap();
        let mut message = vec![0; words(code.message_bits())];
        let damaged = code.worker().read(&random(cells, seed), attempt, &mut message);
        prop_assert_eq!(damaged, Ok(0)); // nothing is fixed: every vector is a codeword
    }
}

/// Failures of whole writes of random messages over random cells.
fn failures(code: &Polar, trials: u64) -> Tally {
    let cells = code.cells();
    run(
        Tally::default(),
        Stop { trials, failures: u64::MAX },
        || (code.worker(), vec![0; words(cells)]),
        |(worker, target), trial| {
            let used = random(cells, random_word(1, trial));
            let message = random(code.message_bits(), random_word(2, trial));
            worker.write(&used, &message, target).is_none()
        },
        &mut |_| ControlFlow::Continue(()),
    )
}

#[test]
fn the_bound_holds_and_is_close_where_failures_are_rare() {
    for cells in [1 << 10, 1 << 12, 3000] {
        let code = Polar::new(Spec::new(cells, Size::FailureRate(0.02))).unwrap();
        let (low, high) = failures(&code, 6000).interval(0.999);
        assert!(low < code.failure_bound(), "{cells}: {low}");
        assert!(high > 0.7 * code.failure_bound(), "{cells}: {high}");
    }
}

#[test]
fn new_layouts_help_more_than_new_dithers() {
    let spec = Spec { tries: 16, ..Spec::new(1 << 12, Size::Bits(1800)) };
    let dithers = failures(&Polar::new(spec.clone()).unwrap(), 1000);
    let layouts = failures(&Polar::new(Spec { shuffle: true, ..spec }).unwrap(), 1000);
    assert!(layouts.interval(0.999).1 < dithers.interval(0.999).0, "{layouts:?} {dithers:?}");
}

#[test]
fn pages_with_fewer_writable_cells_than_bits_always_fail() {
    let code = Polar::new(Spec { tries: 4, ..Spec::new(1 << 10, Size::Bits(300)) }).unwrap();
    let mut used = vec![0; 16];
    used[0] = u64::MAX;
    let mut target = vec![0; 16];
    assert_eq!(code.worker().write(&used, &random(300, 1), &mut target), None);
    // On erased cells anything can be written.
    assert_eq!(code.worker().write(&[u64::MAX; 16], &random(300, 1), &mut target), Some(0));
}

#[test]
fn what_cannot_be_built_is_refused() {
    let good = Spec::new(1 << 10, Size::Bits(100));
    for bad in [
        Spec { cells: 255, ..good.clone() },
        Spec { cells: (1 << 20) + 1, ..good.clone() },
        Spec { writable: 0.0, ..good.clone() },
        Spec { writable: f64::NAN, ..good.clone() },
        Spec { tries: 0, ..good.clone() },
        Spec { size: Size::Bits(1025), ..good.clone() },
        Spec { size: Size::FailureRate(f64::NAN), ..good.clone() },
        Spec { size: Size::FailureRate(0.0), ..good.clone() },
        Spec { size: Size::Bits(0), ..good.clone() },
        Spec { fixed: vec![1024], ..good.clone() },
        Spec { fixed: (0..1024).collect(), ..good.clone() },
    ] {
        assert!(Polar::new(bad.clone()).is_err(), "{bad:?}");
    }
    assert!(Polar::new(good).is_ok());
}

#[test]
fn a_message_bit_is_where_the_construction_says() {
    let code = Polar::new(Spec::new(256, Size::Bits(1))).unwrap();
    let mut target = vec![0; 4];
    code.worker().write(&[u64::MAX; 4], &[1], &mut target).unwrap();
    // Sub-channel 0 is the sum of all cells: of what was written and of the dither.
    let mut dither = vec![0; 4];
    fill_random(&mut dither, crate::bits::stream(0, 0));
    let ones = (0..256).filter(|&i| get(&target, i) != get(&dither, i)).count();
    assert_eq!(ones % 2, 1);
}
