//! Every address equally often.

use super::param::GeneratorParam;
use super::pattern::Pattern;
use super::rng::Rng;
use super::space::{Extent, Space};
use super::values::Values;
use crate::Error;

/// Uniform random addresses.
#[derive(Clone)]
pub(super) struct Uniform {
    space: Space,
    rng: Rng,
}

impl Pattern for Uniform {
    const NAME: &'static str = "uniform";
    const SUMMARY: &'static str = "Random addresses, each equally likely";
    const PARAMS: &'static [GeneratorParam] = &[];

    fn new(space: Space, _values: &Values<'_>, rng: Rng) -> Result<Self, Error> {
        Ok(Self { space, rng })
    }

    fn uniform_span_bytes(&self) -> Option<u64> {
        Some(self.space.span_bytes)
    }

    #[inline]
    fn next(&mut self, size_bytes: u32) -> Extent {
        self.space.at(self.rng.below(self.space.slots), size_bytes)
    }
}
