//! Bad input: what is wrong, where, and how to mend it.

use std::fmt;

/// Input that the laboratory cannot use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub what: String,
    /// Where: an option, a file and its key; empty where there is none.
    pub place: String,
    /// How to mend it.
    pub help: String,
}

impl Error {
    /// What is wrong and how to mend it; [`Error::at`] says where.
    pub fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), place: String::new(), help: help.into() }
    }

    /// Adds the place where it was found.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = place.into();
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        write!(f, "{} ({})", self.what, self.help)
    }
}

impl std::error::Error for Error {}
