//! The tables of a configuration.

use super::param::{Kind, Param, PerPage, Table};
use crate::array::Level;
use crate::params;
use crate::policy;
use crate::technique;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wordline_trace::shape::{Layout, Shape};

const BIG: u64 = 1 << 40;

params! {
    /// `[run]`: how the simulation is carried out.
    pub struct RunConfig {
        seed: u64 = 1, Kind::Int(0, u64::MAX >> 1), "", "seed of every random choice";
        mode: String = "timed".into(), Kind::OneOf(&["timed", "count"]), "",
            "timed: latencies and throughput; count: no timing, for erases and write amplification";
        cycles_per_erase: u64 = 1, Kind::Int(1, 10_000), "P/E cycles",
            "each erase wears its block as so many would, and a short run takes a drive through its life";
        records: bool = false, Kind::Bool, "", "keep a record of every request";
        series_points: u64 = 200, Kind::Int(0, 100_000), "", "points of the time series (0: none)";
        check: bool = true, Kind::Bool, "", "verify the invariants of the drive after the run";
    }
}

params! {
    /// `[drive.chip]`: the flash.
    pub struct ChipConfig {
        cell: String = "tlc".into(), Kind::OneOf(&["slc", "mlc", "tlc", "qlc"]), "",
            "bits per cell";
        dies: u64 = 1, Kind::Int(1, 64), "per chip", "dies that work independently";
        planes: u64 = 2, Kind::Int(1, 64), "per die", "planes of a die";
        blocks_per_plane: u64 = 1024, Kind::Int(1, BIG), "", "blocks of a plane";
        layers_per_block: u64 = 0, Kind::Int(0, 1024), "",
            "layers of a 3D block; 0: planar, or not modelled";
        pages_per_block: u64 = 128, Kind::Int(1, 65_536), "", "pages of a block";
        page_kib: f64 = 4.0, Kind::Float(0.5, 1024.0), "KiB", "user data of a page";
        read_us: PerPage = PerPage::One(60.0), Kind::Floats(0.0, 1e6), "us",
            "tR: array to register, one value or one per page type";
        program_us: PerPage = PerPage::One(700.0), Kind::Floats(0.0, 1e6), "us",
            "tPROG: register to array, one value or one per page type; for one_shot the whole word line";
        erase_ms: f64 = 3.5, Kind::Float(0.0, 1e4), "ms", "tBERS: erase of a block";
        transfer_mb_s: f64 = 800.0, Kind::Float(0.0, 1e6), "MB/s",
            "rate of the channel, 10^6 bytes per second; 0: no transfer time";
        command_us: f64 = 0.0, Kind::Float(0.0, 1e4), "us",
            "command and address cycles on the channel, for each operation";
        program: String = "page".into(), Kind::OneOf(&["page", "one_shot", "full_sequence"]), "",
            "page: page by page; one_shot, full_sequence (two names of one operation): all pages of a word line at once, in the time of its slowest page type";
        multi_plane: bool = false, Kind::Bool, "",
            "program, read and erase the planes of a die together where the work allows";
        cache_program: bool = false, Kind::Bool, "",
            "transfer the next page while the array still programs";
        cache_read: bool = false, Kind::Bool, "",
            "read the next page while the last one is still transferred";
        copy_back: bool = false, Kind::Bool, "",
            "move pages within a plane without a transfer over the channel";
        read_uj: PerPage = PerPage::One(0.0), Kind::Floats(0.0, 1e6), "uJ",
            "energy of a page read, one value or one per page type";
        program_uj: PerPage = PerPage::One(0.0), Kind::Floats(0.0, 1e6), "uJ",
            "energy of a page program, one value or one per page type";
        erase_uj: f64 = 0.0, Kind::Float(0.0, 1e9), "uJ", "energy of a block erase";
        endurance_pec: u64 = 0, Kind::Int(0, 10_000_000), "P/E cycles",
            "P/E cycles after which a block is retired; 0: never";
        endurance_sigma: f64 = 0.0, Kind::Float(0.0, 1.0), "share",
            "standard deviation of the endurance over blocks";
        initial_pec: u64 = 0, Kind::Int(0, 10_000_000), "P/E cycles",
            "P/E cycles of every block at the start of the run";
        bad_blocks: f64 = 0.0, Kind::Float(0.0, 0.5), "share", "blocks that are bad from the start";
    }
}

