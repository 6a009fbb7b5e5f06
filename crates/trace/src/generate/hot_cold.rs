//! Two classes of addresses, each uniform in itself.

use super::param::{GeneratorParam, Kind};
use super::pattern::Pattern;
use super::rng::{Chance, Rng};
use super::space::{Extent, Space};
use super::values::Values;
use crate::Error;

const HOT: GeneratorParam = GeneratorParam::new(
    "hot",
    Kind::Real(0.0, 1.0),
    "0.2",
    "share",
    "Share of the addresses that are hot: the lowest.",
);
const SHARE: GeneratorParam = GeneratorParam::new(
    "share",
    Kind::Real(0.0, 1.0),
    "0.8",
    "share",
    "Share of the requests that go to hot addresses.",
);

/// Hot and cold addresses.
#[derive(Clone)]
pub(super) struct HotCold {
    space: Space,
    rng: Rng,
    share: Chance,
    hot_slots: u64,
}

impl Pattern for HotCold {
    const NAME: &'static str = "hotcold";
    const SUMMARY: &'static str = "A share of the addresses takes a share of the requests";
    const SOURCE: &'static str = "Rosenblum and Ousterhout, ACM TOCS 10(1), 1992, section 3.5";
    const PARAMS: &'static [GeneratorParam] = &[HOT, SHARE];

    fn new(space: Space, values: &Values<'_>, rng: Rng) -> Result<Self, Error> {
        let (hot, share) = (values.number(&HOT), values.number(&SHARE));
        let hot_slots = (hot * space.slots as f64).round() as u64;
        let (no_hot, no_cold) = (hot_slots == 0, hot_slots >= space.slots);
        if (no_hot && share > 0.0) || (no_cold && share < 1.0) {
            let class = if no_hot { "hot" } else { "cold" };
            let what = format!("hot = {hot} of {} addresses leaves none {class}", space.slots);
            return Err(values.error(what, "choose `hot` between 0 and 1, or a larger span_mib"));
        }
        Ok(Self { space, rng, share: Chance::new(share), hot_slots })
    }

    #[inline]
    fn next(&mut self, size_bytes: u32) -> Extent {
        let slot = if self.rng.happens(self.share) {
            self.rng.below(self.hot_slots)
        } else {
            self.hot_slots + self.rng.below(self.space.slots - self.hot_slots)
        };
        self.space.at(slot, size_bytes)
    }
}
