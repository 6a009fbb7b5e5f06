//! Techniques.

pub mod erase;
