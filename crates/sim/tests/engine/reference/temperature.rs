//! How hot a write is: 0 the hottest.

use wordline_sim::config::Config;
use wordline_trace::Request;

/// Runs that the sequence policy follows at once.
const RUNS: usize = 16;

pub enum Temperature {
    None,
    /// Larger requests are cold.
    Size {
        limit_bytes: u32,
    },
    /// Logical units from this one on are cold.
    Oracle {
        cold_from: usize,
    },
    /// The sooner the data is written over, the hotter.
    Interval {
        bounds_ns: Vec<u64>,
        /// Whether each unit has a time stamp of its own.
        by_unit: bool,
    },
    /// Requests that make a run at least this long are cold. `(end, length)` of each run; a new run
    /// takes the place of the one that began first.
    Sequence {
        limit_bytes: u64,
        runs: Vec<(u64, u64)>,
        begun: usize,
    },
}

impl Temperature {
    pub fn new(config: &Config, logical_units: usize) -> Self {
        let hotness = &config.ftl.hotness;
        match hotness.policy.name() {
            "size" => Self::Size { limit_bytes: (hotness.size_kib * 1024.0) as u32 },
            "oracle" => {
                let cold_from = (hotness.hot_share * logical_units as f64).round() as usize;
                Self::Oracle { cold_from }
            }
            policy @ ("interval" | "page_interval") => {
                let to_ns = |minutes: &f64| (minutes * 60e9) as u64;
                Self::Interval {
                    bounds_ns: hotness.intervals_min.iter().map(to_ns).collect(),
                    by_unit: policy == "page_interval",
                }
            }
            "sequence" => Self::Sequence {
                limit_bytes: (hotness.run_kib * 1024.0) as u64,
                runs: Vec::new(),
                begun: 0,
            },
            _ => Self::None,
        }
    }

    /// The temperature of each unit of a request: the same for all, but by address for an oracle, and
    /// by the age of what it replaces (see [`Self::of_age`]) for intervals.
    pub fn of(&mut self, request: &Request, units: &[usize]) -> Vec<usize> {
        let size = u64::from(request.size_bytes);
        let is_cold = match self {
            Self::None | Self::Interval { .. } => false,
            Self::Size { limit_bytes } => request.size_bytes > *limit_bytes,
            Self::Oracle { cold_from } => {
                return units.iter().map(|lpn| usize::from(lpn >= cold_from)).collect();
            }
            Self::Sequence { limit_bytes, runs, begun } => {
                let continued = runs.iter().position(|(end, _)| *end == request.offset_bytes);
                let at = continued.unwrap_or_else(|| {
                    let place = *begun % RUNS;
                    *begun += 1;
                    if place == runs.len() {
                        runs.push((0, 0));
                    }
                    runs[place] = (0, 0);
                    place
                });
                runs[at] = (request.offset_bytes + size, runs[at].1 + size);
                runs[at].1 >= *limit_bytes
            }
        };
        vec![usize::from(is_cold); units.len()]
    }

    /// Whether it goes by when each unit was written.
    pub fn is_by_unit(&self) -> bool {
        matches!(self, Self::Interval { by_unit: true, .. })
    }

    /// The temperature of a write over data that is that old (its block opened, or itself written);
    /// `None` where that does not matter.
    pub fn of_age(&self, age_ns: Option<u64>) -> Option<usize> {
        let Self::Interval { bounds_ns, .. } = self else { return None };
        Some(bounds_ns.iter().filter(|&&bound| age_ns.is_none_or(|age| age >= bound)).count())
    }
}
