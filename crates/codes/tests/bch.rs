//! BCH codes: every pattern of at most t errors is corrected, more are refused or miscorrected at
//! the rate that counting predicts, and nothing panics.

use proptest::prelude::*;
use wordline_codes::bits;
use wordline_codes::ecc::bch::{Bch, BchError, Kernel};
use wordline_codes::ecc::{DecodeError, Ecc};

/// Every kernel of this processor.
fn kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.into_iter().filter(|kernel| kernel.is_available())
}

fn random_bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut words = vec![0; length.div_ceil(8)];
    bits::fill_random(&mut words, seed);
    let mut bytes = vec![0; length];
    bits::to_bytes(&words, &mut bytes);
    bytes
}

/// A codeword of random data.
struct Word {
    data: Vec<u8>,
    parity: Vec<u8>,
}

impl Word {
    fn new(code: &mut Bch, seed: u64) -> Self {
        let data = random_bytes(code.data_bytes(), seed);
        let mut parity = vec![0; code.parity_bytes()];
        code.encode(&data, &mut parity).unwrap();
        Self { data, parity }
    }

    fn with_errors(&self, places: &[usize]) -> Self {
        let (mut data, mut parity) = (self.data.clone(), self.parity.clone());
        for &place in places {
            match place.checked_sub(data.len() * 8) {
                None => data[place / 8] ^= 0x80 >> (place % 8),
                Some(place) => parity[place / 8] ^= 0x80 >> (place % 8),
            }
        }
        Self { data, parity }
    }
}

/// `count` different places below `length`.
fn places(length: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut found = std::collections::BTreeSet::new();
    for index in 0.. {
        if found.len() == count {
            break;
        }
        found.insert((bits::random_word(seed, index) % length as u64) as usize);
    }
    found.into_iter().collect()
}

fn assert_corrected(code: &mut Bch, sent: &Word, errors: &[usize]) {
    let mut word = sent.with_errors(errors);
    let corrected = code.decode(&mut word.data, &mut word.parity);
    assert_eq!(corrected.map(|done| done.bits), Ok(errors.len()), "errors at {errors:?}");
    assert_eq!((&word.data, &word.parity), (&sent.data, &sent.parity), "errors at {errors:?}");
}

#[test]
fn all_patterns_of_up_to_two_errors_are_corrected() {
    for kernel in kernels() {
        let mut code = Bch::new(5, 2).unwrap().with_kernel(kernel).unwrap();
        let sent = Word::new(&mut code, 1);
        for first in 0..code.codeword_bits() {
            assert_corrected(&mut code, &sent, &[first]);
            for second in 0..first {
                assert_corrected(&mut code, &sent, &[second, first]);
            }
        }
    }
}

#[test]
fn up_to_80_errors_in_a_kibibyte_are_corrected() {
    for (data_bytes, t) in [(512, 8), (1024, 1), (1024, 40), (1024, 72), (1024, 80)] {
        for kernel in kernels() {
            let mut code = Bch::new(data_bytes, t).unwrap().with_kernel(kernel).unwrap();
            let sent = Word::new(&mut code, 2);
            for errors in (0..=t).step_by(t.div_ceil(6)).chain([1, t]) {
                let errors = places(code.codeword_bits(), errors, errors as u64);
                assert_corrected(&mut code, &sent, &errors);
            }
        }
    }
}

#[test]
fn fields_up_to_the_largest_are_corrected() {
    for (data_bytes, t) in [(1, 1), (2, 3), (40, 12), (2048, 100), (4096, 100), (7000, 9)] {
        for kernel in kernels() {
            let mut code = Bch::new(data_bytes, t).unwrap().with_kernel(kernel).unwrap();
            let sent = Word::new(&mut code, 3);
            for errors in [0, 1, t / 2, t] {
                let errors = places(code.codeword_bits(), errors, t as u64);
                assert_corrected(&mut code, &sent, &errors);
            }
        }
    }
}

