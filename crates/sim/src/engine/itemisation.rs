//! Sums over requests of what their latencies consist of.

use super::requests::Finished;
use crate::ids::DieId;
use crate::nand::Kind;
use wordline_trace::Op;

/// Kinds of operations, in the order of their numbers.
pub const KINDS: [Kind; 3] = [Kind::Read, Kind::Program, Kind::Erase];

/// What a die does while an operation waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// Whatever garbage collection asks for.
    Gc,
    /// Reads for the host and of the map.
    Reads,
    /// Programs for the host and of the map.
    Programs,
    /// What techniques, wear levelling and metadata ask for.
    Others,
}

/// Time of each [`Ahead`], nanoseconds.
pub type AheadNs = [u64; 4];

/// What an operation took of a request's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The kind of flash, among the groups of dies.
    pub group: usize,
    /// What it did.
    pub kind: Kind,
    /// From the moment at which it could have begun: for its die and its channel, and while it was suspended.
    pub wait_ns: u64,
    /// Of that, what its die did meanwhile; what is left it waited for its channel.
    pub ahead_ns: AheadNs,
    /// Time of the array.
    pub array_ns: u64,
    /// Time on the channel, for command and data.
    pub transfer_ns: u64,
}

/// What an operation and those before it took, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path {
    /// When the first one was issued.
    pub begin_ns: u64,
    /// When the last one ended.
    pub end_ns: u64,
    /// The die of the first.
    pub die: DieId,
    /// The first one first.
    pub steps: Vec<Step>,
}

impl Path {
    /// The steps but for what of them was over before a time.
    pub fn since(&self, from_ns: u64) -> impl Iterator<Item = Step> + '_ {
        let mut early_ns = from_ns.saturating_sub(self.begin_ns);
        let mut rest_of = move |length_ns: u64| {
            let over_ns = early_ns.min(length_ns);
            early_ns -= over_ns;
            length_ns - over_ns
        };
        self.steps.iter().map(move |step| {
            let wait_ns = rest_of(step.wait_ns);
            Step {
                wait_ns,
                ahead_ns: share(step.ahead_ns, wait_ns, step.wait_ns),
                array_ns: rest_of(step.array_ns),
                transfer_ns: rest_of(step.transfer_ns),
                ..*step
            }
        })
    }
}

/// What of `all_ns` is in so much of a wait.
fn share(ahead_ns: AheadNs, part_ns: u64, all_ns: u64) -> AheadNs {
    if part_ns == all_ns {
        return ahead_ns;
    }
    ahead_ns.map(|ns| (u128::from(ns) * u128::from(part_ns) / u128::from(all_ns)) as u64)
}

/// What operations took of requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums {
    /// Operations.
    pub operations: u64,
    /// Time for dies and channels, and of suspensions.
    pub wait_ns: u64,
    /// Of that, what dies did meanwhile.
    pub ahead_ns: AheadNs,
    /// Time of arrays.
    pub array_ns: u64,
    /// Time on channels.
    pub transfer_ns: u64,
}

/// What a request waited for before the flash.
#[derive(Debug, Clone, Copy, Default)]
pub struct Before {
    /// In its submission queue, until the drive fetched it.
    pub queue_ns: u64,
    /// For room in the controller's buffer.
    pub buffer_ns: u64,
    /// For a program to fill, while its die did nothing.
    pub fill_ns: u64,
}

/// What a request to a drive took, for the array that sent it.
#[derive(Debug, Clone, Default)]
pub struct RequestParts {
    /// Before the flash.
    pub before: Before,
    /// Its operations that ended last.
    pub path: Path,
}

/// What requests to an array waited for besides the requests to its drives that moved their data.
#[derive(Debug, Clone, Copy, Default)]
pub struct OfArray {
    /// For a stripe of the cache, or until others had written the same sectors.
    pub stripe_ns: u64,
    /// Reads of old data and parity before a stripe is written.
    pub parity_reads_ns: u64,
    /// The partial parity log or the journal.
    pub log_ns: u64,
    /// What is left: until its stripe's turn came, and for rebuilds.
    pub other_ns: u64,
}

/// Requests of one kind.
#[derive(Debug, Clone, Default)]
pub struct OfRequests {
    /// How many.
    pub requests: u64,
    /// Their latencies.
    pub latency_ns: u64,
    /// Of these, in submission queues.
    pub queue_ns: u64,
    /// Waiting for room in the controller's buffer.
    pub buffer_ns: u64,
    /// Waiting for a program to fill, while its die did nothing.
    pub fill_ns: u64,
    /// What is left.
    pub controller_ns: u64,
    /// What operations took, by group of dies and by kind.
    pub flash: Vec<[Sums; KINDS.len()]>,
    /// Of an array: what is no part of its drives' requests that moved data.
    pub array: OfArray,
}

impl OfRequests {
    /// Operations that came one after the other; returns their time.
    fn add_steps(&mut self, steps: impl Iterator<Item = Step>) -> u64 {
        let mut in_flash_ns = 0;
        for step in steps {
            let part = &mut self.flash[step.group][step.kind as usize];
            part.operations += 1;
            part.wait_ns += step.wait_ns;
            for (sum, ns) in part.ahead_ns.iter_mut().zip(step.ahead_ns) {
                *sum += ns;
            }
            part.array_ns += step.array_ns;
            part.transfer_ns += step.transfer_ns;
            in_flash_ns += step.wait_ns + step.array_ns + step.transfer_ns;
        }
        in_flash_ns
    }

    /// A request of an array to a drive, between two times.
    pub fn add_parts(&mut self, parts: &RequestParts, from_ns: u64, to_ns: u64) {
        let in_flash_ns = self.add_steps(parts.path.since(from_ns));
        let left_ns = (to_ns - from_ns).saturating_sub(in_flash_ns);
        let buffer_ns = parts.before.buffer_ns.min(left_ns);
        let fill_ns = parts.before.fill_ns.min(left_ns - buffer_ns);
        self.buffer_ns += buffer_ns;
        self.fill_ns += fill_ns;
        self.controller_ns += left_ns - buffer_ns - fill_ns;
    }
}

/// Of what the latencies of requests consist.
#[derive(Debug, Clone, Default)]
pub struct Itemisation {
    /// Of reads.
    pub reads: OfRequests,
    /// Of writes.
    pub writes: OfRequests,
}

impl Itemisation {
    /// Nothing summed up yet, of so many groups of dies.
    pub fn new(groups: usize) -> Self {
        let none = OfRequests { flash: vec![Default::default(); groups], ..Default::default() };
        Self { reads: none.clone(), writes: none }
    }

    /// A request that waited in the controller, and for these, one after the other.
    pub fn add(
        &mut self,
        request: &Finished,
        Before { queue_ns, buffer_ns, fill_ns }: Before,
        steps: impl Iterator<Item = Step>,
    ) {
        let sums = match request.op {
            Op::Read => &mut self.reads,
            Op::Write => &mut self.writes,
            Op::Trim | Op::Flush => return,
        };
        let latency_ns = request.done_ns - request.arrival_ns;
        let in_flash_ns = sums.add_steps(steps);
        sums.requests += 1;
        sums.latency_ns += latency_ns;
        sums.queue_ns += queue_ns;
        sums.buffer_ns += buffer_ns;
        sums.fill_ns += fill_ns;
        sums.controller_ns += latency_ns - in_flash_ns - queue_ns - buffer_ns - fill_ns;
    }
}
