//! Configurations: declared once, checked on load, carried whole in every result.

mod document;
mod error;
mod layer;
mod load;
mod names;
mod param;
pub mod presets;
mod schema;
mod techniques;
#[cfg(test)]
mod tests;
mod value;

pub use error::ConfigError;
pub use load::load;
pub use param::{Kind, Param, PerPage, Table};
pub use schema::*;
pub use techniques::{TECHNIQUES, TechniqueDecl};
