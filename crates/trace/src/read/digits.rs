//! Decimal digits, eight of them at once.

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

const POWERS_OF_TEN: [u64; 9] = {
    let mut powers = [1; 9];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// The number that eight bytes begin with, the first one lowest, and how many digits it has: all bytes at once.
#[inline(always)]
fn digits_of(bytes: u64) -> (u64, usize) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let values = bytes ^ (EACH * b'0' as u64);
    // The highest bit of each byte that is no digit: its value is above 9.
    let others = (((values & (EACH * 0x7f)) + EACH * (0x7f - 9)) | values) & (EACH * 0x80);
    let digits = others.trailing_zeros() / 8;
    // Zeros ahead of the digits; then neighbours are joined, by twos, fours and eights.
    let ones = values.unbounded_shl(u64::BITS - 8 * digits);
    let twos = ones.wrapping_mul(10).wrapping_add(ones >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = twos.wrapping_mul(100).wrapping_add(twos >> 16) & 0x0000_ffff_0000_ffff;
    let eight = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff;
    (eight, digits as usize)
}

#[cfg(test)]
mod tests {
    use super::{digit, leading};
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
