//! Any text is a table of cells or of a code, or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wordline_sim::technique::{erase, ressd};

fuzz_target!(|text: &str| {
    erase::read_tables(text);
    ressd::read_table(text);
});
