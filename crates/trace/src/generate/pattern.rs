//! Where requests go: the part in which generators differ.

use super::param::GeneratorParam;
use super::rng::Rng;
use super::space::{Extent, Space};
use super::values::Values;
use crate::Error;

/// A rule for addresses.
pub(crate) trait Pattern: Clone + Send + 'static {
    /// The name that a specification begins with.
    const NAME: &'static str;
    /// What it generates, in a sentence.
    const SUMMARY: &'static str;
    /// Where its definition comes from; empty for our own.
    const SOURCE: &'static str = "";
    /// Its own parameters.
    const PARAMS: &'static [GeneratorParam];

    /// The pattern over `space`.
    fn new(space: Space, values: &Values<'_>, rng: Rng) -> Result<Self, Error>;

    /// The bytes over which it draws addresses uniformly; `None` where it does not.
    fn uniform_span_bytes(&self) -> Option<u64> {
        None
    }

    /// Where the next request of `size_bytes` goes; shorter where the space ends.
    fn next(&mut self, size_bytes: u32) -> Extent;
}
