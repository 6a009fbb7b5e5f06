//! Codes: write-once-memory codes and error correction. Knows nothing of the simulator.
//!
//! Bits stand in words of 64, bit `i` of a vector in bit `i % 64` of word `i / 64`.

pub mod bits;
pub mod cpu;
pub mod ecc;
pub mod monte_carlo;
pub mod page;
pub mod wom;
