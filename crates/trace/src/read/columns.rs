//! The columns of a line as a format asks for them, from left to right, whoever cuts the line.

use crate::{Op, VOLUMES};

/// Bytes in a sector, the unit of addresses in most traces.
pub(super) const SECTOR_BYTES: u64 = 512;

/// Highest address in bytes; leaves room to add a size.
pub(super) const MAX_OFFSET_BYTES: u64 = 1 << 63;

/// Sectors of the longest request: as many as the kernel and NVMe can name in one.
pub(super) const MAX_SECTORS: u64 = 1 << 32;

/// Bytes of the longest request.
pub(super) const MAX_SIZE_BYTES: u64 = MAX_SECTORS * SECTOR_BYTES;

/// The number of a volume or device, if a workload can have it.
#[inline(always)]
pub(super) fn volume_number(number: u64) -> Option<u32> {
    (number < VOLUMES as u64).then_some(number as u32)
}

/// The columns of one line: [`super::fields::Fields`] of any, [`super::plain::Plain`] of one as
/// programs write it.
pub(super) trait Columns<'a> {
    /// What is wrong with a column.
    type Bad;

    /// The next column as `read` understands it.
    ///
    /// # Errors
    /// The column is missing, or `read` returns `None`: `expected` says what should be there.
    fn read<T>(
        &mut self,
        column: &'static str,
        expected: &'static str,
        read: impl FnOnce(&'a [u8]) -> Option<T>,
    ) -> Result<T, Self::Bad>;

    /// The next column, a single byte that `read` understands.
    ///
    /// # Errors
    /// As for [`Columns::read`].
    fn byte<T>(
        &mut self,
        column: &'static str,
        expected: &'static str,
        read: impl FnOnce(u8) -> Option<T>,
    ) -> Result<T, Self::Bad>;

    /// The next column, a whole number that `read` understands.
    ///
    /// # Errors
    /// As for [`Columns::read`].
    fn number<T>(
        &mut self,
        column: &'static str,
        expected: &'static str,
        read: impl Fn(u64) -> Option<T>,
    ) -> Result<T, Self::Bad>;

    /// The next column, a number that is small in most traces, which nothing depends on.
    ///
    /// # Errors
    /// As for [`Columns::read`].
    #[inline(always)]
    fn small_number<T>(
        &mut self,
        column: &'static str,
        expected: &'static str,
        read: impl Fn(u64) -> Option<T>,
    ) -> Result<T, Self::Bad> {
        self.number(column, expected, read)
    }

    /// The next column, a decimal number without sign, times 10^`shift`; digits beyond that are
    /// dropped.
    ///
    /// # Errors
    /// As for [`Columns::read`].
    fn decimal(
        &mut self,
        column: &'static str,
        expected: &'static str,
        shift: u32,
    ) -> Result<u64, Self::Bad>;

    /// Passes over words up to a number, one word at least.
    ///
    /// # Errors
    /// The line ends before the first.
    fn words(&mut self, column: &'static str) -> Result<(), Self::Bad>;

    /// The next two columns, whole numbers, as `read` understands their text.
    ///
    /// # Errors
    /// One is missing or no number, or `read` returns `None`: `expected` says what should be there.
    fn pair<T>(
        &mut self,
        columns: [&'static str; 2],
        expected: &'static str,
        read: impl FnOnce(&'a [u8]) -> Option<T>,
    ) -> Result<T, Self::Bad>;

    /// The line must end here.
    ///
    /// # Errors
    /// There is another column.
    fn end(&mut self) -> Result<(), Self::Bad>;

    /// What else the line holds does not matter.
    ///
    /// # Errors
    /// The line is of a kind that this reader of columns does not take.
    fn pass_over_rest(&mut self) -> Result<(), Self::Bad>;

    /// The lower 32 bits of a request's size; where others are set, they are kept for
    /// [`super::format::Record::with_upper`].
    ///
    /// # Errors
    /// The size has others, and this reader of columns keeps none.
    fn lower(&mut self, size_bytes: u64) -> Result<u32, Self::Bad>;

    /// Whether the next column is there and empty.
    fn is_next_empty(&self) -> bool;

    /// Passes over a column, which may hold anything.
    #[inline(always)]
    fn skip(&mut self, column: &'static str) -> Result<(), Self::Bad> {
        self.read(column, "a text", |_| Some(()))
    }

    /// R or W, in either case.
    #[inline(always)]
    fn letter(&mut self, column: &'static str) -> Result<Op, Self::Bad> {
        self.byte(column, "R or W", |letter| match letter {
            b'R' | b'r' => Some(Op::Read),
            b'W' | b'w' => Some(Op::Write),
            _ => None,
        })
    }

    /// A device or volume number.
    #[inline(always)]
    fn stream(&mut self, column: &'static str) -> Result<u32, Self::Bad> {
        self.small_number(column, "a whole number from 0 to 1048575", volume_number)
    }

    /// An address in bytes.
    #[inline(always)]
    fn offset_bytes(&mut self, column: &'static str) -> Result<u64, Self::Bad> {
        self.number(column, "bytes, a whole number below 2^63", |bytes| {
            Some(bytes).filter(|&bytes| bytes < MAX_OFFSET_BYTES)
        })
    }

    /// A size in bytes.
    #[inline(always)]
    fn size_bytes(&mut self, column: &'static str) -> Result<u32, Self::Bad> {
        let expected = "bytes, a whole number from 1 to 2199023255552 (2 TiB)";
        let bytes = self.number(column, expected, |bytes| {
            Some(bytes).filter(|bytes| (1..=MAX_SIZE_BYTES).contains(bytes))
        })?;
        self.lower(bytes)
    }

    /// An address in sectors, as bytes.
    #[inline(always)]
    fn offset_sectors(&mut self, column: &'static str) -> Result<u64, Self::Bad> {
        self.number(column, "a sector of 512 bytes, a whole number below 2^54", |sector| {
            (sector < MAX_OFFSET_BYTES / SECTOR_BYTES).then(|| sector * SECTOR_BYTES)
        })
    }

    /// A size in sectors, as bytes.
    #[inline(always)]
    fn size_sectors(&mut self, column: &'static str) -> Result<u32, Self::Bad> {
        let expected = "sectors of 512 bytes, a whole number from 1 to 4294967296 (2 TiB)";
        let bytes = self.small_number(column, expected, |sectors| {
            (1..=MAX_SECTORS).contains(&sectors).then(|| sectors * SECTOR_BYTES)
        })?;
        self.lower(bytes)
    }
}