params! {
    /// `[drive.scheduling]`: who is served first.
    pub struct SchedulingConfig {
        order: String = "in_order".into(), Kind::OneOf(&["in_order", "reads_first"]), "",
            "in_order: each die works in order of arrival; reads_first: queues with priorities (host reads and those of the map, host writes, writes of the map, GC; GC in the foreground ranks with host writes)";
        suspend_program: bool = false, Kind::Bool, "", "a host read may suspend a program (reads_first only)";
        suspend_erase: bool = false, Kind::Bool, "", "a host read may suspend an erase (reads_first only)";
        suspend_us: f64 = 20.0, Kind::Float(0.0, 1e5), "us", "time to suspend, before the read starts";
        resume_us: f64 = 20.0, Kind::Float(0.0, 1e5), "us", "time to resume, added to what was left";
        suspend_min_us: f64 = 100.0, Kind::Float(0.0, 1e6), "us",
            "an operation with less than this left is not suspended; of an erase in pulses, the pulse";
        suspend_limit: u64 = 4, Kind::Int(0, 1000), "", "suspensions of one operation at most";
        suspended_pulse: String = "restart".into(), Kind::OneOf(&["restart", "resume"]), "",
            "an erase of several pulses that was suspended begins its pulse again, or goes on where it stopped";
        suspend_write_wait_ms: f64 = 0.0, Kind::Float(0.0, 1e6), "ms",
            "no erase is suspended on a die where a host write has waited this long; 0: however long";
    }
}

params! {
    /// `[drive.group.NAME]`: chips of one kind, in a drive of several kinds.
    pub struct GroupConfig {
        first_channel: u64 = 0, Kind::Int(0, 1023), "", "the first channel, from 0, that has such chips";
        channels: u64 = 0, Kind::Int(0, 1024), "",
            "channels from there on that have such chips; 0: all";
        chips_per_channel: u64 = 1, Kind::Int(1, 256), "", "such chips on each of them";
        @table chip: ChipConfig, "The flash: what it does not say stands as in `[drive.chip]`.";
    }
}

params! {
    /// `[drive]`: the layout of the drive.
    pub struct DriveConfig {
        channels: u64 = 8, Kind::Int(1, 1024), "", "channels";
        chips_per_channel: u64 = 2, Kind::Int(1, 256), "",
            "chips on a channel (ways); with drive.group tables each of these says it for itself";
        over_provisioning: f64 = 0.28, Kind::Float(0.0, 100.0), "share",
            "(T - U) / U: physical space beyond the logical, as a share of the logical";
        @table chip: ChipConfig, "The flash.";
        @table group: BTreeMap<String, GroupConfig>, "The kinds of chips, by name; empty: one kind.";
        @table scheduling: SchedulingConfig, "Who is served first.";
    }
}

params! {
    /// `[ftl.gc]`: garbage collection.
    pub struct GcConfig {
        policy: String = "greedy".into(), Kind::OneOf(policy::gc::NAMES), "", "how the victim is chosen";
        d: u64 = 2, Kind::Int(1, 100_000), "blocks", "candidates of d_choices";
        window: u64 = 64, Kind::Int(1, BIG), "blocks", "oldest blocks that windowed_greedy looks at";
        scope: String = "plane".into(), Kind::OneOf(&["plane", "die", "drive"]), "",
            "the domain whose free blocks are counted and in which the victim is sought";
        free_block_threshold: f64 = 0.01, Kind::Float(0.0, 0.5), "share",
            "GC runs when fewer blocks of the domain are free than this share (at least one)";
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
        policy: String = "none".into(), Kind::OneOf(policy::hotness::NAMES), "",
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
        policy: String = "none".into(), Kind::OneOf(policy::wear::NAMES), "",
            "none: free blocks in order; dynamic: the least worn free block first; static: dynamic, and cold blocks are moved when the spread of wear exceeds the threshold";
        threshold: u64 = 20, Kind::Int(1, 1_000_000), "P/E cycles",
            "static: spread of wear that sets it going";
    }
}

params! {
    /// `[ftl.map_cache]`: where the map lives.
    pub struct MapCacheConfig {
        policy: String = "full".into(), Kind::OneOf(policy::map_cache::NAMES), "",
            "full: the whole map in DRAM; dftl: demand-paged, entries cached with LRU";
        capacity_kib: f64 = 1024.0, Kind::Float(1.0, 1e9), "KiB",
            "dftl: DRAM for cached entries, 8 bytes each";
    }
}

