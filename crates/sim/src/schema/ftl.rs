//! The flash translation layer.

use super::BIG;
use crate::declare::params;
use crate::declare::{Kind, Slot};

params! {
    /// `[ftl.gc]`: garbage collection.
    pub struct GcConfig {
        policy: String = "greedy".into(), Kind::Policy(Slot::Victims), "", "how the victim is chosen";
        ties: String = "listed".into(), Kind::OneOf(&["listed", "oldest", "newest", "last"]), "",
            "greedy, windowed_greedy: which of several blocks with the fewest valid units. listed: the one that has had so few the longest (windowed_greedy: the oldest); oldest, newest: the one that became full first, or last; last: the one with the highest number";
        d: u64 = 2, Kind::Int(1, 100_000), "blocks", "candidates of d_choices";
        window: u64 = 64, Kind::Int(1, BIG), "blocks", "oldest blocks that windowed_greedy looks at";
        scope: String = "plane".into(), Kind::OneOf(&["plane", "die", "drive"]), "",
            "the domain whose free blocks are counted and in which the victim is sought";
        free_block_threshold: f64 = 0.01, Kind::Float(0.0, 0.5), "share",
            "GC runs when fewer blocks of the domain are free than this share (at least one)";
        counts: String = "blocks".into(), Kind::OneOf(&["blocks", "pages"]), "",
            "what is compared with the thresholds. blocks: erased blocks that are not open; pages: all that can still be programmed, in open blocks too, as SSDSim counts";
        trigger: String = "allocation".into(), Kind::OneOf(&["allocation", "access"]), "",
            "what waits for GC in the foreground. allocation: the host write that needs a block; access: whatever the host asks next of the die, reads too, as DiskSim has it";
        mode: String = "foreground".into(), Kind::OneOf(&["foreground", "background", "preemptible"]), "",
            "foreground: a victim at a time, in the way of the host; background: also when the drive is idle; preemptible: page by page in idle moments, in the way of the host only below the hard threshold";
        background_threshold: f64 = 0.05, Kind::Float(0.0, 0.5), "share",
            "background: free share below which idle time is used (preemptible GC uses it below free_block_threshold)";
        hard_threshold: f64 = 0.005, Kind::Float(0.0, 0.5), "share",
            "free share below which preemptible GC is no longer preempted";
        idle_us: f64 = 1000.0, Kind::Float(0.0, 1e9), "us",
            "the drive counts as idle after this long without work";
    }
}

params! {
    /// `[ftl.hotness]`: which writes belong together.
    pub struct HotnessConfig {
        policy: String = "none".into(), Kind::Policy(Slot::Hotness), "",
            "how a write's temperature is told";
        size_kib: f64 = 16.0, Kind::Float(0.0, 1e6), "KiB", "size: requests up to this are hot";
        intervals_min: Vec<f64> = vec![30.0, 60.0, 120.0], Kind::Floats(0.0, 1e9), "min",
            "interval: bounds of the update interval between the temperatures, hottest first";
        hot_share: f64 = 0.2, Kind::Float(0.0, 1.0), "share",
            "oracle: this share of the logical space, from its start, is hot";
        run_kib: f64 = 256.0, Kind::Float(0.0, 1e6), "KiB",
            "sequence: writes that continue a run of this length are cold";
    }
}

params! {
    /// `[ftl.wear]`: wear levelling.
    pub struct WearConfig {
        policy: String = "none".into(), Kind::Policy(Slot::Wear), "",
            "none: free blocks in order; dynamic: the least worn free block first; static: dynamic, and cold blocks are moved when the spread of wear exceeds the threshold";
        threshold: u64 = 20, Kind::Int(1, 1_000_000), "P/E cycles",
            "static: spread of wear that sets it going";
    }
}

params! {
    /// `[ftl.map_cache]`: where the map lives.
    pub struct MapCacheConfig {
        policy: String = "full".into(), Kind::Policy(Slot::MapCache), "",
            "full: the whole map in DRAM; dftl: demand-paged, entries cached with LRU";
        capacity_kib: f64 = 1024.0, Kind::Float(1.0, 1e9), "KiB",
            "dftl: DRAM for cached entries, 8 bytes each";
    }
}

params! {
    /// `[ftl]`: the flash translation layer.
    pub struct FtlConfig {
        allocation: String = "CWDP".into(), Kind::Policy(Slot::Allocation), "",
            "order in which writes visit channels (C), ways (W), dies (D) and planes (P), fastest first and fixed by address; or dynamic: the plane that is free first";
        plane_allocation: String = "order".into(), Kind::OneOf(&["order", "most_free"]), "",
            "the plane within the die. order: as allocation says, by address or in turn; most_free: the one with the most free pages, as in an allocation pool that is a die";
        mapping_unit_kib: f64 = 0.0, Kind::Float(0.0, 65_536.0), "KiB",
            "unit of the map; 0: a page";
        frontiers: String = "separate".into(), Kind::OneOf(&["separate", "shared"]), "",
            "separate: host writes and GC fill blocks of their own; shared: the same";
        frontier_scope: String = "plane".into(), Kind::OneOf(&["plane", "die"]), "",
            "one open block per plane, or one per die that visits its planes in turn";
        free_block_order: String = "fifo".into(), Kind::OneOf(&["fifo", "circular"]), "",
            "which erased block of a plane is used next, without wear levelling. fifo: the one that was erased first; circular: the next one by number, round and round";
        acknowledge: String = "program".into(), Kind::OneOf(&["program", "buffer"]), "",
            "when a write is complete: when programmed, or when in the controller's buffer, which is protected against power loss, as drives of data centres are";
        buffer_kib: f64 = 0.0, Kind::Float(0.0, 1e9), "KiB",
            "acknowledge = buffer: what the controller's buffer holds of host data that is not programmed; a write that finds it full is complete when there is room. 0: two programs for every open block (or set of blocks, with multi_plane) of the host, one under way and one that is filled";
        merge_timeout_us: f64 = 1000.0, Kind::Float(0.0, 1e9), "us",
            "a program that is not full and for which a request waits is started after this long";
        incomplete: String = "pad".into(), Kind::OneOf(&["pad", "leave"]), "",
            "what a program that is not full does with its other pages. pad: they stay without data; leave: later programs fill them, which no one-shot program of flash can, but simulators that count pages one by one let it";
        @table gc: GcConfig, "Garbage collection.";
        @table hotness: HotnessConfig, "Which writes belong together.";
        @table wear: WearConfig, "Wear levelling.";
        @table map_cache: MapCacheConfig, "Where the map lives.";
    }
}
