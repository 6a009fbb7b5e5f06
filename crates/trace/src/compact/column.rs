//! A column of up to 256 numbers in few bits: frame of reference, common divisor, exceptions.
//!
//! Every value is `base + unit × x`, with `base` the least value and `unit` the greatest common
//! divisor of the distances from it: stamps in ticks of 100 ns or addresses in sectors cost no bits
//! for digits that are always zero. The x are packed in `width` bits each; the few that need more
//! keep their upper bits apart (Zukowski et al., "Super-Scalar RAM-CPU Cache Compression", ICDE
//! 2006), so that one long pause does not widen the whole column.

use super::Damage;

/// Values in a column at most: positions of exceptions are bytes.
pub(crate) const COLUMN: usize = 256;

/// Bytes behind the last one of a buffer of columns that may be looked at: they are read in words.
pub(crate) const SLACK_BYTES: usize = 16;

/// Appends `values` (1 to [`COLUMN`]) to `out`.
pub(crate) fn pack(values: &[u64], out: &mut Vec<u8>) {
    let base = values.iter().copied().min().unwrap_or(0);
    let mut above = [0; COLUMN];
    let above = &mut above[..values.len()];
    for (x, value) in above.iter_mut().zip(values) {
        *x = value - base;
    }
    let unit = divisor(above).max(1);
    if unit > 1 {
        above.iter_mut().for_each(|x| *x /= unit);
    }
    let width = best_width(above);
    let exceeds = |x: u64| width < 64 && x >> width != 0;
    put_varint(base, out);
    put_varint(unit, out);
    out.push(width as u8);
    out.push(above.iter().filter(|&&x| exceeds(x)).count() as u8);
    put_bits(above, width, out);
    for (position, &x) in above.iter().enumerate().filter(|&(_, &x)| exceeds(x)) {
        out.push(position as u8);
        put_varint(x >> width, out);
    }
}

/// The greatest common divisor of `values`; 0 where all are 0.
fn divisor(values: &[u64]) -> u64 {
    values.iter().fold(0, |known, &value| match known {
        1 => 1,
        0 => value,
        _ if value % known == 0 => known,
        _ => gcd(known, value),
    })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The width that takes the fewest bits in all, exceptions included.
fn best_width(values: &[u64]) -> u32 {
    let mut of_length = [0usize; 65];
    for value in values {
        of_length[(64 - value.leading_zeros()) as usize] += 1;
    }
    let longest = (0..=64).rev().find(|&bits| of_length[bits] > 0).unwrap_or(0);
    let (mut best, mut fewest) = (longest, values.len() * longest);
    for width in (0..longest).rev() {
        let exceptions = &of_length[width + 1..=longest];
        if exceptions.iter().sum::<usize>() > usize::from(u8::MAX) {
            break;
        }
        let bits_of = |(i, &count): (usize, &usize)| count * (8 + 8 * (i + 1).div_ceil(7));
        let bits = values.len() * width + exceptions.iter().enumerate().map(bits_of).sum::<usize>();
        if bits < fewest {
            (best, fewest) = (width, bits);
        }
    }
    best as u32
}

fn put_bits(values: &[u64], width: u32, out: &mut Vec<u8>) {
    if width == 0 {
        return;
    }
    let mask = u64::MAX >> (64 - width);
    let (mut word, mut held) = (0u128, 0);
    for value in values {
        word |= u128::from(value & mask) << held;
        held += width;
        while held >= 8 {
            out.push(word as u8);
            word >>= 8;
            held -= 8;
        }
    }
    if held > 0 {
        out.push(word as u8);
    }
}

/// Appends `value` in groups of seven bits, lowest first; the upper bit says that more follow.
pub(crate) fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A place in the bytes of a block.
pub(crate) struct Cursor<'a> {
    /// The bytes, with [`SLACK_BYTES`] behind the last one that counts.
    bytes: &'a [u8],
    /// Bytes that count.
    end: usize,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The start of `bytes`, of which the last [`SLACK_BYTES`] are not data.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, end: bytes.len().saturating_sub(SLACK_BYTES), at: 0 }
    }

    /// True when everything was taken.
    pub fn is_at_end(&self) -> bool {
        self.at == self.end
    }

    pub fn byte(&mut self) -> Result<u8, Damage> {
        if self.at >= self.end {
            return Err(Damage::Short);
        }
        self.at += 1;
        Ok(self.bytes[self.at - 1])
    }

    pub fn varint(&mut self) -> Result<u64, Damage> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                return Err(Damage::Number);
            }
            value |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Damage::Number)
    }

    /// Reads a column into `values`, whose length says how many there are.
    pub fn unpack(&mut self, values: &mut [u64]) -> Result<(), Damage> {
        let (base, unit) = (self.varint()?, self.varint()?);
        let (width, exceptions) = (u32::from(self.byte()?), self.byte()?);
        if width > 64 {
            return Err(Damage::Number);
        }
        self.bits(width, values)?;
        for _ in 0..exceptions {
            let position = usize::from(self.byte()?);
            let above = self.varint()?;
            let value = values.get_mut(position).filter(|_| width < 64).ok_or(Damage::Number)?;
            *value |= above << width;
        }
        for value in values {
            *value = base.wrapping_add(value.wrapping_mul(unit));
        }
        Ok(())
    }

    #[inline]
    fn bits(&mut self, width: u32, values: &mut [u64]) -> Result<(), Damage> {
        let length = (values.len() * width as usize).div_ceil(8);
        if length > self.end - self.at {
            return Err(Damage::Short);
        }
        let packed = &self.bytes[self.at..self.at + length + SLACK_BYTES];
        self.at += length;
        match width {
            0 => values.fill(0),
            // A value and the bits ahead of it in its byte fit into one word.
            1..=57 => unpack_words(packed, width as usize, values),
            _ => unpack_wide(packed, width as usize, values),
        }
        Ok(())
    }
}

