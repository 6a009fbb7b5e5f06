//! `wordline_fuzz::chip_toml` as a program of cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wordline_fuzz::chip_toml::run(text));
