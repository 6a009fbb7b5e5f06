//! Any file, compressed or not, is a trace of a format that is recognised or an error, never a
//! panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wordline_fuzz::replay;

fuzz_target!(|data: &[u8]| replay(data, None));
