//! Any file is a trace or an error, never a panic, and arrivals never run backwards.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Write;
use wordline_trace::read::open;

fuzz_target!(|data: &[u8]| {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(data).expect("room for the temporary file");
    let Ok(mut opened) = open(file.path(), Some("mqsim")) else { return };
    let mut batch = Vec::with_capacity(64);
    let mut last_ns = 0;
    while opened.source.next_batch(&mut batch).is_ok() && !batch.is_empty() {
        for request in &batch {
            assert!(request.arrival_ns >= last_ns);
            last_ns = request.arrival_ns;
        }
    }
});
