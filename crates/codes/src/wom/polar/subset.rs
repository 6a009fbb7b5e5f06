//! Moving a message to and from the sub-channels that bear it.

use crate::bits::{WORD_BITS, last_mask, words};
use crate::cpu::Isa;

/// A set of bits of a vector.
#[derive(Debug, Clone)]
pub(super) struct Subset {
    mask: Vec<u64>,
    len: usize,
}

/// Spreads the lowest bits of a word over the ones of a mask, and back.
trait Spread {
    fn deposit(value: u64, mask: u64) -> u64;
    fn extract(value: u64, mask: u64) -> u64;
}

struct Plain;

impl Spread for Plain {
    #[inline(always)]
    fn deposit(mut value: u64, mask: u64) -> u64 {
        if mask == u64::MAX {
            return value;
        }
        let (mut rest, mut result) = (mask, 0);
        while rest != 0 {
            let lowest = rest & rest.wrapping_neg();
            result |= lowest & (value & 1).wrapping_neg();
            value >>= 1;
            rest ^= lowest;
        }
        result
    }

    #[inline(always)]
    fn extract(value: u64, mask: u64) -> u64 {
        if mask == u64::MAX {
            return value;
        }
        let (mut rest, mut result, mut place) = (mask, 0, 0);
        while rest != 0 {
            result |= (value >> rest.trailing_zeros() & 1) << place;
            place += 1;
            rest &= rest - 1;
        }
        result
    }
}

#[cfg(target_arch = "x86_64")]
struct Bmi2;

#[cfg(target_arch = "x86_64")]
impl Spread for Bmi2 {
    #[inline(always)]
    fn deposit(value: u64, mask: u64) -> u64 {
        // SAFETY: only `scatter` and `gather` use this type, having asked for the instruction.
        unsafe { std::arch::x86_64::_pdep_u64(value, mask) }
    }

    #[inline(always)]
    fn extract(value: u64, mask: u64) -> u64 {
        // SAFETY: as in `deposit`.
        unsafe { std::arch::x86_64::_pext_u64(value, mask) }
    }
}

impl Subset {
    /// The set of the ones of `mask`.
    pub fn new(mask: Vec<u64>) -> Self {
        let len = crate::bits::ones(&mask);
        Self { mask, len }
    }

    /// Number of its members.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether `index` is a member.
    pub fn has(&self, index: usize) -> bool {
        crate::bits::get(&self.mask, index)
    }

    /// Whether any member is one in `vector`.
    pub fn has_any(&self, vector: &[u64]) -> bool {
        self.mask.iter().zip(vector).any(|(mask, word)| mask & word != 0)
    }

    /// Members among the `size` places from `first`; both are multiples of the same power of two,
    /// `size` is that power.
    pub fn count(&self, first: usize, size: usize) -> usize {
        let (word, place) = (first / WORD_BITS, first % WORD_BITS);
        if size < WORD_BITS {
            (self.mask[word] >> place & last_mask(size)).count_ones() as usize
        } else {
            crate::bits::ones(&self.mask[word..][..size / WORD_BITS])
        }
    }

    /// Writes bit i of `packed` to the i-th member in `vector`, zero elsewhere.
    pub fn scatter(&self, isa: Isa, packed: &[u64], vector: &mut [u64]) {
        debug_assert!(packed.len() >= words(self.len) && vector.len() == self.mask.len());
        #[cfg(target_arch = "x86_64")]
        if isa != Isa::Plain && Isa::Avx2.is_available() {
            #[target_feature(enable = "bmi2,popcnt")]
            fn fast(mask: &[u64], packed: &[u64], vector: &mut [u64]) {
                scatter_with::<Bmi2>(mask, packed, vector);
            }
            // SAFETY: the processor has these instructions.
            return unsafe { fast(&self.mask, packed, vector) };
        }
        let _ = isa; // the only path on other architectures
        scatter_with::<Plain>(&self.mask, packed, vector);
    }

    /// The inverse of [`Self::scatter`]; bits of `packed` beyond the last member become zero.
    pub fn gather(&self, isa: Isa, vector: &[u64], packed: &mut [u64]) {
        debug_assert!(packed.len() >= words(self.len) && vector.len() == self.mask.len());
        #[cfg(target_arch = "x86_64")]
        if isa != Isa::Plain && Isa::Avx2.is_available() {
            #[target_feature(enable = "bmi2,popcnt")]
            fn fast(mask: &[u64], vector: &[u64], packed: &mut [u64]) {
                gather_with::<Bmi2>(mask, vector, packed);
            }
            // SAFETY: the processor has these instructions.
            return unsafe { fast(&self.mask, vector, packed) };
        }
        let _ = isa; // the only path on other architectures
        gather_with::<Plain>(&self.mask, vector, packed);
    }
}

#[inline(always)]
fn scatter_with<S: Spread>(mask: &[u64], packed: &[u64], vector: &mut [u64]) {
    let mut at = 0;
    for (&mask, word) in mask.iter().zip(vector) {
        let (index, shift) = (at / WORD_BITS, at % WORD_BITS);
        let low = packed.get(index).map_or(0, |word| word >> shift);
        // Shifted in two steps: by 64 it must become zero.
        let high = packed.get(index + 1).map_or(0, |word| word << 1 << (WORD_BITS - 1 - shift));
        *word = if mask == 0 { 0 } else { S::deposit(low | high, mask) };
        at += mask.count_ones() as usize;
    }
}

#[inline(always)]
fn gather_with<S: Spread>(mask: &[u64], vector: &[u64], packed: &mut [u64]) {
    packed.fill(0);
    let mut at = 0;
    for (&mask, &word) in mask.iter().zip(vector).filter(|(mask, _)| **mask != 0) {
        let (index, shift) = (at / WORD_BITS, at % WORD_BITS);
        let value = S::extract(word, mask);
        packed[index] |= value << shift;
        if let Some(next) = packed.get_mut(index + 1) {
            *next |= value >> 1 >> (WORD_BITS - 1 - shift);
        }
        at += mask.count_ones() as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{get, set};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn members_are_filled_in_order_on_every_path(
            mask in proptest::collection::vec(
                prop_oneof![Just(0), Just(u64::MAX), any::<u64>()], 1..20),
            seed in any::<u64>(),
        ) {
            let subset = Subset::new(mask.clone());
            let mut message = vec![0; words(subset.len())];
            crate::bits::fill_random(&mut message, seed);
            let mut expected = vec![0; mask.len()];
            let members = (0..64 * mask.len()).filter(|&i| get(&mask, i));
            for (rank, member) in members.enumerate() {
                set(&mut expected, member, get(&message, rank));
            }
            for isa in Isa::ALL {
                let mut vector = vec![u64::MAX; mask.len()];
                subset.scatter(isa, &message, &mut vector);
                prop_assert_eq!(&vector, &expected);
                let mut back = vec![u64::MAX; message.len()];
                subset.gather(isa, &vector, &mut back);
                for bit in 0..subset.len() {
                    prop_assert_eq!(get(&back, bit), get(&message, bit));
                }
            }
        }
    }
}
