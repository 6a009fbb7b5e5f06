//! How long encoding and decoding take, on this machine.

use super::codec::Ecc;
use crate::bits;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Codewords that are worked on in turn, so that no branch is learnt by heart.
const WORDS: usize = 32;

/// Times of one thread, for a codeword: each the shortest of several rounds over the same words,
/// for other work on the machine only ever adds to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// Of encoding.
    pub encode_us: f64,
    /// Of decoding words with as many errors as was asked for.
    pub decode_us: f64,
    /// Words that the decoder refused, of `words`.
    pub refused: usize,
    /// Words in a round.
    pub words: usize,
}

/// Measures `code` with `errors` wrong bits in each codeword's data for about `duration`, at least
/// one round.
pub fn measure(code: &mut dyn Ecc, errors: usize, duration: Duration) -> Speed {
    let (data_bytes, parity_bytes) = (code.data_bytes(), code.parity_bytes());
    let random = |seed| {
        let byte = |index| bits::random_word(seed, index) as u8;
        (0..data_bytes as u64).map(byte).collect::<Vec<u8>>()
    };
    let sent: Vec<Vec<u8>> = (0..WORDS as u64).map(random).collect();
    let mut parity = vec![vec![0; parity_bytes]; WORDS];
    let (mut encode, mut decode, mut refused) = (Duration::MAX, Duration::MAX, 0);
    let begin = Instant::now();
    while encode == Duration::MAX || begin.elapsed() < duration {
        let start = Instant::now();
        for (data, parity) in sent.iter().zip(&mut parity) {
            let _ = black_box(code.encode(data, parity));
        }
        encode = encode.min(start.elapsed());
        let mut received: Vec<(Vec<u8>, Vec<u8>)> =
            sent.iter().cloned().zip(parity.iter().cloned()).collect();
        for (index, (data, _)) in received.iter_mut().enumerate() {
            spoil(data, errors, index as u64);
        }
        let start = Instant::now();
        refused = 0;
        for (data, parity) in &mut received {
            refused += usize::from(black_box(code.decode(data, parity)).is_err());
        }
        decode = decode.min(start.elapsed());
    }
    let per_word = |time: Duration| time.as_secs_f64() * 1e6 / WORDS as f64;
    Speed { encode_us: per_word(encode), decode_us: per_word(decode), refused, words: WORDS }
}

/// Inverts `errors` different bits, or all.
fn spoil(data: &mut [u8], errors: usize, seed: u64) {
    let mut left = errors.min(data.len() * 8);
    let mut wrong = vec![false; data.len() * 8];
    for index in 0.. {
        if left == 0 {
            break;
        }
        let place = bits::random_word(!seed, index) as usize % wrong.len();
        if !std::mem::replace(&mut wrong[place], true) {
            data[place / 8] ^= 1 << (place % 8);
            left -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bch::Bch;
    use super::*;

    #[test]
    fn one_round_is_measured_even_without_time() {
        let mut code = Bch::new(64, 4).unwrap();
        let speed = measure(&mut code, 4, Duration::ZERO);
        assert!(speed.encode_us > 0.0 && speed.decode_us > 0.0);
        assert_eq!((speed.refused, speed.words), (0, WORDS));
        assert!(measure(&mut code, 9, Duration::ZERO).refused > 0);
        assert!(measure(&mut code, 9_999, Duration::ZERO).words > 0);
    }
}
