//! The flash translation layer.

use super::BIG;
use crate::declare::{Kind, Slot};
use crate::declare::{choice, params};

choice! {
    /// How the victim of garbage collection is chosen.
    pub enum VictimChoice {
        Greedy = "greedy",
        Fifo = "fifo",
        Random = "random",
        DChoices = "d_choices",
        CostBenefit = "cost_benefit",
        WindowedGreedy = "windowed_greedy",
    }
}

choice! {
    /// Which of several blocks that are equally good.
    pub enum Ties {
        Listed = "listed",
        Oldest = "oldest",
        Newest = "newest",
        Last = "last",
        Hottest = "hottest",
    }
}

choice! {
    /// The planes over which garbage collection counts and seeks.
    pub enum GcScope {
        Plane = "plane",
        Die = "die",
        Drive = "drive",
    }
}

choice! {
    /// What garbage collection compares with its thresholds.
    pub enum GcCounts {
        Blocks = "blocks",
        Pages = "pages",
    }
}

choice! {
    /// What waits for garbage collection in the foreground.
    pub enum GcTrigger {
        Allocation = "allocation",
        Access = "access",
    }
}

choice! {
    /// When garbage collection runs.
    pub enum GcMode {
        Foreground = "foreground",
        Background = "background",
        Preemptible = "preemptible",
        Paced = "paced",
    }
}

impl GcMode {
    /// Whether how much is reclaimed depends on how idle the drive is.
    pub const fn works_in_idle_time(self) -> bool {
        matches!(self, Self::Background | Self::Preemptible)
    }
}

choice! {
    /// How a write's temperature is told.
    pub enum HotnessChoice {
        None = "none",
        Size = "size",
        Interval = "interval",
        PageInterval = "page_interval",
        Handle = "handle",
        Sequence = "sequence",
        Oracle = "oracle",
        Parity = "parity",
    }
}

choice! {
    /// How wear is levelled.
    pub enum WearChoice {
        None = "none",
        Dynamic = "dynamic",
        Static = "static",
        Bet = "bet",
    }
}

choice! {
    /// Where the map lives.
    pub enum MapCacheChoice {
        Full = "full",
        Dftl = "dftl",
    }
}

choice! {
    /// The 24 static orders of channel, way, die and plane (fastest first), and the plane that is free
    /// first.
    pub enum Allocation {
        Cwdp = "CWDP",
        Cwpd = "CWPD",
        Cdwp = "CDWP",
        Cdpw = "CDPW",
        Cpwd = "CPWD",
        Cpdw = "CPDW",
        Wcdp = "WCDP",
        Wcpd = "WCPD",
        Wdcp = "WDCP",
        Wdpc = "WDPC",
        Wpcd = "WPCD",
        Wpdc = "WPDC",
        Dcwp = "DCWP",
        Dcpw = "DCPW",
        Dwcp = "DWCP",
        Dwpc = "DWPC",
        Dpcw = "DPCW",
        Dpwc = "DPWC",
        Pcwd = "PCWD",
        Pcdw = "PCDW",
        Pwcd = "PWCD",
        Pwdc = "PWDC",
        Pdcw = "PDCW",
        Pdwc = "PDWC",
        Dynamic = "dynamic",
    }
}

choice! {
    /// The plane within the die.
    pub enum PlaneAllocation {
        Order = "order",
        MostFree = "most_free",
    }
}

choice! {
    /// Whether host writes and garbage collection share blocks.
    pub enum Frontiers {
        Separate = "separate",
        Shared = "shared",
        Coldest = "coldest",
    }
}

choice! {
    /// The planes that share an open block.
    pub enum FrontierScope {
        Plane = "plane",
        Die = "die",
    }
}

choice! {
    /// Which erased block is used next.
    pub enum FreeBlockOrder {
        Fifo = "fifo",
        Circular = "circular",
    }
}

choice! {
    /// When a write is complete.
    pub enum Acknowledge {
        Program = "program",
        Buffer = "buffer",
    }
}

choice! {
    /// What starts a program that is not full.
    pub enum ProgramStart {
        WhenIdle = "when_idle",
        AfterTimeout = "after_timeout",
    }
}

choice! {
    /// What becomes of the rest of a program that is not full.
    pub enum Incomplete {
        Pad = "pad",
        Leave = "leave",
    }
}

choice! {
    /// What of each row of a superblock's programs holds parity.
    pub enum SuperblockParity {
        None = "none",
        Plane = "plane",
        Die = "die",
    }
}

