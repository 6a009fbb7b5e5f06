//! Where the host asks for its writes to go, and what a drive makes of it.

use crate::declare::Kind;
use crate::declare::{choice, params};

choice! {
    /// What the host may ask of a drive.
    pub enum HostInterface {
        Block = "block",
        Fdp = "fdp",
    }
}

choice! {
    /// Where the placement identifiers of writes come from.
    pub enum PlacementBy {
        Trace = "trace",
        Stream = "stream",
        Size = "size",
        Address = "address",
    }
}

/// Reclaim unit handles of a drive at most.
const HANDLES_MAX: u64 = 64;

params! {
    /// `[host.fdp]`: a drive that takes placement identifiers (host.interface = "fdp"). Its reclaim units are superblocks of all dies.
    pub struct FdpConfig {
        handles: u64 = 8, Kind::Int(1, HANDLES_MAX), "", "reclaim unit handles of the drive; each takes a reclaim unit with its first write";
        isolation: Vec<String> = vec!["initial".into()], Kind::Texts, "",
            "of each handle, or one for all. initial: GC may join its data with that of other handles, as ftl.frontiers says; persistent: it stays in units of its handle";
        placement_handles: Vec<u16> = Vec::new(), Kind::Ints(0, HANDLES_MAX - 1), "",
            "the handle of each placement identifier of the namespace, from identifier 0 on; []: all handles in order. A write without an identifier, or with one beyond, goes to the first";
        shares: Vec<f64> = vec![0.0], Kind::Floats(0.0, 1e6), "",
            "of the reclaim units, the share of each handle, in any unit: GC takes its victim from the handle that is furthest above its own. 0: from all alike";
    }
}

params! {
    /// `[workload.placement]`: the placement identifiers of writes, which a drive with host.interface = "fdp" takes.
    pub struct PlacementConfig {
        by: PlacementBy = PlacementBy::Trace, Kind::OneOf(PlacementBy::NAMES), "",
            "trace: those of the trace or generator (placement=), if it has any; stream: the number of the volume, device or stream; size: how many of sizes_kib the write exceeds; address: that of the first of the ranges in which it begins";
        sizes_kib: Vec<f64> = vec![64.0], Kind::Floats(0.0, 1e9), "KiB", "size: bounds, rising";
        ranges: Vec<String> = Vec::new(), Kind::Texts, "",
            "address: lines `start, end, identifier` in bytes, the end excluded, as in fio's dp_scheme files; elsewhere the identifier is 0";
    }
}
