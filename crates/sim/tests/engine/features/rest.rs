//! The rest of a unit of which the write buffer holds but a part.

use super::column;
use crate::common::{PAGE, at, outcome, run, tiny_timed, write};
use wordline_sim::config::{Config, RestOfUnit, RunMode, Unmapped};
use wordline_trace::{Op, Request};

fn buffered(rest_of_unit: RestOfUnit) -> Config {
    let mut config = tiny_timed();
    config.host.write_buffer_mib = 1.0;
    config.host.rest_of_unit = rest_of_unit;
    config.run.records = true;
    config
}

/// A quarter of page 0, counted from 0.
fn quarter(now_us: u64, op: Op, number: u64) -> Request {
    let request = at(now_us, op, 0, 1);
    Request { offset_bytes: number * PAGE / 4, size_bytes: PAGE as u32 / 4, ..request }
}

fn flush(now_us: u64) -> Request {
    Request { size_bytes: 0, ..at(now_us, Op::Flush, 0, 1) }
}

/// Latencies in the order of the requests, in us, and pages that the host read.
fn seen(config: &Config, requests: Vec<Request>) -> (Vec<u64>, u64) {
    let outcome = outcome(config, requests).expect("it works");
    let of = |name| column(&outcome.records, name);
    let mut latencies: Vec<_> = of("request").into_iter().zip(of("latency_ns")).collect();
    latencies.sort_unstable();
    let latencies = latencies.into_iter().map(|(_, ns)| ns / 1000).collect();
    (latencies, outcome.result.flash.page_reads.host)
}

/// Page 0 is in the flash; a quarter of it is written later, and leaves.
fn a_quarter() -> Vec<Request> {
    vec![write(0), flush(10), quarter(2000, Op::Write, 1), flush(3000)]
}

#[test]
fn a_write_waits_for_the_rest_or_a_flush_does() {
    let early = seen(&buffered(RestOfUnit::OnArrival), a_quarter());
    assert_eq!(early, (vec![1, 610, 60, 610], 1));
    let late = seen(&buffered(RestOfUnit::OnLeaving), a_quarter());
    assert_eq!(late, (vec![1, 610, 1, 670], 1));
}

#[test]
fn what_the_host_completes_is_not_read() {
    let quarters = (0..4).map(|number| quarter(2000 + number, Op::Write, number));
    let requests: Vec<_> =
        [write(0), flush(10)].into_iter().chain(quarters).chain([flush(3000)]).collect();
    let (latencies, reads) = seen(&buffered(RestOfUnit::OnLeaving), requests.clone());
    assert_eq!((latencies[6], reads), (610, 0));
    assert_eq!(seen(&buffered(RestOfUnit::OnArrival), requests).1, 1);
}

/// A read of a unit that DRAM holds in part reads the flash, and one of a whole unit does not.
#[test]
fn a_read_finds_the_rest_in_the_flash() {
    let read = |now_us| at(now_us, Op::Read, 0, 1);
    let requests = vec![
        write(0),
        flush(10),
        quarter(2000, Op::Write, 0),
        read(2100),
        at(2200, Op::Write, 0, 1),
        read(2300),
    ];
    let (latencies, reads) = seen(&buffered(RestOfUnit::OnLeaving), requests);
    assert_eq!((&latencies[2..], reads), (&[1, 60, 1, 1][..], 1));
}

/// Where reads of what was never written take time, so does the rest of a unit that nobody wrote.
#[test]
fn the_rest_of_what_was_never_written_is_read_as_the_host_reads_it() {
    for (unmapped, flush_us) in [(Unmapped::Free, 610), (Unmapped::AsMapped, 670)] {
        let mut config = buffered(RestOfUnit::OnLeaving);
        config.host.unmapped = unmapped;
        let (latencies, _) = seen(&config, vec![quarter(0, Op::Write, 3), flush(10)]);
        assert_eq!(latencies, [1, flush_us], "{unmapped}");
    }
}

/// A trimmed unit has no rest, though reads of what was never written take time.
#[test]
fn the_rest_of_what_was_trimmed_takes_no_time() {
    let mut config = buffered(RestOfUnit::OnLeaving);
    config.host.unmapped = Unmapped::AsMapped;
    let trim = at(0, Op::Trim, 0, 1);
    let requests = vec![trim, quarter(1000, Op::Write, 3), flush(1010)];
    assert_eq!(seen(&config, requests.clone()).0[1..], [1, 610]);
    let host = run(&config, requests).host;
    assert_eq!((host.unmapped_reads, host.trimmed_reads), (0, 1));
}

#[test]
fn counts_do_not_depend_on_time() {
    let mut config = buffered(RestOfUnit::OnLeaving);
    config.run.mode = RunMode::Count;
    config.run.records = false;
    let result = run(&config, a_quarter());
    assert_eq!((result.flash.page_reads.host, result.flash.page_programs.host), (1, 2));
}
