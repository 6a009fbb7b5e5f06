//! The numbers of a drive that no data sheet has, from write amplification under uniform writes and fills.
//!
//! A drive writes f·A(L/U) units for each of the host's: A is the closed form of FIFO cleaning
//! ([`wordline_sim::theory::fifo`]), U the space that is written, L the room of the log, and f what is written
//! besides data: parity, metadata. While an empty drive is filled nothing is moved, so it writes f.

use wordline_sim::theory::fifo;

/// The room of a drive's log, and what it writes for each unit of data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Log {
    /// Room for data, in GiB, without what the drive holds back.
    pub room_gib: f64,
    /// Units written for each unit of data.
    pub factor: f64,
}

/// Uniform writes: GiB that are written, and the write amplification there.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// Space that is written.
    pub space_gib: f64,
    /// Write amplification.
    pub amplification: f64,
}

/// What was measured of a drive.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// Write amplification of sequential fills of the empty drive.
    pub fills: &'a [f64],
    /// Uniform writes.
    pub points: &'a [Point],
}

/// Rooms that are tried, as shares of the largest space that is written: where the sum of squares is
/// smallest, the search goes on. Beyond the largest of them nothing is moved.
const STEPS: u32 = 400;
const LEAST_SPARE: f64 = 1e-4;
const MOST_SPARE: f64 = 100.0;

impl Log {
    /// The log that suits the evidence best: by least squares of the logarithms, each fill and each point
    /// counting alike. `factor` is found, too, unless it is known.
    pub fn fit(evidence: Evidence<'_>, factor: Option<f64>) -> Self {
        let largest = evidence.points.iter().map(|point| point.space_gib).fold(0.0, f64::max);
        let room = |x: f64| largest * (1.0 + x.exp());
        let miss = |x: f64| evidence.miss(room(x), factor);
        let (low, high) = (LEAST_SPARE.ln(), MOST_SPARE.ln());
        let step = (high - low) / f64::from(STEPS);
        let at = |index: u32| low + step * f64::from(index);
        let best = (0..=STEPS).map(at).min_by(|&a, &b| miss(a).total_cmp(&miss(b))).unwrap_or(low);
        let room_gib = room(least(best - step, best + step, miss));
        Self { room_gib, factor: factor.unwrap_or_else(|| evidence.factor(room_gib)) }
    }

    /// Write amplification in closed form where `space_gib` are written uniformly.
    pub fn amplification(&self, space_gib: f64) -> f64 {
        self.factor * fifo(self.room_gib / space_gib)
    }
}

impl Evidence<'_> {
    /// The logarithm of what each observation has above the closed form of a log with `room_gib`.
    fn above(&self, room_gib: f64) -> impl Iterator<Item = f64> {
        let moved =
            move |point: &Point| (point.amplification / fifo(room_gib / point.space_gib)).ln();
        self.fills.iter().map(|fill| fill.ln()).chain(self.points.iter().map(moved))
    }

    /// The factor that suits a room best.
    fn factor(&self, room_gib: f64) -> f64 {
        let count = (self.fills.len() + self.points.len()) as f64;
        (self.above(room_gib).sum::<f64>() / count).exp()
    }

    /// Sum of squares that a room leaves.
    fn miss(&self, room_gib: f64, factor: Option<f64>) -> f64 {
        let factor = factor.unwrap_or_else(|| self.factor(room_gib)).ln();
        self.above(room_gib).map(|above| (above - factor).powi(2)).sum()
    }
}

/// Where a function with one minimum between `low` and `high` has it: the golden section.
fn least(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    let share = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..60 {
        let reach = share * (high - low);
        if of(high - reach) < of(low + reach) {
            high = low + reach;
        } else {
            low = high - reach;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: Log = Log { room_gib: 1100.0, factor: 1.04 };

    fn point(space_gib: f64) -> Point {
        Point { space_gib, amplification: LOG.amplification(space_gib) }
    }

    fn found(fills: &[f64], spaces: &[f64], factor: Option<f64>) -> Log {
        let points: Vec<Point> = spaces.iter().map(|&space| point(space)).collect();
        Log::fit(Evidence { fills, points: &points }, factor)
    }

    #[test]
    fn a_log_is_found_again_from_what_it_gives() {
        for log in [
            found(&[], &[800.0], Some(1.04)),
            found(&[1.04], &[800.0], None),
            found(&[], &[400.0, 800.0], None),
            found(&[1.04, 1.04], &[400.0, 600.0, 1000.0], None),
        ] {
            assert!((log.room_gib - 1100.0).abs() < 1e-3, "{log:?}");
            assert!((log.factor - 1.04).abs() < 1e-6, "{log:?}");
        }
    }

    #[test]
    fn what_no_log_gives_is_split_between_the_observations() {
        let log = found(&[1.04 * 1.02, 1.04 / 1.02], &[800.0], None);
        assert!((log.factor - 1.04).abs() < 1e-6, "{log:?}");
        let log = Log::fit(Evidence { fills: &[1.1], points: &[point(400.0), point(800.0)] }, None);
        assert!(1.04 < log.factor && log.factor < 1.1, "{log:?}");
    }
}