params! {
    /// `[ftl]`: the flash translation layer.
    pub struct FtlConfig {
        allocation: String = "CWDP".into(), Kind::OneOf(policy::alloc::NAMES), "",
            "order in which writes visit channels (C), ways (W), dies (D) and planes (P), fastest first and fixed by address; or dynamic: the plane that is free first";
        mapping_unit_kib: f64 = 0.0, Kind::Float(0.0, 65_536.0), "KiB",
            "unit of the map; 0: a page";
        frontiers: String = "separate".into(), Kind::OneOf(&["separate", "shared"]), "",
            "separate: host writes and GC fill blocks of their own; shared: the same";
        frontier_scope: String = "plane".into(), Kind::OneOf(&["plane", "die"]), "",
            "one open block per plane, or one per die that visits its planes in turn";
        acknowledge: String = "program".into(), Kind::OneOf(&["program", "buffer"]), "",
            "when a write is complete: when programmed, or when in the (power-loss protected) merge buffer";
        merge_timeout_us: f64 = 1000.0, Kind::Float(0.0, 1e9), "us",
            "a program that is not full and for which a request waits is padded and started after this long";
        @table gc: GcConfig, "Garbage collection.";
        @table hotness: HotnessConfig, "Which writes belong together.";
        @table wear: WearConfig, "Wear levelling.";
        @table map_cache: MapCacheConfig, "Where the map lives.";
    }
}

/// `[erase]`: how blocks are erased.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EraseConfig {
    /// The erase scheme.
    pub scheme: String,
    /// Its parameters, by its name.
    #[serde(flatten)]
    pub schemes: toml::Table,
}

impl Default for EraseConfig {
    fn default() -> Self {
        Self { scheme: "fixed".into(), schemes: toml::Table::new() }
    }
}

impl Table for EraseConfig {
    const PARAMS: &'static [Param] = &[Param {
        key: "scheme",
        kind: Kind::OneOf(technique::erase::NAMES),
        unit: "",
        help: "the erase scheme; its parameters stand in [erase.NAME]",
        source: "",
    }];
}

params! {
    /// `[host]`: how requests reach the drive.
    pub struct HostConfig {
        mode: String = "open".into(), Kind::OneOf(&["open", "closed"]), "",
            "open: requests arrive at their times; closed: a fixed number is always outstanding";
        queue_depth: u64 = 32, Kind::Int(1, 65_536), "requests",
            "closed: requests outstanding, see streams";
        streams: String = "together".into(), Kind::OneOf(&["together", "each"]), "",
            "closed: whether all streams (volumes or devices) of the workload share the queue depth, or each has it for itself and waits for no other";
        time_scale: f64 = 1.0, Kind::Float(1e-9, 1e9), "",
            "open: inter-arrival times are multiplied by this";
        bus_mb_s: f64 = 0.0, Kind::Float(0.0, 1e6), "MB/s",
            "rate of the host's bus, 10^6 bytes per second; 0: no transfer time";
        overhead_us: f64 = 0.0, Kind::Float(0.0, 1e6), "us",
            "time that the controller adds to each request";
        write_buffer_mib: f64 = 0.0, Kind::Float(0.0, 1e6), "MiB", "DRAM write buffer (LRU); 0: none";
        flush_interval_s: f64 = 0.0, Kind::Float(0.0, 1e9), "s",
            "the write buffer is written out this often, a millisecond at least; 0: only when full";
        dram_us: f64 = 1.0, Kind::Float(0.0, 1e6), "us", "time of a hit in DRAM";
    }
}

