//! Workloads under which the garbage collection of DiskSim's drive lasts.
//!
//! They are drawn from the Mersenne Twister as Python's `random` draws from it, so that the traces on which
//! DiskSim was run can be written again in a few lines of Python; `runs.rs` has the parameters of each.

use wordline_trace::{Error, Op, Request, Source};

const PAGE_BYTES: u64 = 4096;

/// Where requests begin.
#[derive(Debug, Clone, Copy)]
pub enum Places {
    /// Anywhere.
    Uniform,
    /// A share of the requests within the first `pages`, all others behind them; uniform within each.
    Hot {
        /// Pages that are hot.
        pages: u32,
        /// Share of requests that go there.
        share: f64,
    },
    /// A share of the requests where the last one ended, if there is room; all others anywhere.
    Runs {
        /// Share of requests that go on.
        share: f64,
    },
}

/// Requests of 1 to `largest_pages` pages, exponentially distributed in time.
#[derive(Debug, Clone, Copy)]
pub struct Lasting {
    /// Requests in all.
    pub requests: u64,
    /// Pages from the start of the drive that are addressed.
    pub pages: u32,
    /// Where in these.
    pub places: Places,
    /// Share of reads.
    pub read_share: f64,
    /// Pages of the largest request.
    pub largest_pages: u32,
    /// Mean inter-arrival time.
    pub mean_ms: f64,
    /// Of the generator.
    pub seed: u32,
}

impl Lasting {
    /// The requests.
    pub fn source(self) -> Box<dyn Source> {
        Box::new(Stream::new(self))
    }
}

struct Stream {
    kind: Lasting,
    random: Twister,
    issued: u64,
    now_ms: f64,
    /// Page behind the last request.
    end: u32,
}

impl Stream {
    fn new(kind: Lasting) -> Self {
        Self { kind, random: Twister::new(kind.seed), issued: 0, now_ms: 0.0, end: 0 }
    }

    fn draw(&mut self) -> Request {
        let Lasting { read_share, largest_pages, mean_ms, .. } = self.kind;
        self.now_ms += -(1.0 - self.random.uniform()).ln() / (1.0 / mean_ms);
        let size = 1 + self.random.below(largest_pages);
        let first = self.place(size);
        self.end = first + size;
        let op = if self.random.uniform() < read_share { Op::Read } else { Op::Write };
        Request::new(op, u64::from(first) * PAGE_BYTES, size * PAGE_BYTES as u32)
            .at((self.now_ms * 1e6).round() as u64)
    }

    /// The first page of a request of `size` pages.
    fn place(&mut self, size: u32) -> u32 {
        let Lasting { pages, places, .. } = self.kind;
        match places {
            Places::Uniform => self.within(0, pages),
            Places::Hot { pages: hot, share } => {
                let (from, to) =
                    if self.random.uniform() < share { (0, hot) } else { (hot, pages) };
                self.within(from, to)
            }
            Places::Runs { share } => {
                let goes_on = self.random.uniform() < share;
                match goes_on && self.end + size <= pages {
                    true => self.end,
                    false => self.within(0, pages),
                }
            }
        }
    }

    fn within(&mut self, from: u32, to: u32) -> u32 {
        from + self.random.below(to - from - self.kind.largest_pages)
    }
}

impl Source for Stream {
    fn name(&self) -> &str {
        "DiskSim, lasting garbage collection"
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let room = batch.capacity().max(1) as u64;
        for _ in 0..room.min(self.kind.requests - self.issued) {
            self.issued += 1;
            batch.push(self.draw());
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        *self = Self::new(self.kind);
        Ok(())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.kind.requests)
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}

const WORDS: usize = 624;
const MIDDLE: usize = 397;

/// MT19937 (Matsumoto and Nishimura, ACM TOMACS 8(1), 1998), drawn from as Python's `random` does.
struct Twister {
    words: [u32; WORDS],
    at: usize,
}

impl Twister {
    /// As `init_by_array` with a key of one word.
    fn new(seed: u32) -> Self {
        let mut words = [0_u32; WORDS];
        words[0] = 19_650_218;
        for at in 1..WORDS {
            let before = words[at - 1] ^ words[at - 1] >> 30;
            words[at] = before.wrapping_mul(1_812_433_253).wrapping_add(at as u32);
        }
        let mut at = 1;
        for step in 0..2 * WORDS - 1 {
            let before = words[at - 1] ^ words[at - 1] >> 30;
            words[at] = match step < WORDS {
                true => (words[at] ^ before.wrapping_mul(1_664_525)).wrapping_add(seed),
                false => (words[at] ^ before.wrapping_mul(1_566_083_941)).wrapping_sub(at as u32),
            };
            at += 1;
            if at == WORDS {
                words[0] = words[WORDS - 1];
                at = 1;
            }
        }
        words[0] = 1 << 31;
        Self { words, at: WORDS }
    }

