//! Blocks of one circulant: 256 bits.

/// Rows and columns of a circulant.
pub const SIZE: usize = 256;

/// Bytes of a block.
pub const BYTES: usize = SIZE / 8;

/// Bit i of a block is bit i % 64 of word i / 64.
pub type Block = [u64; 4];

/// `target += source`.
#[inline(always)]
pub fn add(target: &mut Block, source: &Block) {
    for word in 0..4 {
        target[word] ^= source[word];
    }
}

/// The block whose bit z is bit z + `shift` of `block`, counted around.
#[inline(always)]
pub fn rotated(block: &Block, shift: u8) -> Block {
    let (words, bits) = (usize::from(shift / 64), u32::from(shift % 64));
    std::array::from_fn(|i| {
        let (low, high) = (block[(i + words) % 4], block[(i + words + 1) % 4]);
        ((u128::from(high) << 64 | u128::from(low)) >> bits) as u64
    })
}

/// The blocks of `bytes`, the lowest bit of the first byte first.
pub fn from_bytes(bytes: &[u8], blocks: &mut [Block]) {
    for (block, bytes) in blocks.iter_mut().zip(bytes.chunks_exact(BYTES)) {
        for (word, bytes) in block.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
    }
}

/// The inverse of [`from_bytes`].
pub fn to_bytes(blocks: &[Block], bytes: &mut [u8]) {
    for (block, bytes) in blocks.iter().zip(bytes.chunks_exact_mut(BYTES)) {
        for (word, bytes) in block.iter().zip(bytes.as_chunks_mut().0) {
            *bytes = word.to_le_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits;

    #[test]
    fn rotation_moves_every_bit() {
        let mut block = [0; 4];
        bits::fill_random(&mut block, 1);
        for shift in 0..=255 {
            let got = rotated(&block, shift);
            for z in 0..SIZE {
                let from = (z + usize::from(shift)) % SIZE;
                assert_eq!(bits::get(&got, z), bits::get(&block, from), "{shift} {z}");
            }
        }
    }
}
