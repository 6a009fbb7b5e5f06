//! The drives and their closed forms.

use wordline_sim::config::ProgramUnit;
use wordline_sim::metrics::RunResult;

pub const PAGE_BYTES: f64 = 4096.0;
pub const READ_US: f64 = 50.0;
pub const PROGRAM_US: f64 = 600.0;
pub const ERASE_US: f64 = 3000.0;
pub const COMMAND_US: f64 = 0.2;
pub const PAGES_PER_BLOCK: u64 = 96;
pub const BLOCKS_PER_PLANE: u64 = 256;
/// Pages that a run reads or writes on each plane: so many that its start and end do not show, and
/// so few that an empty drive stays free of garbage collection.
pub const PAGES_PER_PLANE: u64 = 12_000;
/// Of a drive that is overwritten: so little that reclaiming starts at once.
pub const TIGHT_OVER_PROVISIONING: f64 = 0.03;

/// A drive, a workload and what theory says of them.
pub struct Shape {
    pub id: &'static str,
    pub channels: u64,
    /// Of a channel.
    pub dies: u64,
    /// Of a die; they work together.
    pub planes: u64,
    pub transfer_mb_s: f64,
    pub program: ProgramUnit,
    /// Cache programs and cache reads: the next transfer runs while the array works.
    pub cache: bool,
    pub reads: bool,
    /// Writes go to a full drive.
    pub overwrites: bool,
    /// At random places; else they go on where the last one ended.
    pub random: bool,
    /// Writes are acknowledged from the controller's buffer.
    pub buffered: bool,
    pub queue_depth: u64,
    pub pages_per_request: u64,
    /// Requests arrive by themselves, with exponential intervals of this mean.
    pub poisson_interval_us: Option<f64>,
    pub form: &'static str,
    pub expected: fn(&Shape) -> Expected,
}

/// What a form gives.
pub enum Expected {
    /// Mean latency of a request.
    LatencyUs(f64),
    /// Pages read or written.
    PagesPerSecond(f64),
    /// Pages written, given what the run counted.
    OfCounts(fn(&Shape, &RunResult) -> f64),
}

impl Shape {
    /// Time on the channel of one operation that moves this many pages.
    fn channel_us(&self, pages: u64) -> f64 {
        COMMAND_US + pages as f64 * PAGE_BYTES / self.transfer_mb_s
    }

    /// Time of one operation from command to end.
    fn operation_us(&self, pages: u64) -> f64 {
        self.channel_us(pages) + if self.reads { READ_US } else { PROGRAM_US }
    }

    /// Every die moves `pages` pages in each operation, back to back.
    fn all_dies(&self, pages: u64) -> Expected {
        let operations = (self.channels * self.dies) as f64 / self.operation_us(pages);
        Expected::PagesPerSecond(1e6 * pages as f64 * operations)
    }

    /// Pages of the host that one die writes per second, if it is never idle: its programs, the reads of
    /// its garbage collection and its erases take all of the time.
    fn busy_die(&self, run: &RunResult) -> f64 {
        let programs_us = run.flash.page_programs.total() as f64 * self.operation_us(1);
        let reads_us = run.flash.page_reads.gc as f64 * (self.channel_us(1) + READ_US);
        let erases_us = run.flash.erases as f64 * (COMMAND_US + ERASE_US);
        1e6 * run.flash.page_programs.host as f64 / (programs_us + reads_us + erases_us)
    }

    fn channel_bound(&self) -> Expected {
        Expected::PagesPerSecond(1e6 * self.channels as f64 / self.channel_us(1))
    }
}

const PROGRAMS: Shape = Shape {
    id: "",
    channels: 1,
    dies: 1,
    planes: 1,
    transfer_mb_s: 1000.0,
    program: ProgramUnit::Page,
    cache: false,
    reads: false,
    overwrites: false,
    random: false,
    buffered: false,
    queue_depth: 8,
    pages_per_request: 1,
    poisson_interval_us: None,
    form: "1 / (c + tPROG)",
    expected: |shape| shape.all_dies(1),
};

/// Writes that end in the controller's buffer: once it is full they are as fast as the flash, and the
/// queue need not be deep.
const BUFFERED: Shape = Shape { buffered: true, queue_depth: 1, ..PROGRAMS };

const READS: Shape = Shape { reads: true, form: "1 / (c + tR)", ..PROGRAMS };

