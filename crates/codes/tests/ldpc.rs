//! LDPC codes: structure, encoding, decoding by every set of instructions, and input that is wrong.

use proptest::prelude::*;
use std::collections::{HashSet, VecDeque};
use wordline_codes::bits;
use wordline_codes::cpu::Isa;
use wordline_codes::ecc::ldpc::{BaseMatrix, Ldpc, construct};
use wordline_codes::ecc::{DecodeError, Ecc};

const SIZE: usize = 256;

fn isas() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.is_available())
}

fn random_bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut words = vec![0; length.div_ceil(8)];
    bits::fill_random(&mut words, seed);
    let mut bytes = vec![0; length];
    bits::to_bytes(&words, &mut bytes);
    bytes
}

/// The bits of each check, by the definition of a circulant.
fn checks(matrix: &BaseMatrix) -> Vec<Vec<usize>> {
    let mut checks = vec![Vec::new(); matrix.rows() * SIZE];
    for (index, column) in matrix.columns().iter().enumerate() {
        for circulant in column {
            for z in 0..SIZE {
                let bit = index * SIZE + (z + usize::from(circulant.shift)) % SIZE;
                checks[circulant.row * SIZE + z].push(bit);
            }
        }
    }
    checks
}

fn bit(word: &[u8], index: usize) -> bool {
    word[index / 8] >> (index % 8) & 1 == 1
}

fn flip(data: &mut [u8], parity: &mut [u8], index: usize) {
    match index.checked_sub(data.len() * 8) {
        None => data[index / 8] ^= 1 << (index % 8),
        Some(index) => parity[index / 8] ^= 1 << (index % 8),
    }
}

fn errors(length: usize, count: usize, seed: u64) -> HashSet<usize> {
    let place = |i| bits::random_word(seed, i) as usize % length;
    (0..count as u64).map(place).collect()
}

/// The length of the shortest cycle through `check`, by breadth-first search.
fn shortest_cycle(checks: &[Vec<usize>], bits: &[Vec<usize>], check: usize) -> usize {
    // Nodes: checks, then bits; each remembers its distance and the edge it was reached by.
    let mut seen = vec![(usize::MAX, usize::MAX); checks.len() + bits.len()];
    seen[check] = (0, usize::MAX);
    let mut queue = VecDeque::from([check]);
    while let Some(node) = queue.pop_front() {
        let (distance, parent) = seen[node];
        let neighbours: Vec<usize> = match node.checked_sub(checks.len()) {
            None => checks[node].iter().map(|bit| bit + checks.len()).collect(),
            Some(bit) => bits[bit].clone(),
        };
        for next in neighbours.into_iter().filter(|&next| next != parent) {
            if seen[next].0 != usize::MAX {
                return distance + seen[next].0 + 1;
            }
            seen[next] = (distance + 1, node);
            queue.push_back(next);
        }
    }
    usize::MAX
}

#[test]
fn the_stored_codes_have_the_rates_that_they_should() {
    let rates: Vec<f64> = Ldpc::stored().map(|rows| Ldpc::load(rows).unwrap().rate()).collect();
    assert!(rates.iter().all(|rate| (0.87..0.93).contains(rate)), "{rates:?}");
    assert!(rates.windows(2).all(|pair| pair[0] > pair[1]), "{rates:?}");
    for rows in Ldpc::stored() {
        let code = Ldpc::load(rows).unwrap();
        assert_eq!((code.data_bytes(), code.parity_bytes()), (4096, 32 * rows));
    }
    assert!(Ldpc::load(11).is_none());
}

