//! The engine held to a naive reference, to timing rules worked out by hand, and to closed forms.

mod common;
mod determinism;
mod features;
mod invariants;
mod legality;
mod reference;
