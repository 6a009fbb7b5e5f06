//! Configurations: declared once, checked on load, carried whole in every result.

mod param;
mod schema;

pub use param::{Kind, Param, PerPage, Table};
pub use schema::*;
