//! What a read takes that no other one delays: formulas 1, 2 and 3 of read retries.

use crate::rig::{
    DECODE_US, SENSE_US, TRANSFER_US, alone, drive, failing, reads, table, written_and_read,
};
use wordline_sim::config::Config;

fn latency_us(config: &Config) -> f64 {
    alone(config, &written_and_read(4, 0..4)).host.read.mean_us
}

fn is_close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} us, expected {expected}");
}

#[test]
fn a_page_without_errors_is_decoded_too() {
    is_close(latency_us(&drive("")), SENSE_US + TRANSFER_US + DECODE_US);
}

#[test]
fn a_plain_retry_takes_as_long_as_the_first_step() {
    let step_us = SENSE_US + TRANSFER_US + DECODE_US;
    for steps in 0..=20 {
        let keys = format!("{}pipelined = false", failing(steps));
        is_close(latency_us(&drive(&keys)), (steps + 1) as f64 * step_us);
    }
}

/// Transfer and decoding of all but the last step are hidden: 28.6 % less a step.
#[test]
fn in_a_pipeline_a_retry_takes_a_sensing() {
    let rest_us = TRANSFER_US + DECODE_US;
    for steps in 0..=20 {
        is_close(latency_us(&drive(&failing(steps))), (steps + 1) as f64 * SENSE_US + rest_us);
    }
}

/// A sensing shorter by a quarter makes a step of the pipeline shorter by a quarter.
#[test]
fn retries_are_sensed_in_less_time() {
    let rest_us = TRANSFER_US + DECODE_US;
    for steps in 0..=20 {
        let retries_us = steps as f64 * 0.75 * SENSE_US;
        let keys = format!("{}sensing_cut = 0.25", failing(steps));
        is_close(latency_us(&drive(&keys)), SENSE_US + retries_us + rest_us);
        let keys = format!("{keys}\npipelined = false");
        let again_us = retries_us + steps as f64 * rest_us;
        is_close(latency_us(&drive(&keys)), SENSE_US + again_us + rest_us);
    }
}

/// A pipeline is as fast as the slowest of its stages.
#[test]
fn a_slow_channel_or_decoder_holds_the_pipeline_up() {
    let mut config = drive(&failing(3));
    config.drive.chip.transfer_mb_s = 4096.0 / 100.0;
    is_close(latency_us(&config), SENSE_US + 3.0 * 100.0 + 100.0 + DECODE_US);
    config.drive.reads.decode_us = 130.0;
    is_close(latency_us(&config), SENSE_US + 3.0 * 130.0 + 100.0 + 130.0);
}

/// What neither of two steps reads is sensed twice more around each reference, then four times.
#[test]
fn soft_decoding_follows_the_last_step_and_then_a_read_fails() {
    let keys = |rber: f64, more: &str| {
        let table = table("retry,rber", &[&[0.0, rber], &[1.0, rber]]);
        drive(&format!("{table}code = \"ldpc-14\"\n{more}"))
    };
    let sensing_us = SENSE_US + TRANSFER_US;
    let run = |config: &Config| alone(config, &written_and_read(4, 0..4));
    let soft = run(&keys(0.0129, "soft_decoding = \"two_bits\"\npipelined = false"));
    is_close(soft.host.read.mean_us, 4.0 * sensing_us + 3.0 * DECODE_US);
    assert_eq!((reads(&soft).soft_pages, reads(&soft).soft_sensings), (4, 8));
    assert_eq!((reads(&soft).uncorrectable, reads(&soft).sensings.host), (0, 16));
    let piped = run(&keys(0.0129, "soft_decoding = \"two_bits\""));
    is_close(piped.host.read.mean_us, 4.0 * SENSE_US + TRANSFER_US + 2.0 * DECODE_US);

    let lost = run(&keys(0.03, "soft_decoding = \"three_bits\"\npipelined = false"));
    is_close(lost.host.read.mean_us, 8.0 * sensing_us + 4.0 * DECODE_US);
    let of = reads(&lost);
    assert_eq!((of.soft_pages, of.soft_sensings, of.uncorrectable), (4, 24, 4));
    assert_eq!(of.uncorrectable_per_bit, 1.0 / (8.0 * 4096.0));
    let retried_us = 7.0 * sensing_us + 3.0 * DECODE_US;
    is_close(of.host_retry_us, retried_us);
}