#[test]
fn one_error_too_many_is_refused_and_leaves_the_word_alone() {
    for kernel in kernels() {
        let mut code = Bch::new(1024, 72).unwrap().with_kernel(kernel).unwrap();
        let sent = Word::new(&mut code, 4);
        for (trial, errors) in [73, 74, 80, 100, 200, 4000].into_iter().enumerate() {
            let received = sent.with_errors(&places(code.codeword_bits(), errors, trial as u64));
            let mut word = received.with_errors(&[]);
            let failed = code.decode(&mut word.data, &mut word.parity);
            assert_eq!(failed, Err(DecodeError::Uncorrectable), "{errors} errors");
            assert_eq!((&word.data, &word.parity), (&received.data, &received.parity));
        }
    }
}

/// Every remainder occurs equally often among random words, and those of at most t errors are
/// corrected: Σ C(n, i) of 2^parity of them.
#[test]
fn random_words_are_miscorrected_as_often_as_counting_says() {
    for (data_bytes, t) in [(8, 1), (14, 2), (28, 2), (12, 3)] {
        for kernel in kernels() {
            let mut code = Bch::new(data_bytes, t).unwrap().with_kernel(kernel).unwrap();
            let trials = 20_000;
            let decoded = (0..trials)
                .filter(|&trial| {
                    let mut data = random_bytes(data_bytes, 1_000_000 + trial);
                    let mut parity = random_bytes(code.parity_bytes(), 2_000_000 + trial);
                    code.decode(&mut data, &mut parity).is_ok()
                })
                .count();
            let expected = code.miscorrection_bound() * trials as f64;
            let sigmas = (decoded as f64 - expected) / expected.sqrt();
            assert!(sigmas.abs() < 4.0, "{data_bytes} bytes, t {t}: {decoded}, not {expected}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    assert_eq!(Bch::new(0, 4).unwrap_err(), BchError::Empty);
    assert_eq!(Bch::new(64, 0).unwrap_err(), BchError::Empty);
    let too_long = Bch::new(8192, 8).unwrap_err();
    assert!(too_long.to_string().contains("8192 bytes with 8 errors"), "{too_long}");
    assert!(Bch::new(usize::MAX, usize::MAX).is_err());
}

#[test]
fn buffers_of_another_length_are_refused() {
    let mut code = Bch::new(64, 4).unwrap();
    let parity = code.parity_bytes();
    assert!(code.encode(&[0; 63], &mut vec![0; parity]).is_err());
    assert!(code.encode(&[0; 64], &mut vec![0; parity + 1]).is_err());
    let failed = code.decode(&mut [0; 65], &mut vec![0; parity]).unwrap_err();
    assert!(failed.to_string().contains("65 bytes of data"), "{failed}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any code, any data, any number of errors: up to t are corrected, more are never taken for
    /// the word that was sent, and all kernels agree.
    #[test]
    fn any_code_corrects_t_errors(
        data_bytes in 1usize..300, t in 1usize..30, errors in 0usize..40, seed: u64,
    ) {
        let code = Bch::new(data_bytes, t).unwrap();
        let errors = places(code.codeword_bits(), errors.min(code.codeword_bits()), seed);
        let mut outcomes = Vec::new();
        for kernel in kernels() {
            let mut code = code.clone().with_kernel(kernel).unwrap();
            let sent = Word::new(&mut code, seed);
            let mut word = sent.with_errors(&errors);
            let outcome = code.decode(&mut word.data, &mut word.parity);
            if errors.len() <= t {
                prop_assert_eq!(outcome.map(|done| done.bits), Ok(errors.len()));
                prop_assert_eq!(&word.data, &sent.data);
                prop_assert_eq!(&word.parity, &sent.parity);
            } else if outcome.is_ok() {
                prop_assert!(word.data != sent.data || word.parity != sent.parity);
            }
            outcomes.push((outcome, word.data, word.parity));
        }
        prop_assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]));
    }

    /// Sums of codewords are codewords, and a parity of random bytes is no panic.
    #[test]
    fn the_code_is_linear(seed: u64) {
        let mut code = Bch::new(100, 11).unwrap();
        let (a, b) = (Word::new(&mut code, seed), Word::new(&mut code, !seed));
        let sum = |x: &[u8], y: &[u8]| x.iter().zip(y).map(|(x, y)| x ^ y).collect::<Vec<u8>>();
        let mut data = sum(&a.data, &b.data);
        let mut parity = sum(&a.parity, &b.parity);
        prop_assert_eq!(code.decode(&mut data, &mut parity).map(|done| done.bits), Ok(0));
    }
}
