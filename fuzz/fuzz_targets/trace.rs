//! `WORDLINE_FUZZ_FORMAT` names the format. Seeds in Wordline's own format are written ahead of the
//! first input to the folder that `WORDLINE_FUZZ_SEEDS` names.

#![no_main]

use std::sync::LazyLock;
use wordline_fuzz::trace;

static FORMAT: LazyLock<Option<String>> = LazyLock::new(|| {
    std::env::var("WORDLINE_FUZZ_FORMAT").ok().filter(|format| !format.is_empty())
});

fn seeds() {
    if let Some(folder) = std::env::var_os("WORDLINE_FUZZ_SEEDS") {
        trace::write_seeds(folder.as_ref());
    }
}

libfuzzer_sys::fuzz_target!(init: seeds(), |data: &[u8]| trace::run(data, FORMAT.as_deref()));
