//! The cliff of drives of PCs: an empty drive is filled once, in order, by one thread.

use super::published::{check, row};
use super::smaller::smaller;
use crate::case::{Case, Check, Setup};
use wordline_sim::Outcome;
use wordline_sim::config::Config;
use wordline_sim::metrics::Values;

/// Reviews write 1 MB at a time; so many bytes a GB.
const REQUEST_BYTES: f64 = (1_u64 << 20) as f64;
const GB: f64 = 1e9;
/// Of the drive: what is left lets the drive take the last request.
const FILLED: f64 = 0.995;
/// Points of the course of a run, and over how many of them a rate has to stand.
const POINTS: u64 = 400;
const SMOOTHED: usize = 4;

/// A drive of the catalogue, and how much smaller the one is that stands for it.
struct Drive {
    /// The name in ids.
    id: &'static str,
    preset: &'static str,
    exported_gb: f64,
    /// Pages of a block of the preset, and of ours.
    pages: (u32, u32),
    figures: &'static [Figure],
}

/// A published figure: the end of its id, and what of a run it is. Plateaus are told apart by a rate between
/// their published ones.
type Figure = (&'static str, Of);

/// What of a fill is compared.
#[derive(Clone, Copy)]
enum Of {
    /// GB that were written when the rate fell below one in GB/s.
    FallsBelow(f64),
    /// GB/s between two falls; the drive's ends where there is none.
    Rate(Option<f64>, Option<f64>),
}

const DRIVES: [Drive; 4] = [
    Drive {
        id: "970-evo",
        preset: "samsung-970-evo-500g",
        exported_gb: 500.108,
        pages: (768, 48),
        figures: &[
            ("size", Of::FallsBelow(1.1)),
            ("cached", Of::Rate(None, Some(1.1))),
            ("beyond", Of::Rate(Some(1.1), None)),
            ("mean", Of::Rate(None, None)),
        ],
    },
    Drive {
        id: "870-qvo",
        preset: "samsung-870-qvo-4t",
        exported_gb: 4000.787,
        pages: (1536, 48),
        figures: &[("cached", Of::Rate(None, Some(0.29))), ("beyond", Of::Rate(Some(0.29), None))],
    },
    Drive {
        id: "mp700-elite",
        preset: "corsair-mp700-elite-2t",
        exported_gb: 2000.399,
        pages: (2616, 327),
        figures: &[
            ("size", Of::FallsBelow(2.9)),
            ("cached", Of::Rate(None, Some(2.9))),
            ("beyond", Of::Rate(Some(2.9), Some(0.99))),
            ("full-at", Of::FallsBelow(0.99)),
            ("full", Of::Rate(Some(0.99), None)),
            ("mean", Of::Rate(None, None)),
        ],
    },
    Drive {
        id: "fx700",
        preset: "hp-fx700-2t",
        exported_gb: 2000.399,
        pages: (3712, 128),
        figures: &[
            ("size", Of::FallsBelow(0.81)),
            ("cached", Of::Rate(None, Some(0.81))),
            ("beyond", Of::Rate(Some(0.81), None)),
            ("mean", Of::Rate(None, None)),
        ],
    },
];

/// The runs.
pub fn cases() -> Vec<Case> {
    DRIVES.iter().map(Drive::case).collect()
}

impl Drive {
    /// How many times smaller ours is.
    fn scale(&self) -> f64 {
        f64::from(self.pages.0) / f64::from(self.pages.1)
    }

    fn case(&self) -> Case {
        let id = format!("drives/{}/cliff", self.id);
        let requests = FILLED * self.exported_gb * GB / self.scale() / REQUEST_BYTES;
        let workload = format!("sequential:writes={},size_kib=1024", requests as u64);
        let setup = Setup { config: self.config(), workload: crate::generated(workload.clone()) };
        let checks = self.figures.iter().map(|&(name, of)| self.check(&id, name, of)).collect();
        Case { id, workload, setup: Ok(setup), others: Vec::new(), checks }
    }

    fn config(&self) -> Config {
        let points = format!("run.series_points={POINTS}");
        let sets = ["precondition.pattern=none", "host.mode=closed", "host.queue_depth=1", &points];
        smaller(self.preset, self.pages.1.into(), &sets)
    }

    fn check(&self, case: &str, name: &str, of: Of) -> Check {
        let scale = self.scale();
        let id = format!("{case}/{name}");
        debug_assert!(row(&id).reference.is_some());
        check(&id, Box::new(move |outcome| Course::of(outcome, scale).figure(of)))
    }
}

/// GB of the real drive that were written, and seconds of ours as many times over, sample by sample.
struct Course(Vec<(f64, f64)>);

impl Course {
    fn of(outcome: &Outcome, scale: f64) -> Self {
        let column = |name: &str| -> Vec<f64> {
            let column = outcome.series.0.iter().find(|column| column.name == name);
            match column.map(|column| &column.values) {
                Some(Values::U64(values)) => values.iter().map(|&value| value as f64).collect(),
                Some(Values::F64(values)) => values.clone(),
                _ => Vec::new(),
            }
        };
        let gb = column("requests").into_iter().map(|count| count * REQUEST_BYTES * scale / GB);
        let seconds = column("time_s").into_iter().map(|seconds| seconds * scale);
        Self(std::iter::once((0.0, 0.0)).chain(gb.zip(seconds)).collect())
    }

    fn figure(&self, of: Of) -> f64 {
        match of {
            Of::FallsBelow(rate) => self.0[self.fall(rate)].0,
            Of::Rate(from, to) => {
                let from = from.map_or(0, |rate| self.fall(rate) + 1);
                let to = to.map_or(self.0.len() - 1, |rate| self.fall(rate));
                let (begin, end) = (self.0[from], self.0[to]);
                (end.0 - begin.0) / (end.1 - begin.1)
            }
        }
    }

    /// The sample after which the rate stays below one in GB/s, but for a superblock's worth now and then; the last
    /// one if it never does.
    fn fall(&self, rate: f64) -> usize {
        let is_above = |from: usize, to: usize| {
            let (begin, end) = (self.0[from], self.0[to]);
            (end.0 - begin.0) > rate * (end.1 - begin.1)
        };
        let above = |&at: &usize| is_above(at - 1, at) && is_above(at.saturating_sub(SMOOTHED), at);
        (1..self.0.len()).rev().find(above).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plateaus_are_told_apart_by_where_the_rate_falls() {
        // 5 GB/s to 100 GB, 1 GB/s to 200, 0.5 beyond.
        let course = Course(vec![(0.0, 0.0), (100.0, 20.0), (200.0, 120.0), (300.0, 320.0)]);
        let figures = [
            Of::FallsBelow(2.0),
            Of::FallsBelow(0.7),
            Of::Rate(None, Some(2.0)),
            Of::Rate(Some(0.7), None),
            Of::Rate(None, None),
        ]
        .map(|of| course.figure(of));
        assert_eq!(figures[..3], [100.0, 200.0, 5.0]);
        assert!(figures[3].is_nan(), "one sample is no rate");
        assert!((figures[4] - 300.0 / 320.0).abs() < 1e-12);
    }

    #[test]
    fn the_scale_is_that_of_the_preset() {
        for drive in &DRIVES {
            let text = format!("[drive]\npreset = {:?}\n", drive.preset);
            let config = wordline_sim::config::load(&text, drive.preset, &[]).expect("a preset");
            assert_eq!(config.drive.chip.pages_per_block, u64::from(drive.pages.0), "{}", drive.id);
        }
    }
}