params! {
    /// `[array]`: several drives as one.
    pub struct ArrayConfig {
        level: String = "none".into(), Kind::OneOf(Level::NAMES), "",
            "none: one drive, and no other key of this table counts; raid0: chunks in turn; raid1: mirrors; raid5: chunks in turn and a parity, left-symmetric",
            "Linux 5 md, drivers/md";
        drives: u64 = 4, Kind::Int(1, 64), "", "drives, each as [drive], [ftl], [erase] and [technique] say, or [array.drive.N]";
        chunk_kib: f64 = 512.0, Kind::Float(0.5, 1_048_576.0), "KiB",
            "data that goes to one drive before the next has its turn", "mdadm(8): 512 KiB";
        page_kib: f64 = 4.0, Kind::Float(0.5, 32.0), "KiB",
            "page of the array: addresses are told apart, cached and put together for parity by the page", "Linux 5 md: a page of memory";
        stripe_cache: u64 = 256, Kind::Int(1, 32_768), "stripes",
            "raid5: stripes of one page a drive that are cached", "Linux 5 md, raid5.c: NR_STRIPES";
        rmw: String = "enable".into(), Kind::OneOf(&["disable", "enable", "prefer"]), "",
            "raid5: parity is updated by reading what is written over never, where that takes fewer reads than reading the rest of the stripe, or where it takes no more", "Linux 5 md, raid5.c: rmw_level";
        bypass_threshold: u64 = 1, Kind::Int(0, 32_768), "",
            "raid5: how often stripes that need no read may go ahead of one that was delayed", "Linux 5 md, raid5.c: BYPASS_THRESHOLD";
        spare: bool = false, Kind::Bool, "", "an erased drive stands by, and is rebuilt in place of one that fails";
        fail: Vec<u16> = Vec::new(), Kind::Ints(0, 63), "", "the drive, from 0, that fails; []: none";
        fail_at_s: f64 = 0.0, Kind::Float(0.0, 1e9), "s", "when it fails";
        scrub: bool = false, Kind::Bool, "", "read and compare everything once; waits for a rebuild";
        scrub_at_s: f64 = 0.0, Kind::Float(0.0, 1e9), "s", "when the scrub begins";
        sync_min_mb_s: f64 = 1.024, Kind::Float(0.0, 1e6), "MB/s",
            "a rebuild or scrub is not slowed down for the host's sake below this, of each drive", "Linux 5 md, md.c: speed_limit_min";
        sync_max_mb_s: f64 = 204.8, Kind::Float(1e-6, 1e6), "MB/s",
            "a rebuild or scrub is never faster than this, of each drive", "Linux 5 md, md.c: speed_limit_max";
        sync_to_end: bool = false, Kind::Bool, "",
            "go on after the workload until a rebuild or scrub is over";
        @table drive: BTreeMap<String, toml::Table>, "What differs in a drive, by its number: tables `drive`, `ftl`, `erase`, `technique`.";
    }
}

params! {
    /// `[precondition]`: the state before the first request.
    pub struct PreconditionConfig {
        fill: f64 = 1.0, Kind::Float(0.0, 1.0), "share", "share of the logical space that is written";
        pattern: String = "steady".into(), Kind::OneOf(&["none", "sequential", "random", "steady"]), "",
            "none: an empty drive; sequential, random: filled once in that order; steady: steady state under uniform writes, set directly and verified by a short run";
    }
}

params! {
    /// `[workload]`: what is replayed.
    pub struct WorkloadConfig {
        source: String = "uniform:writes=1e6".into(), Kind::Text, "",
            "a trace file, or a generator with its parameters";
        format: String = "auto".into(), Kind::Text, "", "format of the trace; auto: detected";
        beyond: String = "wrap".into(), Kind::OneOf(&["error", "wrap", "compact"]), "",
            "addresses beyond the drive: refused, taken modulo the capacity, or only touched addresses get a place";
        interleave: Vec<String> = Vec::new(), Kind::Texts, "",
            "more traces or generators that run at the same time: merged with source by arrival";
        volumes: Vec<u16> = Vec::new(), Kind::Ints(0, u16::MAX as u64), "",
            "volumes (disks, devices) of each trace that count; []: all";
        layout: String = "side_by_side".into(), Kind::OneOf(Layout::NAMES), "",
            "volumes of traces: side_by_side, each in a range of the drive of its own, in the order in which they are met first; or together, all on the same addresses";
        from_s: f64 = 0.0, Kind::Float(0.0, 1e10), "s",
            "drop requests that arrive before this; the first that is left arrives at 0";
        until_s: f64 = 0.0, Kind::Float(0.0, 1e10), "s",
            "drop requests that arrive at this time, counted as from_s is, or later; 0: none";
        first: u64 = 0, Kind::Int(0, u64::MAX >> 1), "requests", "stop after this many requests; 0: all";
        repeat: u64 = 1, Kind::Int(1, 1_000_000), "", "times that the workload is replayed";
    }
}

