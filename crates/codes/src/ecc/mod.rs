//! Error correction: BCH and quasi-cyclic LDPC codes, their failure rates, and the tables that a
//! simulator reads instead of running them.

pub mod bch;
mod codec;
mod field;
pub mod ldpc;

pub use codec::{Corrected, DecodeError, Ecc, LengthError};
