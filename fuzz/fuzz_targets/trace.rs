//! Any file, compressed or not, is a trace in the format that `WORDLINE_FUZZ_FORMAT` names (in one
//! that is recognised where it names none) or an error, never a panic. Seeds in Wordline's own format
//! are written ahead of the first input to the folder that `WORDLINE_FUZZ_SEEDS` names.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use wordline_fuzz::{replay, write_seeds};

static FORMAT: LazyLock<Option<String>> = LazyLock::new(|| {
    std::env::var("WORDLINE_FUZZ_FORMAT").ok().filter(|format| !format.is_empty())
});

fn seeds() {
    if let Some(folder) = std::env::var_os("WORDLINE_FUZZ_SEEDS") {
        write_seeds(folder.as_ref());
    }
}

fuzz_target!(init: seeds(), |data: &[u8]| replay(data, FORMAT.as_deref()));
