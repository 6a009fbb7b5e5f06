//! Scrambling: cells never hold the host's patterns, and equal data looks different at each place.

/// Inverts what the pattern of a place inverts; twice, it gives the data back.
pub fn scramble(data: &mut [u8], seed: u64, place: u64) {
    let mut state = mix(seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut words = data.chunks_exact_mut(8);
    for word in &mut words {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let of_data = u64::from_le_bytes((&*word).try_into().expect("eight bytes"));
        word.copy_from_slice(&(of_data ^ mix(state)).to_le_bytes());
    }
    let pattern = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15)).to_le_bytes();
    let rest = words.into_remainder().iter_mut();
    rest.zip(pattern).for_each(|(byte, of_pattern)| *byte ^= of_pattern);
}

/// A number from another one, as if drawn (the finaliser of SplitMix64).
pub fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use super::scramble;

    #[test]
    fn what_is_scrambled_twice_is_as_it_was_and_looks_random_once() {
        let data = vec![0; 4096 + 5];
        let mut other = data.clone();
        scramble(&mut other, 1, 2);
        let ones: u32 = other.iter().map(|byte| byte.count_ones()).sum();
        assert!((15_500..17_500).contains(&ones), "{ones}");
        let mut elsewhere = data.clone();
        scramble(&mut elsewhere, 1, 3);
        assert_ne!(other, elsewhere);
        scramble(&mut other, 1, 2);
        assert_eq!(other, data);
    }
}
