//! Any file, compressed or not, is a trace in the format that is named (in one that is recognised
//! where none is) or an error, never a panic.

use std::io::Write;
use std::path::Path;
use wordline_trace::read::open;
use wordline_trace::write::{Closed, Options, TraceMeta, TraceWriter, copy};
use wordline_trace::{GeneratorContext, from_spec};
use wordline_trace::{Op, Position, Request, Source};

/// Reads `data` as a trace of `format` (`None`: detected) to its end or to the first error.
///
/// # Panics
/// When arrivals run backwards, which is what the targets look for; the temporary file failing.
pub fn run(data: &[u8], format: Option<&str>) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(data).expect("room for the temporary file");
    let Ok(mut opened) = open(file.path(), format) else { return };
    let source = &mut *opened.source;
    let requests = read_all(source);
    // Where a file can be entered in the middle, what its index says is as little to be trusted.
    for position in [Position::Request(requests / 2), Position::Time(1000), Position::Request(0)] {
        if source.seek(position).is_ok_and(|is_there| is_there) {
            read_all(source);
        }
    }
    if let Ok(mut again) = open(file.path(), format) {
        again.source.sort_by_time();
        let sorted = read_all(&mut *again.source);
        // Of a file with an error in its midst, sorting hands out nothing.
        assert!([0, requests].contains(&sorted), "{sorted} of {requests} requests were sorted");
    }
}

/// Reads on to the end or to the first error; returns the number of requests.
fn read_all(source: &mut dyn Source) -> u64 {
    let mut batch = Vec::with_capacity(64);
    let mut requests = 0;
    let mut last_ns = 0;
    while source.next_batch(&mut batch).is_ok() && !batch.is_empty() {
        for request in &batch {
            assert!(request.arrival_ns >= last_ns, "{request:?} arrives before {last_ns} ns");
            last_ns = request.arrival_ns;
        }
        requests += batch.len() as u64;
    }
    requests
}

/// Writes traces in Wordline's own format to `folder`: seeds that no file of text is near.
///
/// # Panics
/// When they cannot be written.
pub fn write_seeds(folder: &Path) {
    let context = GeneratorContext::on_drive(1 << 20, 1);
    let options = Options { force: true, ..Options::default() };
    for (name, spec) in [
        ("one", "uniform:requests=1"),
        ("few", "uniform:requests=20,read=0.5,interval_us=100"),
        ("blocks", "sequential:requests=9000,interval_us=7"),
    ] {
        let mut source = from_spec(spec, &context).expect("a generator");
        let meta = TraceMeta::of(&*source, spec);
        let path = folder.join(format!("wordline-{name}.wlt"));
        copy(&mut *source, &path, &meta, options).expect("room for the seeds");
    }
    let path = folder.join("wordline-named.wlt");
    let mut writer = TraceWriter::create(&path, &TraceMeta::default(), options).expect("a folder");
    let request = Request::new(Op::Write, 0, 512).of_stream(1);
    writer.write(&[request]).expect("room for the seeds");
    writer.name_volumes(&["".into(), "disk".into()]);
    writer.close().and_then(Closed::publish).expect("room for the seeds");
}
