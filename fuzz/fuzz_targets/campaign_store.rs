//! `wordline_fuzz::campaign_store` as a program of cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| wordline_fuzz::campaign_store::run(text));
