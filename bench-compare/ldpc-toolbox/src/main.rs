//! Puts Wordline's LDPC codes beside `ldpc-toolbox`, an independent implementation.
//!
//! `cargo run --release --manifest-path bench-compare/ldpc-toolbox/Cargo.toml -- speed [ROWS ERRORS]`
//! prints the time that each takes for the same words; `… -- record [ROWS…]` what `ldpc-toolbox`
//! makes of Wordline's codewords, with and without errors; a test of `wordline-codes` compares with
//! that.

mod expand;
mod record;
mod speed;
#[path = "../../../crates/codes/tests/oracle/words.rs"]
mod words;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (verb, numbers) = arguments.split_first().ok_or("say `speed` or `record`")?;
    let numbers = numbers.iter().map(|n| n.parse()).collect::<Result<Vec<usize>, _>>()?;
    match verb.as_str() {
        "speed" => speed::print(&numbers),
        "record" => record::print(&numbers),
        _ => Err(format!("`{verb}` is neither `speed` nor `record`").into()),
    }
}
