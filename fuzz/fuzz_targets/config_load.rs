//! `wordline_fuzz::config_load` as a program of cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wordline_fuzz::config_load::run(text));
