//! `wordline_fuzz::wom_page` as a program of cargo-fuzz.

#![no_main]

use wordline_fuzz::wom_page::{Input, run};

libfuzzer_sys::fuzz_target!(|input: Input| run(input));
