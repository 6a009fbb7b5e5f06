//! Any bytes decode to a codeword or to an error that leaves them alone; every kernel agrees.

use wordline_codes::ecc::Ecc;
use wordline_codes::ecc::bch::{Bch, Kernel};

/// Tries one input.
pub fn run(input: (u8, u8, &[u8])) {
    let (t, data_bytes, received) = input;
    let Ok(code) = Bch::new(usize::from(data_bytes), usize::from(t % 40)) else { return };
    let mut word = received.to_vec();
    word.resize(code.data_bytes() + code.parity_bytes(), 0);
    let mut answers = Vec::new();
    for kernel in Kernel::ALL {
        let Some(mut code) = code.clone().with_kernel(kernel) else { continue };
        let mut decoded = word.clone();
        let (data, parity) = decoded.split_at_mut(usize::from(data_bytes));
        let outcome = code.decode(data, parity);
        if outcome.is_ok() {
            // What was found is a codeword.
            assert_eq!(code.decode(data, parity).map(|again| again.bits), Ok(0));
        } else {
            assert_eq!(decoded, word);
        }
        answers.push((outcome, decoded));
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
}
