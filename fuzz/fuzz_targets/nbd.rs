//! `wordline_fuzz::nbd` as a program of cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| wordline_fuzz::nbd::run(data));
