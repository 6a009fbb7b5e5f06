//! The columns of any line: cutting it, telling what is wrong with it, and reading numbers without
//! allocation.

use super::columns::Columns;
use super::digits::{MAX_SAFE_DIGITS, digit, leading};

/// A column that does not hold what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadField<'a> {
    /// The column's name.
    pub column: &'static str,
    /// What it should hold.
    pub expected: &'static str,
    /// What stands there; `None` where the line ends before it.
    pub found: Option<&'a [u8]>,
}

/// The columns of one line, from left to right.
pub(super) struct Fields<'a> {
    rest: Option<&'a [u8]>,
    separator: Separator,
    /// The upper 32 bits of the size that was read.
    upper: u32,
}

/// What stands between columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// This byte, once.
    Byte(u8),
    /// Blanks or tabs, one or more.
    Blanks,
}

impl<'a> Fields<'a> {
    /// Columns between `separator`s.
    #[inline]
    pub fn by(line: &'a [u8], separator: Separator) -> Self {
        match separator {
            Separator::Byte(_) => Self { rest: Some(line), separator, upper: 0 },
            Separator::Blanks => Self::by_blanks(line),
        }
    }

    /// Columns between blanks or tabs.
    #[inline]
    pub fn by_blanks(line: &'a [u8]) -> Self {
        let line = trimmed(line);
        let rest = Some(line).filter(|line| !line.is_empty());
        Self { rest, separator: Separator::Blanks, upper: 0 }
    }

    #[inline]
    fn cut(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        let end = match self.separator {
            Separator::Byte(separator) => rest.iter().position(|&byte| byte == separator),
            Separator::Blanks => rest.iter().position(|&byte| byte == b' ' || byte == b'\t'),
        };
        let field = match end {
            Some(end) => {
                self.rest = Some(&rest[end + 1..]);
                if self.separator == Separator::Blanks {
                    self.rest = self.rest.map(without_blanks);
                }
                &rest[..end]
            }
            None => {
                self.rest = None;
                rest
            }
        };
        Some(trimmed(field))
    }

    /// The upper 32 bits of the size that was read.
    pub fn upper(&self) -> u32 {
        self.upper
    }

    /// What is left of the line.
    pub fn rest(&self) -> &'a [u8] {
        self.rest.unwrap_or_default()
    }

    /// The next column, which stays where it is.
    #[inline]
    pub fn peek(&self) -> Option<&'a [u8]> {
        Self { ..*self }.cut()
    }

    /// The next column; `None` where the line has ended.
    #[inline]
    pub fn next(&mut self) -> Option<&'a [u8]> {
        self.cut()
    }

    /// A number with blanks around it or of twenty digits, or no number at all.
    #[inline(never)]
    fn odd_number<T>(
        &mut self,
        column: &'static str,
        expected: &'static str,
        read: impl Fn(u64) -> Option<T>,
    ) -> Result<T, BadField<'a>> {
        self.read(column, expected, |text| whole(text).and_then(read))
    }

    /// Digits with a separator or the end right behind them, in one pass.
    #[inline(always)]
    fn take_digits(&mut self) -> Option<u64> {
        let rest = self.rest?;
        let (value, length) = leading(rest);
        if !(1..=MAX_SAFE_DIGITS).contains(&length) {
            return None;
        }
        self.rest = match (rest.get(length..)?, self.separator) {
            ([], _) => None,
            ([byte, rest @ ..], Separator::Byte(separator)) if *byte == separator => Some(rest),
            ([b' ' | b'\t', rest @ ..], Separator::Blanks) => Some(without_blanks(rest)),
            _ => return None,
        };
        Some(value)
    }
}

impl<'a> Columns<'a> for Fields<'a> {
    type Bad = BadField<'a>;

    #[inline]
    fn read<T>(
        &mut self,
        column: &'static str,
        expected: &'static str,
        read: impl FnOnce(&'a [u8]) -> Option<T>,
    ) -> Result<T, BadField<'a>> {
        let found = self.cut();
        found.and_then(read).ok_or(BadField { column, expected, found })
    }

    #[inline]
    fn byte<T>(
        &mut self,
        column: &'static str,
        expected: &'static str,
        read: impl FnOnce(u8) -> Option<T>,
    ) -> Result<T, BadField<'a>> {
        self.read(column, expected, |text| match text {
            &[byte] => read(byte),
            _ => None,
        })
    }

    #[inline(always)]
    fn number<T>(
        &mut self,
        column: &'static str,
        expected: &'static str,
        read: impl Fn(u64) -> Option<T>,
    ) -> Result<T, BadField<'a>> {
        let before = self.rest;
        if let Some(value) = self.take_digits().and_then(&read) {
            return Ok(value);
        }
        self.rest = before;
        self.odd_number(column, expected, read)
    }

    #[inline]
    fn decimal(
        &mut self,
        column: &'static str,
        expected: &'static str,
        shift: u32,
    ) -> Result<u64, BadField<'a>> {
        self.read(column, expected, |text| decimal(text, shift))
    }

    fn words(&mut self, column: &'static str) -> Result<(), BadField<'a>> {
        self.skip(column)?;
        while self.peek().is_some_and(|text| whole(text).is_none()) {
            self.skip(column)?;
        }
        Ok(())
    }

    #[inline]
    fn pair<T>(
        &mut self,
        columns: [&'static str; 2],
        expected: &'static str,
        read: impl FnOnce(&'a [u8]) -> Option<T>,
    ) -> Result<T, BadField<'a>> {
        let begin = self.rest.unwrap_or_default();
        for column in columns {
            self.number(column, "a whole number", Some)?;
        }
        let length = begin.len() - self.rest.map_or(0, <[u8]>::len);
        let found = begin[..length].trim_ascii();
        read(found).ok_or(BadField { column: columns[0], expected, found: Some(found) })
    }

    #[inline]
    fn lower(&mut self, size_bytes: u64) -> Result<u32, BadField<'a>> {
        self.upper = (size_bytes >> 32) as u32;
        Ok(size_bytes as u32)
    }

    #[inline]
    fn is_next_empty(&self) -> bool {
        self.peek().is_some_and(<[u8]>::is_empty)
    }

    #[inline]
    fn end(&mut self) -> Result<(), BadField<'a>> {
        match self.cut() {
            None => Ok(()),
            found => Err(BadField { column: "(after the last)", expected: "the end", found }),
        }
    }

    #[inline]
    fn pass_over_rest(&mut self) -> Result<(), BadField<'a>> {
        Ok(())
    }
}

