//! The declaration of a generator's parameter.

/// What a parameter may hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A whole number in this closed range.
    Count(f64, f64),
    /// A number in this closed range.
    Real(f64, f64),
    /// One of these names.
    OneOf(&'static [&'static str]),
}

/// A parameter's declaration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeneratorParam {
    /// Its key in a specification.
    pub key: &'static str,
    /// What it may hold.
    pub kind: Kind,
    /// Its default, as it would be written; empty where the help says what holds instead.
    pub default: &'static str,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
}

impl GeneratorParam {
    pub(crate) const fn new(
        key: &'static str,
        kind: Kind,
        default: &'static str,
        unit: &'static str,
        help: &'static str,
    ) -> Self {
        Self { key, kind, default, unit, help }
    }
}

/// Greatest whole number that every notation gives exactly.
pub(crate) const MAX_COUNT: f64 = 9_007_199_254_740_992.0;
