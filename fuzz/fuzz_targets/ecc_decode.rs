//! `wordline_fuzz::ecc_decode` as a program of cargo-fuzz.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u8, u8, &[u8])| wordline_fuzz::ecc_decode::run(input));
