//! What the tables of several papers have in common.

use crate::generate::math::exp;
use crate::twin::model::{Arrivals, Class, GapLaw, Reads};
use crate::twin::sizes::Sizes;
use serde::Deserialize;

/// Rounds of proportional fitting; each halves what is amiss at least.
const FITTING_ROUNDS: usize = 200;

pub(super) const GIB: f64 = (1u64 << 30) as f64;

/// What a table says nothing of, and the twin must have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Assumed {
    /// Requests of a burst, on the average.
    burst_requests: f64,
    /// The mean gap within a burst, as a share of the mean gap.
    burst_gap_share: f64,
    pub read_new: f64,
    read_overlap: f64,
    read_sequential: f64,
    read_skew: f64,
    write_sequential: f64,
    write_follow: f64,
    /// Share of the writes that begin where one of `streams` open runs ended.
    #[serde(default)]
    pub write_runs: f64,
    #[serde(default = "one")]
    pub streams: u32,
    /// Sizes and weights; tilted to the means of each row.
    sizes_kib: Vec<(f64, f64)>,
}

fn one() -> u32 {
    1
}

impl Assumed {
    /// On and off: in a burst, gaps are short; each request ends the burst with one chance in
    /// `burst_requests`, and the pause makes up for the mean.
    pub fn arrivals(&self) -> Arrivals {
        let ends = 1.0 / self.burst_requests;
        let pause = (1.0 - (1.0 - ends) * self.burst_gap_share) / ends;
        let row = vec![1.0 - ends, ends];
        Arrivals {
            law: GapLaw::Exponential,
            gaps_us: vec![self.burst_gap_share, pause],
            operations: Vec::new(),
            next: vec![row.clone(), row],
        }
    }

    /// Sizes with this mean.
    pub fn sizes(&self, mean_bytes: f64) -> Sizes {
        self.sizes_within(mean_bytes, 0.0, f64::INFINITY)
    }

    /// Sizes from `low_kib` up to, but not including, `high_kib` with this mean.
    pub fn sizes_within(&self, mean_bytes: f64, low_kib: f64, high_kib: f64) -> Sizes {
        let inside = |&&(kib, _): &&(f64, f64)| (low_kib..high_kib).contains(&kib);
        let base: Vec<(u32, f64)> = self
            .sizes_kib
            .iter()
            .filter(inside)
            .map(|&(kib, weight)| ((kib * 1024.0) as u32, weight))
            .collect();
        Sizes::tilted(&base, mean_bytes)
    }

    /// Reads of which the share `new` is of data not read before.
    pub fn reads(&self, new: f64, sizes: Sizes) -> Reads {
        Reads {
            new,
            overlap: self.read_overlap,
            sequential: self.read_sequential,
            skew: self.read_skew,
            sizes,
        }
    }

    /// A class without new pages or updates yet.
    pub fn class(&self, sizes: Sizes) -> Class {
        Class {
            new: 0.0,
            updates: vec![0.0],
            follow: self.write_follow,
            sequential: self.write_sequential,
            youth: 1.0,
            eager: 1.0,
            limit: 0,
            piece_bytes: 0,
            sizes,
        }
    }
}

/// How updates fall on hot and cold places.
#[derive(Clone, Copy)]
pub(super) struct Skew {
    /// Share of the places that are hot.
    pub hot_share: f64,
    /// Share of the updates that they take.
    pub hot_updates: f64,
    /// How much sooner hot places are rewritten, beyond what their number of updates brings: the
    /// exponent, a bin, of the ratio of hot to cold updates.
    pub tilt: f64,
}

/// Splits `class`, which writes the share `total` of all pages, into a hot and a cold one;
/// `update` of its pages are rewritten, after intervals that fall into bins as `zones` says.
///
/// The hot class has `hot_share` of the new pages and `hot_updates` of the updates. The matrix of
/// class and bin is the one with these margins that is nearest to e^(−tilt × bin) for the hot.
pub(super) fn hot_and_cold(
    class: &Class,
    total: f64,
    update: f64,
    zones: &[f64],
    skew: Skew,
) -> [Class; 2] {
    let margins = [skew.hot_updates, 1.0 - skew.hot_updates];
    let mut matrix = [0.0, 1.0].map(|cold| -> Vec<f64> {
        let weigh = |bin: usize| exp(-skew.tilt * bin as f64 * (1.0 - cold));
        (0..zones.len()).map(weigh).collect()
    });
    for _ in 0..FITTING_ROUNDS {
        for (bin, &zone) in zones.iter().enumerate() {
            let sum = matrix[0][bin] + matrix[1][bin];
            let factor = if sum > 0.0 { zone / sum } else { 0.0 };
            matrix.iter_mut().for_each(|row| row[bin] *= factor);
        }
        for (row, margin) in matrix.iter_mut().zip(margins) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|share| *share *= margin / sum);
        }
    }
    let places = [skew.hot_share, 1.0 - skew.hot_share];
    let mut places = places.into_iter();
    matrix.map(|row| Class {
        new: total * (1.0 - update) * places.next().unwrap_or(0.0),
        updates: row.into_iter().map(|share| share * total * update).collect(),
        ..class.clone()
    })
}

/// Reads one of the built-in files.
pub(super) fn parse<T: for<'a> Deserialize<'a>>(text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("a built-in table of workloads: {error}"))
}
