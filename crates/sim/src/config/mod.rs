//! Configurations: checked on load, carried whole in every result. What they hold is declared in
//! `schema`, and by policies and techniques themselves.

mod document;
mod error;
mod layer;
mod load;
mod names;
mod parameters;
pub mod presets;
mod registry;
mod settle;
#[cfg(test)]
mod tests;
mod value;

pub use crate::declare::{Kind, Param, PerPage, PolicyDecl, Slot, Table, TechniqueDecl};
pub use crate::schema::*;
pub use error::ConfigError;
pub use load::{load, load_beside_own, place_of_keys};
pub use names::PresetKind;
pub use registry::{TABLES, TECHNIQUES, TableDecl, owners, policies};
