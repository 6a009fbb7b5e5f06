//! The course of a recording in figures, every so many commands.

use super::sections::put_step;
use crate::drive::DriveState;
use crate::metrics::Counters;
use wordline_trace::Op;

/// Commands from one mark to the next at first.
pub(super) const STRIDE: u64 = 1024;

/// Figures of a mark.
const FIGURES: usize = 12;

/// Latencies since the last mark: how many, their sum and the longest.
#[derive(Debug, Clone, Copy, Default)]
struct Recent(u64, u64, u64);

/// The course of a recording.
#[derive(Debug)]
pub(super) struct Curve {
    /// Commands from one mark to the next.
    pub stride: u64,
    marks: Vec<[u64; FIGURES]>,
    reads: Recent,
    writes: Recent,
    /// What was counted before counting began anew.
    before: [u64; 3],
}

/// Joins two marks: latencies are those of both, all else is that of the second.
fn joined(one: [u64; FIGURES], next: [u64; FIGURES]) -> [u64; FIGURES] {
    let mut mark = next;
    for (sum, longest) in [(6..8, 8), (9..11, 11)] {
        sum.for_each(|at| mark[at] += one[at]);
        mark[longest] = mark[longest].max(one[longest]);
    }
    mark
}

fn totals(counters: &Counters) -> [u64; 3] {
    [counters.host_units, counters.units_programmed(), counters.gc_count]
}

impl Default for Curve {
    fn default() -> Self {
        let (reads, writes) = (Recent::default(), Recent::default());
        Self { stride: STRIDE, marks: Vec::new(), reads, writes, before: [0; 3] }
    }
}

impl Curve {
    /// A request is over.
    pub fn done(&mut self, op: Op, latency_ns: u64) {
        let recent = match op {
            Op::Read => &mut self.reads,
            Op::Write => &mut self.writes,
            Op::Trim | Op::Flush => return,
        };
        *recent = Recent(recent.0 + 1, recent.1 + latency_ns, recent.2.max(latency_ns));
    }

    /// Counting is about to begin anew.
    pub fn count_anew(&mut self, counters: &Counters) {
        let totals = totals(counters);
        self.before = std::array::from_fn(|at| self.before[at] + totals[at]);
    }

    /// Notes the figures as they stand.
    pub fn mark(&mut self, commands: u64, now_ns: u64, drive: &DriveState, counters: &Counters) {
        let totals = totals(counters);
        let [host, programmed, collected] = std::array::from_fn(|at| self.before[at] + totals[at]);
        let Recent(reads, reads_ns, longest_read_ns) = std::mem::take(&mut self.reads);
        let Recent(writes, writes_ns, longest_write_ns) = std::mem::take(&mut self.writes);
        let free = drive.free_blocks();
        #[rustfmt::skip]
        self.marks.push([
            commands, now_ns, host, programmed, collected, free,
            reads, reads_ns, longest_read_ns, writes, writes_ns, longest_write_ns,
        ]);
    }

    /// Joins every two marks, and leaves as much room between those to come; the first, before any command, stays.
    pub fn halve(&mut self) {
        self.stride *= 2;
        let marks = std::mem::take(&mut self.marks);
        let (first, rest) = marks.split_at(marks.len().min(1));
        self.marks.extend(first);
        self.marks.extend(
            rest.chunks(2).map(|pair| pair.iter().copied().reduce(joined).unwrap_or_default()),
        );
    }

    /// Figure by figure, as steps from mark to mark.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for figure in 0..FIGURES {
            let mut last = 0;
            for mark in &self.marks {
                put_step(&mut bytes, last, mark[figure]);
                last = mark[figure];
            }
        }
        bytes
    }

    /// How many marks there are.
    pub fn count(&self) -> usize {
        self.marks.len()
    }
}
