//! Any file, compressed or not, is a trace in the format that `WORDLINE_FUZZ_FORMAT` names (in one
//! that is recognised where it names none) or an error, never a panic.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use wordline_fuzz::replay;

static FORMAT: LazyLock<Option<String>> = LazyLock::new(|| {
    std::env::var("WORDLINE_FUZZ_FORMAT").ok().filter(|format| !format.is_empty())
});

fuzz_target!(|data: &[u8]| replay(data, FORMAT.as_deref()));
