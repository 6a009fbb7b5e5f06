//! Every target tries its seeds and some hundred inputs made of them.

use crate::draw::{files, input};
use crate::*;
use arbitrary::{Arbitrary, Unstructured};
use std::fs::read_dir;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Tries inputs; one that panics is printed first, with its number.
fn try_all(beginnings: &[Vec<u8>], inputs: u64, run: impl Fn(&[u8])) {
    for number in 0..beginnings.len() as u64 + inputs {
        let data = input(beginnings, number);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run(&data))) {
            eprintln!("input {number}: \"{}\"", data.escape_ascii());
            resume_unwind(panic);
        }
    }
}

/// Bytes as cargo-fuzz makes an input of them.
fn typed<'a, T: Arbitrary<'a>>(data: &'a [u8], run: impl Fn(T)) {
    if let Ok(input) = T::arbitrary_take_rest(Unstructured::new(data)) {
        run(input);
    }
}

/// A test for each target that begins with the files of `seeds-NAME`, and their list.
macro_rules! targets {
    ($($name:ident: $inputs:expr),* $(,)?) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            let seeds = files(concat!("seeds-", stringify!($name)));
            try_all(&seeds, $inputs, |data| typed(data, crate::$name::run));
        })*
    };
}

targets! {
    campaign_store: 2000,
    cell_tables: 2000,
    chip_toml: 200,
    config_load: 2000,
    ecc_decode: 1000,
    generator_spec: 1000,
    ldpc_matrix: 500,
    nbd: 3000,
    trace_options: 1000,
    wom_page: 300,
    wom_spec: 500,
    workload_toml: 1000,
}

#[test]
fn traces_of_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    trace::write_seeds(folder.path());
    let mut seeds = files("seeds");
    seeds.extend(files(folder.path().to_str().expect("a path of text")));
    let lines = include_str!("../formats").lines().filter(|line| !line.starts_with('#'));
    for format in lines.map(|line| Some(line).filter(|&line| line != "-")) {
        try_all(&seeds, 500, |data| trace::run(data, format));
    }
}

/// What cargo-fuzz runs is what is tried here.
#[test]
fn every_program_has_a_test() {
    let programs =
        read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz_targets")).expect("programs");
    let mut programs: Vec<String> = programs
        .map(|entry| entry.expect("an entry").path())
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    programs.sort();
    let mut names: Vec<&str> = NAMES.iter().copied().chain(["trace"]).collect();
    names.sort_unstable();
    assert_eq!(programs, names);
}

/// The harness itself: an input that panics fails the test that tries it.
#[test]
#[should_panic(expected = "found")]
fn an_input_that_panics_is_found() {
    try_all(&[b"12".to_vec()], 200, |data| assert!(!data.starts_with(b"65536"), "found"));
}
