//! `wordline_fuzz::wom_spec` as a program of cargo-fuzz.

#![no_main]

use wordline_fuzz::wom_spec::{Input, run};

libfuzzer_sys::fuzz_target!(|input: Input| run(input));
