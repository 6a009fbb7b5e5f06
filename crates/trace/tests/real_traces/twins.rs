//! Twins fitted to excerpts of real traces, beside the excerpts.

use std::ops::ControlFlow;
use std::path::Path;
use wordline_trace::stats::{Options, Stats, VolumeStats};
use wordline_trace::{GeneratorContext, Source, open, open_workload, twin};

/// What twins are known to miss, and why.
const KNOWN: [(&str, &str); 7] = [
    // Two disks side by side, with fragments of 1 KiB: places that lie behind others are hot.
    ("hplajw_1992_1week", "writes behind recent"),
    // One file that is written over and over: whatever is picked lies behind what was just written.
    ("wiscsee_sqlitewal-update", "writes behind recent"),
    // Four reads.
    ("wiscsee_sqlitewal-update", "reads behind recent"),
    // Runs end where their chunk does.
    ("ms_prod_DTRS_127k", "reads behind recent"),
    // Requests of up to 16 MiB over a file of 1 GiB: those to old data reach beyond it.
    ("iozone_aligned2_100k", "write coverage"),
    // Reads that overlap in part, at ends that are no multiples of 4 KiB.
    ("mqsim_wsrch-small", "read coverage"),
    ("phone_Installing", "read coverage"),
];

/// Twins of excerpts keep counts, volumes and coverage within 2 %, and adjacency within 5 points.
pub fn fitted_twins_keep_volumes_coverage_and_adjacency(folder: &Path) {
    let out = tempfile::tempdir().expect("a folder");
    let mut misses = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let Some(name) = name.strip_suffix(".csv.zst") else { continue };
        let mut trace = open(&path, None).unwrap_or_else(|error| panic!("{error}")).source;
        let profile = twin::fit(&mut *trace, name, &mut || ControlFlow::Continue(()));
        let profile = profile.unwrap_or_else(|error| panic!("{error}")).expect("nobody stops it");
        let file = out.path().join(format!("{name}.toml"));
        std::fs::write(&file, profile.to_toml()).expect("written");
        let context = GeneratorContext::without_drive(1 << 40, 1);
        let twin = open_workload(file.to_str().expect("UTF-8"), None, &context);
        let mut twin = twin.unwrap_or_else(|error| panic!("{error}")).source;
        trace.rewind().unwrap_or_else(|error| panic!("{error}"));
        let measure = |source: &mut dyn Source| {
            Stats::measure(source, &Options::default())
                .unwrap_or_else(|error| panic!("{error}"))
                .total
        };
        let (was, is) = (measure(&mut *trace), measure(&mut *twin));
        assert_eq!(
            (is.requests.reads, is.requests.writes),
            (was.requests.reads, was.requests.writes)
        );
        let (bytes, covered) = (|s: &VolumeStats| s.bytes, |s: &VolumeStats| s.footprint.block_4k);
        for (figure, was, is) in [
            ("read", bytes(&was).read, bytes(&is).read),
            ("written", bytes(&was).written, bytes(&is).written),
            ("read coverage", covered(&was).read_bytes, covered(&is).read_bytes),
            ("write coverage", covered(&was).written_bytes, covered(&is).written_bytes),
        ] {
            let off = is as f64 / was.max(1) as f64 - 1.0;
            // A few pages of a small trace are more than 2 %.
            if was > 0 && off.abs() > 0.02 && is.abs_diff(was) > 20 * 4096 {
                misses.push(format!("{name}: {figure} {:+.1} %", 100.0 * off));
            }
        }
        for (figure, of) in [
            (
                "reads",
                (|s| s.locality.reads_behind_recent_share) as fn(&VolumeStats) -> Option<f64>,
            ),
            ("writes", |s| s.locality.writes_behind_recent_share),
        ] {
            if let (Some(was), Some(is)) = (of(&was), of(&is))
                && (is - was).abs() > 0.05
            {
                misses.push(format!("{name}: {figure} behind recent {is:.3} for {was:.3}"));
            }
        }
    }
    let known = |miss: &&String| {
        !KNOWN.iter().any(|(name, figure)| miss.starts_with(&format!("{name}: {figure}")))
    };
    let unknown: Vec<&String> = misses.iter().filter(known).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}
