//! What the fuzz targets share.

use std::io::Write;
use wordline_trace::read::open;

/// Reads `data` as a trace of `format` (`None`: detected) to its end or to the first error.
///
/// # Panics
/// When arrivals run backwards, which is what the targets look for; the temporary file failing.
pub fn replay(data: &[u8], format: Option<&str>) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(data).expect("room for the temporary file");
    let Ok(mut opened) = open(file.path(), format) else { return };
    let mut batch = Vec::with_capacity(64);
    let mut last_ns = 0;
    while opened.source.next_batch(&mut batch).is_ok() && !batch.is_empty() {
        for request in &batch {
            assert!(request.arrival_ns >= last_ns, "{request:?} arrives before {last_ns} ns");
            last_ns = request.arrival_ns;
        }
    }
}
