//! What is replayed, how it reaches the drive, and in which state that is.

use super::{
    Arbitration, FdpConfig, HostInterface, LinkConfig, PlacementBy, PlacementConfig, QueueConfig,
};
use crate::declare::Kind;
use crate::declare::{choice, params};
use std::collections::BTreeMap;
use wordline_trace::VOLUMES;
use wordline_trace::shape::{Layout, Placing, Shape};

choice! {
    /// When requests reach the drive.
    pub enum HostMode {
        Auto = "auto",
        Open = "open",
        Closed = "closed",
    }
}

choice! {
    /// Who shares the queue depth.
    pub enum Streams {
        Together = "together",
        Each = "each",
    }
}

choice! {
    /// In which order requests leave the queue of the host's driver.
    pub enum WindowOrder {
        Arrival = "arrival",
        CLook = "c_look",
    }
}

choice! {
    /// How a drive is filled before the first request.
    pub enum Pattern {
        None = "none",
        Sequential = "sequential",
        Random = "random",
        Steady = "steady",
    }
}

choice! {
    /// What happens to addresses beyond the drive.
    pub enum Beyond {
        Error = "error",
        Wrap = "wrap",
        Compact = "compact",
    }
}

choice! {
    /// What a read of data takes that was never written.
    pub enum Unmapped {
        Free = "free",
        AsMapped = "as_mapped",
    }
}

choice! {
    /// When the rest of a unit is read of which DRAM holds but a part.
    pub enum RestOfUnit {
        OnArrival = "on_arrival",
        OnLeaving = "on_leaving",
    }
}

