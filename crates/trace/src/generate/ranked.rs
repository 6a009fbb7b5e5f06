//! Addresses by popularity: a sampler of ranks, and where each rank lies.

use super::param::{GeneratorParam, Kind};
use super::pattern::Pattern;
use super::permutation::Permutation;
use super::rng::Rng;
use super::space::{Extent, Space};
use super::values::Values;
use crate::Error;

pub(super) const SCATTER: GeneratorParam = GeneratorParam::new(
    "scatter",
    Kind::OneOf(&["on", "off"]),
    "on",
    "",
    "Scatters the ranks over the address space; off puts the most popular address first.",
);

/// Draws ranks, 0 for the most popular.
pub(super) trait Ranks: Clone + Send + 'static {
    /// See [`Pattern`].
    const NAME: &'static str;
    /// See [`Pattern`].
    const SUMMARY: &'static str;
    /// See [`Pattern`].
    const SOURCE: &'static str;
    /// See [`Pattern`].
    const PARAMS: &'static [GeneratorParam];

    /// The sampler of ranks below `n`.
    fn new(n: u64, values: &Values<'_>) -> Result<Self, Error>;

    /// Draws a rank.
    fn sample(&self, rng: &mut Rng) -> u64;
}

/// The pattern in which address popularity follows the ranks of `R`.
#[derive(Clone)]
pub(super) struct Ranked<R> {
    space: Space,
    rng: Rng,
    ranks: R,
    scatter: Option<Permutation>,
}

impl<R: Ranks> Pattern for Ranked<R> {
    const NAME: &'static str = R::NAME;
    const SUMMARY: &'static str = R::SUMMARY;
    const SOURCE: &'static str = R::SOURCE;
    const PARAMS: &'static [GeneratorParam] = R::PARAMS;

    fn new(space: Space, values: &Values<'_>, mut rng: Rng) -> Result<Self, Error> {
        let mut order = Rng::new(rng.bits(), "scatter");
        let scatter =
            (values.name(&SCATTER) == "on").then(|| Permutation::new(space.slots, &mut order));
        Ok(Self { space, rng, ranks: R::new(space.slots, values)?, scatter })
    }

    #[inline]
    fn next(&mut self, size_bytes: u32) -> Extent {
        let rank = self.ranks.sample(&mut self.rng);
        let slot = self.scatter.as_ref().map_or(rank, |order| order.of(rank));
        self.space.at(slot, size_bytes)
    }
}
