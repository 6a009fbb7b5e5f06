//! Small random requests among large sequential ones.

use super::param::{GeneratorParam, Kind};
use super::pattern::Pattern;
use super::rng::{Chance, Rng};
use super::sequential::{STREAMS, Sequential};
use super::space::{Extent, Space, kib};
use super::uniform::Uniform;
use super::values::Values;
use crate::Error;

const RANDOM: GeneratorParam = GeneratorParam::new(
    "random",
    Kind::Real(0.0, 1.0),
    "0.5",
    "share",
    "Share of the requests that are random; the others are sequential.",
);
const SEQUENTIAL_KIB: GeneratorParam = GeneratorParam::new(
    "sequential_kib",
    Kind::Real(0.5, 65_536.0),
    "128",
    "KiB",
    "Size of a sequential request; random ones have size_kib.",
);

/// A weighted mix of uniform random requests and sequential streams over the same space.
#[derive(Clone)]
pub(super) struct Mixed {
    rng: Rng,
    share: Chance,
    random: Uniform,
    sequential: Sequential,
    sequential_bytes: u32,
}

impl Pattern for Mixed {
    const NAME: &'static str = "mixed";
    const SUMMARY: &'static str = "Random requests and sequential streams, weighted";
    const PARAMS: &'static [GeneratorParam] = &[RANDOM, SEQUENTIAL_KIB, STREAMS];

    fn new(space: Space, values: &Values<'_>, mut rng: Rng) -> Result<Self, Error> {
        let sequential_bytes = kib(values.number(&SEQUENTIAL_KIB));
        let choice = Rng::new(rng.bits(), "kind");
        Ok(Self {
            rng: choice,
            share: Chance::new(values.number(&RANDOM)),
            sequential: Sequential::with_size(&space, values, sequential_bytes)?,
            random: Uniform::new(space, values, rng)?,
            sequential_bytes: sequential_bytes as u32,
        })
    }

    #[inline]
    fn next(&mut self, size_bytes: u32) -> Extent {
        if self.rng.happens(self.share) {
            self.random.next(size_bytes)
        } else {
            self.sequential.next(self.sequential_bytes)
        }
    }
}