params! {
    /// `[host]`: how requests reach the drive.
    pub struct HostConfig {
        interface: HostInterface = HostInterface::Block, Kind::OneOf(HostInterface::NAMES), "",
            "block: writes have an address, and no more; fdp: they may carry a placement identifier, which says whose data they belong with (host.fdp, workload.placement)",
            "NVM Express TP4146";
        mode: HostMode = HostMode::Auto, Kind::OneOf(HostMode::NAMES), "",
            "open: requests arrive at their times; closed: a fixed number is always outstanding; auto: open where the workload has times, closed where every request arrives at 0 (the result's config says which)";
        queue_depth: u64 = 32, Kind::Int(1, 65_536), "requests",
            "closed: requests outstanding, see streams";
        streams: Streams = Streams::Together, Kind::OneOf(Streams::NAMES), "",
            "together: all streams (volumes or devices) of the workload share a queue and its depth; each: every stream has a queue for itself, waits for no other, and has figures of its own";
        burst_requests: u64 = 0, Kind::Int(0, 1 << 40), "requests",
            "closed, timed: the host pauses after so many requests, once all of them have ended (pause_s). 0: it never does";
        pause_s: f64 = 0.0, Kind::Float(0.0, 1e6), "s",
            "closed, timed: length of a pause, in which the drive has idle time; rates are those of the bursts (burst_requests)";
        window: u64 = 0, Kind::Int(0, 65_536), "requests",
            "timed: requests of a queue that the drive has at most, the others wait in the queue; their latency counts from their arrival there. 0: no limit";
        window_order: WindowOrder = WindowOrder::Arrival, Kind::OneOf(WindowOrder::NAMES), "",
            "which request leaves a queue next. arrival: the first that came; c_look: by address upwards from the last that left, then from the lowest again";
        fetch_limit: u64 = 0, Kind::Int(0, 1 << 20), "requests",
            "timed: requests of all queues that the drive has at most; 0: no limit, and nothing to choose among queues";
        arbitration: Arbitration = Arbitration::RoundRobin, Kind::OneOf(Arbitration::NAMES), "",
            "with fetch_limit: whose turn it is. round_robin: all queues in turn; weighted: by class (host.queue.NAME)",
            "NVM Express: round robin, weighted round robin with urgent priority class";
        arbitration_burst: u64 = 1, Kind::Int(1, 64), "requests", "requests that a queue hands over at a time";
        class_weights: Vec<u8> = vec![3, 1, 0], Kind::Ints(0, 255), "",
            "weighted: requests less one that the queues of high, medium and low class hand over in a round",
            "NVM Express: weights are 0's based";
        until_s: f64 = 0.0, Kind::Float(0.0, 1e9), "s",
            "closed, timed: no request goes at this time or later, whatever is left of the workload; 0: all go";
        time_scale: f64 = 1.0, Kind::Float(1e-9, 1e9), "",
            "open: inter-arrival times are multiplied by this";
        bus_mb_s: f64 = 0.0, Kind::Float(0.0, 1e6), "MB/s",
            "rate of the host's bus, 10^6 bytes per second, one for both directions (host.link has two); 0: no transfer time";
        overhead_us: f64 = 0.0, Kind::Float(0.0, 1e6), "us",
            "time that the controller adds to each request, however many it works on";
        controller_us: f64 = 0.0, Kind::Float(0.0, 1e6), "us",
            "time of a core of the controller that each request takes when it is fetched, before anything else: the drive has no more requests a second than controller_cores / controller_us. 0: none";
        controller_cores: u64 = 1, Kind::Int(1, 1024), "", "cores of the controller that take requests side by side (controller_us)";
        write_buffer_mib: f64 = 0.0, Kind::Float(0.0, 1e6), "MiB", "DRAM write buffer (LRU); 0: none";
        rest_of_unit: RestOfUnit = RestOfUnit::OnArrival, Kind::OneOf(RestOfUnit::NAMES), "",
            "write buffer: when the rest of a mapping unit is read of which a request writes but a part. on_arrival: at once, and the request waits for it; on_leaving: as the unit leaves the buffer, if the host has not written all of it by then";
        flush_interval_s: f64 = 0.0, Kind::Float(0.0, 1e9), "s",
            "the write buffer is written out this often, a millisecond at least; 0: only when full";
        unmapped: Unmapped = Unmapped::Free, Kind::OneOf(Unmapped::NAMES), "",
            "reads of data that was never written. free: no flash is read; as_mapped: they take what they would if it had been there, in the largest kind of flash, as SSDSim has it, and so do pages of the map (ftl.map_cache) that were never written; it takes no space";
        breakdown: bool = false, Kind::Bool, "",
            "the result says of what latencies consist: waiting, array and transfer, by kind of flash; of an array also its stripes, parity and logs. Timed runs; takes time and memory";
        dram_us: f64 = 1.0, Kind::Float(0.0, 1e6), "us", "time of a hit in DRAM";
        @table link: LinkConfig, "The link to the host, in both directions at once.";
        @table fdp: FdpConfig, "What the drive makes of placement identifiers.";
        @table queue: BTreeMap<String, QueueConfig>, "Submission queues, by name.";
        @table power_off: PowerOffConfig, "Times without power.";
    }
}

impl HostConfig {
    /// Every request goes as it comes, in one queue: whoever sends them holds them back.
    pub fn pass_all(&mut self) {
        (self.window, self.fetch_limit, self.streams) = (0, 0, Streams::Together);
        self.queue.clear();
    }

    /// Whether streams have queues, and figures, of their own.
    pub fn tells_streams_apart(&self) -> bool {
        self.streams == Streams::Each || !self.queue.is_empty()
    }

    /// Whether the host leaves the drive idle at times: by the times of its requests, or in pauses.
    pub fn has_idle_time(&self) -> bool {
        self.mode != HostMode::Closed || self.burst_requests > 0 && self.pause_s > 0.0
    }
}

params! {
    /// `[host.power_off]`: times without power. The drive ends what is under way, and what its buffer holds;
    /// the requests that are still to come arrive so much later.
    pub struct PowerOffConfig {
        at_s: Vec<f64> = vec![0.0], Kind::Floats(0.0, 1e12), "s",
            "open loop: when power goes off, by the times of arrival, one after the other";
        for_s: Vec<f64> = vec![0.0], Kind::Floats(0.0, 1e12), "s", "how long it is off each time; 0: it stays on";
        temperature_c: Vec<f64> = vec![30.0], Kind::Floats(-40.0, 125.0), "°C",
            "temperature of the drive meanwhile: that of each time, or one for all";
        may_lose: bool = false, Kind::Bool, "",
            "whether the run is to show what is lost; otherwise the commands that run it end with status 1 if acknowledged data is";
    }
}

