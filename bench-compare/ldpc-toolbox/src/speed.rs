//! Times of both for the same words.

use crate::expand::{self, CIRCULANT};
use crate::words::Word;
use ldpc_toolbox::decoder::arithmetic::{Aminstari8, Phif64};
use ldpc_toolbox::decoder::{LdpcDecoder, horizontal_layered::Decoder};
use ldpc_toolbox::encoder::Encoder;
use ldpc_toolbox::gf2::GF2;
use ldpc_toolbox::sparse::SparseMatrix;
use ndarray::Array1;
use num_traits::{One, Zero};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;
use wordline_codes::ecc::Ecc;
use wordline_codes::ecc::ldpc::Ldpc;

const WORDS: u64 = 10;
const ROUNDS: usize = 30;
const REPEATS: usize = 20;
/// Any number does for hard decisions where only sums and minima are taken.
const STRENGTH: f64 = 5.0;

/// Prints the times for the code of `numbers[0]` rows with `numbers[1]` wrong bits.
pub fn print(numbers: &[usize]) -> Result<(), Box<dyn Error>> {
    let rows = numbers.first().copied().unwrap_or(14);
    let errors = numbers.get(1).copied().unwrap_or(100);
    let mut code = Ldpc::load(rows).ok_or("no stored code has that many rows")?;
    let matrix = expand::matrix(code.matrix());
    let words: Vec<Word> =
        (0..WORDS).map(|seed| Word::new(&mut code, errors, seed)).collect::<Result<_, _>>()?;
    println!("{WORDS} words of {} bits, {errors} wrong; the shortest time", code.codeword_bits());
    let ours = encode_us(&mut code, &words)?;
    show("encode, Wordline", ours, ours);
    show("encode, ldpc-toolbox, same data part", their_encode_us(&code, &words)?, ours);
    let ours = decode_us(&mut code, &words)?;
    show("decode, Wordline, min-sum, i8", ours, ours);
    let decoder = Decoder::new(matrix.clone(), Aminstari8::new());
    show("decode, ldpc-toolbox, A-min*, i8", their_decode_us(decoder, &words)?, ours);
    let decoder = Decoder::new(matrix, Phif64::new());
    show("decode, ldpc-toolbox, belief propagation, f64", their_decode_us(decoder, &words)?, ours);
    Ok(())
}

fn show(name: &str, us: f64, ours: f64) {
    println!("{name:<46} {us:>10.2} µs a word {:>8.1} x", us / ours);
}

/// The shortest of several times of `work` on each word.
fn best_us<'a>(
    words: &'a [Word],
    mut work: impl FnMut(&'a Word) -> Result<(), Box<dyn Error>>,
) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::MAX;
    for word in words.iter().cycle().take(REPEATS * words.len()) {
        let start = Instant::now();
        work(word)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best * 1e6)
}

fn encode_us(code: &mut Ldpc, words: &[Word]) -> Result<f64, Box<dyn Error>> {
    let mut parity = vec![0; code.parity_bytes()];
    let data_bytes = code.data_bytes();
    best_us(words, |word| Ok(code.encode(black_box(&word.sent[..data_bytes]), &mut parity)?))
}

/// `ldpc-toolbox` encodes in linear time where the parity is one staircase over all bits, as that of
/// DVB-S2 is; such a code with our data columns has as much work in it as ours.
fn their_encode_us(code: &Ldpc, words: &[Word]) -> Result<f64, Box<dyn Error>> {
    let base = code.matrix();
    let (data, parity) = (base.data_columns() * CIRCULANT, base.rows() * CIRCULANT);
    let mut matrix = SparseMatrix::new(parity, data + parity);
    let front = expand::of_columns(base.rows(), &base.columns()[..base.data_columns()]);
    front.iter_all().for_each(|(row, column)| matrix.insert(row, column));
    for row in 0..parity {
        matrix.insert(row, data + row);
        if row > 0 {
            matrix.insert(row, data + row - 1);
        }
    }
    let encoder = Encoder::from_h(&matrix)?;
    let one = |set| if set == 1 { GF2::one() } else { GF2::zero() };
    let message =
        |word: &Word| Array1::from_iter((0..data).map(|at| one(expand::bit(&word.sent, at))));
    let messages: Vec<Array1<GF2>> = words.iter().map(message).collect();
    let mut next = messages.iter().cycle();
    best_us(words, |_| {
        black_box(next.next().map(|message| encoder.encode(message)));
        Ok(())
    })
}

fn decode_us(code: &mut Ldpc, words: &[Word]) -> Result<f64, Box<dyn Error>> {
    let data_bytes = code.data_bytes();
    let mut decoded = words.first().ok_or("no words")?.received.clone();
    best_us(words, |word| {
        decoded.copy_from_slice(&word.received);
        let (data, parity) = decoded.split_at_mut(data_bytes);
        code.decode(data, parity)?;
        if decoded == word.sent { Ok(()) } else { Err("Wordline found another codeword".into()) }
    })
}

fn their_decode_us(mut decoder: impl LdpcDecoder, words: &[Word]) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::MAX;
    for word in words {
        let ratios = expand::ratios(&word.received, STRENGTH);
        let start = cpu_us()?;
        let found = decoder.decode(&ratios, ROUNDS).map_err(|_| "ldpc-toolbox gave up")?;
        best = best.min(cpu_us()? - start);
        if !expand::same(&found.codeword, &word.sent) {
            return Err("ldpc-toolbox found another codeword".into());
        }
    }
    Ok(best)
}

/// Time that this thread has run, by Linux: what takes milliseconds is interrupted by other work.
fn cpu_us() -> Result<f64, Box<dyn Error>> {
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let ran_ns: f64 = counts.split(' ').next().unwrap_or_default().parse()?;
    Ok(ran_ns / 1e3)
}
