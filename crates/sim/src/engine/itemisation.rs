//! Sums over requests of what their latencies consist of.

use super::requests::Finished;
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
    /// For room in the controller's buffer.
    pub buffer_ns: u64,
    /// For a program to fill, while its die did nothing.
    pub fill_ns: u64,
}

/// Requests of one kind.
#[derive(Debug, Clone, Default)]
pub struct OfRequests {
    /// How many.
    pub requests: u64,
    /// Their latencies.
    pub latency_ns: u64,
    /// Of these, waiting for room in the controller's buffer.
    pub buffer_ns: u64,
    /// Waiting for a program to fill, while its die did nothing.
    pub fill_ns: u64,
    /// What is left.
    pub controller_ns: u64,
    /// What operations took, by group of dies and by kind.
    pub flash: Vec<[Sums; KINDS.len()]>,
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
        Before { buffer_ns, fill_ns }: Before,
        steps: impl Iterator<Item = Step>,
    ) {
        let sums = match request.op {
            Op::Read => &mut self.reads,
            Op::Write => &mut self.writes,
            Op::Trim | Op::Flush => return,
        };
        let latency_ns = request.done_ns - request.arrival_ns;
        let mut in_flash_ns = 0;
        for step in steps {
            let part = &mut sums.flash[step.group][step.kind as usize];
            part.operations += 1;
            part.wait_ns += step.wait_ns;
            for (sum, ns) in part.ahead_ns.iter_mut().zip(step.ahead_ns) {
                *sum += ns;
            }
            part.array_ns += step.array_ns;
            part.transfer_ns += step.transfer_ns;
            in_flash_ns += step.wait_ns + step.array_ns + step.transfer_ns;
        }
        sums.requests += 1;
        sums.latency_ns += latency_ns;
        sums.buffer_ns += buffer_ns;
        sums.fill_ns += fill_ns;
        sums.controller_ns += latency_ns - in_flash_ns - buffer_ns - fill_ns;
    }
}
