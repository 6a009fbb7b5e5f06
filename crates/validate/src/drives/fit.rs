//! The numbers of a drive that no data sheet has, from published write amplification under uniform writes.
//!
//! A drive writes f·A(L/U) units for each of the host's: A is the closed form of FIFO cleaning
//! ([`wordline_sim::theory::fifo`]), U the space that is written, L the room of the log, and f what is written
//! besides data: parity, metadata.

use wordline_sim::theory::fifo;

/// The room of a drive's log, and what it writes for each unit of data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Log {
    /// Room for data, in GiB, without what the drive holds back.
    pub room_gib: f64,
    /// Units written for each unit of data.
    pub factor: f64,
}

/// A published point: GiB that are written uniformly, and the write amplification there.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// Space that is written.
    pub space_gib: f64,
    /// Write amplification.
    pub amplification: f64,
}

impl Log {
    /// The log of known factor that gives a point exactly.
    pub fn with_factor(factor: f64, point: Point) -> Self {
        let above = |room: f64| factor * fifo(room / point.space_gib) > point.amplification;
        let room_gib = bisect(point.space_gib, 100.0 * point.space_gib, above);
        Self { room_gib, factor }
    }

    /// Write amplification in closed form where `space_gib` are written uniformly.
    #[cfg(test)]
    pub fn amplification(&self, space_gib: f64) -> f64 {
        self.factor * fifo(self.room_gib / space_gib)
    }
}

/// The place between `low` and `high` where `is_left` turns from true to false.
fn bisect(mut low: f64, mut high: f64, is_left: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if is_left(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_found_again_from_what_it_gives() {
        let log = Log { room_gib: 1100.0, factor: 1.04 };
        let point = |space_gib| Point { space_gib, amplification: log.amplification(space_gib) };
        let found = Log::with_factor(1.04, point(800.0));
        assert!((found.room_gib - 1100.0).abs() < 1e-6);
    }
}
