//! How many retries there are, in which order steps are tried, and how long reads wait for one another.

use crate::common::{Dice, Script, at};
use crate::rig::{WRITTEN_US, alone, drive, reads, table, written_and_read};
use wordline_sim::config::RunMode;
use wordline_sim::simulate;
use wordline_trace::Op;

/// Bits of a word of BCH, 72 of which may be wrong, and words of a page.
const WORD_BITS: u32 = 8 * 1024 + 72 * 14;
const WORDS: i32 = 4;

/// The chance that more than 72 bits of a word are wrong, by the binomial distribution.
fn page_loss(rber: f64) -> f64 {
    let mut term = f64::from(WORD_BITS) * (1.0 - rber).ln();
    let mut right = 0.0;
    for wrong in 0..=72 {
        right += term.exp();
        term +=
            (f64::from(WORD_BITS - wrong) / f64::from(wrong + 1)).ln() + (rber / (1.0 - rber)).ln();
    }
    1.0 - right.powi(WORDS)
}

/// The mean number of retries is the sum over sensings of the chance that it and all before fail.
#[test]
fn retries_are_as_many_as_the_chances_of_their_steps_say() {
    // Points of the table of the code: between them it is off by some per cent.
    let rates = [7.58578e-3, 7.24436e-3, 6.91831e-3, 6.60693e-3];
    let rows: Vec<[f64; 2]> = (0..).zip(rates).map(|(n, rate)| [f64::from(n), rate]).collect();
    let rows: Vec<&[f64]> = rows.iter().map(<[f64; 2]>::as_slice).collect();
    let mut config = drive(&format!("{}code = \"bch-72\"", table("retry,rber", &rows)));
    config.run.mode = RunMode::Count;
    let requests = written_and_read(64, (0..300_000).map(|n| n % 64));
    let result = simulate(&config, Script::source(requests), &mut ()).expect("it works").result;
    let mut all_failed = 1.0;
    let mut expected = 0.0;
    for rate in &rates[..3] {
        all_failed *= page_loss(*rate);
        expected += all_failed;
    }
    let found = reads(&result).retries_per_page;
    assert!(expected > 0.5 && (found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    let lost = reads(&result).uncorrectable as f64 / 300_000.0;
    let expected = all_failed * page_loss(rates[3]);
    assert!((lost - expected).abs() < 2e-3, "{lost} {expected}");
}

/// Steps that find nothing but the fourth: after the first page of a block the others are read by it at once.
#[test]
fn the_last_good_step_of_a_block_and_the_best_one_are_tried_first() {
    let rows: Vec<[f64; 2]> =
        (0..6).map(|step| [f64::from(step), if step == 3 { 0.0 } else { 0.5 }]).collect();
    let rows: Vec<&[f64]> = rows.iter().map(<[f64; 2]>::as_slice).collect();
    let by_retries = |order: &str| {
        let keys = format!("{}retry = \"{order}\"", table("retry,rber", &rows));
        let result = alone(&drive(&keys), &written_and_read(16, 0..16));
        reads(&result).by_retries.clone()
    };
    assert_eq!(by_retries("table"), [0, 0, 0, 16]);
    assert_eq!(by_retries("last_good"), [14, 0, 0, 2]);
    assert_eq!(by_retries("best"), [16]);
}

/// Behind the last good step come those after it, and then those before.
#[test]
fn a_block_whose_step_has_passed_goes_on_from_there() {
    // The first eight reads find all at step 1, later ones at step 0 alone.
    let rows: &[&[f64]] = &[
        &[0.0, 0.0, 0.5],
        &[7.0, 0.0, 0.5],
        &[8.0, 0.0, 0.0],
        &[0.0, 1.0, 0.0],
        &[7.0, 1.0, 0.0],
        &[8.0, 1.0, 0.5],
        &[0.0, 2.0, 0.5],
        &[8.0, 2.0, 0.5],
    ];
    let keys = format!("{}retry = \"last_good\"", table("reads,retry,rber", rows));
    let result = alone(&drive(&keys), &written_and_read(8, std::iter::repeat_n(0, 10)));
    // One retry; seven at once; from step 1 over 2 to 0; and at once.
    assert_eq!(reads(&result).by_retries, [8, 1, 1]);
}

/// A point of the table of the code.
const RBER: f64 = 7.24436e-3;

/// A die as a queue with one server: reads wait as M/G/1 says, with the second moment of their times.
#[test]
fn reads_of_one_die_wait_as_in_a_queue_with_a_server() {
    let keys = table("retry,rber", &[&[0.0, RBER], &[1.0, 0.0]]);
    let mut config = drive(&format!("{keys}code = \"bch-72\"\npipelined = false"));
    config.drive.reads.decode_us = 0.0;
    let mean_gap_us = 250.0;
    let (mut dice, mut us) = (Dice::new(11), WRITTEN_US as f64);
    let mut requests = written_and_read(64, std::iter::empty());
    for _ in 0..400_000 {
        let uniform = (dice.next() >> 11) as f64 / (1u64 << 53) as f64;
        us -= mean_gap_us * (1.0 - uniform).ln();
        requests.push(at(us as u64, Op::Read, dice.below(64), 1));
    }
    let result = alone(&config, &requests);
    let retried = page_loss(RBER);
    assert!((reads(&result).retries_per_page / retried - 1.0).abs() < 0.01);
    let (once, twice) = (106.0, 212.0);
    let mean = |once: f64, twice: f64| (1.0 - retried) * once + retried * twice;
    let (service, squared) = (mean(once, twice), mean(once * once, twice * twice));
    let wait = squared / mean_gap_us / (2.0 * (1.0 - service / mean_gap_us));
    let found = result.host.read.mean_us - service;
    assert!((found / wait - 1.0).abs() < 0.03, "{found} {wait}");
}