params! {
    /// `[precondition]`: the state before the first request.
    pub struct PreconditionConfig {
        fill: f64 = 1.0, Kind::Float(0.0, 1.0), "share", "share of the logical space that is written";
        pattern: Pattern = Pattern::Steady, Kind::OneOf(Pattern::NAMES), "",
            "none: an empty drive; sequential, random: filled once in that order; steady: steady state under uniform writes, set directly and verified by a short run";
        overwrites: f64 = 0.0, Kind::Float(0.0, 100.0), "times",
            "sequential, random: how often what was filled is written again, by requests of the same size at random places, so that no block is fresh";
    }
}

params! {
    /// `[workload]`: what is replayed.
    pub struct WorkloadConfig {
        source: String = "uniform:requests=1e6,read=0.5,interval_us=2000".into(), Kind::Text, "",
            "a trace file, or a generator with its parameters";
        format: String = "auto".into(), Kind::Text, "", "format of the trace; auto: detected";
        sort: bool = false, Kind::Bool, "",
            "put the requests of each trace in the order of their times, whatever the order of the file";
        beyond: Beyond = Beyond::Wrap, Kind::OneOf(Beyond::NAMES), "",
            "addresses beyond the drive: refused, taken modulo the capacity, or only touched addresses get a place";
        interleave: Vec<String> = Vec::new(), Kind::Texts, "",
            "more traces or generators that run at the same time: merged with source by arrival";
        volumes: Vec<u32> = Vec::new(), Kind::Ints(0, VOLUMES as u64 - 1), "",
            "volumes (disks, devices) of each trace that count; []: all";
        layout: Layout = Layout::SideBySide, Kind::OneOf(Layout::NAMES), "",
            "volumes of traces: side_by_side, each in a range of the drive of its own, in the order in which they are met first; or together, all on the same addresses";
        streams: Vec<u32> = Vec::new(), Kind::Ints(0, VOLUMES as u64 - 1), "",
            "streams of the whole (traces, generators, volumes, in the order in which they are met first, from 0) that count, each where it lies among all: what one of several tenants sees alone; []: all";
        from_s: f64 = 0.0, Kind::Float(0.0, 1e10), "s",
            "drop requests that arrive before this; the first that is left arrives at 0";
        until_s: f64 = 0.0, Kind::Float(0.0, 1e10), "s",
            "drop requests that arrive at this time, counted as from_s is, or later; 0: none";
        first: u64 = 0, Kind::Int(0, u64::MAX >> 1), "requests", "stop after this many requests; 0: all";
        repeat: u64 = 1, Kind::Int(1, 1_000_000), "", "times that the workload is replayed";
        @table placement: PlacementConfig, "The placement identifiers of writes.";
    }
}

impl WorkloadConfig {
    /// What is done to the traces and generators before the drive sees them. Time and repetition
    /// are the host's.
    pub fn shape(&self) -> Shape {
        let ns = |s: f64| (s * 1e9).round() as u64;
        Shape {
            sort: self.sort,
            volumes: self.volumes.clone(),
            from_ns: ns(self.from_s),
            until_ns: (self.until_s > 0.0).then(|| ns(self.until_s)),
            first: (self.first > 0).then_some(self.first),
            layout: self.layout,
            streams: self.streams.clone(),
            placement: self.placement.placing(),
            ..Shape::default()
        }
    }
}

impl PlacementConfig {
    /// What is done to the identifiers of writes before the drive sees them.
    fn placing(&self) -> Placing {
        let bytes = |&kib: &f64| (kib * 1024.0).round() as u64;
        match self.by {
            PlacementBy::Trace => Placing::AsGiven,
            PlacementBy::Stream => Placing::ByStream,
            PlacementBy::Size => Placing::BySize(self.sizes_kib.iter().map(bytes).collect()),
            PlacementBy::Address => Placing::ByRange(self.ranges.clone()),
        }
    }
}
