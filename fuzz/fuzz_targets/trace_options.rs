//! `wordline_fuzz::trace_options` as a program of cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wordline_fuzz::trace_options::run(text));
