//! The columns of lines as programs write them: no byte but the columns, what stands between them
//! and the line's end. They are read without looking for the end first. Of any other line nothing
//! is said but that it is not plain: [`super::fields::Fields`] reads it, or tells what is wrong.

use super::columns::Columns;
use super::digits::{EACH, HIGHEST_BITS, MAX_SAFE_DIGITS, Number, POWERS_OF_TEN};
use super::fields::Separator;

/// A line that is not plain, or a column that does not hold what it should.
pub(super) struct NotPlain;

/// The columns of the line that a text begins with.
pub(super) struct Plain<'a> {
    text: &'a [u8],
    separator: Separator,
    /// The byte behind the column read last.
    behind: u8,
    /// Where the text goes on behind that byte. A narrow number, to which adding cannot overflow.
    at: u32,
    /// Among the highest bits of its bytes there is none as long as all digits were digits.
    odd: u64,
    /// Whether the line's end was read.
    has_ended: bool,
}

impl<'a> Plain<'a> {
    /// Columns of the first line of `text`, between `separator`s.
    #[inline(always)]
    pub fn new(text: &'a [u8], separator: Separator) -> Self {
        let behind = match separator {
            Separator::Byte(byte) => byte,
            Separator::Blanks => b' ',
        };
        Self { text, separator, behind, at: 0, odd: 0, has_ended: false }
    }

    /// Bytes of the line with its end, once that was read.
    #[inline(always)]
    pub fn line_bytes(&self) -> Option<usize> {
        self.has_ended.then_some(self.at as usize)
    }

    /// All digits so far must have been digits.
    #[inline(always)]
    fn check_digits(&self) -> Result<(), NotPlain> {
        if self.odd & HIGHEST_BITS == 0 { Ok(()) } else { Err(NotPlain) }
    }

    /// The next `N` bytes.
    #[inline(always)]
    fn next<const N: usize>(&self) -> Result<&'a [u8; N], NotPlain> {
        let at = self.at as usize;
        self.text.get(at..at + N).and_then(<[u8]>::first_chunk).ok_or(NotPlain)
    }

    /// The text behind what was read.
    #[inline(always)]
    fn rest(&self) -> Result<&'a [u8], NotPlain> {
        self.text.get(self.at as usize..).ok_or(NotPlain)
    }

    /// A column must begin here.
    #[inline(always)]
    fn begin(&self) -> Result<(), NotPlain> {
        let is_separator = match self.separator {
            Separator::Byte(separator) => self.behind == separator,
            Separator::Blanks => self.behind == b' ' || self.behind == b'\t',
        };
        is_separator.then_some(()).ok_or(NotPlain)
    }

    /// Goes behind `length` bytes and the one behind them.
    #[inline(always)]
    fn pass(&mut self, length: usize, behind: u8) {
        self.behind = behind;
        self.at += length as u32 + 1;
    }

    /// A number, and how many digits it has. `FEW`: mostly no more than four.
    #[inline(always)]
    fn digits<const FEW: bool>(&mut self) -> Result<(u64, usize), NotPlain> {
        let [bytes @ .., _] = *self.next::<9>()?;
        let Number { value, length, odd } = match FEW {
            true => Number::of_four(bytes),
            false => Number::of_eight(bytes),
        };
        self.odd |= odd;
        self.pass(length, self.next::<9>()?[length]);
        // A branch by the number of digits would be foretold badly; marks lie below them.
        if self.behind < b'0' {
            return Ok((value, length));
        }
        self.more_digits(value, length)
    }

    /// A number whose first digits were read already, and how many digits it has.
    #[inline(always)]
    fn more_digits(&mut self, mut value: u64, mut length: usize) -> Result<(u64, usize), NotPlain> {
        while self.behind >= b'0' {
            self.at -= 1;
            let [bytes @ .., _] = *self.next::<9>()?;
            let part = Number::of_eight(bytes);
            value = value.wrapping_mul(POWERS_OF_TEN[part.length]).wrapping_add(part.value);
            length += part.length;
            if part.length == 0 || length > MAX_SAFE_DIGITS {
                return Err(NotPlain);
            }
            self.odd |= part.odd;
            self.pass(part.length, self.next::<9>()?[part.length]);
        }
        Ok((value, length))
    }

    /// Bytes up to white space or the separator.
    #[inline(always)]
    fn column_bytes(&self, text: &[u8]) -> Result<usize, NotPlain> {
        let below = |bytes: u64, limit: u8| bytes.wrapping_sub(EACH * u64::from(limit)) & !bytes;
        let mut length = 0;
        loop {
            let bytes = u64::from_le_bytes(*text[length..].first_chunk::<8>().ok_or(NotPlain)?);
            let ends = below(bytes, b' ' + 1)
                | match self.separator {
                    Separator::Byte(separator) => below(bytes ^ (EACH * u64::from(separator)), 1),
                    Separator::Blanks => 0,
                };
            // The lowest bit that is set is the highest of the first byte that ends the column.
            let ends = ends & HIGHEST_BITS;
            if ends != 0 {
                return Ok(length + ends.trailing_zeros() as usize / 8);
            }
            length += 8;
        }
    }
}

