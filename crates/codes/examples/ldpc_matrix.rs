//! Prints the base matrix of an LDPC code for 4 KiB of data: how those in `data/ldpc` were made.
//!
//! `cargo run --release -p wordline-codes --example ldpc_matrix -- ROWS [SEED]`

use std::process::ExitCode;
use wordline_codes::ecc::ldpc::construct;

/// 4 KiB in blocks of 256 bits.
const DATA_COLUMNS: usize = 128;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let (Some(Ok(rows @ 4..=64)), Ok(seed)) = (arguments.next(), arguments.next().unwrap_or(Ok(1)))
    else {
        eprintln!("error: expected ROWS (4 to 64) and perhaps SEED");
        return ExitCode::from(2);
    };
    let Some(matrix) = construct(rows as usize, DATA_COLUMNS, seed) else {
        eprintln!("error: {rows} rows have no room for {DATA_COLUMNS} columns without 4-cycles");
        return ExitCode::FAILURE;
    };
    println!("# cargo run --release -p wordline-codes --example ldpc_matrix -- {rows} {seed}");
    print!("{matrix}");
    ExitCode::SUCCESS
}
