//! What is wrong with data when it is read: error rates by wear, age and page, what a code corrects of them, and how
//! often a page is sensed. Whatever erases the blocks.

mod chips;
mod ecc;
mod line;
mod page;
mod rates;
mod reads;
mod retries;
mod table;

pub use chips::Chip;
pub(crate) use line::Line;
pub use page::{ErasedCells, Page, Stage};
pub use rates::{BITS_PER_KIB, ErrorRates};
pub(crate) use rates::{Rate, RateTable};
pub use reads::ReadModel;
pub use retries::Tally;
pub(crate) use table::{Table, number};

/// Reads a text as each kind of table of cells and codes, and asks it something: for fuzz targets.
#[cfg(feature = "fuzzing")]
pub fn read_tables(text: &str) {
    rates::read_table(text);
    ecc::read_table(text);
}
