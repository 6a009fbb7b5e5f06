//! A life in windows: what a drive or an array is like in each of them.

use super::counters::Counters;
use super::latency::Latencies;
use super::recorder::Recorder;
use super::wear::LifeWindow;
use std::ops::AddAssign;

/// How old blocks are: sums over them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Age {
    /// Blocks.
    pub blocks: u64,
    /// Those that are bad from the start or worn out.
    pub bad: u64,
    /// P/E cycles.
    pub pec: u64,
    /// Errors per KiB after a year, where they are known.
    pub errors: Option<f64>,
}

impl AddAssign for Age {
    fn add_assign(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.bad += other.bad;
        self.pec += other.pec;
        self.errors = match (self.errors, other.errors) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
    }
}

/// What the host writes over the life that a run stands for.
#[derive(Debug, Clone, Copy)]
pub struct Lived {
    /// Bytes of the life when erases last began to stand for so many cycles.
    from_lived: u64,
    /// Bytes of the run at that time.
    from_written: u64,
    cycles_per_erase: u32,
}

impl Default for Lived {
    fn default() -> Self {
        Self { from_lived: 0, from_written: 0, cycles_per_erase: 1 }
    }
}

impl Lived {
    /// Bytes of the life once the host has written so many in the run.
    pub fn bytes(&self, written: u64) -> u64 {
        self.from_lived + (written - self.from_written) * u64::from(self.cycles_per_erase)
    }

    /// The bytes of the run are counted anew, `written` having been written until here.
    pub fn restart(&mut self, written: u64) {
        (self.from_lived, self.from_written) = (self.bytes(written), 0);
    }

    /// From here on each erase, and so each write, stands for so many.
    pub fn go_on(&mut self, written: u64, cycles_per_erase: u32) {
        let from_lived = self.bytes(written);
        *self = Self { from_lived, from_written: written, cycles_per_erase };
    }
}

/// The totals at the beginning of a window.
#[derive(Debug, Default)]
pub struct Mark {
    counters: Counters,
    reads: Latencies,
    writes: Latencies,
    /// Bytes written by the host.
    pub bytes: u64,
}

impl Mark {
    /// The totals as they stand.
    pub fn new(counters: Counters, recorder: &Recorder) -> Self {
        Self {
            counters,
            reads: recorder.reads.clone(),
            writes: recorder.writes.clone(),
            bytes: recorder.bytes[1],
        }
    }

