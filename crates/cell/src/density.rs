//! Distributions of threshold voltages on a fixed grid.

use wordline_stats::normal_cdf;

/// Lowest voltage of the grid, in units.
pub const LOWEST: f64 = -384.0;
/// Width of a bin, in units.
pub const BIN: f64 = 0.5;
/// Number of bins: the grid ends at 896 units.
pub const BINS: usize = 2560;

/// Kernels end here, in standard deviations: what is left out is below 1e-13.
const REACH_SIGMAS: f64 = 7.5;

/// The share of cells in each bin of the grid; what would fall beyond it stays in its outer bins.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    bins: Vec<f64>,
}

impl Density {
    /// No cells at all.
    pub fn none() -> Self {
        Self { bins: vec![0.0; BINS] }
    }

    /// A normal distribution; `sigma` in units, above 0.
    pub fn normal(mean: f64, sigma: f64) -> Self {
        let mut bins = vec![0.0; BINS];
        let mut below = 0.0;
        for (i, bin) in bins.iter_mut().enumerate() {
            let at = if i + 1 == BINS { 1.0 } else { normal_cdf((edge(i + 1) - mean) / sigma) };
            *bin = at - below;
            below = at;
        }
        Self { bins }
    }

    /// Voltage in the middle of each bin, in units.
    pub fn voltages() -> impl Iterator<Item = f64> {
        (0..BINS).map(|i| edge(i) + 0.5 * BIN)
    }

    /// The share of cells in each bin.
    pub fn bins(&self) -> &[f64] {
        &self.bins
    }

    /// Share of all cells that this distribution holds.
    pub fn mass(&self) -> f64 {
        self.bins.iter().sum()
    }

    /// Mean voltage, in units.
    pub fn mean(&self) -> f64 {
        self.moment(|v| v) / self.mass()
    }

    /// Standard deviation, in units.
    pub fn sigma(&self) -> f64 {
        let mean = self.mean();
        libm::sqrt(self.moment(|v| (v - mean) * (v - mean)) / self.mass())
    }

    fn moment(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.bins.iter().zip(Self::voltages()).map(|(bin, v)| bin * of(v)).sum()
    }

    /// Share of cells below `voltage`, spread evenly within a bin.
    pub fn below(&self, voltage: f64) -> f64 {
        let at = ((voltage - LOWEST) / BIN).clamp(0.0, BINS as f64);
        let whole = at as usize;
        let sum: f64 = self.bins[..whole].iter().sum();
        sum + self.bins.get(whole).map_or(0.0, |bin| bin * (at - whole as f64))
    }

    /// The cells below `voltage`, and the others; a bin that it falls into is shared evenly.
    pub fn split(&self, voltage: f64) -> (Self, Self) {
        let (mut below, mut above) = (Self::none(), Self::none());
        for (i, bin) in self.bins.iter().enumerate() {
            let part = bin * ((voltage - edge(i)) / BIN).clamp(0.0, 1.0);
            below.bins[i] = part;
            above.bins[i] = bin - part;
        }
        (below, above)
    }

    /// Share of cells below each edge of the grid, from the lowest to the highest.
    pub fn cumulative(&self) -> Vec<f64> {
        let mut sum = 0.0;
        let steps = self.bins.iter().map(|bin| {
            sum += bin;
            sum
        });
        std::iter::once(0.0).chain(steps).collect()
    }

