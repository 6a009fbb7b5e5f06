//! Any TOML file is a workload, of phases or fitted to a trace, or an error; its requests come in
//! order of time.

use std::io::Write;
use wordline_trace::GeneratorContext;
use wordline_trace::open_workload;

/// Tries one input.
pub fn run(data: &[u8]) {
    let mut file = tempfile::Builder::new().suffix(".toml").tempfile().expect("a temporary file");
    file.write_all(data).expect("room for the temporary file");
    let context = GeneratorContext::on_drive(1 << 30, 1);
    let Ok(mut opened) = open_workload(&file.path().display().to_string(), None, &context) else {
        return;
    };
    let mut batch = Vec::with_capacity(256);
    if opened.source.next_batch(&mut batch).is_ok() {
        assert!(batch.is_sorted_by_key(|request| request.arrival_ns));
    }
}