#[test]
fn the_girth_is_six() {
    for rows in Ldpc::stored() {
        let matrix = Ldpc::load(rows).unwrap().matrix().clone();
        assert_eq!(matrix.four_cycles(), 0, "{rows} rows");
        let checks = checks(&matrix);
        let mut bits = vec![Vec::new(); matrix.columns().len() * SIZE];
        for (check, its) in checks.iter().enumerate() {
            its.iter().for_each(|&bit| bits[bit].push(check));
        }
        // All checks of a row are alike: rotating all of them maps cycles to cycles.
        let shortest = (0..rows).map(|row| shortest_cycle(&checks, &bits, row * SIZE)).min();
        assert_eq!(shortest, Some(6), "{rows} rows");
    }
}

#[test]
fn four_cycles_are_found() {
    let text = "circulant 256\nrows 4\n0:1 2:5\n0:9 2:13\n0:7 2:0 3:7\n0:0 1:0\n1:0 2:0\n2:0 3:0";
    let matrix = BaseMatrix::parse(text).unwrap();
    assert_eq!(matrix.four_cycles(), 1);
    let edges = checks(&matrix);
    let mut bits = vec![Vec::new(); matrix.columns().len() * SIZE];
    for (check, its) in edges.iter().enumerate() {
        its.iter().for_each(|&bit| bits[bit].push(check));
    }
    assert_eq!(shortest_cycle(&edges, &bits, 0), 4);
}

/// By elimination, on bits: every check is independent, so that the code has exactly the rate.
#[test]
fn the_rank_is_full() {
    for rows in [10, 14] {
        let matrix = Ldpc::load(rows).unwrap().matrix().clone();
        let first = matrix.data_columns() * SIZE;
        let words = bits::words(rows * SIZE);
        let mut lines: Vec<Vec<u64>> = checks(&matrix)
            .iter()
            .map(|check| {
                let mut line = vec![0; words];
                let parity = check.iter().filter_map(|bit| bit.checked_sub(first));
                parity.for_each(|bit| bits::set(&mut line, bit, true));
                line
            })
            .collect();
        for column in 0..rows * SIZE {
            let pivot = (column..lines.len()).find(|&line| bits::get(&lines[line], column));
            lines.swap(column, pivot.expect("a dependent check"));
            let (done, rest) = lines.split_at_mut(column + 1);
            for line in rest.iter_mut().filter(|line| bits::get(line, column)) {
                line.iter_mut().zip(&done[column]).for_each(|(word, pivot)| *word ^= pivot);
            }
        }
    }
}

