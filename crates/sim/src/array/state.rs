//! What an array is doing.

/// What an array is doing besides serving the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Nothing.
    Whole,
    /// A drive is missing.
    Degraded,
    /// A drive is rebuilt.
    Rebuild,
    /// All drives are read and compared.
    Scrub,
}

impl State {
    /// Its name in a result.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Degraded => "degraded",
            Self::Rebuild => "rebuild",
            Self::Scrub => "scrub",
        }
    }
}
