//! `wordline_fuzz::ldpc_matrix` as a program of cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wordline_fuzz::ldpc_matrix::run(text));
