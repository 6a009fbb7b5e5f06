//! Round trips, and how often writes fail.

use super::*;
use crate::bits::{fill_random, last_mask, random_word, set, words};
use crate::monte_carlo::{Stop, Tally, run};
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

fn code(cells: usize, message_bits: usize, effort: Effort) -> Ldgm {
    Ldgm::new(Spec { cells, message_bits, effort, tries: 1, seed: 5 }).unwrap()
}

/// Cells of which exactly `used` are used, at random.
fn with_used(cells: usize, used: usize, seed: u64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..cells).collect();
    order.sort_by_key(|&cell| random_word(seed, cell as u64));
    let mut vector = vec![u64::MAX; words(cells)];
    for &cell in &order[..used] {
        set(&mut vector, cell, false);
    }
    vector
}

proptest! {
    #[test]
    fn what_is_written_is_read_and_no_zero_becomes_one(
        cells in 256_usize..2000,
        rate in 0.05_f64..0.5,
        complete in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let message_bits = (rate * cells as f64) as usize;
        let effort = if complete { Effort::Complete(cells) } else { Effort::MessagePassing };
        let code = Ldgm::new(Spec { cells, message_bits, effort, tries: 4, seed }).unwrap();
        let used = random(cells, seed ^ 1);
        let message = random(message_bits, seed ^ 2);
        let mut outcomes = Vec::new();
        for isa in Isa::ALL {
            let code = code.clone().with_isa(isa);
            let mut worker = code.worker();
            let mut target = vec![0; words(cells)];
            let attempt = worker.write(&used, &message, &mut target);
            if let Some(attempt) = attempt {
                for (target, used) in target.iter().zip(&used) {
                    prop_assert_eq!(target & !used, 0);
                }
                let mut read = vec![u64::MAX; message.len()];
                prop_assert_eq!(worker.read(&target, attempt, &mut read), Ok(0));
                prop_assert_eq!(&read, &message);
            }
            outcomes.push((attempt, target));
        }
        prop_assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
    }
}

fn failures(code: &Ldgm, used: usize, trials: u64) -> Tally {
    run(
        Tally::default(),
        Stop { trials, failures: u64::MAX },
        || (code.worker(), vec![0; words(code.cells())]),
        |(worker, target), trial| {
            let used = with_used(code.cells(), used, random_word(1, trial));
            let message = random(code.message_bits(), random_word(2, trial));
            worker.write(&used, &message, target).is_none()
        },
        &mut |_| ControlFlow::Continue(()),
    )
}

#[test]
fn message_passing_turns_at_the_threshold() {
    let (cells, rate) = (1 << 14, 0.45);
    let code = code(cells, (rate * cells as f64) as usize, Effort::MessagePassing);
    let used = |share: f64| (share * threshold(rate) * cells as f64) as usize;
    assert_eq!(failures(&code, used(0.94), 60).failures, 0);
    assert_eq!(failures(&code, used(1.03), 60).failures, 60);
}

#[test]
fn elimination_comes_close_to_what_is_possible() {
    let (cells, bits) = (1 << 12, 1900);
    let code = code(cells, bits, Effort::Complete(cells));
    // Equations need at least as many variables. Of those about one in 2^8 is of no use, for none
    // of its eight cells is a used one.
    assert_eq!(failures(&code, cells - bits - 48, 60).failures, 0);
    assert_eq!(failures(&code, cells - bits + 1, 60).failures, 60);
}

#[test]
fn what_cannot_be_built_is_refused() {
    let good =
        Spec { cells: 256, message_bits: 100, effort: Effort::MessagePassing, tries: 1, seed: 0 };
    for bad in [
        Spec { cells: 255, ..good.clone() },
        Spec { message_bits: 0, ..good.clone() },
        Spec { message_bits: 255, ..good.clone() },
        Spec { tries: 0, ..good.clone() },
    ] {
        assert!(Ldgm::new(bad.clone()).is_err(), "{bad:?}");
    }
    assert!(Ldgm::new(good).is_ok());
}
