//! Excerpts of published traces, and samples as their formats have them.

use std::path::Path;
use wordline_trace::GeneratorContext;
use wordline_trace::shape::{Layout, Shape};
use wordline_trace::write::{Options, TraceMeta, copy};
use wordline_trace::{open, open_shaped, read_all_count};

pub fn excerpts_have_their_published_counts(folder: &Path) {
    for (name, reads, writes, written_gib) in [
        ("web_0_first100k", 61_553, 38_447, 0.34),
        ("cloudphysics_114k", 46_974, 66_898, 2.24),
        ("iozone_aligned2_100k", 0, 100_000, 34.3),
        ("hplajw_1992_1week", 13_040, 31_479, 0.188),
        ("umass_fin1_first10k", 4077, 5923, 0.028),
        ("umass_fin1_first50k_pagegrain", 29_199, 20_801, 0.126),
        ("ms_prod_DTRS_127k", 113_123, 13_920, 0.71),
        ("phone_Installing", 312, 17_640, 1.57),
    ] {
        let path = folder.join(format!("{name}.csv.zst"));
        let mut opened = open(&path, None).unwrap_or_else(|error| panic!("{error}"));
        let totals = read_all_count(&mut *opened.source).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((totals.reads, totals.writes), (reads, writes), "{name}");
        assert_eq!(opened.source.clamped_arrivals(), 0, "{name}");
        assert_eq!(opened.source.name(), name);
        let gib = totals.bytes_written as f64 / (1u64 << 30) as f64;
        assert!((gib / written_gib - 1.0).abs() < 0.02, "{name}: {gib} GiB written");
    }
}

pub fn native_samples_are_recognised(folder: &Path) {
    for (name, format, requests) in [
        ("msr-hm-1k.csv", "msr", 1000),
        ("disksim-fin1-2k.ascii", "mqsim", 2000),
        ("mqsim-tpcc-small.trace", "mqsim", 6999),
        ("cloudphysics-1k.vscsi", "vscsi1", 1000),
        ("cloudphysics-1k.csv", "cloudphysics", 999),
        ("fiu-mail-1k.blkparse", "fiu", 1000),
        ("systor17-1k.csv", "systor", 999),
        ("blkparse-2k.txt", "blkparse", 47),
    ] {
        let path = folder.join("native").join(name);
        let mut opened = open(&path, None).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(opened.info.as_ref().map(|info| info.format), Some(format), "{name}");
        let totals = read_all_count(&mut *opened.source).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(totals.requests, requests, "{name}");
        assert_eq!(opened.source.clamped_arrivals(), 0, "{name}");
    }
}

pub fn either_event_of_blkparse_can_be_read(folder: &Path) {
    let path = folder.join("native/blkparse-2k.txt");
    for (format, requests) in [("blkparse:event=D", 47), ("blkparse:event=Q", 415)] {
        let mut opened = open(&path, Some(format)).unwrap_or_else(|error| panic!("{error}"));
        let totals = read_all_count(&mut *opened.source).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(totals.requests, requests, "{format}");
        let skipped: u64 = opened.source.skipped().iter().map(|skipped| skipped.count).sum();
        assert_eq!(skipped + requests, 2000, "{format}");
    }
}

pub fn text_and_binary_of_one_trace_agree(folder: &Path) {
    let totals = |name: &str| {
        let mut opened = open(&folder.join("native").join(name), None).expect("opened");
        let requests = read_all_count(&mut *opened.source).expect("read");
        (requests.reads, requests.writes, requests.bytes_written, requests.end_bytes)
    };
    // The text has one line less, and time in whole seconds.
    let (text, binary) = (totals("cloudphysics-1k.csv"), totals("cloudphysics-1k.vscsi"));
    assert_eq!((text.0, text.1 + 1), (binary.0, binary.1));
    assert!(binary.2 >= text.2 && binary.3 >= text.3);
}

pub fn the_two_forms_of_one_trace_agree(folder: &Path) {
    let totals = |name: &str| {
        let mut opened = open(&folder.join(name), None).unwrap_or_else(|error| panic!("{error}"));
        read_all_count(&mut *opened.source).unwrap_or_else(|error| panic!("{error}"))
    };
    assert_eq!(totals("native/mqsim-tpcc-small.trace"), totals("mqsim_tpcc-small.csv.zst"));
}

pub fn the_two_disks_of_a_workstation_lie_side_by_side(folder: &Path) {
    let path = folder.join("hplajw_1992_1week.csv.zst");
    let text = path.to_str().expect("a path in UTF-8");
    let context = GeneratorContext::on_drive(1 << 30, 1);
    let end_of = |shape: &Shape| {
        let mut shaped =
            open_shaped(&[text], None, shape, &context).unwrap_or_else(|error| panic!("{error}"));
        let totals = read_all_count(&mut *shaped.source).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(totals.requests, 44_519);
        (totals.end_bytes, shaped.source.placed().to_vec())
    };
    let together = Shape { layout: Layout::Together, ..Shape::default() };
    let (end, placed) = end_of(&together);
    assert!(placed.is_empty());
    let (both, placed) = end_of(&Shape::default());
    let [first, second] = &placed[..] else { panic!("{placed:?}") };
    assert_eq!((first.stream, second.stream, first.first_byte), (1, 0, 0));
    assert_eq!(first.bytes.max(second.bytes), end);
    assert!(second.first_byte >= first.bytes && second.first_byte < first.bytes + (1 << 20));
    assert_eq!(both, second.first_byte + second.bytes);
}

/// What a format holds, and what is lost, is known of every excerpt; the own format loses nothing.
pub fn excerpts_survive_the_own_format(folder: &Path) {
    let out = tempfile::tempdir().expect("a folder");
    for name in ["web_0_first100k", "cloudphysics_114k", "phone_Installing"] {
        let path = folder.join(format!("{name}.csv.zst"));
        let mut source = open(&path, None).unwrap_or_else(|error| panic!("{error}")).source;
        let target = out.path().join(format!("{name}.wlt"));
        let meta = TraceMeta::of(&*source, name);
        let written = copy(&mut *source, &target, &meta, Options::default())
            .unwrap_or_else(|error| panic!("{error}"));
        // A line of the original has some 50 characters.
        let bytes_each = written.bytes as f64 / written.requests as f64;
        assert!(bytes_each < 10.0, "{name}: {bytes_each} bytes a request");
        let mut again = open(&target, None).unwrap_or_else(|error| panic!("{error}")).source;
        source.rewind().unwrap_or_else(|error| panic!("{error}"));
        let (mut a, mut b) = (Vec::with_capacity(4096), Vec::with_capacity(4096));
        loop {
            source.next_batch(&mut a).unwrap_or_else(|error| panic!("{error}"));
            again.next_batch(&mut b).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(a, b, "{name}");
            if a.is_empty() {
                break;
            }
        }
        println!("{name}: {bytes_each:.2} bytes a request");
    }
}
