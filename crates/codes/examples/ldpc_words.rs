//! Writes a stored LDPC code and words with errors for other programs, and prints how long Wordline
//! takes to decode one of them.
//!
//! `cargo run --release -p wordline-codes --example ldpc_words -- ROWS ERRORS WORDS FOLDER` puts the
//! matrix into `FOLDER/matrix.qc` – columns, rows and size of the circulants, then a line of shifts
//! for each row, −1 where there is no circulant – and each word into `FOLDER/words.bin` twice, as
//! sent and as received, the lowest bit of a byte first.

#[expect(dead_code, reason = "which words the test compares matters only there")]
#[path = "../tests/oracle/words.rs"]
mod words;

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;
use wordline_codes::ecc::Ecc;
use wordline_codes::ecc::ldpc::Ldpc;
use words::Word;

const REPEATS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rows, errors, count, folder] = &arguments[..] else {
        return Err("say ROWS ERRORS WORDS FOLDER".into());
    };
    let mut code = Ldpc::load(rows.parse()?).ok_or("no stored code has that many rows")?;
    let folder = PathBuf::from(folder);
    std::fs::write(folder.join("matrix.qc"), matrix(&code)?)?;
    let (mut all, mut times_us) = (Vec::new(), Vec::new());
    for seed in 0..count.parse()? {
        let word = Word::new(&mut code, errors.parse()?, seed)?;
        times_us.push(decode_us(&mut code, &word)?);
        all.extend(word.sent);
        all.extend(word.received);
    }
    std::fs::write(folder.join("words.bin"), all)?;
    let mean = times_us.iter().sum::<f64>() / times_us.len() as f64;
    println!("Wordline, one word at a time: {mean:.1} µs a word");
    Ok(())
}

/// The shortest of several times.
fn decode_us(code: &mut Ldpc, word: &Word) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::MAX;
    for _ in 0..REPEATS {
        let mut found = word.received.clone();
        let (data, parity) = found.split_at_mut(code.data_bytes());
        let start = Instant::now();
        code.decode(data, parity)?;
        best = best.min(start.elapsed().as_secs_f64());
        if found != word.sent {
            return Err("Wordline did not find what was sent".into());
        }
    }
    Ok(best * 1e6)
}

fn matrix(code: &Ldpc) -> Result<String, std::fmt::Error> {
    let (columns, rows) = (code.matrix().columns(), code.matrix().rows());
    let size = code.codeword_bits() / columns.len();
    let mut text = format!("{} {rows} {size}\n", columns.len());
    for row in 0..rows {
        for column in columns {
            let circulant = column.iter().find(|circulant| circulant.row == row);
            write!(text, "{} ", circulant.map_or(-1, |circulant| i32::from(circulant.shift)))?;
        }
        text.push('\n');
    }
    Ok(text)
}
