//! Workloads whose statistics are known beforehand.

use wordline_trace::generate::GeneratorContext;
use wordline_trace::stats::{Options, Stats, VolumeStats};
use wordline_trace::{Op, from_spec};

use crate::given::{request, stats_of};

const MIB: u64 = 1 << 20;

fn generated(spec: &str) -> VolumeStats {
    let context = GeneratorContext::on_drive(64 * MIB, 1);
    let mut source = from_spec(spec, &context).expect("a valid specification");
    Stats::measure(&mut *source, &Options::default()).expect("little memory").total
}

fn near(value: Option<f64>, expected: f64, within: f64) {
    let value = value.expect("a value");
    assert!((value - expected).abs() <= within, "{value}, expected {expected} ± {within}");
}

#[test]
fn uniform_writes_update_as_the_coupons_say() {
    // n writes to N = 4096 pages leave N (1 − 1/N)^n of them untouched.
    let found = generated("uniform:requests=8192,size_kib=16");
    let untouched = 4096.0 * (1.0 - 1.0 / 4096.0f64).powi(8192);
    near(found.updates.share, 1.0 - (4096.0 - untouched) / 8192.0, 0.01);
    near(found.updates.share_of_bytes, found.updates.share.expect("writes"), 1e-12);
    assert_eq!(found.alignment.page_16k_share, Some(1.0));
}

#[test]
fn a_poisson_process_is_neither_regular_nor_bursty() {
    let found = generated("uniform:requests=1e5,interval_us=10000").arrivals.expect("times");
    near(Some(found.cv), 1.0, 0.02);
    near(Some(found.burstiness), 0.0, 0.01);
    near(Some(found.dispersion), 1.0, 0.1);
    near(Some(found.mean_ms), 10.0, 0.1);
    near(Some(found.p50_ms), 10.0 * std::f64::consts::LN_2, 0.1);
}

#[test]
fn a_clock_has_no_variance() {
    let found = generated("uniform:requests=1000,interval_us=10000,arrival=fixed");
    let arrivals = found.arrivals.expect("times");
    near(Some(arrivals.cv), 0.0, 1e-6);
    assert_eq!((arrivals.peak_per_s, arrivals.max_ms), (100, 10.0));
    near(found.time.requests_per_s, 1000.0 / 9.99, 1e-9);
}

#[test]
fn sequences_are_sequential() {
    let found = generated("sequential:requests=1000,size_kib=4").sequentiality.writes;
    near(found.after_last_share, 0.999, 1e-12);
    assert_eq!(found.after_last_share, found.after_recent_share);
    let scattered = generated("uniform:requests=1000,size_kib=4").sequentiality.writes;
    near(scattered.after_recent_share, 0.0, 0.01);
}

#[test]
fn hot_writes_follow_the_rules_of_llh_ftl() {
    let kib = |n: u64| n * 1024;
    // 60 KiB are hot, 64 KiB are not.
    let sizes = [request(Op::Write, 0, 0, 60 * 1024), request(Op::Write, 1, MIB, 64 * 1024)];
    near(stats_of(&sizes).total.hot_writes.small_request_share, 15.0 / 31.0, 1e-12);
    // Five blocks in a row, others between: the first two are hot.
    let row = (0..5).flat_map(|n| {
        [request(Op::Write, n, kib(4 * n), 4096), request(Op::Write, n, MIB * (n + 9), 4096)]
    });
    let row: Vec<_> = row.collect();
    near(stats_of(&row).total.hot_writes.short_sequence_share, 7.0 / 10.0, 1e-12);
}