    /// Adds `share` of another distribution.
    pub fn add(&mut self, other: &Self, share: f64) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            *bin += share * more;
        }
    }

    /// The distribution with every voltage changed by a function that never falls.
    pub fn mapped(&self, to: impl Fn(f64) -> f64) -> Self {
        let mut out = Self::none();
        let mut low = to(edge(0));
        for (i, &bin) in self.bins.iter().enumerate() {
            let high = to(edge(i + 1));
            if bin > 0.0 {
                out.spread(bin, low, high);
            }
            low = high;
        }
        out
    }

    /// The distribution `by` units higher.
    pub fn shifted(&self, by: f64) -> Self {
        if by == 0.0 { self.clone() } else { self.mapped(|v| v + by) }
    }

    /// Puts `mass` evenly between two voltages.
    fn spread(&mut self, mass: f64, low: f64, high: f64) {
        let (a, b) = ((low - LOWEST) / BIN, (high - LOWEST) / BIN);
        let last = (BINS - 1) as f64;
        let (first_bin, last_bin) = (a.clamp(0.0, last) as usize, b.clamp(0.0, last) as usize);
        let width = b - a;
        if first_bin == last_bin || width <= 0.0 {
            self.bins[first_bin] += mass;
            return;
        }
        let mut placed = 0.0;
        for i in first_bin..last_bin {
            let share = mass * ((i as f64 + 1.0 - a.max(i as f64)) / width);
            self.bins[i] += share;
            placed += share;
        }
        self.bins[last_bin] += mass - placed;
    }

    /// The sum with an independent normal number of mean zero.
    pub fn with_normal(&self, sigma: f64) -> Self {
        if sigma <= 0.0 {
            return self.clone();
        }
        // What moves by the whole grid or more stays in an outer bin, however far it goes.
        let reach = ((REACH_SIGMAS * sigma / BIN) as usize + 1).min(BINS);
        let cdf =
            |i: usize| if i == BINS { 1.0 } else { normal_cdf((i as f64 + 0.5) * BIN / sigma) };
        let half: Vec<f64> =
            (0..=reach).map(|i| cdf(i) - if i == 0 { 1.0 - cdf(0) } else { cdf(i - 1) }).collect();
        let kernel: Vec<f64> = half.iter().skip(1).rev().chain(half.iter()).copied().collect();
        self.convolved(&kernel, reach)
    }

    /// The sum with an independent number that `kernel` gives bin by bin, `centre` being zero.
    fn convolved(&self, kernel: &[f64], centre: usize) -> Self {
        let mut out = vec![0.0; BINS + kernel.len()];
        for (i, &bin) in self.bins.iter().enumerate() {
            if bin > 0.0 {
                for (sum, share) in out[i..i + kernel.len()].iter_mut().zip(kernel) {
                    *sum += bin * share;
                }
            }
        }
        let mut bins = out[centre..centre + BINS].to_vec();
        bins[0] += out[..centre].iter().sum::<f64>();
        bins[BINS - 1] += out[centre + BINS..].iter().sum::<f64>();
        Self { bins }
    }

    /// `share` of the cells fall by an exponential number of mean `scale` units.
    pub fn with_fall(&self, share: f64, scale: f64) -> Self {
        if share <= 0.0 || scale <= 0.0 {
            return self.clone();
        }
        let decay = libm::exp(-BIN / scale);
        let mut fallen = vec![0.0; BINS];
        let mut carried = 0.0;
        for i in (0..BINS).rev() {
            carried = carried * decay + self.bins[i] * (1.0 - decay);
            fallen[i] = carried;
        }
        fallen[0] += self.mass() - fallen.iter().sum::<f64>();
        let bins = self.bins.iter().zip(&fallen).map(|(b, f)| (1.0 - share) * b + share * f);
        Self { bins: bins.collect() }
    }

    /// What a program makes of these cells: those below `verify` rise to the lower of two
    /// independent numbers, if that is higher, and take `noise`; the others stay.
    ///
    /// The numbers are `verify` plus an overshoot even between 0 and `step`, and the voltage at
    /// which the loops end, normal with standard deviation `speed` about the means that `reach` gives
    /// with the share of the cells for which each holds.
    pub fn programmed(
        &self,
        verify: f64,
        step: f64,
        reach: &[(f64, f64)],
        speed: f64,
        noise: f64,
    ) -> Self {
        let goal = |v: f64| 1.0 - ((v - verify) / step.max(1e-9)).clamp(0.0, 1.0);
        let above = |z: f64| match z {
            z if z < -REACH_SIGMAS => 1.0,
            z if z > REACH_SIGMAS => 0.0,
            z => 1.0 - normal_cdf(z),
        };
        let end = |v: f64| -> f64 {
            reach.iter().map(|(mean, share)| share * above((v - mean) / speed.max(1e-9))).sum()
        };
        let (low, stays) = self.split(verify);
        let mut before = 0.0;
        let mut raised = Self::none();
        for (i, below) in low.cumulative().into_iter().skip(1).enumerate() {
            let at = edge(i + 1);
            let now = below * (1.0 - goal(at) * end(at));
            raised.bins[i] = now - before;
            before = now;
        }
        raised.bins[BINS - 1] += low.mass() - before;
        let mut out = raised.with_normal(noise);
        out.add(&stays, 1.0);
        out
    }
}

