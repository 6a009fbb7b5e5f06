//! When requests arrive.

use super::histogram::Histogram;
use super::report::ArrivalStats;

const WINDOW_NS: u64 = 1_000_000_000;

/// The arrivals of a volume, or of all.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrivals {
    first_ns: Option<u64>,
    last_ns: u64,
    gaps: Histogram,
    squares: f64,
    simultaneous: u64,
    window: u64,
    in_window: u64,
    window_squares: u128,
    peak: u64,
}

impl Arrivals {
    /// Counts an arrival; none lies before the one ahead.
    #[inline]
    pub fn add(&mut self, now_ns: u64) {
        let Some(first_ns) = self.first_ns else {
            *self =
                Self { first_ns: Some(now_ns), last_ns: now_ns, in_window: 1, ..Self::default() };
            return;
        };
        let gap_ns = now_ns - self.last_ns;
        self.last_ns = now_ns;
        self.gaps.add(gap_ns);
        self.squares += gap_ns as f64 * gap_ns as f64;
        self.simultaneous += u64::from(gap_ns == 0);
        let window = (now_ns - first_ns) / WINDOW_NS;
        if window != self.window {
            self.close_window();
            self.window = window;
        }
        self.in_window += 1;
    }

    fn close_window(&mut self) {
        self.window_squares += u128::from(self.in_window) * u128::from(self.in_window);
        self.peak = self.peak.max(self.in_window);
        self.in_window = 0;
    }

    /// From the first arrival to the last, nanoseconds.
    pub fn span_ns(&self) -> u64 {
        self.last_ns - self.first_ns.unwrap_or(self.last_ns)
    }

    /// The first arrival, nanoseconds.
    pub fn first_ns(&self) -> u64 {
        self.first_ns.unwrap_or(0)
    }

    /// The statistics; `None` where no time passed.
    pub fn finish(mut self) -> Option<ArrivalStats> {
        self.close_window();
        let mean_ns = self.gaps.mean().filter(|_| self.span_ns() > 0)?;
        let variance = (self.squares / self.gaps.count() as f64 - mean_ns * mean_ns).max(0.0);
        let cv = variance.sqrt() / mean_ns;
        let windows = (self.window + 1) as f64;
        let per_window = (self.gaps.count() + 1) as f64 / windows;
        let window_variance = self.window_squares as f64 / windows - per_window * per_window;
        let ms = |q| self.gaps.quantile(q).unwrap_or(0) as f64 / 1e6;
        Some(ArrivalStats {
            mean_ms: mean_ns / 1e6,
            cv,
            burstiness: (cv - 1.0) / (cv + 1.0),
            p50_ms: ms(0.5),
            p90_ms: ms(0.9),
            p99_ms: ms(0.99),
            p999_ms: ms(0.999),
            max_ms: self.gaps.max() as f64 / 1e6,
            simultaneous_share: self.simultaneous as f64 / self.gaps.count() as f64,
            peak_per_s: self.peak,
            dispersion: window_variance.max(0.0) / per_window,
            histogram_ns: self.gaps.octaves(),
        })
    }
}
