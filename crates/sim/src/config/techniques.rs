//! What the loader must know of a technique to read `[technique.NAME]`.

use super::param::Param;
use crate::technique::ENTRIES;

/// A technique's name, parameters and their defaults.
#[derive(Debug, Clone, Copy)]
pub struct TechniqueDecl {
    /// The name in `[technique.NAME]`.
    pub name: &'static str,
    /// The parameters.
    pub params: &'static [Param],
    /// Every parameter at its default.
    pub defaults: fn() -> toml::Table,
}

/// The techniques that a configuration may name: those of [`ENTRIES`].
pub const TECHNIQUES: &[TechniqueDecl] = &{
    const NONE: TechniqueDecl = TechniqueDecl { name: "", params: &[], defaults: toml::Table::new };
    let mut declarations = [NONE; ENTRIES.len()];
    let mut index = 0;
    while index < ENTRIES.len() {
        declarations[index] = ENTRIES[index].declaration;
        index += 1;
    }
    declarations
};
