//! What the loader must know of a technique to read `[technique.NAME]`.

use super::param::Param;

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

/// The techniques that a configuration may name.
pub const TECHNIQUES: &[TechniqueDecl] = &[];