/// Without white space around it, of which there is rarely any.
#[inline]
fn trimmed(text: &[u8]) -> &[u8] {
    match text {
        [first, .., last] if *first > b' ' && *last > b' ' => text,
        [only] if *only > b' ' => text,
        _ => text.trim_ascii(),
    }
}

/// Without the white space that a text begins with, of which there is rarely any.
#[inline]
fn without_blanks(text: &[u8]) -> &[u8] {
    match text {
        [first, ..] if *first > b' ' => text,
        _ => text.trim_ascii_start(),
    }
}

/// A whole number without sign.
#[inline]
pub(super) fn whole(text: &[u8]) -> Option<u64> {
    let (value, length) = leading(text);
    match length == text.len() {
        true if (1..=MAX_SAFE_DIGITS).contains(&length) => Some(value),
        true if length > 0 => text
            .iter()
            .try_fold(0u64, |value, &byte| value.checked_mul(10)?.checked_add(digit(byte)?)),
        _ => None,
    }
}

/// The little-endian number of `bytes`, at most eight, from byte `at` of a binary record; 0 where
/// the record ends before that.
#[inline]
pub(super) fn little_endian(record: &[u8], at: usize, bytes: usize) -> u64 {
    let field = record.get(at..at + bytes).unwrap_or_default();
    field.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// A hexadecimal number, with or without `0x`.
#[inline]
pub(super) fn hexadecimal(text: &[u8]) -> Option<u64> {
    let digits = text.strip_prefix(b"0x").unwrap_or(text);
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0, |value: u64, &byte| {
        Some(value << 4 | u64::from(char::from(byte).to_digit(16)?))
    })
}

/// A decimal number without sign, times 10^`shift`; digits beyond that are dropped.
#[inline]
pub(super) fn decimal(text: &[u8], shift: u32) -> Option<u64> {
    let point = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
    let (before, after) = (&text[..point], text.get(point + 1..).unwrap_or_default());
    let mut value = whole(before)?.checked_mul(10u64.pow(shift))?;
    let mut weight = 10u64.pow(shift);
    for byte in after {
        let digit = digit(*byte)?;
        weight /= 10;
        value = value.checked_add(digit * weight)?;
    }
    Some(value)
}

/// Bytes of a file as text for a message: printable, and not too long.
pub(super) fn shown(bytes: &[u8]) -> String {
    const MAX_CHARS: usize = 60;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MAX_CHARS)]);
    let short: String =
        text.trim_end().chars().take(MAX_CHARS).flat_map(char::escape_debug).collect();
    if text.chars().count() > MAX_CHARS { format!("{short}…") } else { short }
}

/// Bytes of a binary file as text for a message.
pub(super) fn shown_as_hex(bytes: &[u8]) -> String {
    const MAX_BYTES: usize = 16;
    let mut text: Vec<String> =
        bytes.iter().take(MAX_BYTES).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > MAX_BYTES {
        text.push("…".to_owned());
    }
    text.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers() {
        assert_eq!(whole(b"0"), Some(0));
        assert_eq!(whole(b"18446744073709551615"), Some(u64::MAX));
        for bad in ["", "18446744073709551616", "-1", "+1", "1.0", " 1", "1e3"] {
            assert_eq!(whole(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn decimal_numbers_are_exact() {
        assert_eq!(decimal(b"12", 6), Some(12_000_000));
        assert_eq!(decimal(b"12.", 6), Some(12_000_000));
        assert_eq!(decimal(b"0.000001", 6), Some(1));
        assert_eq!(decimal(b"0.1234569", 6), Some(123_456));
        for bad in ["", ".", ".5", "1.2.3", "1,5", "nan", "99999999999999999999"] {
            assert_eq!(decimal(bad.as_bytes(), 6), None, "{bad}");
        }
    }
}