/// Chips of one kind, and where they sit.
#[derive(Debug, Clone, Copy)]
pub struct Chips<'a> {
    /// The group's name; empty where there is but one kind.
    pub name: &'a str,
    /// The first channel that has such chips.
    pub first_channel: u64,
    /// Channels from there on that have them; may reach beyond those of the drive.
    pub channels: u64,
    /// Such chips on each.
    pub chips_per_channel: u64,
    /// The flash.
    pub chip: &'a ChipConfig,
}

impl DriveConfig {
    /// The kinds of chips: those of the groups or, without any, the one of `[drive.chip]`.
    pub fn kinds(&self) -> Vec<Chips<'_>> {
        if !self.group.is_empty() {
            return self.group.iter().map(|(name, group)| self.kind(name, group)).collect();
        }
        vec![Chips {
            name: "",
            first_channel: 0,
            channels: self.channels,
            chips_per_channel: self.chips_per_channel,
            chip: &self.chip,
        }]
    }

    fn kind<'a>(&self, name: &'a str, group: &'a GroupConfig) -> Chips<'a> {
        Chips {
            name,
            first_channel: group.first_channel,
            channels: match group.channels {
                0 => self.channels.saturating_sub(group.first_channel),
                channels => channels,
            },
            chips_per_channel: group.chips_per_channel,
            chip: &group.chip,
        }
    }
}

impl WorkloadConfig {
    /// What is done to the traces and generators before the drive sees them. Time and repetition
    /// are the host's.
    pub fn shape(&self) -> Shape {
        let ns = |s: f64| (s * 1e9).round() as u64;
        Shape {
            volumes: self.volumes.clone(),
            from_ns: ns(self.from_s),
            until_ns: (self.until_s > 0.0).then(|| ns(self.until_s)),
            first: (self.first > 0).then_some(self.first),
            layout: Layout::by_name(&self.layout).unwrap_or_default(),
            ..Shape::default()
        }
    }
}

/// A whole configuration, resolved: every key present.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How the simulation is carried out.
    pub run: RunConfig,
    /// The drive.
    pub drive: DriveConfig,
    /// The flash translation layer.
    pub ftl: FtlConfig,
    /// How blocks are erased.
    pub erase: EraseConfig,
    /// Techniques by name, each with its own parameters; empty: the conventional drive.
    pub technique: toml::Table,
    /// How requests reach the drive.
    pub host: HostConfig,
    /// Several drives as one.
    pub array: ArrayConfig,
    /// The state before the first request.
    pub precondition: PreconditionConfig,
    /// What is replayed.
    pub workload: WorkloadConfig,
}

/// A table's place in the configuration and its declaration.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TableDecl {
    /// Dotted path, such as `drive.chip`; `NAME` stands for any name.
    pub path: &'static str,
    /// The parameters.
    pub params: &'static [Param],
}

/// Every table but `[technique.NAME]`, whose declarations stand in the registry of techniques.
pub const TABLES: &[TableDecl] = &[
    TableDecl { path: "run", params: RunConfig::PARAMS },
    TableDecl { path: "drive", params: DriveConfig::PARAMS },
    TableDecl { path: "drive.chip", params: ChipConfig::PARAMS },
    TableDecl { path: "drive.group.NAME", params: GroupConfig::PARAMS },
    TableDecl { path: "drive.group.NAME.chip", params: ChipConfig::PARAMS },
    TableDecl { path: "drive.scheduling", params: SchedulingConfig::PARAMS },
    TableDecl { path: "ftl", params: FtlConfig::PARAMS },
    TableDecl { path: "ftl.gc", params: GcConfig::PARAMS },
    TableDecl { path: "ftl.hotness", params: HotnessConfig::PARAMS },
    TableDecl { path: "ftl.wear", params: WearConfig::PARAMS },
    TableDecl { path: "ftl.map_cache", params: MapCacheConfig::PARAMS },
    TableDecl { path: "erase", params: EraseConfig::PARAMS },
    TableDecl { path: "host", params: HostConfig::PARAMS },
    TableDecl { path: "array", params: ArrayConfig::PARAMS },
    TableDecl { path: "precondition", params: PreconditionConfig::PARAMS },
    TableDecl { path: "workload", params: WorkloadConfig::PARAMS },
];
