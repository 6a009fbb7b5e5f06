//! Bounded memory, and estimates from a share of the addresses.

use wordline_trace::generate::GeneratorContext;
use wordline_trace::stats::{Options, Stats, VolumeStats};
use wordline_trace::{Error, Op, Request, from_spec};

use crate::given::{measure, request};

fn zipf(options: &Options) -> Result<Stats, Error> {
    let context = GeneratorContext::on_drive(4 << 30, 3);
    let spec = "zipf:requests=4e5,theta=0.6,size_kib=8,read=0.3,interval_us=1000";
    Stats::measure(&mut *from_spec(spec, &context)?, options)
}

#[test]
fn what_needs_too_much_memory_is_refused_and_told() {
    let error = zipf(&Options { memory_mib: 8, ..Options::default() }).expect_err("no room");
    let text = error.to_string();
    assert!(text.contains("more than 8 MiB") && text.contains("sample = 0.1"), "{text}");
    let sampled = Options { memory_mib: 8, sample: 0.1 };
    let stats = zipf(&sampled).expect("a tenth fits");
    assert!(stats.memory_mib <= 8.0, "{}", stats.memory_mib);
}

#[test]
fn samples_estimate_what_they_say_and_no_more() {
    let exact = zipf(&Options::default()).expect("room");
    assert_eq!(exact.sampling, None);
    let sampled = zipf(&Options { sample: 0.1, ..Options::default() }).expect("room");
    let sampling = sampled.sampling.expect("a sample");
    let (ours, truth) = (&sampled.total, &exact.total);
    assert_eq!(ours.requests, truth.requests);
    assert_eq!(ours.arrivals, truth.arrivals);
    assert_eq!(ours.sequentiality, truth.sequentiality);
    let pages = |stats: &Stats| stats.total.footprint.page_16k.total_bytes as f64;
    let off = (pages(&sampled) / pages(&exact) - 1.0).abs();
    let error = sampling.footprint_error.expect("pages");
    assert!(error < 0.02 && off < 3.0 * error, "off by {off}, said {error}");
    let (share, true_share) = (ours.updates.share, truth.updates.share);
    let off = (share.expect("writes") - true_share.expect("writes")).abs();
    let error = sampling.update_share_error.expect("writes");
    assert!(error < 0.01 && off < 3.0 * error, "off by {off}, said {error}");
}

#[test]
fn the_stated_errors_are_the_errors_that_occur() {
    // Volumes are sampled independently: 60 copies of one workload are 60 samples.
    let context = GeneratorContext::on_drive(64 << 20, 3);
    let mut source = from_spec("zipf:requests=3000,theta=0.9", &context).expect("valid");
    let mut once = Vec::with_capacity(3000);
    source.next_batch(&mut once).expect("a batch");
    let copies = |count: u32| -> Vec<_> {
        let copy = |stream| once.iter().map(move |r| Request { stream, ..*r });
        (0..count).flat_map(copy).collect()
    };
    let exact = measure(&copies(1), &Options::default()).expect("room").total;
    let all = measure(&copies(60), &Options { sample: 0.25, ..Options::default() }).expect("room");
    let truth = exact.footprint.page_16k.total_bytes as f64;
    let squares = all
        .volumes
        .iter()
        .map(|volume| (volume.footprint.page_16k.total_bytes as f64 / truth - 1.0).powi(2));
    let spread = (squares.sum::<f64>() / 60.0).sqrt();
    let stated = all.sampling.and_then(|s| s.footprint_error).expect("pages") * 60f64.sqrt();
    assert!((0.7..1.4).contains(&(spread / stated)), "spread {spread}, stated {stated}");
}

#[test]
fn no_estimate_exceeds_the_addresses() {
    let write = |page: u64| request(Op::Write, 0, page << 14, 1 << 14);
    let whole = |stream| (0..512).map(move |page| Request { stream, ..write(page) });
    let written: Vec<_> = (0..40).flat_map(whole).collect();
    let stats = measure(&written, &Options { sample: 0.1, ..Options::default() }).expect("room");
    let bytes = |volume: &VolumeStats| volume.footprint.page_16k.total_bytes;
    assert!(stats.volumes.iter().all(|volume| bytes(volume) <= 512 << 14));
    assert!(stats.volumes.iter().any(|volume| bytes(volume) < 512 << 14));
    assert_eq!(bytes(&stats.total), stats.volumes.iter().map(bytes).sum::<u64>());
}

#[test]
fn shares_out_of_range_are_refused() {
    for sample in [0.0, -1.0, 1.5, f64::NAN] {
        let one = [request(Op::Write, 0, 0, 4096)];
        let error = measure(&one, &Options { sample, ..Options::default() }).expect_err("refused");
        assert!(error.what.contains("expected a share above 0"), "{error}");
    }
}

#[test]
fn the_ends_of_the_address_space_do_not_overflow() {
    let huge = request(Op::Write, u64::MAX - 1, (1 << 63) - 1, u32::MAX);
    let edge = request(Op::Read, u64::MAX - 1, u64::MAX - 10, 4096);
    let stats = measure(&[huge, edge], &Options::default()).expect("262,145 pages fit");
    assert_eq!(stats.total.updates.pages_written, 262_145);
    assert_eq!(stats.total.footprint.end_bytes, u64::MAX);
}