#[test]
fn every_check_of_an_encoded_word_is_even() {
    for rows in Ldpc::stored() {
        let mut parities = Vec::new();
        for isa in isas() {
            let mut code = Ldpc::load(rows).unwrap().with_isa(isa).unwrap();
            let data = random_bytes(4096, rows as u64);
            let mut parity = vec![0; code.parity_bytes()];
            code.encode(&data, &mut parity).unwrap();
            let word = [data, parity.clone()].concat();
            for (index, check) in checks(code.matrix()).iter().enumerate() {
                let ones = check.iter().filter(|&&index| bit(&word, index)).count();
                assert_eq!(ones % 2, 0, "{rows} rows, check {index}");
            }
            parities.push(parity);
        }
        assert!(parities.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

#[test]
fn errors_well_below_the_waterfall_are_corrected_alike_by_every_set_of_instructions() {
    for (rows, count) in [(10, 110), (12, 140), (14, 200), (16, 250), (19, 300)] {
        let mut rounds = Vec::new();
        for isa in isas() {
            let mut code = Ldpc::load(rows).unwrap().with_isa(isa).unwrap();
            let sent = random_bytes(4096, 9);
            let mut parity = vec![0; code.parity_bytes()];
            code.encode(&sent, &mut parity).unwrap();
            let (mut data, mut received) = (sent.clone(), parity.clone());
            let places = errors(code.codeword_bits(), count, rows as u64);
            places.iter().for_each(|&place| flip(&mut data, &mut received, place));
            let corrected = code.decode(&mut data, &mut received).unwrap();
            assert_eq!(corrected.bits, places.len());
            assert!(data == sent && received == parity, "{rows} rows, {isa:?}");
            rounds.push(corrected.iterations);
        }
        assert!(rounds.windows(2).all(|pair| pair[0] == pair[1]), "{rounds:?}");
    }
}

/// Neighbours of the staircase vouch for each other: only the two checks at the ends know better.
#[test]
fn runs_of_wrong_bits_along_the_staircase_are_corrected() {
    for rows in Ldpc::stored() {
        let mut code = Ldpc::load(rows).unwrap();
        let sent = random_bytes(4096, 11);
        let mut parity = vec![0; code.parity_bytes()];
        code.encode(&sent, &mut parity).unwrap();
        for length in 1..=5 {
            for first in 1..=rows - length {
                let (mut data, mut received) = (sent.clone(), parity.clone());
                for column in first..first + length {
                    flip(&mut data, &mut received, 4096 * 8 + column * SIZE + 77);
                }
                let corrected = code.decode(&mut data, &mut received);
                assert_eq!(corrected.map(|c| c.bits), Ok(length), "{rows} rows, from {first}");
                assert!(data == sent && received == parity);
            }
        }
    }
}

/// Runs of wrong bits are corrected where every bit is as sure as a sensing makes it.
#[test]
fn runs_of_sure_and_wrong_bits_are_corrected_as_well() {
    for rows in Ldpc::stored() {
        let mut code = Ldpc::load(rows).unwrap();
        let (mut data, mut parity) = (vec![0; 4096], vec![0; code.parity_bytes()]);
        for first in 1..=rows - 4 {
            let mut beliefs = vec![24; code.codeword_bits()];
            (first..first + 4).for_each(|column| beliefs[4096 * 8 + column * SIZE + 99] = -24);
            let corrected = code.decode_soft(&beliefs, &mut data, &mut parity);
            assert_eq!(corrected.map(|c| c.bits), Ok(4), "{rows} rows, from {first}");
            assert!(data.iter().chain(&parity).all(|&byte| byte == 0));
        }
    }
}

#[test]
fn hopeless_words_are_refused_alike_and_left_alone() {
    for isa in isas() {
        let mut code = Ldpc::load(14).unwrap().with_isa(isa).unwrap().with_rounds(5);
        for seed in 0..3 {
            let received = (random_bytes(4096, seed), random_bytes(code.parity_bytes(), !seed));
            let (mut data, mut parity) = received.clone();
            let failed = code.decode(&mut data, &mut parity);
            assert_eq!(failed, Err(DecodeError::Uncorrectable));
            assert_eq!((data, parity), received);
        }
    }
}

#[test]
fn soft_beliefs_correct_what_hard_decisions_do_not() {
    for isa in isas() {
        let mut code = Ldpc::load(14).unwrap().with_isa(isa).unwrap();
        let sent = random_bytes(4096, 5);
        let mut parity = vec![0; code.parity_bytes()];
        code.encode(&sent, &mut parity).unwrap();
        let wrong = errors(code.codeword_bits(), 480, 3);
        let (mut data, mut received) = (sent.clone(), parity.clone());
        wrong.iter().for_each(|&place| flip(&mut data, &mut received, place));
        let word = [data.clone(), received.clone()].concat();
        assert!(code.decode(&mut data, &mut received).is_err());
        // The same errors, but most of them known to be doubtful.
        let beliefs: Vec<i8> = (0..code.codeword_bits())
            .map(|place| {
                let doubtful = wrong.contains(&place) && place % 4 != 0;
                let belief = if doubtful { 5 } else { 25 };
                if bit(&word, place) { -belief } else { belief }
            })
            .collect();
        let corrected = code.decode_soft(&beliefs, &mut data, &mut received).unwrap();
        assert_eq!(corrected.bits, wrong.len());
        assert!(data == sent && received == parity);
    }
}

/// The same beliefs in larger units give the same, though the largest would saturate the messages.
#[test]
fn beliefs_may_be_in_any_unit() {
    let mut code = Ldpc::load(14).unwrap();
    let wrong = errors(code.codeword_bits(), 480, 3);
    let mut found = |unit: i8| {
        let belief = |place: usize| {
            let doubtful = wrong.contains(&place) && !place.is_multiple_of(4);
            let size = if doubtful { unit } else { 5 * unit };
            if wrong.contains(&place) { -size } else { size }
        };
        let beliefs: Vec<i8> = (0..code.codeword_bits()).map(belief).collect();
        let (mut data, mut parity) = (vec![0xff; 4096], vec![0xff; code.parity_bytes()]);
        let corrected = code.decode_soft(&beliefs, &mut data, &mut parity);
        (corrected, data == [0; 4096])
    };
    let small = found(4);
    assert_eq!((small.0.unwrap().bits, small.1), (wrong.len(), true));
    for unit in [8, 16, 25] {
        assert_eq!(found(unit).1, small.1, "{unit}");
    }
}

#[test]
fn the_stored_matrices_are_what_the_construction_gives() {
    let matrix = construct(10, 128, 1).unwrap();
    assert_eq!(&matrix, Ldpc::load(10).unwrap().matrix());
}

#[test]
fn what_is_wrong_with_a_matrix_is_said_with_its_line() {
    let good = Ldpc::load(10).unwrap().matrix().to_string();
    assert_eq!(&BaseMatrix::parse(&good).unwrap(), Ldpc::load(10).unwrap().matrix());
    for (from, to, line, message) in [
        ("circulant 256", "circulant 255", 1, "`circulant` and a number (256)"),
        ("rows 10", "rows 3", 2, "`rows` and a number (4 to 64)"),
        ("rows 10", "rows 12", 140, "parity column 0 of 12 must be"),
        ("0:0 1:0", "0:0 1:7", 140, "parity column 1 of 10 must be `0:0 1:0`"),
        ("0:0 1:0", "1:0 0:0", 132, "rows must ascend"),
        ("0:0 1:0", "0:0 10:0", 132, "a row below 10, not `10:0`"),
        ("0:0 1:0", "0:0 1:256", 132, "not `1:256`"),
    ] {
        let error = BaseMatrix::parse(&good.replacen(from, to, 1)).unwrap_err();
        assert!(error.what.contains(message), "{error}");
        assert_eq!(error.line, line, "{error}");
    }
    assert!(BaseMatrix::parse("").is_err());
    assert!(BaseMatrix::parse("circulant 256\nrows 5\n").unwrap_err().what.contains("too few"));
}

#[test]
fn buffers_of_another_length_are_refused() {
    let mut code = Ldpc::load(10).unwrap();
    assert!(code.encode(&[0; 4095], &mut [0; 320]).is_err());
    assert!(code.decode(&mut [0; 4096], &mut [0; 321]).is_err());
    let failed = code.decode_soft(&[0; 5], &mut [0; 4096], &mut [0; 320]).unwrap_err();
    assert!(failed.to_string().contains("5 bytes of beliefs"), "{failed}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the beliefs are, all sets of instructions answer alike and without a panic.
    #[test]
    fn any_beliefs_are_decoded_alike(seed: u64, spread in 1u8..=255) {
        let code = Ldpc::load(10).unwrap().with_rounds(3);
        let beliefs: Vec<i8> = random_bytes(code.codeword_bits(), seed)
            .into_iter()
            .map(|byte| (byte % spread).wrapping_sub(spread / 8) as i8)
            .collect();
        let mut answers = Vec::new();
        for isa in isas() {
            let mut code = code.clone().with_isa(isa).unwrap();
            let (mut data, mut parity) = (vec![0; 4096], vec![0; 320]);
            let outcome = code.decode_soft(&beliefs, &mut data, &mut parity);
            answers.push((outcome, data, parity));
        }
        prop_assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    }
}
