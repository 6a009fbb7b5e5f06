//! Vectors of signed bytes of several sizes: the arithmetic of a fixed-point decoder.

/// As many messages as the processor computes at a time. The magnitude of −128 is 128, unsigned.
pub trait Lanes: Copy {
    /// How many.
    const COUNT: usize;

    /// `value` in all.
    fn splat(value: i8) -> Self;

    /// The messages from `from[at]`.
    fn load(from: &[i8], at: usize) -> Self;

    /// Puts them from `to[at]`.
    fn store(self, to: &mut [i8], at: usize);

    /// Sums, saturating.
    fn add(self, other: Self) -> Self;

    /// Differences, saturating.
    fn sub(self, other: Self) -> Self;

    /// Bitwise exclusive or; of the highest bits, that is the sign of the product.
    fn xor(self, other: Self) -> Self;

    /// Magnitudes, as unsigned bytes.
    fn magnitude(self) -> Self;

    /// The smaller of unsigned bytes.
    fn min(self, other: Self) -> Self;

    /// The larger of unsigned bytes.
    fn max(self, other: Self) -> Self;

    /// Three quarters of unsigned bytes, rounded up.
    fn three_quarters(self) -> Self;

    /// `then` where `self` equals `reference`, else `otherwise`.
    fn if_equal(self, reference: Self, then: Self, otherwise: Self) -> Self;

    /// The negative where `sign` is negative.
    fn with_sign(self, sign: Self) -> Self;

    /// The signs, the first lane's lowest.
    fn signs(self) -> u64;

    /// `one` where a bit of `bits` is set, else `zero`; the first lane's bit is the lowest.
    fn select(bits: u64, one: Self, zero: Self) -> Self;
}

const PLAIN: usize = 16;

impl Lanes for [i8; PLAIN] {
    const COUNT: usize = PLAIN;

    #[inline(always)]
    fn splat(value: i8) -> Self {
        [value; PLAIN]
    }

    #[inline(always)]
    fn load(from: &[i8], at: usize) -> Self {
        std::array::from_fn(|lane| from[at + lane])
    }

