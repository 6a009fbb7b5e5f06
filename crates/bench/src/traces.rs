//! Benchmarks of the readers and writers of traces.

use crate::case::Measured;
use std::path::Path;
use std::time::Instant;
use wordline_trace::stats::{self, Meter};
use wordline_trace::write::{Options, TraceMeta, TraceWriter};
use wordline_trace::{Error, Source, open, read_all_count};
use wordline_trace::{GeneratorContext, from_spec};

/// Mixed sizes and random gaps, so that no column of a trace is trivial.
const WORK: &str =
    "zipf:theta=0.9,read=0.3,interval_us=80,size=exponential,size_kib=16,align_kib=0.5";
const SPAN_BYTES: u64 = 64 << 30;
/// The best of as many runs is taken: other work on the machine only ever adds time.
const RUNS: u32 = 3;

fn work(tiny: bool) -> Result<Box<dyn Source>, Error> {
    let requests = if tiny { 20_000 } else { 2_000_000 };
    let context = GeneratorContext::on_drive(SPAN_BYTES, 1);
    from_spec(&format!("{WORK},requests={requests}"), &context)
}

/// Million requests a second that are read from an uncompressed file of that name's format.
pub fn read(name: &str, tiny: bool) -> Result<Measured, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join(name);
    measured(|| {
        if !path.exists() {
            write_file(&path, tiny)?;
        }
        let started = Instant::now();
        let requests = read_all_count(&mut *open(&path, None)?.source)?.requests;
        Ok(requests as f64 / started.elapsed().as_secs_f64())
    })
}

/// Million requests a second whose statistics are taken, from memory.
pub fn statistics(tiny: bool) -> Result<Measured, String> {
    let mut source = work(tiny).map_err(|error| error.to_string())?;
    let mut requests = Vec::new();
    let mut batch = Vec::with_capacity(1 << 16);
    while source.next_batch(&mut batch).is_ok() && !batch.is_empty() {
        requests.extend_from_slice(&batch);
    }
    measured(|| {
        let mut meter = Meter::new("work", &stats::Options::default())?;
        let started = Instant::now();
        meter.add(&requests)?;
        let counted = meter.finish().total.requests.total;
        Ok(counted as f64 / started.elapsed().as_secs_f64())
    })
}

/// Million requests a second that are written, from memory to a file.
pub fn write(name: &str, tiny: bool) -> Result<Measured, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    measured(|| write_file(&folder.path().join(name), tiny))
}

/// Requests a second that are written to `path`.
fn write_file(path: &Path, tiny: bool) -> Result<f64, Error> {
    // MSR's times are in 100 ns.
    let options = Options { lossy: true, force: true, ..Options::default() };
    let mut source = work(tiny)?;
    let mut writer = TraceWriter::create(path, &TraceMeta::of(&*source, WORK), options)?;
    let (mut batch, mut seconds) = (Vec::with_capacity(1 << 16), 0.0);
    loop {
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        let started = Instant::now();
        writer.write(&batch)?;
        seconds += started.elapsed().as_secs_f64();
    }
    let written = writer.close()?.publish()?;
    Ok(written.requests as f64 / seconds)
}

fn measured(mut run: impl FnMut() -> Result<f64, Error>) -> Result<Measured, String> {
    let mut best = 0.0f64;
    for _ in 0..RUNS {
        best = best.max(run().map_err(|error| error.to_string())?);
    }
    Ok(Measured { value: best / 1e6, peak_rss_mib: wordline_sim::peak_rss_mib() })
}
