//! Every set of instructions gives the bits of the plain one. Those that this processor lacks are
//! reported as ignored: neither these tests nor any other tries them.

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;
use wordline_codes::bits;
use wordline_codes::cpu::Isa;
use wordline_codes::ecc::Ecc;
use wordline_codes::ecc::bch::{Bch, Kernel};
use wordline_codes::ecc::ldpc::Ldpc;

const ROUNDS: u64 = 8;
const LDPC_ROWS: usize = 10;
/// Bits of a codeword that are flipped: fewer than either code corrects.
const ERRORS: u64 = 20;

fn main() -> ExitCode {
    let bch = Kernel::ALL.map(|kernel| {
        let name = format!("bch_with_{}", kernel.name());
        trial(name, kernel.is_available(), move || {
            let plain = Bch::new(1024, 40).expect("a code");
            let tried = plain.clone().with_kernel(kernel).expect("it is available");
            compare(plain.with_kernel(Kernel::Plain).expect("plain"), tried);
        })
    });
    let ldpc = Isa::ALL.map(|isa| {
        let name = format!("ldpc_with_{}", isa.name());
        trial(name, isa.is_available(), move || {
            let code = || Ldpc::load(LDPC_ROWS).expect("a stored code");
            let tried = code().with_isa(isa).expect("it is available");
            compare(code().with_isa(Isa::Plain).expect("plain"), tried);
        })
    });
    let trials: Vec<Trial> = bch.into_iter().chain(ldpc).collect();
    for trial in trials.iter().filter(|trial| trial.has_ignored_flag()) {
        eprintln!("not tested: {}: this processor lacks the instructions", trial.name());
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial(name: String, is_available: bool, test: impl FnOnce() + Send + 'static) -> Trial {
    let run = || {
        test();
        Ok(())
    };
    Trial::test(name, run).with_ignored_flag(!is_available)
}

/// Parity, corrections and corrected data of random words with wrong bits.
fn compare(mut plain: impl Ecc, mut tried: impl Ecc) {
    for seed in 0..ROUNDS {
        let sent = random_bytes(plain.data_bytes(), seed);
        let [mut parity, mut parity_tried] = [(); 2].map(|()| vec![0; plain.parity_bytes()]);
        plain.encode(&sent, &mut parity).expect("lengths");
        tried.encode(&sent, &mut parity_tried).expect("lengths");
        assert_eq!(parity_tried, parity, "parity of word {seed}");
        let mut received = sent.clone();
        for error in 0..ERRORS {
            let place = bits::random_word(!seed, error) as usize % (sent.len() * 8);
            received[place / 8] ^= 0x80 >> (place % 8);
        }
        let mut received_tried = received.clone();
        let corrected = plain.decode(&mut received, &mut parity).expect("few errors");
        let corrected_tried = tried.decode(&mut received_tried, &mut parity_tried);
        assert_eq!(corrected_tried.expect("few errors").bits, corrected.bits);
        assert!(received == sent && received_tried == sent, "word {seed}");
    }
}

fn random_bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut words = vec![0; length.div_ceil(8)];
    bits::fill_random(&mut words, seed);
    let mut bytes = vec![0; length];
    bits::to_bytes(&words, &mut bytes);
    bytes
}
