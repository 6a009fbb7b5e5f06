//! What can be wrong with a workload: what, where, and how to mend it.

use std::fmt;

/// A workload that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub what: String,
    /// Where: a file, a file and line, or the text of the specification.
    pub place: String,
    /// How to mend it; empty where nothing can be said.
    pub help: String,
    /// Whether the input is sound and the system failed, as by a full disk.
    pub is_of_system: bool,
}

impl Error {
    /// An error from its three parts.
    pub fn new(what: impl Into<String>, place: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), place: place.into(), help: help.into(), is_of_system: false }
    }

    /// What is wrong with the TOML of `text`, and in which line.
    pub(crate) fn of_toml(
        error: &toml::de::Error,
        text: &str,
        place: &str,
        help: impl Into<String>,
    ) -> Self {
        let before = error.span().and_then(|span| text.get(..span.start));
        let place = before.map_or_else(
            || place.to_owned(),
            |before| format!("{place}:{}", before.matches('\n').count() + 1),
        );
        let what = error.message().lines().collect::<Vec<_>>().join("; ");
        if text.parse::<toml::Table>().is_err() {
            return Self::new(format!("not valid TOML: {what}"), place, "");
        }
        Self::new(what, place, help)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)?;
        if !self.help.is_empty() {
            write!(f, " ({})", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