params! {
    /// `[ftl.gc]`: garbage collection.
    pub struct GcConfig {
        policy: VictimChoice = VictimChoice::Greedy, Kind::Policy(Slot::Victims), "", "how the victim is chosen";
        ties: Ties = Ties::Listed, Kind::OneOf(Ties::NAMES), "",
            "greedy, windowed_greedy: which of several blocks with the fewest valid units. listed: the one that has had so few the longest (windowed_greedy: the oldest); oldest, newest: the one that became full first, or last; last: the one with the highest number; hottest: the one whose stream holds the hottest data";
        d: u64 = 2, Kind::Int(1, 100_000), "blocks", "candidates of d_choices";
        window: u64 = 64, Kind::Int(1, BIG), "blocks", "oldest blocks that windowed_greedy looks at";
        scope: GcScope = GcScope::Plane, Kind::OneOf(GcScope::NAMES), "",
            "the domain whose free blocks are counted and in which the victim is sought";
        free_block_threshold: f64 = 0.01, Kind::Float(0.0, 0.5), "share",
            "GC runs when fewer blocks of the domain are free than this share (at least one)";
        counts: GcCounts = GcCounts::Blocks, Kind::OneOf(GcCounts::NAMES), "",
            "what is compared with the thresholds. blocks: erased blocks that are not open; pages: all that can still be programmed, in open blocks too, as SSDSim counts";
        trigger: GcTrigger = GcTrigger::Allocation, Kind::OneOf(GcTrigger::NAMES), "",
            "what waits for GC in the foreground. allocation: the host write that needs a block; access: whatever the host asks next of the die, reads too, as DiskSim has it";
        mode: GcMode = GcMode::Foreground, Kind::OneOf(GcMode::NAMES), "",
            "foreground: a victim at a time, in the way of the host; background: also when the drive is idle; preemptible: page by page in idle moments, in the way of the host only below the hard threshold; paced: as the host writes, for each unit as many as the victim must give to keep up. Default: paced, or with superblocks in timed runs background";
        background_threshold: f64 = 0.02, Kind::Float(0.0, 0.5), "share",
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
        policy: HotnessChoice = HotnessChoice::None, Kind::Policy(Slot::Hotness), "",
            "how a write's temperature is told";
        size_kib: f64 = 16.0, Kind::Float(0.0, 1e6), "KiB", "size: requests up to this are hot";
        intervals_min: Vec<f64> = vec![30.0, 60.0, 120.0], Kind::Floats(0.0, 1e9), "min",
            "interval: bounds of the update interval between the temperatures, hottest first";
        hot_share: f64 = 0.2, Kind::Float(0.0, 1.0), "share",
            "oracle: this share of the logical space, from its start, is hot";
        run_kib: f64 = 256.0, Kind::Float(0.0, 1e6), "KiB",
            "sequence: writes that continue a run of this length are cold";
        handles: u64 = 8, Kind::Int(1, 128), "",
            "handle: placement handles of the drive; writes with higher ones share the last";
    }
}

params! {
    /// `[ftl.wear]`: wear levelling.
    pub struct WearConfig {
        policy: WearChoice = WearChoice::None, Kind::Policy(Slot::Wear), "",
            "none: free blocks in order; dynamic: the least worn free block first; static: dynamic, and cold blocks are moved when the spread of wear exceeds the threshold; bet: free blocks in order, and what was not erased for long is moved, by a block erasing table (Chang et al., IEEE TC 59(1), 2010)";
        threshold: u64 = 20, Kind::Int(1, 1_000_000), "P/E cycles",
            "static: spread of wear that sets it going; bet: erases for each set of blocks that was erased since the table was cleared";
        set_blocks: u64 = 1, Kind::Int(1, 1 << 20), "blocks",
            "bet: blocks that share an entry of the table";
    }
}

params! {
    /// `[ftl.map_cache]`: where the map lives.
    pub struct MapCacheConfig {
        policy: MapCacheChoice = MapCacheChoice::Full, Kind::Policy(Slot::MapCache), "",
            "full: the whole map in DRAM; dftl: demand-paged, entries cached with LRU";
        capacity_kib: f64 = 1024.0, Kind::Float(1.0, 1e9), "KiB",
            "dftl: DRAM for cached entries, 8 bytes each";
    }
}

