//! The remainder by carry-less multiplication, for x86-64.

use super::folds::Folds;
use std::arch::x86_64::*;

/// The words of `data`, the last first, as polynomials; where bytes are no multiple of 8 the first
/// word is shorter.
fn words_from_the_end(data: &[u8]) -> impl Iterator<Item = u64> {
    data.rchunks(8).map(|chunk| match chunk.try_into() {
        Ok(whole) => u64::from_be_bytes(whole),
        Err(_) => chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    })
}

/// Σ word_i · row_i with 128-bit vectors; bit k of `sum` is the coefficient of x^k.
#[target_feature(enable = "pclmulqdq,avx2")]
pub unsafe fn fold(folds: &Folds, data: &[u8], sum: &mut [u64]) {
    for pair in (0..folds.stride).step_by(2) {
        let (mut even, mut odd) = (_mm_setzero_si128(), _mm_setzero_si128());
        for (word, row) in words_from_the_end(data).zip(folds.rows.chunks_exact(folds.stride)) {
            let word = _mm_set_epi64x(0, word as i64);
            let row = _mm_set_epi64x(row[pair + 1] as i64, row[pair] as i64);
            even = _mm_xor_si128(even, _mm_clmulepi64_si128(row, word, 0x00));
            odd = _mm_xor_si128(odd, _mm_clmulepi64_si128(row, word, 0x01));
        }
        for (at, product) in [(pair, even), (pair + 1, odd)] {
            sum[at] ^= _mm_cvtsi128_si64(product) as u64;
            sum[at + 1] ^= _mm_extract_epi64(product, 1) as u64;
        }
    }
}

/// Σ word_i · row_i with 512-bit vectors.
#[target_feature(enable = "avx512f,vpclmulqdq")]
pub unsafe fn fold_wide(folds: &Folds, data: &[u8], sum: &mut [u64]) {
    let mut group = 0;
    while group < folds.stride {
        // Two groups at a time keep the multiplier busy: each has a sum to wait for.
        let pair = group + 8 < folds.stride;
        let mut sums = [_mm512_setzero_si512(); 4];
        for (word, row) in words_from_the_end(data).zip(folds.rows.chunks_exact(folds.stride)) {
            let word = _mm512_set1_epi64(word as i64);
            add_products(&mut sums, 0, &row[group..group + 8], word);
            if pair {
                add_products(&mut sums, 2, &row[group + 8..group + 16], word);
            }
        }
        for (half, at) in [group, group + 8].into_iter().take(1 + usize::from(pair)).enumerate() {
            for odd in 0..2 {
                // SAFETY: both are 64 bytes of plain integers.
                let lanes: [u64; 8] = unsafe { std::mem::transmute(sums[2 * half + odd]) };
                for (k, product) in lanes.chunks_exact(2).enumerate() {
                    sum[at + 2 * k + odd] ^= product[0];
                    sum[at + 2 * k + odd + 1] ^= product[1];
                }
            }
        }
        group += 16;
    }
}

#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn add_products(sums: &mut [__m512i; 4], at: usize, row: &[u64], word: __m512i) {
    assert_eq!(row.len(), 8);
    // SAFETY: the row has the 64 bytes that are loaded.
    let row = unsafe { _mm512_loadu_si512(row.as_ptr().cast()) };
    sums[at] = _mm512_xor_si512(sums[at], _mm512_clmulepi64_epi128(row, word, 0x00));
    sums[at + 1] = _mm512_xor_si512(sums[at + 1], _mm512_clmulepi64_epi128(row, word, 0x01));
}

/// Divides `sum`, of fewer than `degree` + 64 bits, once more, and leaves the remainder.
#[target_feature(enable = "pclmulqdq,avx2")]
pub unsafe fn reduce(folds: &Folds, degree: usize, sum: &mut [u64]) {
    let (word, bit) = (degree / 64, degree % 64);
    let high = match bit {
        0 => sum[word],
        _ => sum[word] >> bit | sum.get(word + 1).map_or(0, |next| next << (64 - bit)),
    };
    let (low, top) = product(high, folds.barrett);
    let quotient = top << 1 | low >> 63;
    for k in 0..folds.stride {
        let (low, top) = product(quotient, folds.rows[k]);
        sum[k] ^= low;
        sum[k + 1] ^= top;
    }
    if bit != 0 {
        sum[word] &= (1 << bit) - 1;
    }
}

/// The carry-less product as its low and its high word.
#[inline]
#[target_feature(enable = "pclmulqdq,avx2")]
fn product(a: u64, b: u64) -> (u64, u64) {
    let (a, b) = (_mm_set_epi64x(0, a as i64), _mm_set_epi64x(0, b as i64));
    let product = _mm_clmulepi64_si128(a, b, 0x00);
    (_mm_cvtsi128_si64(product) as u64, _mm_extract_epi64(product, 1) as u64)
}