    fn next(&mut self) -> u32 {
        if self.at == WORDS {
            self.twist();
        }
        let mut word = self.words[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    fn twist(&mut self) {
        for at in 0..WORDS {
            let next = self.words[(at + 1) % WORDS];
            let joined = self.words[at] & 1 << 31 | next & !(1 << 31);
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[at] = self.words[(at + MIDDLE) % WORDS] ^ joined >> 1 ^ odd;
        }
        self.at = 0;
    }

    /// Uniform in [0, 1), 53 bits.
    fn uniform(&mut self) -> f64 {
        let (high, low) = (self.next() >> 5, self.next() >> 6);
        (f64::from(high) * f64::from(1 << 26) + f64::from(low)) / (1_u64 << 53) as f64
    }

    /// Uniform below `end`: as many bits as it has, drawn again while they are too many.
    fn below(&mut self, end: u32) -> u32 {
        loop {
            let drawn = self.next() >> end.leading_zeros();
            if drawn < end {
                return drawn;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::runs::RUNS;
    use super::*;

    /// Python: `random.Random(7).random()` and `random.Random(11).getrandbits(32)`.
    #[test]
    fn draws_are_those_of_python() {
        assert_eq!(Twister::new(7).uniform(), 0.323_832_764_833_162_37);
        assert_eq!(Twister::new(11).next(), 1_942_955_373);
    }

    /// Arrival in nanoseconds, sector and sectors.
    type Line = (u64, u64, u32);

    /// Reads, pages, sum of first pages, first line and last.
    fn counted(workload: Lasting) -> (usize, u64, u64, Line, Line) {
        let mut source = workload.source();
        let (mut all, mut batch) = (Vec::new(), Vec::with_capacity(1000));
        loop {
            source.next_batch(&mut batch).expect("no file is read");
            if batch.is_empty() {
                break;
            }
            all.extend_from_slice(&batch);
        }
        assert_eq!(all.len() as u64, workload.requests);
        let reads = all.iter().filter(|request| request.op == Op::Read).count();
        let pages = all.iter().map(|request| u64::from(request.size_bytes) / 4096).sum();
        let places = all.iter().map(|request| request.offset_bytes / 4096).sum();
        let line = |request: &Request| {
            (request.arrival_ns, request.offset_bytes / 512, request.size_bytes / 512)
        };
        (reads, pages, places, line(&all[0]), line(&all[all.len() - 1]))
    }

    /// Counted by Python over the traces on which DiskSim was run.
    #[test]
    fn requests_are_those_that_disksim_was_given() {
        let of = |id| RUNS.iter().find(|run| run.id == id).expect("there is such a run").workload;
        let expected = [
            (
                "gc-mixed",
                (210_076, 3_150_590, 614_171_281_587),
                (469_578, 6_624_032, 24),
                (841_734_082_172, 6_147_808, 48),
            ),
            (
                "gc-hot",
                (200_290, 3_500_635, 525_702_002_432),
                (226_402, 3_049_728, 40),
                (799_424_662_404, 267_688, 40),
            ),
            (
                "gc-runs",
                (269_417, 4_048_083, 2_367_754_096_518),
                (167_832, 25_843_096, 16),
                (1_081_146_468_565, 27_067_464, 16),
            ),
        ];
        for (id, (reads, pages, places), first, last) in expected {
            assert_eq!(counted(of(id)), (reads, pages, places, first, last), "{id}");
        }
    }
}