#[test]
fn zones_begin_at_their_limits() {
    let minute = 60_000_000_000;
    let at = |arrival_ns| request(Op::Write, arrival_ns, 0, 4096);
    // Intervals of 30 min − 1 ns, 30 min, 60 min, 120 min.
    let times = [0, 30 * minute - 1, 60 * minute - 1, 120 * minute - 1, 240 * minute - 1];
    let found = stats_of(&times.map(at)).total;
    let intervals = found.updates.intervals.expect("updates");
    assert_eq!(intervals.zone_shares, [0.25; 4]);
    assert_eq!(intervals.max_s, 7200.0);
    // From each zone to the next: three switches.
    let third = 1.0 / 3.0;
    let expected =
        [[0.0, third, 0.0, 0.0], [0.0, 0.0, third, 0.0], [0.0, 0.0, 0.0, third], [0.0; 4]];
    assert_eq!(intervals.zone_switches, Some(expected));
}

#[test]
fn a_trim_ends_a_life() {
    let (minute, page) = (60_000_000_000, 16 * 1024);
    let list = [
        request(Op::Write, 0, 0, page),
        request(Op::Trim, minute, 0, page),
        request(Op::Write, 2 * minute, 0, page),
        request(Op::Trim, 2 * minute, 0, page - 1),
        request(Op::Read, 3 * minute, 0, page),
    ];
    let found = stats_of(&list).total;
    assert_eq!(found.updates.pages_updated, 0, "a trimmed page holds no data");
    assert_eq!(found.updates.share_of_bytes, Some(0.5), "its sectors were written before");
    let lives = found.lifetimes.expect("times");
    assert_eq!(lives.died_shares[1], 0.5);
    assert_eq!(lives.alive_shares[1], 0.5);
    assert_eq!(lives.longer_than_shares[0], (1.0, 1.0));
    assert_eq!(lives.longer_than_shares[1], (0.0, 0.5));
}

#[test]
fn a_workload_without_time_has_no_times() {
    let found = generated("uniform:requests=100");
    assert_eq!((found.arrivals, found.lifetimes), (None, None));
    assert_eq!((found.time.requests_per_s, found.updates.intervals), (None, None));
    let nothing = stats_of(&[]).total;
    assert_eq!((nothing.requests.write_share, nothing.updates.share), (None, None));
}

#[test]
fn a_size_of_a_power_of_two_is_the_last_of_its_class() {
    let sizes = [4096, 4097, 8192, 8193].map(|bytes| request(Op::Write, 0, 0, bytes));
    let found = stats_of(&sizes).total.write_size.expect("writes").histogram_bytes;
    assert_eq!(found, [(4096, 1), (8192, 2), (16384, 1)]);
}

#[test]
fn arrivals_of_one_nanosecond_are_simultaneous_and_those_of_the_next_are_not() {
    let times = [0, 0, 1, 2].map(|now| request(Op::Write, now, 0, 4096));
    let found = stats_of(&times).total.arrivals.expect("times");
    near(Some(found.simultaneous_share), 1.0 / 3.0, 1e-12);
}

#[test]
fn sequential_bytes_are_those_of_the_requests_that_continue() {
    let kib = |n: u64| n * 1024;
    // 4 KiB, 8 KiB behind them, 16 KiB elsewhere, and 4 KiB that continue the one but last.
    let writes = [(0, 4), (4, 8), (64, 16), (12, 4)];
    let writes = writes.map(|(at, size)| request(Op::Write, 0, kib(at), 1024 * size));
    let found = stats_of(&writes).total.sequentiality.writes;
    near(found.after_last_share_of_bytes, 8.0 / 32.0, 1e-12);
    near(found.after_recent_share_of_bytes, 12.0 / 32.0, 1e-12);
}

#[test]
fn of_several_runs_that_end_in_one_place_the_longest_goes_on() {
    let kib = |n: u64| n * 1024;
    // Blocks 0 to 2 in a row, half of block 2 alone, then block 3: not the second of a row.
    let writes = [(0, 4), (4, 4), (8, 4), (10, 2), (12, 4)];
    let writes = writes.map(|(at, size)| request(Op::Write, 0, kib(at), 1024 * size));
    near(stats_of(&writes).total.hot_writes.short_sequence_share, 3.0 / 5.0, 1e-12);
}
