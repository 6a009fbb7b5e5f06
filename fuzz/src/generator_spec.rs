//! Any text is a generator or an error, and a generator stays within its address space.

use wordline_trace::{GeneratorContext, from_spec};

const SPAN_BYTES: u64 = 1 << 30;

/// Tries one input.
pub fn run(spec: &str) {
    // A span of its own may exceed the drive's: that is for the drive to judge.
    if spec.contains("span_mib") {
        return;
    }
    let context = GeneratorContext::on_drive(SPAN_BYTES, 1);
    let Ok(mut source) = from_spec(spec, &context) else { return };
    let mut batch = Vec::with_capacity(256);
    if source.next_batch(&mut batch).is_ok() {
        assert!(batch.iter().all(|r| r.offset_bytes + u64::from(r.size_bytes) <= SPAN_BYTES));
    }
}
