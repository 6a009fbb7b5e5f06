//! Submission queues of the host, and how the drive chooses among them.

use crate::declare::Kind;
use crate::declare::{choice, params};
use wordline_trace::VOLUMES;

choice! {
    /// Which queue the drive takes a request from.
    pub enum Arbitration {
        RoundRobin = "round_robin",
        Weighted = "weighted",
    }
}

choice! {
    /// The class of a queue, where the drive weighs queues.
    pub enum QueueClass {
        Urgent = "urgent",
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

params! {
    /// `[host.queue.NAME]`: a submission queue for some of the workload's streams. Streams that no queue names have one each.
    pub struct QueueConfig {
        streams: Vec<u32> = Vec::new(), Kind::Ints(0, VOLUMES as u64 - 1), "",
            "numbers of the streams (traces, generators, volumes) whose requests stand in it, in the order in which they are met first, from 0";
        depth: u64 = 0, Kind::Int(0, 65_536), "requests", "closed: requests outstanding; 0: as host.queue_depth says";
        class: QueueClass = QueueClass::Medium, Kind::OneOf(QueueClass::NAMES), "",
            "with host.arbitration = \"weighted\": urgent queues before all others, which take turns by host.class_weights";
    }
}
