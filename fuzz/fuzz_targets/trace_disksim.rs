//! Any file is a trace in the format `disksim` or an error, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wordline_fuzz::replay;

fuzz_target!(|data: &[u8]| replay(data, Some("disksim")));
