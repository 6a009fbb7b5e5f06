//! Of what latencies of an array consist (`host.breakdown`).

use crate::common::Script;
use crate::fake::mix;
use crate::runs::{PAGE, config};
use wordline_sim::metrics::{ArrayTime, LatencyBreakdown};
use wordline_sim::{logical_bytes, simulate};
use wordline_trace::{Op, Request};

/// Of what writes consist, and reads.
fn parts(text: &str, requests: &[Request]) -> [LatencyBreakdown; 2] {
    let mut config = config(text);
    config.host.breakdown = true;
    let outcome = simulate(&config, Script::source(requests.to_vec()), &mut ());
    let result = outcome.unwrap_or_else(|error| panic!("{error}")).result;
    let told = result.breakdown.expect("it was asked for");
    assert_eq!((told.read.requests, told.write.requests), {
        (result.host.read.count, result.host.write.count)
    });
    [told.write, told.read]
}

fn of_array(told: &LatencyBreakdown) -> &ArrayTime {
    told.array.as_ref().expect("an array has parts of its own")
}

fn in_flash_us(told: &LatencyBreakdown, operation: &str) -> f64 {
    let of = told.flash.iter().filter(|it| it.operation == operation);
    of.map(|it| it.wait_us + it.array_us + it.transfer_us).sum()
}

/// A page each, far apart.
fn apart(op: Op, count: u64) -> Vec<Request> {
    let one = |n: u64| Request::new(op, 16 * n * PAGE, PAGE as u32).at(n * 100_000_000);
    (0..count).map(one).collect()
}

const RAID5: &str = "ftl.acknowledge = \"program\"\nprecondition.pattern = \"sequential\"\n\
                     array.level = \"raid5\"\narray.drives = 4\n";

#[test]
fn a_read_consists_of_what_its_drive_does() {
    let [_, read] = parts(RAID5, &apart(Op::Read, 50));
    let sum_us = read.controller_us + in_flash_us(&read, "read");
    assert!((sum_us - read.mean_us).abs() < 1e-6, "{read:?}");
    let ArrayTime { stripe_us, parity_reads_us, log_us, other_us } = *of_array(&read);
    assert_eq!((stripe_us, parity_reads_us, log_us, other_us), (0.0, 0.0, 0.0, 0.0));
}

/// The array has one request at a time: all others wait in their queue, and for no stripe.
#[test]
fn what_waits_in_a_queue_waits_for_nothing_of_the_array() {
    let at_once: Vec<Request> = apart(Op::Write, 8).into_iter().map(|one| one.at(0)).collect();
    let [write, _] = parts(&format!("{RAID5}host.window = 1\n"), &at_once);
    let [alone, _] = parts(RAID5, &apart(Op::Write, 8));
    assert!((write.queue_us - 3.5 * alone.mean_us).abs() < 1e-6, "{write:?}");
    assert!((write.mean_us - write.queue_us - alone.mean_us).abs() < 1e-6, "{write:?}");
    assert_eq!((of_array(&write).stripe_us, alone.queue_us), (0.0, 0.0));
}

#[test]
fn a_small_write_reads_old_data_and_parity_first() {
    // In one chunk, so that no stripe is in the cache.
    let [write, _] = parts(RAID5, &apart(Op::Write, 8));
    // Both are read at once, as a read of the host is, and then programmed at once.
    let [_, read] = parts(RAID5, &apart(Op::Read, 8));
    let parity_reads_us = of_array(&write).parity_reads_us;
    assert!((parity_reads_us - read.mean_us).abs() < 1e-6, "{write:?}");
    let sum_us = parity_reads_us + in_flash_us(&write, "program") + write.controller_us;
    assert!((sum_us - write.mean_us).abs() < 1e-6, "{write:?}");
    assert_eq!((of_array(&write).stripe_us, of_array(&write).log_us), (0.0, 0.0));
}

#[test]
fn what_is_logged_first_says_so() {
    let journal = "array.write_hole = \"journal\"\narray.journal_kib = 1024\n";
    let [write, _] = parts(&format!("{RAID5}{journal}"), &apart(Op::Write, 50));
    let [plain, _] = parts(RAID5, &apart(Op::Write, 50));
    assert!(of_array(&write).log_us > 0.0, "{write:?}");
    assert_eq!(of_array(&plain).log_us, 0.0);
}

#[test]
fn a_small_cache_makes_writes_wait_for_a_stripe() {
    let text = |stripes| {
        format!(
            "{RAID5}array.stripe_cache = {stripes}\nhost.mode = \"closed\"\nhost.queue_depth = 16\n"
        )
    };
    let pages = logical_bytes(&config(&text(4))).expect("it works") / PAGE;
    let one = |n: u64| Request::new(Op::Write, mix(n) % pages * PAGE, PAGE as u32);
    let requests: Vec<Request> = (0..600).map(one).collect();
    let [few, many] = [4, 64].map(|stripes| parts(&text(stripes), &requests)[0].clone());
    assert!(of_array(&few).stripe_us > 0.5 * few.mean_us, "{few:?}");
    assert!(of_array(&many).stripe_us < 0.1 * many.mean_us, "{many:?}");
}
