//! The words of which `data/oracle/ldpc.csv` tells what `ldpc-toolbox` makes of them. The program
//! that wrote it, `bench-compare/ldpc-toolbox`, includes this file.

use wordline_codes::bits::random_word;
use wordline_codes::ecc::{Ecc, LengthError};

/// Words with each number of wrong bits.
pub const WORDS: u64 = 10;

/// Rows of each stored code, and the wrong bits with which hard decisions are lost half the time.
pub const HALF_LOST: [(usize, usize); 5] = [(10, 190), (12, 240), (14, 285), (16, 340), (19, 440)];

/// Wrong bits in the words, in percent of those.
pub const PERCENT: [usize; 7] = [0, 60, 80, 90, 100, 110, 120];

/// A codeword of random data, and it with errors.
pub struct Word {
    /// Data, then parity.
    pub sent: Vec<u8>,
    /// The codeword with wrong bits.
    pub received: Vec<u8>,
}

impl Word {
    /// A codeword of `code` and it with `errors` wrong bits in different places.
    pub fn new(code: &mut dyn Ecc, errors: usize, seed: u64) -> Result<Self, LengthError> {
        let data_bytes = code.data_bytes();
        let mut sent: Vec<u8> =
            (0..data_bytes as u64).map(|index| random_word(seed, index) as u8).collect();
        sent.resize(data_bytes + code.parity_bytes(), 0);
        let (data, parity) = sent.split_at_mut(data_bytes);
        code.encode(data, parity)?;
        let mut received = sent.clone();
        let mut wrong = 0;
        for index in 0.. {
            if wrong == errors {
                break;
            }
            let place = random_word(!seed, index) as usize % (8 * sent.len());
            let (byte, mask) = (place / 8, 1 << (place % 8));
            if (received[byte] ^ sent[byte]) & mask == 0 {
                received[byte] ^= mask;
                wrong += 1;
            }
        }
        Ok(Self { sent, received })
    }
}
