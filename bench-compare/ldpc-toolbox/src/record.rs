//! What `ldpc-toolbox` makes of Wordline's codewords, with and without errors.

use crate::expand;
use crate::words::{HALF_LOST, PERCENT, WORDS, Word};
use ldpc_toolbox::decoder::arithmetic::Phif64;
use ldpc_toolbox::decoder::{LdpcDecoder, horizontal_layered::Decoder};
use std::error::Error;
use wordline_codes::ecc::ldpc::Ldpc;

const ROUNDS: usize = 30;

/// Prints the records of the codes with these `rows`, of all stored ones where there are none.
pub fn print(rows: &[usize]) -> Result<(), Box<dyn Error>> {
    println!(
        "# cargo run --release --manifest-path bench-compare/ldpc-toolbox/Cargo.toml -- record"
    );
    println!("# ldpc-toolbox 0.12.0: layered belief propagation in f64, {ROUNDS} rounds at most;");
    println!("# no number of rounds where it gave up, 0 where it found all checks to hold.");
    println!("rows,errors,seed,crc32,rounds");
    for (stored, half) in HALF_LOST {
        if rows.is_empty() || rows.contains(&stored) {
            let code = Ldpc::load(stored).ok_or("a stored code")?;
            for percent in PERCENT {
                print_words(stored, code.clone(), half * percent / 100)?;
            }
        }
    }
    Ok(())
}

fn print_words(rows: usize, mut code: Ldpc, errors: usize) -> Result<(), Box<dyn Error>> {
    let mut decoder = Decoder::new(expand::matrix(code.matrix()), Phif64::new());
    let share = errors.max(1) as f64 / code.codeword_bits() as f64;
    let strength = ((1.0 - share) / share).ln();
    for seed in 0..WORDS {
        let word = Word::new(&mut code, errors, seed)?;
        let rounds = match decoder.decode(&expand::ratios(&word.received, strength), ROUNDS) {
            Err(_) => String::new(),
            Ok(found) if expand::same(&found.codeword, &word.sent) => found.iterations.to_string(),
            Ok(_) => return Err("ldpc-toolbox found another codeword".into()),
        };
        let crc = crc32fast::hash(&word.sent);
        println!("{rows},{errors},{seed},{crc:08x},{rounds}");
    }
    Ok(())
}
