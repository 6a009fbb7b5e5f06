//! The places of errors: the roots of the locator.

mod chien;

pub use chien::search;