/// Lower edge of a bin, in units.
pub(crate) fn edge(bin: usize) -> f64 {
    LOWEST + bin as f64 * BIN
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} is not within {within} of {b}");
    }

    #[test]
    fn normals_add_their_variances() {
        let sum = Density::normal(100.0, 6.0).with_normal(8.0);
        near(sum.mass(), 1.0, 1e-12);
        near(sum.mean(), 100.0, 1e-9);
        near(sum.sigma(), 10.0, 0.01);
        for z in [-5.0, -3.0, 0.0, 2.0, 4.5] {
            let exact = normal_cdf(z);
            near(sum.below(100.0 + 10.0 * z) / exact, 1.0, 0.02);
        }
    }

    #[test]
    fn a_program_ends_an_even_overshoot_above_its_level() {
        let erased = Density::normal(-80.0, 20.0);
        let done = erased.programmed(200.0, 24.0, &[(800.0, 1.0)], 5.0, 0.0);
        near(done.mean(), 212.0, 0.3);
        near(done.sigma(), 24.0 / 12f64.sqrt(), 0.05);
        assert_eq!(done.below(199.5), 0.0);
        near(done.below(224.5), 1.0, 1e-12);
    }

    #[test]
    fn slow_cells_stay_where_their_loops_end() {
        let done = Density::normal(-80.0, 20.0).programmed(200.0, 4.0, &[(210.0, 1.0)], 10.0, 0.0);
        let slow = normal_cdf((200.0 - 210.0) / 10.0);
        near(done.below(200.0), slow, 1e-3);
    }

    #[test]
    fn cells_above_the_level_are_left_alone() {
        let high = Density::normal(300.0, 5.0);
        let same = high.programmed(200.0, 10.0, &[(800.0, 1.0)], 5.0, 4.0);
        for v in [290.0, 300.0, 310.0] {
            near(same.below(v), high.below(v), 1e-12);
        }
    }

    #[test]
    fn falls_are_exponential() {
        let fallen = Density::normal(300.0, 1.0).with_fall(0.25, 20.0);
        near(fallen.mass(), 1.0, 1e-12);
        near(fallen.mean(), 300.0 - 0.25 * 20.0, 0.3);
        near(fallen.below(260.0), 0.25 * libm::exp(-2.0), 0.002);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(mean in -500.0f64..1000.0, sigma in 0.5f64..60.0, by in -900.0f64..900.0,
                           verify in -300.0f64..800.0, noise in 0.0f64..20.0) {
            let d = Density::normal(mean, sigma);
            let all = [
                d.shifted(by),
                d.mapped(|v| 0.7 * v + by),
                d.with_normal(noise),
                d.with_fall(0.1, noise),
                d.programmed(verify, 20.0, &[(verify + by, 0.25), (verify, 0.75)], 8.0, noise),
            ];
            for after in all {
                prop_assert!((after.mass() - 1.0).abs() < 1e-9);
                prop_assert!(after.bins().iter().all(|&bin| bin >= -1e-15));
            }
        }

        #[test]
        fn programs_only_raise(mean in -100.0f64..400.0, verify in 0.0f64..500.0) {
            let before = Density::normal(mean, 12.0);
            let after = before.programmed(verify, 20.0, &[(verify - 10.0, 1.0)], 8.0, 0.0);
            for v in (-200..600).step_by(10).map(f64::from) {
                prop_assert!(after.below(v) <= before.below(v) + 1e-12);
            }
        }
    }
}
