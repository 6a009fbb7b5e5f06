//! `wordline_fuzz::cell_tables` as a program of cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wordline_fuzz::cell_tables::run(text));
