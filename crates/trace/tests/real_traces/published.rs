//! Excerpts of real traces, with the figures that came with them.

use std::path::Path;
use wordline_trace::open;
use wordline_trace::stats::{Options, Stats};

/// Name, distinct data written in GiB, and updates in percent, both by blocks of 4 KiB.
const EXCERPTS: [(&str, f64, f64); 8] = [
    ("web_0_first100k", 0.18, 62.4),
    ("cloudphysics_114k", 0.80, 68.2),
    ("iozone_aligned2_100k", 1.04, 97.0),
    ("hplajw_1992_1week", 0.015, 93.0),
    ("umass_fin1_first10k", 0.014, 69.9),
    ("umass_fin1_first50k_pagegrain", 0.034, 82.9),
    ("ms_prod_DTRS_127k", 0.70, 0.9),
    ("phone_Installing", 1.01, 36.1),
];

pub fn unique_and_rewritten_data_are_as_published(folder: &Path) {
    for (name, unique_gib, updates_percent) in EXCERPTS {
        let path = folder.join(format!("{name}.csv.zst"));
        let mut opened = open(&path, None).unwrap_or_else(|error| panic!("{error}"));
        let stats = Stats::measure(&mut *opened.source, &Options::default()).expect("room");
        let unique = stats.total.footprint.block_4k.written_bytes as f64 / f64::from(1 << 30);
        let updates = stats.total.updates.share_of_blocks_4k.expect("writes") * 100.0;
        // As far as the published figures were rounded.
        let digit = if unique_gib < 0.1 { 0.001 } else { 0.01 };
        assert!((unique - unique_gib).abs() < 0.51 * digit, "{name}: {unique} GiB");
        assert!((updates - updates_percent).abs() < 0.051, "{name}: {updates} %");
    }
}
