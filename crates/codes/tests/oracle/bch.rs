//! BCH codes beside Linux's `lib/bch`. Both decode up to t errors and refuse what no codeword is so
//! near to, so that they must agree on every word, miscorrected ones included.

use wordline_codes::bits::random_word;
use wordline_codes::ecc::bch::{Bch, Kernel};
use wordline_codes::ecc::{DecodeError, Ecc};

/// Written by `bench-compare/bch_oracle.py`.
const BCH: &str = include_str!("../../data/oracle/bch.csv");

/// What `lib/bch` made of a word.
struct Line {
    data_bytes: usize,
    t: usize,
    errors: usize,
    seed: u64,
    parity_crc32: u32,
    sent_crc32: u32,
    found_crc32: u32,
    corrected: Option<usize>,
}

fn line(text: &str) -> Line {
    let fields: Vec<&str> = text.split(',').collect();
    let number = |at: usize| fields[at].parse().unwrap();
    let crc32 = |at: usize| u32::from_str_radix(fields[at], 16).unwrap();
    assert_eq!(fields.len(), 9, "{text}");
    Line {
        data_bytes: number(0),
        t: number(2),
        errors: number(3),
        seed: number(4) as u64,
        parity_crc32: crc32(5),
        sent_crc32: crc32(6),
        found_crc32: crc32(7),
        corrected: (!fields[8].is_empty()).then(|| number(8)),
    }
}

/// The data of a word, and the same with wrong bits.
fn word(line: &Line) -> (Vec<u8>, Vec<u8>) {
    let data: Vec<u8> =
        (0..line.data_bytes as u64).map(|index| random_word(line.seed, index) as u8).collect();
    let mut received = data.clone();
    let length = 8 * line.data_bytes as u64;
    let drawn = (0..).map(|index| (random_word(!line.seed, index) % length) as usize);
    for place in drawn {
        if received.iter().zip(&data).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
            == line.errors as u32
        {
            break;
        }
        let mask = 0x80 >> (place % 8);
        received[place / 8] = received[place / 8] & !mask | !data[place / 8] & mask;
    }
    (data, received)
}

#[test]
fn words_are_decoded_as_by_lib_bch() {
    let lines: Vec<Line> =
        BCH.lines().filter(|line| !line.starts_with('#')).skip(1).map(line).collect();
    let miscorrected = lines.iter().filter(|line| line.corrected.is_some_and(|c| c != line.errors));
    assert!(miscorrected.count() > 20, "too few words that show how miscorrections agree");
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        for line in &lines {
            let Line { data_bytes, t, errors, seed, .. } = *line;
            let told =
                format!("{data_bytes} bytes, t {t}, {errors} wrong, seed {seed}, {kernel:?}");
            let mut code = Bch::new(data_bytes, t).unwrap().with_kernel(kernel).unwrap();
            let (data, mut found) = word(line);
            let mut parity = vec![0; code.parity_bytes()];
            code.encode(&data, &mut parity).unwrap();
            assert_eq!(crc32fast::hash(&data), line.sent_crc32, "{told}");
            assert_eq!(crc32fast::hash(&parity), line.parity_crc32, "{told}");
            let corrected = code.decode(&mut found, &mut parity);
            let expected = line.corrected.ok_or(DecodeError::Uncorrectable);
            assert_eq!(corrected.map(|corrected| corrected.bits), expected, "{told}");
            assert_eq!(crc32fast::hash(&found), line.found_crc32, "{told}");
        }
    }
}
