//! Any text is a table of cells or of a code, or an error.

use wordline_sim::reliability;
use wordline_sim::technique::{erase, ressd};

/// Tries one input.
pub fn run(text: &str) {
    erase::read_tables(text);
    reliability::read_tables(text);
    ressd::read_table(text);
}