/// Bytes of the blanks that `text` begins with and the line's end, where that stands behind them.
#[cold]
fn blanks_and_end(text: &[u8]) -> Option<usize> {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    (text.get(blanks) == Some(&b'\n')).then_some(blanks + 1)
}

impl<'a> Columns<'a> for Plain<'a> {
    type Bad = NotPlain;

    #[inline(always)]
    fn read<T>(
        &mut self,
        _: &'static str,
        _: &'static str,
        read: impl FnOnce(&'a [u8]) -> Option<T>,
    ) -> Result<T, NotPlain> {
        self.begin()?;
        let text = self.rest()?;
        let length = self.column_bytes(text)?;
        if length == 0 && self.separator == Separator::Blanks {
            return Err(NotPlain);
        }
        let (column, rest) = text.split_at(length);
        self.pass(length, rest[0]);
        read(column).ok_or(NotPlain)
    }

    #[inline(always)]
    fn byte<T>(
        &mut self,
        _: &'static str,
        _: &'static str,
        read: impl FnOnce(u8) -> Option<T>,
    ) -> Result<T, NotPlain> {
        self.begin()?;
        let [byte, behind] = *self.next::<2>()?;
        self.pass(1, behind);
        read(byte).ok_or(NotPlain)
    }

    #[inline(always)]
    fn number<T>(
        &mut self,
        _: &'static str,
        _: &'static str,
        read: impl Fn(u64) -> Option<T>,
    ) -> Result<T, NotPlain> {
        self.begin()?;
        let (value, _) = self.digits::<false>()?;
        read(value).ok_or(NotPlain)
    }

    #[inline(always)]
    fn small_number<T>(
        &mut self,
        _: &'static str,
        _: &'static str,
        read: impl Fn(u64) -> Option<T>,
    ) -> Result<T, NotPlain> {
        self.begin()?;
        let (value, _) = self.digits::<true>()?;
        read(value).ok_or(NotPlain)
    }

    #[inline(always)]
    fn decimal(&mut self, _: &'static str, _: &'static str, shift: u32) -> Result<u64, NotPlain> {
        self.begin()?;
        let (whole, _) = self.digits::<false>()?;
        let value = whole.checked_mul(10u64.pow(shift)).ok_or(NotPlain)?;
        if self.behind != b'.' {
            return Ok(value);
        }
        let (digits, length) = self.digits::<false>()?;
        let places = (shift as usize).checked_sub(length).ok_or(NotPlain)?;
        let weight = POWERS_OF_TEN.get(places).ok_or(NotPlain)?;
        value.checked_add(digits.wrapping_mul(*weight)).ok_or(NotPlain)
    }

    #[inline(always)]
    fn words(&mut self, column: &'static str) -> Result<(), NotPlain> {
        self.skip(column)
    }

    #[inline(always)]
    fn pair<T>(
        &mut self,
        columns: [&'static str; 2],
        expected: &'static str,
        read: impl FnOnce(&'a [u8]) -> Option<T>,
    ) -> Result<T, NotPlain> {
        let text = self.rest()?;
        let start = self.at;
        for column in columns {
            self.small_number(column, expected, Some)?;
        }
        self.check_digits()?;
        let length = (self.at - start) as usize - 1;
        text.get(..length).and_then(read).ok_or(NotPlain)
    }

    #[inline(always)]
    fn lower(&mut self, size_bytes: u64) -> Result<u32, NotPlain> {
        size_bytes.try_into().map_err(|_| NotPlain)
    }

    #[inline(always)]
    fn is_next_empty(&self) -> bool {
        let next = self.text.get(self.at as usize);
        next.is_some_and(|&byte| self.separator == Separator::Byte(byte))
    }

    #[inline(always)]
    fn end(&mut self) -> Result<(), NotPlain> {
        if self.behind != b'\n' {
            let behind = self.text.get(self.at as usize - 1..).ok_or(NotPlain)?;
            self.at += blanks_and_end(behind).ok_or(NotPlain)? as u32 - 1;
        }
        self.has_ended = true;
        self.check_digits()
    }

    #[inline(always)]
    fn pass_over_rest(&mut self) -> Result<(), NotPlain> {
        if self.begin().is_err() {
            return self.end();
        }
        self.at += memchr::memchr(b'\n', self.rest()?).ok_or(NotPlain)? as u32 + 1;
        self.has_ended = true;
        self.check_digits()
    }
}