    #[inline(always)]
    fn store(self, to: &mut [i8], at: usize) {
        to[at..at + PLAIN].copy_from_slice(&self);
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].saturating_add(other[lane]))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].saturating_sub(other[lane]))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] ^ other[lane])
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        self.map(|value| value.unsigned_abs() as i8)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        std::array::from_fn(|lane| (self[lane] as u8).min(other[lane] as u8) as i8)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        std::array::from_fn(|lane| (self[lane] as u8).max(other[lane] as u8) as i8)
    }

    #[inline(always)]
    fn three_quarters(self) -> Self {
        self.map(|value| (value as u8 - (value as u8 >> 2)) as i8)
    }

    #[inline(always)]
    fn if_equal(self, reference: Self, then: Self, otherwise: Self) -> Self {
        std::array::from_fn(|lane| {
            if self[lane] == reference[lane] { then[lane] } else { otherwise[lane] }
        })
    }

    #[inline(always)]
    fn with_sign(self, sign: Self) -> Self {
        std::array::from_fn(
            |lane| {
                if sign[lane] < 0 { self[lane].wrapping_neg() } else { self[lane] }
            },
        )
    }

    #[inline(always)]
    fn signs(self) -> u64 {
        self.iter().rev().fold(0, |signs, &value| signs << 1 | u64::from(value < 0))
    }

    #[inline(always)]
    fn select(bits: u64, one: Self, zero: Self) -> Self {
        std::array::from_fn(|lane| if bits >> lane & 1 == 1 { one[lane] } else { zero[lane] })
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Lanes32, Lanes64};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    /// 32 messages, for processors with AVX2.
    #[derive(Clone, Copy)]
    pub struct Lanes32(__m256i);

    /// 64 messages, for processors with AVX-512 BW.
    #[derive(Clone, Copy)]
    pub struct Lanes64(__m512i);

    /// The methods that are one instruction in both.
    macro_rules! common {
        ($count:literal, $splat:ident, $load:ident, $store:ident, $adds:ident, $subs:ident,
         $xor:ident, $abs:ident, $min:ident, $max:ident, $sub:ident, $shift:ident, $and:ident) => {
            const COUNT: usize = $count;

            #[inline(always)]
            fn splat(value: i8) -> Self {
                // SAFETY: the caller was compiled for the instruction.
                Self(unsafe { $splat(value) })
            }

            #[inline(always)]
            fn load(from: &[i8], at: usize) -> Self {
                // SAFETY: the slice holds what is loaded, and the caller was compiled for the instruction.
                Self(unsafe { $load(from[at..at + $count].as_ptr().cast()) })
            }

            #[inline(always)]
            fn store(self, to: &mut [i8], at: usize) {
                // SAFETY: the slice has room for what is stored, and the caller was compiled for the instruction.
                unsafe { $store(to[at..at + $count].as_mut_ptr().cast(), self.0) }
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: the caller was compiled for the instruction.
                Self(unsafe { $adds(self.0, other.0) })
            }

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: the caller was compiled for the instruction.
                Self(unsafe { $subs(self.0, other.0) })
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: the caller was compiled for the instruction.
                Self(unsafe { $xor(self.0, other.0) })
            }

            #[inline(always)]
            fn magnitude(self) -> Self {
                // SAFETY: the caller was compiled for the instruction.
                Self(unsafe { $abs(self.0) })
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: the caller was compiled for the instruction.
                Self(unsafe { $min(self.0, other.0) })
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: the caller was compiled for the instruction.
                Self(unsafe { $max(self.0, other.0) })
            }

            #[inline(always)]
            fn three_quarters(self) -> Self {
                // SAFETY: the caller was compiled for the instruction.
                let quarter = unsafe { $and($shift(self.0, 2), $splat(0x3f)) };
                // SAFETY: the caller was compiled for the instruction.
                Self(unsafe { $sub(self.0, quarter) })
            }
        };
    }

    impl Lanes for Lanes32 {
        common!(
            32,
            _mm256_set1_epi8,
            _mm256_loadu_si256,
            _mm256_storeu_si256,
            _mm256_adds_epi8,
            _mm256_subs_epi8,
            _mm256_xor_si256,
            _mm256_abs_epi8,
            _mm256_min_epu8,
            _mm256_max_epu8,
            _mm256_sub_epi8,
            _mm256_srli_epi16,
            _mm256_and_si256
        );

        #[inline(always)]
        fn if_equal(self, reference: Self, then: Self, otherwise: Self) -> Self {
            // SAFETY: the caller was compiled for the instruction.
            let equal = unsafe { _mm256_cmpeq_epi8(self.0, reference.0) };
            // SAFETY: the caller was compiled for the instruction.
            Self(unsafe { _mm256_blendv_epi8(otherwise.0, then.0, equal) })
        }

        #[inline(always)]
        fn with_sign(self, sign: Self) -> Self {
            // SAFETY: the caller was compiled for the instruction.
            let negative = unsafe { _mm256_cmpgt_epi8(_mm256_setzero_si256(), sign.0) };
            // SAFETY: the caller was compiled for the instruction.
            Self(unsafe { _mm256_sub_epi8(_mm256_xor_si256(self.0, negative), negative) })
        }

        #[inline(always)]
        fn signs(self) -> u64 {
            // SAFETY: the caller was compiled for the instruction.
            u64::from(unsafe { _mm256_movemask_epi8(self.0) } as u32)
        }

        #[inline(always)]
        fn select(bits: u64, one: Self, zero: Self) -> Self {
            // Byte k of each lane's eight, and in it the lane's bit.
            // SAFETY: the caller was compiled for the instructions.
            let spread = unsafe {
                let bytes = _mm256_set_epi64x(
                    0x0303_0303_0303_0303,
                    0x0202_0202_0202_0202,
                    0x0101_0101_0101_0101,
                    0,
                );
                let places = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
                let all = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), bytes);
                _mm256_cmpeq_epi8(_mm256_and_si256(all, places), places)
            };
            // SAFETY: the caller was compiled for the instruction.
            Self(unsafe { _mm256_blendv_epi8(zero.0, one.0, spread) })
        }
    }

    impl Lanes for Lanes64 {
        common!(
            64,
            _mm512_set1_epi8,
            _mm512_loadu_si512,
            _mm512_storeu_si512,
            _mm512_adds_epi8,
            _mm512_subs_epi8,
            _mm512_xor_si512,
            _mm512_abs_epi8,
            _mm512_min_epu8,
            _mm512_max_epu8,
            _mm512_sub_epi8,
            _mm512_srli_epi16,
            _mm512_and_si512
        );

        #[inline(always)]
        fn if_equal(self, reference: Self, then: Self, otherwise: Self) -> Self {
            // SAFETY: the caller was compiled for the instruction.
            let equal = unsafe { _mm512_cmpeq_epi8_mask(self.0, reference.0) };
            // SAFETY: the caller was compiled for the instruction.
            Self(unsafe { _mm512_mask_blend_epi8(equal, otherwise.0, then.0) })
        }

        #[inline(always)]
        fn with_sign(self, sign: Self) -> Self {
            // SAFETY: the caller was compiled for the instruction.
            let negative = unsafe { _mm512_movepi8_mask(sign.0) };
            // SAFETY: the caller was compiled for the instruction.
            let zero = unsafe { _mm512_setzero_si512() };
            // SAFETY: the caller was compiled for the instruction.
            Self(unsafe { _mm512_mask_sub_epi8(self.0, negative, zero, self.0) })
        }

        #[inline(always)]
        fn signs(self) -> u64 {
            // SAFETY: the caller was compiled for the instruction.
            unsafe { _mm512_movepi8_mask(self.0) }
        }

        #[inline(always)]
        fn select(bits: u64, one: Self, zero: Self) -> Self {
            // SAFETY: the caller was compiled for the instruction.
            Self(unsafe { _mm512_mask_blend_epi8(bits, zero.0, one.0) })
        }
    }
}
