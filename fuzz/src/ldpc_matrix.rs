//! Any text is a base matrix or an error with its line; a matrix is its own text, and encodes.

use wordline_codes::ecc::Ecc;
use wordline_codes::ecc::ldpc::{BaseMatrix, Ldpc};

/// Tries one input.
pub fn run(text: &str) {
    let Ok(matrix) = BaseMatrix::parse(text) else { return };
    assert_eq!(BaseMatrix::parse(&matrix.to_string()).as_ref(), Ok(&matrix));
    let mut code = Ldpc::new(matrix).with_rounds(2);
    let mut data = vec![0xa5; code.data_bytes()];
    let mut parity = vec![0; code.parity_bytes()];
    code.encode(&data, &mut parity).expect("buffers of the code's lengths");
    let corrected = code.decode(&mut data, &mut parity).expect("a codeword");
    assert_eq!(corrected.bits, 0);
}