pub const SHAPES: &[Shape] = &[
    Shape {
        id: "read/latency/one-die",
        queue_depth: 1,
        form: "c + tR",
        expected: |shape| Expected::LatencyUs(shape.operation_us(1)),
        ..READS
    },
    Shape {
        id: "program/latency/one-die",
        queue_depth: 1,
        form: "c + tPROG",
        expected: |shape| Expected::LatencyUs(shape.operation_us(1)),
        ..PROGRAMS
    },
    Shape { id: "read/throughput/one-die", ..READS },
    Shape { id: "program/throughput/one-die", ..PROGRAMS },
    Shape {
        id: "read/throughput/all-dies",
        channels: 4,
        dies: 4,
        queue_depth: 128,
        form: "dies / (c + tR)",
        ..READS
    },
    Shape {
        id: "program/throughput/all-dies",
        channels: 4,
        dies: 4,
        queue_depth: 128,
        form: "dies / (c + tPROG)",
        ..PROGRAMS
    },
    Shape {
        id: "read/throughput/channel-bound",
        channels: 2,
        dies: 16,
        transfer_mb_s: 100.0,
        queue_depth: 256,
        form: "channels / c",
        expected: Shape::channel_bound,
        ..READS
    },
    Shape {
        id: "program/throughput/channel-bound",
        channels: 2,
        dies: 16,
        transfer_mb_s: 50.0,
        queue_depth: 256,
        form: "channels / c",
        expected: Shape::channel_bound,
        ..PROGRAMS
    },
    Shape {
        id: "program/throughput/one-shot/one-die",
        program: ProgramUnit::OneShot,
        queue_depth: 24,
        form: "3 / (c(3 pages) + tPROG), three bits per cell",
        expected: |shape| shape.all_dies(3),
        ..PROGRAMS
    },
    Shape {
        id: "program/throughput/one-shot/all-dies",
        channels: 4,
        dies: 4,
        program: ProgramUnit::OneShot,
        queue_depth: 512,
        form: "3 dies / (c(3 pages) + tPROG), three bits per cell",
        expected: |shape| shape.all_dies(3),
        ..PROGRAMS
    },
    Shape {
        id: "program/throughput/multi-plane",
        planes: 4,
        queue_depth: 32,
        form: "4 / (c(4 pages) + tPROG)",
        expected: |shape| shape.all_dies(4),
        ..PROGRAMS
    },
    Shape {
        id: "read/latency/multi-plane",
        planes: 4,
        queue_depth: 1,
        pages_per_request: 4,
        form: "c(4 pages) + tR",
        expected: |shape| Expected::LatencyUs(shape.operation_us(4)),
        ..READS
    },
    Shape {
        id: "program/throughput/cache",
        cache: true,
        transfer_mb_s: 10.0,
        form: "1 / max(c, tPROG)",
        expected: |shape| Expected::PagesPerSecond(1e6 / shape.channel_us(1).max(PROGRAM_US)),
        ..PROGRAMS
    },
    Shape {
        id: "read/throughput/cache",
        cache: true,
        transfer_mb_s: 100.0,
        form: "1 / max(c, command + tR)",
        expected: |shape| {
            Expected::PagesPerSecond(1e6 / shape.channel_us(1).max(COMMAND_US + READ_US))
        },
        ..READS
    },
    Shape {
        id: "program/throughput/overwrite",
        overwrites: true,
        form: "b / (b (c + tPROG) + command + tBERS): every block is reclaimed empty",
        expected: |shape| {
            let pages = PAGES_PER_BLOCK as f64;
            let block_us = pages * shape.operation_us(1) + COMMAND_US + ERASE_US;
            Expected::PagesPerSecond(1e6 * pages / block_us)
        },
        ..PROGRAMS
    },
    Shape { id: "program/throughput/buffered/one-die", ..BUFFERED },
    Shape {
        id: "program/throughput/buffered/all-dies",
        channels: 4,
        dies: 4,
        form: "dies / (c + tPROG)",
        ..BUFFERED
    },
    Shape {
        id: "program/throughput/buffered/one-shot",
        channels: 4,
        dies: 4,
        program: ProgramUnit::OneShot,
        form: "3 dies / (c(3 pages) + tPROG), three bits per cell",
        expected: |shape| shape.all_dies(3),
        ..BUFFERED
    },
    Shape {
        id: "program/throughput/buffered/multi-plane",
        planes: 4,
        form: "4 / (c(4 pages) + tPROG)",
        expected: |shape| shape.all_dies(4),
        ..BUFFERED
    },
    Shape {
        id: "program/throughput/buffered/channel-bound",
        channels: 2,
        dies: 16,
        transfer_mb_s: 50.0,
        form: "channels / c",
        expected: Shape::channel_bound,
        ..BUFFERED
    },
    Shape {
        id: "program/throughput/buffered/gc",
        overwrites: true,
        random: true,
        form: "1 / (WA (c + tPROG) + r (c + tR) + e (command + tBERS)), r reads of GC and e erases for a page of the host",
        expected: |_| Expected::OfCounts(Shape::busy_die),
        ..BUFFERED
    },
    Shape {
        id: "read/latency/queueing",
        poisson_interval_us: Some(100.0),
        form: "M/D/1: s (1 + u / (2 (1 - u))), s = c + tR, u = s / interval (Pollaczek, Khinchine)",
        expected: |shape| {
            let service_us = shape.operation_us(1);
            let load = service_us / shape.poisson_interval_us.unwrap_or(f64::INFINITY);
            Expected::LatencyUs(service_us * (1.0 + load / (2.0 * (1.0 - load))))
        },
        ..READS
    },
];
