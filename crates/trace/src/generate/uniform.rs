//! Every address equally often.

use super::param::{GeneratorParam, Kind};
use super::pattern::Pattern;
use super::permutation::Permutation;
use super::rng::Rng;
use super::space::{Extent, Space};
use super::values::Values;
use crate::Error;

const PASSES: GeneratorParam = GeneratorParam::new(
    "passes",
    Kind::OneOf(&["off", "on"]),
    "off",
    "",
    "on: each address once before any comes again, in a new order each time, as fio does unless \
     norandommap is set; off: each request draws for itself.",
);

/// Uniform random addresses.
#[derive(Clone)]
pub(super) struct Uniform {
    space: Space,
    rng: Rng,
    /// The order of the pass that is under way, and how far it has come.
    pass: Option<(Permutation, u64)>,
}

impl Uniform {
    /// The next place of a pass, or of a new one.
    fn slot_of_pass(&mut self) -> Option<u64> {
        let (order, next) = self.pass.as_mut()?;
        if *next == self.space.slots {
            (*order, *next) = (Permutation::new(self.space.slots, &mut self.rng), 0);
        }
        *next += 1;
        Some(order.of(*next - 1))
    }
}

impl Pattern for Uniform {
    const NAME: &'static str = "uniform";
    const SUMMARY: &'static str = "Random addresses, each equally likely";
    const PARAMS: &'static [GeneratorParam] = &[PASSES];

    fn new(space: Space, values: &Values<'_>, mut rng: Rng) -> Result<Self, Error> {
        let is_on = values.name(&PASSES) == "on";
        let pass = is_on.then(|| (Permutation::new(space.slots, &mut rng), 0));
        Ok(Self { space, rng, pass })
    }

    fn uniform_span_bytes(&self) -> Option<u64> {
        self.pass.is_none().then_some(self.space.span_bytes)
    }

    #[inline]
    fn next(&mut self, size_bytes: u32) -> Extent {
        let slot = match self.slot_of_pass() {
            Some(slot) => slot,
            None => self.rng.below(self.space.slots),
        };
        self.space.at(slot, size_bytes)
    }
}
