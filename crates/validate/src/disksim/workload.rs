//! DiskSim's synthetic workloads, request by request as in its published runs.
//!
//! DiskSim 4 draws every choice from the 48-bit linear congruential generator of POSIX (`drand48`).
//! The first request is drawn with the seed of the parameter file, 42; the generator is then set to
//! 1,000,003 whatever the file says, and all other requests follow. Knowing the order of the draws is
//! enough to issue the same requests: the tests hold them to the request statistics that DiskSim
//! printed.

use wordline_trace::{Error, Op, Request, Source};

/// Pages of 4 KiB that the workloads address: 7,018,904 sectors, an eighth of the drive.
const SPAN_PAGES: u64 = 877_363;
const PAGE_BYTES: u64 = 4096;
const SECTORS_PER_PAGE: u64 = 8;
const MEAN_SIZE_SECTORS: f64 = 8.0;
const SEED_OF_FIRST: u64 = 42;
const SEED_OF_REST: u64 = 1_000_003;

/// POSIX `drand48`.
struct Rand48(u64);

impl Rand48 {
    fn new(seed: u64) -> Self {
        Self(seed << 16 | 0x330e)
    }

    /// Uniform in [0, 1).
    fn uniform(&mut self) -> f64 {
        const MASK: u64 = (1 << 48) - 1;
        self.0 = self.0.wrapping_mul(0x5_deec_e66d).wrapping_add(0xb) & MASK;
        self.0 as f64 / (1_u64 << 48) as f64
    }
}

/// What a synthetic run asks for.
#[derive(Debug, Clone, Copy)]
pub struct Synthetic {
    /// Requests in all.
    pub requests: u64,
    /// Each request continues the last one; else each has a place of its own.
    pub sequential: bool,
    /// Read or write, all alike.
    pub op: Op,
}

impl Synthetic {
    /// The requests, inter-arrival times uniform in [0, 1] ms.
    pub fn source(self) -> Box<dyn Source> {
        Box::new(Stream::new(self))
    }
}

/// Where a request begins and how long it is.
#[derive(Clone, Copy)]
struct Run {
    page: u64,
    pages: u64,
}

impl Run {
    /// A uniform place and an exponential size, cut to whole sectors and rounded up to whole pages;
    /// drawn again together until the size is not zero and the end lies within the span.
    fn draw(random: &mut Rand48) -> Self {
        loop {
            let page = (random.uniform() * SPAN_PAGES as f64) as u64;
            let sectors = (-MEAN_SIZE_SECTORS * (1.0 - random.uniform()).ln()) as u64;
            let pages = sectors.div_ceil(SECTORS_PER_PAGE);
            if pages > 0 && page + pages < SPAN_PAGES {
                return Self { page, pages };
            }
        }
    }
}

struct Stream {
    kind: Synthetic,
    random: Rand48,
    run: Run,
    issued: u64,
    arrival_ms: f64,
}

impl Stream {
    fn new(kind: Synthetic) -> Self {
        let mut first = Rand48::new(SEED_OF_FIRST);
        first.uniform(); // the time of the first request, from which arrivals are counted
        first.uniform(); // the device, of one
        let run = Run::draw(&mut first);
        Self { kind, random: Rand48::new(SEED_OF_REST), run, issued: 0, arrival_ms: 0.0 }
    }

    /// Moves on to the next request: what kind it is, when it comes, where it goes.
    fn advance(&mut self) {
        self.random.uniform(); // compared with the probability of a sequential request, 0 or 1
        self.arrival_ms += self.random.uniform();
        let Run { page, pages } = self.run;
        if self.kind.sequential && page + 2 * pages < SPAN_PAGES {
            self.run.page += pages;
        } else {
            self.random.uniform(); // the device, of one
            self.run = Run::draw(&mut self.random);
            self.random.uniform(); // compared with the probability of a read, 0 or 1
        }
        self.random.uniform(); // whether the request is time-critical: never
    }
}

impl Source for Stream {
    fn name(&self) -> &str {
        if self.kind.sequential { "DiskSim, sequential" } else { "DiskSim, random" }
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let room = batch.capacity().max(1) as u64;
        for _ in 0..room.min(self.kind.requests - self.issued) {
            if self.issued > 0 {
                self.advance();
            }
            self.issued += 1;
            batch.push(
                Request::new(
                    self.kind.op,
                    self.run.page * PAGE_BYTES,
                    (self.run.pages * PAGE_BYTES) as u32,
                )
                .at((self.arrival_ms * 1e6).round() as u64),
            );
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

#[cfg(test)]
mod tests {
    use super::*;

    fn all(requests: u64, sequential: bool) -> Vec<Request> {
        let mut source = Synthetic { requests, sequential, op: Op::Write }.source();
        let mut batch = Vec::with_capacity(1000);
        let mut found = Vec::new();
        loop {
            source.next_batch(&mut batch).unwrap();
            if batch.is_empty() {
                return found;
            }
            found.extend_from_slice(&batch);
        }
    }

    fn mean_sectors(requests: &[Request]) -> f64 {
        let bytes: u64 = requests.iter().map(|r| u64::from(r.size_bytes)).sum();
        bytes as f64 / 512.0 / requests.len() as f64
    }

    /// `ssd-rw250k.outv`: "Request size average: 12.644192", "Request size distribution": 158,327
    /// of 8 sectors and 57,745 of 16.
    #[test]
    fn random_requests_are_those_of_the_published_run() {
        let requests = all(250_000, false);
        assert_eq!(requests.len(), 250_000);
        assert!((mean_sectors(&requests) - 12.644_192).abs() < 5e-7);
        let of = |pages: u32| requests.iter().filter(|r| r.size_bytes == pages * 4096).count();
        assert_eq!((of(1), of(2)), (158_327, 57_745));
    }

    /// `ssd-sw5m.outv`: 4,347,791 requests of 8 sectors, 600,113 of 16 and 52,096 of more; mean
    /// inter-arrival time 0.500054 ms.
    #[test]
    fn sequential_requests_are_those_of_the_published_run() {
        let requests = all(5_000_000, true);
        let of = |pages: u32| requests.iter().filter(|r| r.size_bytes == pages * 4096).count();
        assert_eq!((of(1), of(2), of(3)), (4_347_791, 600_113, 52_096));
        let last_ms = requests[requests.len() - 1].arrival_ns as f64 / 1e6;
        assert!((last_ms / 4_999_999.0 - 0.500_054).abs() < 5e-7);
    }
}
