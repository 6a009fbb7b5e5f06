//! Error correction: BCH and quasi-cyclic LDPC codes, their failure rates, and the tables that a
//! simulator reads instead of running them.

pub mod bch;
mod channel;
mod codec;
mod field;
pub mod ldpc;
pub mod speed;
mod table;
pub mod trials;

pub use channel::{Sensing, SensingError, WrongBits, check_reads};
pub use codec::{Corrected, DecodeError, Ecc, LengthError};
pub use table::{EccTable, Measured, measured};
