//! `wordline_fuzz::generator_spec` as a program of cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|spec: &str| wordline_fuzz::generator_spec::run(spec));
