//! Decodes the same words with Wordline and with `ldpc-toolbox`, an independent implementation:
//! both must find the codeword that was sent. Prints the time that each takes for a word.
//!
//! `cargo run --release --manifest-path bench-compare/ldpc-toolbox/Cargo.toml [-- ROWS ERRORS]`

use ldpc_toolbox::decoder::arithmetic::{Minstarapproxi8, Phif64};
use ldpc_toolbox::decoder::{LdpcDecoder, horizontal_layered::Decoder};
use ldpc_toolbox::sparse::SparseMatrix;
use std::time::Instant;
use wordline_codes::bits::random_word;
use wordline_codes::ecc::Ecc;
use wordline_codes::ecc::ldpc::{BaseMatrix, Ldpc};

const CIRCULANT: usize = 256;
const WORDS: u64 = 10;
const ROUNDS: usize = 30;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Result<Vec<usize>, _> = std::env::args().skip(1).map(|n| n.parse()).collect();
    let numbers = numbers?;
    let rows = numbers.first().copied().unwrap_or(14);
    let errors = numbers.get(1).copied().unwrap_or(100);
    let mut code = Ldpc::load(rows).ok_or("no stored code has that many rows")?;
    let matrix = expanded(code.matrix());
    let words: Vec<Word> =
        (0..WORDS).map(|seed| Word::new(&mut code, errors, seed)).collect::<Result<_, _>>()?;
    println!("{WORDS} words of {} bits, {errors} wrong", code.codeword_bits());
    ours(&mut code, &words)?;
    theirs("layered belief propagation, f64", Decoder::new(matrix.clone(), Phif64::new()), &words)?;
    theirs("layered min*, i8", Decoder::new(matrix, Minstarapproxi8::new()), &words)
}

/// A codeword, and it with errors.
struct Word {
    sent: Vec<u8>,
    received: Vec<u8>,
}

impl Word {
    fn new(code: &mut Ldpc, errors: usize, seed: u64) -> Result<Self, Box<dyn std::error::Error>> {
        let data_bytes = code.data_bytes();
        let byte = |index| random_word(seed, index) as u8;
        let mut sent: Vec<u8> = (0..data_bytes as u64).map(byte).collect();
        sent.resize(data_bytes + code.parity_bytes(), 0);
        let (data, parity) = sent.split_at_mut(data_bytes);
        code.encode(data, parity)?;
        let mut received = sent.clone();
        for index in 0..errors as u64 {
            let place = random_word(!seed, index) as usize % (received.len() * 8);
            received[place / 8] ^= 1 << (place % 8);
        }
        Ok(Self { sent, received })
    }
}

fn expanded(matrix: &BaseMatrix) -> SparseMatrix {
    let columns = matrix.columns();
    let mut expanded = SparseMatrix::new(matrix.rows() * CIRCULANT, columns.len() * CIRCULANT);
    for (index, column) in columns.iter().enumerate() {
        for circulant in column {
            for z in 0..CIRCULANT {
                let bit = index * CIRCULANT + (z + usize::from(circulant.shift)) % CIRCULANT;
                expanded.insert(circulant.row * CIRCULANT + z, bit);
            }
        }
    }
    expanded
}

fn bit(word: &[u8], index: usize) -> u8 {
    word[index / 8] >> (index % 8) & 1
}

fn ours(code: &mut Ldpc, words: &[Word]) -> Result<(), Box<dyn std::error::Error>> {
    let data_bytes = code.data_bytes();
    let mut best = f64::MAX;
    for word in words.iter().cycle().take(10 * words.len()) {
        let mut decoded = word.received.clone();
        let (data, parity) = decoded.split_at_mut(data_bytes);
        let start = Instant::now();
        code.decode(data, parity)?;
        best = best.min(start.elapsed().as_secs_f64());
        if decoded != word.sent {
            return Err("Wordline found another codeword".into());
        }
    }
    print("Wordline, layered min-sum, i8", best);
    Ok(())
}

fn theirs(
    name: &str,
    mut decoder: impl LdpcDecoder,
    words: &[Word],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut best = f64::MAX;
    for word in words {
        let believed = |index| if bit(&word.received, index) == 1 { -5.0 } else { 5.0 };
        let ratios: Vec<f64> = (0..word.sent.len() * 8).map(believed).collect();
        let start = Instant::now();
        let found = decoder.decode(&ratios, ROUNDS).map_err(|_| "ldpc-toolbox gave up")?;
        best = best.min(start.elapsed().as_secs_f64());
        if (0..ratios.len()).any(|index| found.codeword[index] != bit(&word.sent, index)) {
            return Err("ldpc-toolbox found another codeword".into());
        }
    }
    print(&format!("ldpc-toolbox, {name}"), best);
    Ok(())
}

fn print(name: &str, seconds: f64) {
    println!("{name:<48} {:>10.1} µs a word", seconds * 1e6);
}
