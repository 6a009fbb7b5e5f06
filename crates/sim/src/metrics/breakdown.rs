//! Of what latencies consist, as the result has it.

use crate::engine::{Ahead, Itemisation, KINDS, OfArray, OfRequests, Sums};
use crate::nand::{Group, Kind};
use serde::Serialize;

/// Of what the mean latencies of reads and of writes consist.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Breakdown {
    /// Of what the mean latency of reads consists.
    pub read: LatencyBreakdown,
    /// Of what the mean latency of writes consists.
    pub write: LatencyBreakdown,
}

/// Of what the mean latency of requests consists. What a request waits for is the operation that ends
/// last, and what that had to wait for.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencyBreakdown {
    /// Requests of this kind.
    pub requests: u64,
    /// The sum of all below.
    pub mean_us: f64,
    /// In a submission queue, until the drive fetched the request (`host.fetch_limit`, `host.window`).
    pub queue_us: f64,
    /// In the controller and on the host's bus.
    pub controller_us: f64,
    /// For room in the controller's buffer (`ftl.buffer_kib`).
    pub buffer_us: f64,
    /// For a program to fill while its die did nothing (`ftl.program_start`, `ftl.merge_timeout_us`).
    pub fill_us: f64,
    /// What operations took, by kind of flash and by what they did.
    pub flash: Vec<FlashTime>,
    /// What requests to an array waited for besides those of its drives that moved their data; `null` for a drive.
    pub array: Option<ArrayTime>,
}

/// What requests to an array waited for besides those of its drives that moved their data, on average over all requests.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArrayTime {
    /// For a stripe of the cache (`array.stripe_cache`), or until others had written the same sectors.
    pub stripe_us: f64,
    /// For reads of old data and parity before a stripe is written.
    pub parity_reads_us: f64,
    /// For the partial parity log or the journal.
    pub log_us: f64,
    /// Until the stripe's turn came, and for rebuilds.
    pub other_us: f64,
}

/// What operations took of latencies, on average over all requests.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlashTime {
    /// The kind of flash; empty where there is but one.
    pub group: String,
    /// `read`, `program` or `erase`.
    pub operation: String,
    /// Operations for which requests waited.
    pub operations: u64,
    /// For dies, for channels and while operations were suspended: the sum of the next five.
    pub wait_us: f64,
    /// While the die did what garbage collection asked for.
    pub wait_gc_us: f64,
    /// While the die read for the host or the map.
    pub wait_reads_us: f64,
    /// While the die programmed for the host or the map.
    pub wait_programs_us: f64,
    /// While the die worked for techniques, wear levelling and metadata.
    pub wait_others_us: f64,
    /// For the channel, and for suspended operations to go on.
    pub wait_bus_us: f64,
    /// In the array of cells.
    pub array_us: f64,
    /// On the channel, for commands and data.
    pub transfer_us: f64,
}

impl Breakdown {
    /// Means of what was summed up on a drive with these kinds of flash.
    pub fn of(sums: &Itemisation, groups: &[Group]) -> Self {
        Self { read: of_requests(&sums.reads, groups), write: of_requests(&sums.writes, groups) }
    }

    /// Means of what was summed up on an array of drives with these kinds of flash.
    pub fn of_array(sums: &Itemisation, groups: &[Group]) -> Self {
        let of = |sums: &OfRequests| {
            let mean_us = |ns: u64| ns as f64 / sums.requests.max(1) as f64 / 1000.0;
            let OfArray { stripe_ns, parity_reads_ns, log_ns, other_ns } = sums.array;
            let array = ArrayTime {
                stripe_us: mean_us(stripe_ns),
                parity_reads_us: mean_us(parity_reads_ns),
                log_us: mean_us(log_ns),
                other_us: mean_us(other_ns),
            };
            LatencyBreakdown { array: Some(array), ..of_requests(sums, groups) }
        };
        Self { read: of(&sums.reads), write: of(&sums.writes) }
    }
}

fn of_requests(sums: &OfRequests, groups: &[Group]) -> LatencyBreakdown {
    let mean_us = |ns: u64| ns as f64 / sums.requests.max(1) as f64 / 1000.0;
    let time = |group: &Group, kind: Kind, part: &Sums| FlashTime {
        group: group.name.clone(),
        operation: name(kind).to_owned(),
        operations: part.operations,
        wait_us: mean_us(part.wait_ns),
        wait_gc_us: mean_us(part.ahead_ns[Ahead::Gc as usize]),
        wait_reads_us: mean_us(part.ahead_ns[Ahead::Reads as usize]),
        wait_programs_us: mean_us(part.ahead_ns[Ahead::Programs as usize]),
        wait_others_us: mean_us(part.ahead_ns[Ahead::Others as usize]),
        wait_bus_us: mean_us(part.wait_ns - part.ahead_ns.iter().sum::<u64>()),
        array_us: mean_us(part.array_ns),
        transfer_us: mean_us(part.transfer_ns),
    };
    let of_group = |(group, parts)| {
        let by_kind = KINDS.into_iter().zip(parts);
        by_kind
            .filter(|(_, part): &(Kind, &Sums)| part.operations > 0)
            .map(move |(kind, part)| time(group, kind, part))
    };
    LatencyBreakdown {
        requests: sums.requests,
        mean_us: mean_us(sums.latency_ns),
        queue_us: mean_us(sums.queue_ns),
        controller_us: mean_us(sums.controller_ns),
        buffer_us: mean_us(sums.buffer_ns),
        fill_us: mean_us(sums.fill_ns),
        flash: groups.iter().zip(&sums.flash).flat_map(of_group).collect(),
        array: None,
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => "read",
        Kind::Program => "program",
        Kind::Erase => "erase",
    }
}
