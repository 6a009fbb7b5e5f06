//! Small drives, scripted workloads and random choices.

use wordline_sim::config::{
    Acknowledge, Cell, Config, HostMode, Pattern, PerPage, RunMode, ServiceOrder,
};
use wordline_sim::metrics::RunResult;
use wordline_sim::{Error, Outcome, simulate};
use wordline_trace::{Op, Request, Source};

/// Bytes of a page of [`tiny`].
pub const PAGE: u64 = 4096;

/// One plane of 16 blocks of 8 SLC pages, empty, without timing, without a buffer, each die in order.
pub fn tiny() -> Config {
    let mut config = Config::default();
    config.run.mode = RunMode::Count;
    config.run.series_points = 0;
    config.drive.scheduling.order = ServiceOrder::InOrder;
    config.ftl.acknowledge = Acknowledge::Program;
    config.host.mode = HostMode::Open;
    config.drive.channels = 1;
    config.drive.chips_per_channel = 1;
    let chip = &mut config.drive.chip;
    chip.cell = Cell::Slc;
    chip.planes = 1;
    chip.blocks_per_plane = 16;
    chip.pages_per_block = 8;
    chip.read_us = PerPage::One(50.0);
    chip.program_us = PerPage::One(600.0);
    chip.erase_ms = 3.0;
    chip.transfer_mb_s = 4096.0 / 10.0; // 10 us a page
    config.drive.over_provisioning = 0.6;
    config.precondition.pattern = Pattern::None;
    config
}

/// [`tiny`] with timing.
pub fn tiny_timed() -> Config {
    let mut config = tiny();
    config.run.mode = RunMode::Timed;
    config
}

/// Requests given one by one.
pub struct Script {
    requests: Vec<Request>,
    at: usize,
    is_synthetic: bool,
}

impl Script {
    pub fn source(requests: Vec<Request>) -> Box<dyn Source> {
        Box::new(Self { requests, at: 0, is_synthetic: true })
    }

    /// Requests whose times and sizes are doubted like those of a trace.
    pub fn recorded(requests: Vec<Request>) -> Box<dyn Source> {
        Box::new(Self { requests, at: 0, is_synthetic: false })
    }
}

impl Source for Script {
    fn name(&self) -> &str {
        "script"
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), wordline_trace::Error> {
        batch.clear();
        let room = batch.capacity().max(1);
        batch.extend(self.requests[self.at..].iter().take(room));
        self.at += batch.len();
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), wordline_trace::Error> {
        self.at = 0;
        Ok(())
    }

    fn is_synthetic(&self) -> bool {
        self.is_synthetic
    }
}

/// A request of whole pages at a time in microseconds.
pub fn at(us: u64, op: Op, page: u64, pages: u32) -> Request {
    Request::new(op, page * PAGE, pages * PAGE as u32).at(us * 1000)
}

/// A write of one page.
pub fn write(page: u64) -> Request {
    at(0, Op::Write, page, 1)
}

/// Runs requests; the drive must be one that works.
pub fn run(config: &Config, requests: Vec<Request>) -> RunResult {
    outcome(config, requests).expect("the drive works").result
}

/// Runs requests.
pub fn outcome(config: &Config, requests: Vec<Request>) -> Result<Outcome, Error> {
    simulate(config, Script::source(requests), &mut ())
}

/// Pages of the logical space.
pub fn logical_pages(config: &Config) -> u64 {
    wordline_sim::logical_bytes(config).expect("the geometry is valid") / PAGE
}

/// Random choices from a seed (splitmix64).
#[derive(Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// True once in `n`.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}
