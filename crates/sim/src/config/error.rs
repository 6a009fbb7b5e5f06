//! What can be wrong with a configuration: what, where, and how to mend it.

use std::fmt;

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// What is wrong.
    pub what: String,
    /// Where: `file:line`, `file:line:column` for malformed TOML, or the override.
    pub place: String,
    /// How to mend it; empty where nothing can be said.
    pub help: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)?;
        if !self.help.is_empty() {
            write!(f, " ({})", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

/// What is wrong and how to mend it, before the place is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub what: String,
    pub help: String,
}

impl Problem {
    pub fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), help: help.into() }
    }

    pub fn at(self, place: impl Into<String>) -> ConfigError {
        ConfigError { what: self.what, place: place.into(), help: self.help }
    }
}
