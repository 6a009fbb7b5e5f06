//! Vectors of bits of several sizes.

/// As many bits as the processor combines at a time.
pub trait Vector: Copy {
    /// How many.
    const BITS: usize;
    /// Zeros.
    const NONE: Self;

    /// `word` again and again.
    fn splat(word: u64) -> Self;

    /// The `part`-th of the vectors in `words`.
    fn load(words: &[u64; 8], part: usize) -> Self;

    /// Puts it there.
    fn store(self, words: &mut [u64; 8], part: usize);

    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;

    /// Bitwise and.
    fn and(self, other: Self) -> Self;
}

impl Vector for u64 {
    const BITS: usize = 64;
    const NONE: Self = 0;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        word
    }

    #[inline(always)]
    fn load(words: &[u64; 8], part: usize) -> Self {
        words[part]
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; 8], part: usize) {
        words[part] = self;
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! x86_vector {
    ($name:ident, $type:ident, $bits:literal, $splat:ident, $load:ident, $store:ident, $xor:ident, $and:ident) => {
        #[doc = concat!("A vector of ", stringify!($bits), " bits, for processors that have them.")]
        #[derive(Clone, Copy)]
        pub struct $name(std::arch::x86_64::$type);

        impl Vector for $name {
            const BITS: usize = $bits;
            // SAFETY: all bits zero is a vector.
            const NONE: Self = unsafe { std::mem::zeroed() };

            #[inline(always)]
            fn splat(word: u64) -> Self {
                // SAFETY: the caller was compiled for the instructions.
                Self(unsafe { std::arch::x86_64::$splat(word as i64) })
            }

            #[inline(always)]
            fn load(words: &[u64; 8], part: usize) -> Self {
                let words = &words[part * $bits / 64..][..$bits / 64];
                // SAFETY: the words are there; the caller was compiled for the instructions.
                Self(unsafe { std::arch::x86_64::$load(words.as_ptr().cast()) })
            }

            #[inline(always)]
            fn store(self, words: &mut [u64; 8], part: usize) {
                let words = &mut words[part * $bits / 64..][..$bits / 64];
                // SAFETY: the words are there; the caller was compiled for the instructions.
                unsafe { std::arch::x86_64::$store(words.as_mut_ptr().cast(), self.0) }
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: the caller was compiled for the instructions.
                Self(unsafe { std::arch::x86_64::$xor(self.0, other.0) })
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: the caller was compiled for the instructions.
                Self(unsafe { std::arch::x86_64::$and(self.0, other.0) })
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
x86_vector!(
    Bits256,
    __m256i,
    256,
    _mm256_set1_epi64x,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    _mm256_xor_si256,
    _mm256_and_si256
);
#[cfg(target_arch = "x86_64")]
x86_vector!(
    Bits512,
    __m512i,
    512,
    _mm512_set1_epi64,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_xor_si512,
    _mm512_and_si512
);
