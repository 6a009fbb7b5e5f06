//! The codes beside independent implementations, by what these printed: `data/oracle`.

mod bch;
mod words;

use wordline_codes::ecc::ldpc::Ldpc;
use wordline_codes::ecc::{DecodeError, Ecc};
use words::{HALF_LOST, PERCENT, WORDS, Word};

/// Written by `bench-compare/ldpc-toolbox`.
const LDPC: &str = include_str!("../../data/oracle/ldpc.csv");

/// What `ldpc-toolbox` made of a word.
struct Line {
    rows: usize,
    errors: usize,
    seed: u64,
    crc32: u32,
    rounds: Option<usize>,
}

fn lines() -> impl Iterator<Item = Line> {
    LDPC.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| {
        let [rows, errors, seed, crc32, rounds] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("not five fields: {line}")
        };
        Line {
            rows: rows.parse().unwrap(),
            errors: errors.parse().unwrap(),
            seed: seed.parse().unwrap(),
            crc32: u32::from_str_radix(crc32, 16).unwrap(),
            rounds: (!rounds.is_empty()).then(|| rounds.parse().unwrap()),
        }
    })
}

#[test]
fn every_word_is_there() {
    assert_eq!(lines().count() as u64, HALF_LOST.len() as u64 * PERCENT.len() as u64 * WORDS);
    assert!(HALF_LOST.map(|(rows, _)| rows).into_iter().eq(Ldpc::stored()));
}

/// `ldpc-toolbox` was given these very codewords, and found every check to hold.
#[test]
fn codewords_are_codewords_for_ldpc_toolbox() {
    for line in lines().filter(|line| line.errors == 0) {
        let mut code = Ldpc::load(line.rows).unwrap();
        let word = Word::new(&mut code, 0, line.seed).unwrap();
        assert_eq!(crc32fast::hash(&word.sent), line.crc32, "{} rows", line.rows);
        assert_eq!(line.rounds, Some(0), "{} rows", line.rows);
    }
}

/// Min-sum in bytes beside belief propagation in doubles: alike but close to where words begin to
/// be lost, where it is the weaker one by less than a tenth of the wrong bits.
#[test]
fn words_with_errors_are_decoded_as_by_ldpc_toolbox() {
    for (rows, half) in HALF_LOST {
        let mut code = Ldpc::load(rows).unwrap();
        for percent in PERCENT {
            let errors = half * percent / 100;
            let (mut ours, mut theirs) = (0, 0);
            for line in lines().filter(|line| (line.rows, line.errors) == (rows, errors)) {
                let Word { sent, mut received } = Word::new(&mut code, errors, line.seed).unwrap();
                assert_eq!(crc32fast::hash(&sent), line.crc32);
                let (data, parity) = received.split_at_mut(code.data_bytes());
                match code.decode(data, parity) {
                    Ok(corrected) => assert_eq!((corrected.bits, &received), (errors, &sent)),
                    Err(error) => assert_eq!(error, DecodeError::Uncorrectable),
                }
                ours += u64::from(received == sent);
                theirs += u64::from(line.rounds.is_some());
            }
            let told = format!("{rows} rows, {errors} wrong bits: {ours} and {theirs} of {WORDS}");
            if percent <= 80 {
                assert_eq!((ours, theirs), (WORDS, WORDS), "{told}");
            }
            if percent == 90 {
                assert!(ours + 1 >= theirs, "{told}");
            }
            if percent >= 120 {
                assert_eq!((ours, theirs), (0, 0), "{told}");
            }
        }
    }
}
