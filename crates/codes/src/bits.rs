//! Vectors of bits in words of 64, and random ones that depend on a seed and a position alone.

/// Bits of a word.
pub const WORD_BITS: usize = u64::BITS as usize;

/// Words that hold `bits` bits.
pub const fn words(bits: usize) -> usize {
    bits.div_ceil(WORD_BITS)
}

/// The bits of the last of [`words`]`(bits)` words that belong to the vector.
pub const fn last_mask(bits: usize) -> u64 {
    match bits % WORD_BITS {
        0 => u64::MAX,
        used => (1 << used) - 1,
    }
}

/// Bit `index`.
///
/// # Panics
/// When there is no such bit.
#[inline]
pub fn get(vector: &[u64], index: usize) -> bool {
    vector[index / WORD_BITS] >> (index % WORD_BITS) & 1 == 1
}

/// Sets bit `index` to `value`.
///
/// # Panics
/// When there is no such bit.
#[inline]
pub fn set(vector: &mut [u64], index: usize, value: bool) {
    let word = &mut vector[index / WORD_BITS];
    let place = index % WORD_BITS;
    *word = *word & !(1 << place) | u64::from(value) << place;
}

/// Inverts bit `index`.
///
/// # Panics
/// When there is no such bit.
#[inline]
pub fn flip(vector: &mut [u64], index: usize) {
    vector[index / WORD_BITS] ^= 1 << (index % WORD_BITS);
}

/// Number of ones.
pub fn ones(vector: &[u64]) -> usize {
    vector.iter().map(|word| word.count_ones() as usize).sum()
}

/// Fills `words` from `bytes`, the first byte lowest; the last word that it reaches is filled up
/// with zeros, those beyond stay as they are.
pub fn load_bytes(bytes: &[u8], words: &mut [u64]) {
    let (whole, rest) = bytes.as_chunks::<8>();
    for (word, chunk) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*chunk);
    }
    if let (Some(word), false) = (words.get_mut(whole.len()), rest.is_empty()) {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        *word = u64::from_le_bytes(last);
    }
}

/// The words of `bytes`, by [`load_bytes`].
pub fn from_bytes(bytes: &[u8]) -> Vec<u64> {
    let mut vector = vec![0; bytes.len().div_ceil(8)];
    load_bytes(bytes, &mut vector);
    vector
}

/// Fills `bytes` from `words`, the inverse of [`load_bytes`].
pub fn to_bytes(words: &[u64], bytes: &mut [u8]) {
    for (chunk, word) in bytes.chunks_mut(8).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
    }
}

/// Steele, Lea & Flood's SplitMix64 (OOPSLA 2014): word `index` of the stream of `seed`.
///
/// Any word can be had without those before it, so the order of work never reaches a result.
#[inline]
pub const fn random_word(seed: u64, index: u64) -> u64 {
    mix(seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// The seed of a stream of its own, number `stream` under `seed`.
#[inline]
pub const fn stream(seed: u64, stream: u64) -> u64 {
    random_word(mix(seed ^ 0x6a09_e667_f3bc_c909), stream)
}

/// Fills `vector` with the words of the stream of `seed`.
#[inline(always)]
pub fn fill_random(vector: &mut [u64], seed: u64) {
    for (index, word) in vector.iter_mut().enumerate() {
        *word = random_word(seed, index as u64);
    }
}

#[inline]
const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_matches_its_published_sequence() {
        // The first outputs of the reference implementation for seed 1234567.
        let first: Vec<u64> = (0..3).map(|index| random_word(1_234_567, index)).collect();
        assert_eq!(first, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    #[test]
    fn bytes_and_words_are_each_others_inverse() {
        let bytes: Vec<u8> = (0..37).collect();
        let mut back = vec![0; bytes.len()];
        to_bytes(&from_bytes(&bytes), &mut back);
        assert_eq!(back, bytes);
    }

    #[test]
    fn single_bits_are_where_the_layout_says() {
        let mut vector = vec![0; words(130)];
        set(&mut vector, 129, true);
        flip(&mut vector, 64);
        assert_eq!(vector, [0, 1, 2]);
        assert!(get(&vector, 129) && !get(&vector, 128));
        assert_eq!((ones(&vector), last_mask(130), last_mask(64)), (2, 3, u64::MAX));
    }
}