params! {
    /// `[ftl]`: the flash translation layer.
    pub struct FtlConfig {
        allocation: Allocation = Allocation::Cwdp, Kind::Policy(Slot::Allocation), "",
            "order in which writes visit channels (C), ways (W), dies (D) and planes (P), fastest first and fixed by address; or dynamic: the plane that is free first";
        plane_allocation: PlaneAllocation = PlaneAllocation::Order, Kind::OneOf(PlaneAllocation::NAMES), "",
            "the plane within the die. order: as allocation says, by address or in turn; most_free: the one with the most free pages, as in an allocation pool that is a die";
        mapping_unit_kib: f64 = 0.0, Kind::Float(0.0, 65_536.0), "KiB",
            "unit of the map; 0: a page";
        frontiers: Frontiers = Frontiers::Separate, Kind::OneOf(Frontiers::NAMES), "",
            "where GC moves data. separate: to blocks of its own; shared: to those that host writes of the same temperature fill; coldest: to those that the coldest host writes fill";
        frontier_scope: FrontierScope = FrontierScope::Plane, Kind::OneOf(FrontierScope::NAMES), "",
            "one open block per plane, or one per die that visits its planes in turn";
        free_block_order: FreeBlockOrder = FreeBlockOrder::Fifo, Kind::OneOf(FreeBlockOrder::NAMES), "",
            "which erased block of a plane is used next, without wear levelling. fifo: the one that was erased first; circular: the next one by number, round and round";
        acknowledge: Acknowledge = Acknowledge::Buffer, Kind::OneOf(Acknowledge::NAMES), "",
            "when a write is complete: when programmed, or when in the controller's buffer, which is protected against power loss, as drives of data centres are";
        buffer_kib: f64 = 0.0, Kind::Float(0.0, 1e9), "KiB",
            "acknowledge = buffer: what the controller's buffer holds of host data that is not programmed; a write that finds it full is complete when there is room. 0: two programs for every open block (or set of blocks, with multi_plane) of the host, one under way and one that is filled";
        program_start: ProgramStart = ProgramStart::WhenIdle, Kind::OneOf(ProgramStart::NAMES), "",
            "what starts a program that is not full and for which a write waits (for its end, or for room in the controller's buffer), besides flushes. when_idle: its die has nothing else to do; after_timeout: merge_timeout_us is over, busy die or not, and with a full buffer one program of the drive at a time";
        merge_timeout_us: f64 = 1000.0, Kind::Float(0.0, 1e9), "us",
            "program_start = after_timeout: how long a write waits for its program to become full";
        incomplete: Incomplete = Incomplete::Pad, Kind::OneOf(Incomplete::NAMES), "",
            "what a program that is not full does with its other pages. pad: they stay without data; leave: later programs fill them, which no one-shot program of flash can, but simulators that count pages one by one let it";
        superblock_dies: u64 = 0, Kind::Int(0, 1 << 16), "dies",
            "dies whose blocks go together: one of each of their planes is opened, collected and erased at once, and filled die by die. A multiple of it makes the drive, or each kind of flash (drive.group), of which fewer dies are all; 0: each plane opens and collects blocks of its own. Default: all dies, or 0 where another key cannot go with superblocks or speaks of planes";
        superblock_parity: SuperblockParity = SuperblockParity::None, Kind::OneOf(SuperblockParity::NAMES), "",
            "parity within the drive (RAIN): what of a row, which is a program on each die of a superblock, holds the parity of the others. It takes turns by rows, and takes room and time; reading data back by it is not simulated";
        superblock_metadata_factor: f64 = 1.0, Kind::Float(1.0, 2.0), "",
            "units programmed for each unit of data, parity aside: the map and its journal, checkpoints, and parity of another shape. Whole programs, spread evenly over each superblock; they take room and time. 1: none";
        trim_us: f64 = 63.0, Kind::Float(0.0, 1e9), "us",
            "time of the controller for each trim. The default is the least that fio measured of 4 KiB on an NVMe drive, the host's path in it (github.com/axboe/fio/issues/764)";
        trim_unit_us: f64 = 0.009, Kind::Float(0.0, 1e6), "us",
            "time of the controller for each mapping unit that a trim covers whole, beside trim_us. The default is that of 4 KiB in a trim of 572 MiB that took another NVMe drive 1.37 ms (blktrace, github.com/scylladb/diskplorer/pull/31)";
        @table gc: GcConfig, "Garbage collection.";
        @table hotness: HotnessConfig, "Which writes belong together.";
        @table wear: WearConfig, "Wear levelling.";
        @table map_cache: MapCacheConfig, "Where the map lives.";
    }
}
