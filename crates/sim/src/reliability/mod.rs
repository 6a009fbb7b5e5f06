//! What is wrong with data when it is read: error rates by wear, age and page, what a code corrects of them, and how
//! often a page is sensed. Whatever erases the blocks.

mod chips;
mod ecc;
mod grid;
mod law;
mod line;
mod page;
mod powers;
mod rate_table;
mod rates;
mod reads;
mod retries;
mod sources;
mod table;
mod tally;

pub use chips::Chip;
pub use grid::{BITS_PER_KIB, Condition};
pub(crate) use line::Line;
pub use page::{ErasedCells, Page, Stage};
pub(crate) use rate_table::{Rate, RateTable};
pub use rates::ErrorRates;
pub use reads::{ReadModel, is_table_file, table_of_file};
pub(crate) use table::{Table, number};
pub use tally::{Sensed, Tally};

/// Reads a text as each kind of table of cells and codes, and asks it something: for fuzz targets.
#[cfg(feature = "fuzzing")]
pub fn read_tables(text: &str) {
    rates::read_table(text);
    ecc::read_table(text);
}
