//! Decimal digits, eight of them at once.

/// Digits that cannot exceed 64 bits.
pub(super) const MAX_SAFE_DIGITS: usize = 19;

/// Powers of ten by their number of zeros: of eight digits, and of all places of a nanosecond.
pub(super) const POWERS_OF_TEN: [u64; 10] = {
    let mut powers = [1; 10];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// A byte eight times.
pub(super) const EACH: u64 = 0x0101_0101_0101_0101;

/// The value of a digit.
#[inline]
pub(super) fn digit(byte: u8) -> Option<u64> {
    let digit = byte.wrapping_sub(b'0');
    (digit <= 9).then_some(u64::from(digit))
}

/// The number that a text begins with, which wraps beyond 64 bits, and how many digits it has.
#[inline(always)]
pub(super) fn leading(text: &[u8]) -> (u64, usize) {
    let (mut value, mut length) = (0u64, 0);
    while let Some(&bytes) = text[length..].first_chunk::<8>() {
        let (part, digits) = digits_of(u64::from_le_bytes(bytes));
        value = value.wrapping_mul(POWERS_OF_TEN[digits]).wrapping_add(part);
        length += digits;
        if digits < bytes.len() {
            return (value, length);
        }
    }
    for digit in text[length..].iter().map_while(|&byte| digit(byte)) {
        value = value.wrapping_mul(10).wrapping_add(digit);
        length += 1;
    }
    (value, length)
}

/// The number that eight bytes begin with, the first one lowest, and how many digits it has: all
/// bytes at once.
#[inline(always)]
fn digits_of(bytes: u64) -> (u64, usize) {
    let values = values(bytes);
    // The highest bit of each byte that is no digit.
    let others = (((values & (EACH * 0x7f)) + EACH * (0x7f - 9)) | values) & HIGHEST_BITS;
    let digits = others.trailing_zeros() / 8;
    // Zeros ahead of the digits.
    (joined(values.unbounded_shl(u64::BITS - 8 * digits)), digits as usize)
}

/// The highest bit of each byte.
pub(super) const HIGHEST_BITS: u64 = EACH * 0x80;

/// A number in a plain line: what stands ahead of a mark, which is white space, a comma or a point.
pub(super) struct Number {
    /// Its value, where all of it are digits.
    pub value: u64,
    /// How many they are.
    pub length: usize,
    /// Among [`HIGHEST_BITS`] there is none exactly if they are digits, one at least.
    pub odd: u64,
}

impl Number {
    /// The number that eight bytes begin with; all of them where no mark is among them.
    #[inline(always)]
    pub fn of_eight(bytes: [u8; 8]) -> Self {
        let values = values(u64::from_le_bytes(bytes));
        // Marks lack a bit that every digit has.
        let bits = (values & (EACH * 0x10)).trailing_zeros() & !7;
        // Zeros ahead of the digits; with no digit the mark itself is what is odd.
        let values = values.wrapping_shl(u64::BITS - bits);
        let odd = values.wrapping_add(EACH * (0x7f - 9)) | values;
        Self { value: joined(values), length: bits as usize / 8, odd }
    }

    /// The number that the first four bytes begin with, which is quicker.
    #[inline(always)]
    pub fn of_four(bytes: [u8; 8]) -> Self {
        let values = values(u64::from_le_bytes(bytes)) as u32;
        let bits = (values & (EACH as u32 * 0x10)).trailing_zeros() & !7;
        let values = values.wrapping_shl(u32::BITS - bits);
        let odd = values.wrapping_add(EACH as u32 * (0x7f - 9)) | values;
        let twos = values.wrapping_mul(1 + (10 << 8)) >> 8 & 0x00ff_00ff;
        let value = twos.wrapping_mul(1 + (100 << 16)) >> 16;
        Self { value: value.into(), length: bits as usize / 8, odd: odd.into() }
    }
}

/// The values of digits: above 9 where a byte is none.
#[inline(always)]
fn values(bytes: u64) -> u64 {
    bytes ^ (EACH * b'0' as u64)
}

/// The number of eight digits, of which the first is the lowest byte: neighbours are joined, by
/// twos, fours and eights.
#[inline(always)]
fn joined(values: u64) -> u64 {
    let twos = values.wrapping_mul(1 + (10 << 8)) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = twos.wrapping_mul(1 + (100 << 16)) >> 16 & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(1 + (10_000 << 32)) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_those_that_a_loop_finds(
            digits in "[0-9]{0,24}", rest in prop::collection::vec(any::<u8>(), 0..12)
        ) {
            let text = [digits.as_bytes(), &rest].concat();
            let mut expected = (0u64, 0);
            for value in text.iter().map_while(|&byte| digit(byte)) {
                expected = (expected.0.wrapping_mul(10).wrapping_add(value), expected.1 + 1);
            }
            prop_assert_eq!(leading(&text), expected);
        }

        #[test]
        fn what_stands_ahead_of_a_mark_is_a_number_or_odd(
            text in "[0-9]{0,8}[ \t\r\n,.]?", rest: [u8; 8], other in prop::option::of((0usize..8, any::<u8>()))
        ) {
            let mut bytes = [text.as_bytes(), &rest].concat();
            if let Some((at, byte)) = other {
                bytes[at] = byte;
            }
            bytes.truncate(8);
            let all = bytes.clone().try_into().expect("eight");
            for (found, bytes) in [(Number::of_four(all), &bytes[..4]), (Number::of_eight(all), &bytes[..])] {
                let ahead = &bytes[..found.length];
                let is_number = !ahead.is_empty() && ahead.iter().all(u8::is_ascii_digit);
                prop_assert_eq!(found.odd & HIGHEST_BITS == 0, is_number);
                if is_number {
                    prop_assert_eq!((found.value, found.length), leading(ahead));
                }
                let is_mark = |byte: &u8| b" \t\r\n,.".contains(byte);
                let length = bytes.iter().position(is_mark).unwrap_or(bytes.len());
                prop_assert!(found.length <= length);
                prop_assert!(found.length == length || !bytes[found.length].is_ascii_digit());
            }
        }
    }

    #[test]
    fn no_other_byte_is_taken_for_a_digit() {
        for byte in 0..=u8::MAX {
            let length = if byte.is_ascii_digit() { 8 } else { 3 };
            let text = [b'1', b'2', b'3', byte, b'4', b'5', b'6', b'7'];
            assert_eq!(leading(&text).1, length, "{byte}");
        }
    }
}
