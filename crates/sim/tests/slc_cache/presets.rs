//! Drives of today: their plateaus and their cliff, of smaller ones of the same kind.

use wordline_sim::config::{Config, load};
use wordline_sim::logical_bytes;
use wordline_sim::metrics::RunResult;
use wordline_trace::{GeneratorContext, from_spec};

const MB: f64 = 1e6;

/// A drive with few and small blocks, whose cache is as large a part of it.
fn small(preset: &str, pages: u32) -> Config {
    let text = format!("[drive]\npreset = \"{preset}\"\n");
    let sets = [
        "drive.chip.blocks_per_plane=40",
        &format!("drive.chip.pages_per_block={pages}"),
        "drive.chip.layers_per_block=0",
        "drive.over_provisioning=0.3",
        "technique.slc_cache.static_mib=44",
        "technique.slc_cache.dynamic_mib=220",
        "precondition.pattern=none",
        "host.mode=closed",
    ]
    .map(str::to_owned);
    load(&text, preset, &sets).expect("the preset is valid")
}

/// Writes so many MiB in sequence; MB/s.
fn write(config: &Config, mib: u64) -> (f64, RunResult) {
    let context = GeneratorContext::on_drive(logical_bytes(config).expect("it works"), 1);
    let spec = format!("sequential:writes={mib},size_kib=1024");
    let source = from_spec(&spec, &context).expect("a valid workload");
    let result = wordline_sim::simulate(config, source, &mut ()).expect("the drive works").result;
    (result.workload.bytes_written as f64 / result.workload.duration_s / MB, result)
}

#[test]
fn a_long_write_goes_over_the_cliff() {
    // Bytes that all dies program together, and how long that takes.
    let row = |pages: f64| pages * 16.0 * 4.0 * 16384.0;
    for (preset, pages, beside) in
        [("nvme-tlc-1t", 66, row(3.0) / 2000.0), ("nvme-qlc-2t", 88, row(4.0) / 8738.0)]
    {
        let config = small(preset, pages);
        let cached = row(1.0) / 200.0;
        let rows = 264;
        let (before, result) = write(&config, rows);
        let of = |result: &RunResult, name: &str| {
            let technique = &result.technique["slc_cache"];
            technique.pointer(name).and_then(serde_json::Value::as_u64).expect("a count")
        };
        assert_eq!(of(&result, "/host_units/written_through"), 0, "{preset}");
        assert!((before / cached - 1.0).abs() < 0.1, "{preset}: {before} of {cached}");
        let more = 200;
        let (mean, result) = write(&config, rows + more);
        assert_eq!(of(&result, "/host_units/cached"), rows * 256, "{preset}");
        let expected = (rows + more) as f64 / (rows as f64 / cached + more as f64 / beside);
        assert!((mean / expected - 1.0).abs() < 0.1, "{preset}: {mean} of {expected}");
    }
}
