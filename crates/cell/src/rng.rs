//! Random numbers by counter: any number of any cell can be computed alone, in any order, on any
//! machine, and a GPU gives the same integers.
//!
//! Philox4x32 of Salmon et al., *Parallel Random Numbers: As Easy as 1, 2, 3*, SC 2011, with the
//! seven rounds that its authors found to be the fewest that pass BigCrush.

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// Rounds that the laboratory uses.
pub const ROUNDS: usize = 7;

/// 128 random bits for a counter and a key.
#[inline(always)]
pub fn philox<const N: usize>(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..N {
        let a = u64::from(MULTIPLIERS[0]) * u64::from(counter[0]);
        let b = u64::from(MULTIPLIERS[1]) * u64::from(counter[2]);
        counter = [
            (b >> 32) as u32 ^ counter[1] ^ key[0],
            b as u32,
            (a >> 32) as u32 ^ counter[3] ^ key[1],
            a as u32,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

/// A standard normal number for `(seed, stream, index)`, for the few that set chips, blocks and
/// word lines apart; cells draw theirs from tables.
pub fn normal(seed: u64, stream: u32, index: [u32; 3]) -> f64 {
    let words = philox::<ROUNDS>([index[0], index[1], index[2], stream], key(seed));
    let bits = u64::from(words[0]) << 32 | u64::from(words[1]);
    wordline_stats::normal_quantile(((bits >> 11) as f64 + 0.5) / (1u64 << 53) as f64)
}

/// The key of a seed.
pub(crate) fn key(seed: u64) -> [u32; 2] {
    [seed as u32, (seed >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of the Random123 distribution (`kat_vectors`).
    #[test]
    fn known_answers() {
        let zero = ([0; 4], [0; 2]);
        let ones = ([u32::MAX; 4], [u32::MAX; 2]);
        let pi = ([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0]);
        let ten = |(counter, key)| philox::<10>(counter, key);
        assert_eq!(ten(zero), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(ten(ones), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
        assert_eq!(ten(pi), [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]);
        assert_eq!(philox::<7>(zero.0, zero.1), [0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48]);
    }

    #[test]
    fn normals_have_mean_0_and_variance_1() {
        let values: Vec<f64> = (0..100_000).map(|i| normal(3, 1, [i, 0, 0])).collect();
        let mean = values.iter().sum::<f64>() / 1e5;
        let variance = values.iter().map(|x| x * x).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.015, "{mean} {variance}");
    }
}