#[inline]
fn unpack_words(packed: &[u8], width: usize, values: &mut [u64]) {
    let mask = u64::MAX >> (64 - width);
    for (i, value) in values.iter_mut().enumerate() {
        let bit = i * width;
        let mut word = [0; 8];
        word.copy_from_slice(&packed[bit / 8..bit / 8 + 8]);
        *value = u64::from_le_bytes(word) >> (bit % 8) & mask;
    }
}

#[cold]
fn unpack_wide(packed: &[u8], width: usize, values: &mut [u64]) {
    let mask = u64::MAX >> (64 - width);
    for (i, value) in values.iter_mut().enumerate() {
        let bit = i * width;
        let mut word = [0; 16];
        word.copy_from_slice(&packed[bit / 8..bit / 8 + 16]);
        *value = (u128::from_le_bytes(word) >> (bit % 8)) as u64 & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round(values: &[u64]) -> usize {
        let mut bytes = Vec::new();
        pack(values, &mut bytes);
        let length = bytes.len();
        bytes.extend([0; SLACK_BYTES]);
        let mut cursor = Cursor::new(&bytes);
        let mut found = vec![0; values.len()];
        assert_eq!(cursor.unpack(&mut found), Ok(()));
        assert_eq!(found, values);
        assert!(cursor.is_at_end());
        length
    }

    #[test]
    fn constants_and_multiples_take_no_more_than_they_must() {
        assert_eq!(round(&[7; 256]), 4);
        assert_eq!(round(&[u64::MAX; 256]), 13);
        let sectors: Vec<u64> = (0..256).map(|i| i * 512).collect();
        assert_eq!(round(&sectors), 1 + 2 + 2 + 256);
        let mut rare = [0; 256];
        rare[77] = 1 << 60 | 1;
        rare[78] = 1;
        assert_eq!(round(&rare), 4 + (1 + 9) + (1 + 1));
    }

    #[test]
    fn every_width_comes_back() {
        for width in 0..64 {
            round(&[0, 1 << width, u64::MAX >> (63 - width), 3, 1]);
        }
        round(&[0, u64::MAX, u64::MAX - 1, 1]);
    }

    proptest! {
        #[test]
        fn any_column_comes_back(
            values in prop::collection::vec(any::<u64>(), 1..257),
            shift in 0u32..64,
            unit in 1u64..1000,
        ) {
            let values: Vec<u64> =
                values.iter().map(|value| (value >> shift).wrapping_mul(unit)).collect();
            round(&values);
        }

        #[test]
        fn any_bytes_are_a_column_or_an_error(
            mut bytes in prop::collection::vec(any::<u8>(), 0..400),
            count in 1usize..257,
        ) {
            bytes.extend([0; SLACK_BYTES]);
            let mut values = vec![0; count];
            let mut cursor = Cursor::new(&bytes);
            while cursor.unpack(&mut values).is_ok() {}
        }
    }
}
