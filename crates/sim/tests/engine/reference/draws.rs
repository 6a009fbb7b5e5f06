//! The random numbers by which victims are drawn: those of the engine, from its documented seed.

use rand::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256StarStar;

pub struct Draws(Xoshiro256StarStar);

impl Draws {
    /// The stream for victims: the seed and the FNV-1a hash of its name, through splitmix64's finaliser.
    pub fn new(seed: u64) -> Self {
        let mut tag: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in b"victims" {
            tag = (tag ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let mut state = seed ^ tag;
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(Xoshiro256StarStar::seed_from_u64(state ^ (state >> 31)))
    }

    /// One of them, all alike.
    pub fn pick(&mut self, from: &[usize]) -> usize {
        let high = self.0.next_u64() >> 32;
        from[((high * from.len() as u64) >> 32) as usize]
    }
}
