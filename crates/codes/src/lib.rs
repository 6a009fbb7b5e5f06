//! Codes: write-once-memory codes and error correction. Knows nothing of the simulator.
//!
//! Bits stand in words of 64, bit `i` of a vector in bit `i % 64` of word `i / 64`.

// What the kernels for x86-64 use, nothing else does.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_imports))]

pub mod bits;
pub mod cpu;
pub mod ecc;
pub mod monte_carlo;
pub mod page;
pub mod wom;