    /// The window between a mark and a later one.
    pub fn window(&self, to: &Self, age: Age, written_gib: f64) -> LifeWindow {
        let mean = |sum: f64, n: u64| (n > 0).then(|| sum / n as f64);
        let counted = |of: &dyn Fn(&Counters) -> u64| of(&to.counters) - of(&self.counters);
        let (reads, writes) = (to.reads.since(&self.reads), to.writes.since(&self.writes));
        LifeWindow {
            written_gib,
            pec_mean: age.pec as f64 / age.blocks as f64,
            good_block_share: 1.0 - age.bad as f64 / age.blocks as f64,
            erase_ms: mean(counted(&|c| c.erase_ns) as f64 / 1e6, counted(&|c| c.erases)),
            errors_per_kib: age.errors.map(|errors| errors / age.blocks as f64),
            write_amplification: mean(
                counted(&Counters::units_programmed) as f64,
                counted(&|c| c.host_units),
            ),
            read_mean_us: reads.as_ref().map(Latencies::mean_us),
            read_p999_us: reads.as_ref().map(|latencies| latencies.quantile_us(0.999)),
            write_mean_us: writes.as_ref().map(Latencies::mean_us),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Age, Lived, Mark};
    use crate::metrics::{Counters, Latencies};

    fn mark(counters: Counters, reads_us: &[u64], writes_us: &[u64]) -> Mark {
        let recorded = |latencies_us: &[u64]| {
            let mut latencies = Latencies::default();
            latencies_us.iter().for_each(|us| latencies.record(us * 1000, 1));
            latencies
        };
        let (reads, writes) = (recorded(reads_us), recorded(writes_us));
        Mark { counters, reads, writes, bytes: 0 }
    }

    #[test]
    fn a_window_tells_what_was_within_it() {
        let before = Counters {
            programs: [10, 20, 0, 0, 0, 0, 0, 0],
            host_units: 10,
            erases: 4,
            erase_ns: 40_000_000,
            ..Counters::default()
        };
        let after = Counters {
            programs: [30, 30, 0, 0, 0, 0, 0, 0],
            padding: 10,
            host_units: 30,
            erases: 9,
            erase_ns: 60_000_000,
            ..Counters::default()
        };
        let from = mark(before, &[1000, 1000], &[7000]);
        let to = mark(after, &[1000, 1000, 2, 4], &[7000, 5]);
        let age = Age { blocks: 8, bad: 2, pec: 4_000, errors: Some(24.0) };
        let window = from.window(&to, age, 3.5);
        assert_eq!(window.written_gib, 3.5);
        assert_eq!(window.pec_mean, 500.0);
        assert_eq!(window.good_block_share, 0.75);
        // 20 ms over 5 erases; 20 + 10 + 10 units programmed over 20 of the host.
        assert_eq!(window.erase_ms, Some(4.0));
        assert_eq!(window.write_amplification, Some(2.0));
        assert_eq!(window.errors_per_kib, Some(3.0));
        // Not those of before: 2 and 4 µs, and 5 µs.
        assert_eq!(window.read_mean_us, Some(3.0));
        let slowest_us = window.read_p999_us.expect("there were reads");
        assert!((slowest_us - 4.0).abs() < 0.01, "{slowest_us}");
        assert_eq!(window.write_mean_us, Some(5.0));
    }

    #[test]
    fn the_tail_of_a_window_is_what_one_read_in_a_thousand_exceeds() {
        // 985 reads of 1 µs, 13 of 50 and 2 of 900: the 990th and the 999th.
        let reads_us: Vec<u64> =
            [(985, 1), (13, 50), (2, 900)].iter().flat_map(|&(n, us)| vec![us; n]).collect();
        let (from, to) =
            (mark(Counters::default(), &[], &[]), mark(Counters::default(), &reads_us, &[]));
        let age = Age { blocks: 1, bad: 0, pec: 0, errors: None };
        let tail_us = from.window(&to, age, 1.0).read_p999_us.expect("there were reads");
        assert!((tail_us - 900.0).abs() < 10.0, "{tail_us}");
    }

    #[test]
    fn an_empty_window_has_no_means() {
        let from = mark(Counters::default(), &[10], &[20]);
        let to = mark(Counters::default(), &[10], &[20]);
        let age = Age { blocks: 4, bad: 0, pec: 8, errors: None };
        let window = from.window(&to, age, 0.0);
        assert_eq!((window.erase_ms, window.write_amplification), (None, None));
        assert_eq!((window.read_mean_us, window.read_p999_us), (None, None));
        assert_eq!((window.write_mean_us, window.errors_per_kib), (None, None));
    }

    #[test]
    fn ages_of_drives_add_up() {
        let mut age = Age { blocks: 3, bad: 1, pec: 50, errors: None };
        age += Age { blocks: 5, bad: 2, pec: 70, errors: Some(4.0) };
        age += Age { blocks: 7, bad: 4, pec: 90, errors: Some(6.0) };
        assert_eq!((age.blocks, age.bad, age.pec, age.errors), (15, 7, 210, Some(10.0)));
    }

    #[test]
    fn a_life_is_longer_than_its_run() {
        let mut lived = Lived::default();
        assert_eq!(lived.bytes(100), 100);
        lived.go_on(100, 20);
        assert_eq!(lived.bytes(130), 700);
        lived.go_on(130, 1);
        assert_eq!(lived.bytes(150), 720);
        lived.restart(150);
        assert_eq!((lived.bytes(0), lived.bytes(30)), (720, 750));
    }
}
