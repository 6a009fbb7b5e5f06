//! What the drive is made of, and who is served first.

use super::{BIG, ReadsConfig};
use crate::declare::{Kind, PerPage};
use crate::declare::{choice, params};
use std::collections::BTreeMap;

choice! {
    /// The cells of the flash.
    pub enum Cell {
        Slc = "slc",
        Mlc = "mlc",
        Tlc = "tlc",
        Qlc = "qlc",
    }
}

choice! {
    /// What one program writes.
    pub enum ProgramUnit {
        Page = "page",
        OneShot = "one_shot",
        FullSequence = "full_sequence",
    }
}

choice! {
    /// Who is served first.
    pub enum ServiceOrder {
        InOrder = "in_order",
        ReadsFirst = "reads_first",
    }
}

choice! {
    /// How a die serves what the classes of queues wait for.
    pub enum DieClasses {
        None = "none",
        Strict = "strict",
        Weighted = "weighted",
        Flin = "flin",
    }
}

choice! {
    /// What becomes of the pulse of an erase that is suspended.
    pub enum SuspendedPulse {
        Restart = "restart",
        Resume = "resume",
    }
}

params! {
    /// `[drive.chip]`: the flash.
    pub struct ChipConfig {
        cell: Cell = Cell::Tlc, Kind::OneOf(Cell::NAMES), "",
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
        summary_us: f64 = 0.0, Kind::Float(0.0, 1e6), "us",
            "time that the last program of a block takes longer, for a page beyond pages_per_block that lists what the block holds; 0: no such page";
        erase_ms: f64 = 3.5, Kind::Float(0.0, 1e4), "ms", "tBERS: erase of a block";
        transfer_mb_s: f64 = 800.0, Kind::Float(0.0, 1e6), "MB/s",
            "rate of the channel, 10^6 bytes per second; 0: no transfer time";
        command_us: f64 = 0.0, Kind::Float(0.0, 1e4), "us",
            "command and address cycles on the channel, for each operation";
        program: ProgramUnit = ProgramUnit::Page, Kind::OneOf(ProgramUnit::NAMES), "",
            "page: page by page; one_shot, full_sequence (two names of one operation): all pages of a word line at once, in the time of its slowest page type";
        multi_plane: bool = false, Kind::Bool, "",
            "program, read and erase the planes of a die together where the work allows";
        multi_plane_reads: u64 = 0, Kind::Int(0, 64), "planes",
            "with multi_plane: planes of a die whose pages of one number are sensed together; 1: each page by itself; 0: as many as there are, up to 8";
        cache_program: bool = false, Kind::Bool, "",
            "transfer the next page while the array still programs";
        cache_read: bool = false, Kind::Bool, "",
            "read the next page while the last one is still transferred";
        independent_plane_reads: u64 = 1, Kind::Int(1, 64), "",
            "reads of different planes that a die senses at once, whatever their pages (reads_first only); 1: planes sense together only what belongs together",
            "US 12,334,136 (2025): a controller issues reads that are performed concurrently on several groups of planes of a die";
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
        order: ServiceOrder = ServiceOrder::ReadsFirst, Kind::OneOf(ServiceOrder::NAMES), "",
            "in_order: each die works in order of arrival; reads_first: queues with priorities (host reads and those of the map, host writes, writes of the map, GC; GC in the foreground ranks with host writes)";
        by_class: DieClasses = DieClasses::None, Kind::OneOf(DieClasses::NAMES), "",
            "which host read, and which program, a die serves next, by the class of its queue (host.queue.NAME.class; reads_first only). none: the one that came first; strict: one of the highest class; weighted: urgent ones first, and the other classes share by host.class_weights; flin: as weighted, queues of a class take turns so that they suffer alike, and a read goes before a write only while it waits longer for its length. Programs of a block keep their order",
            "flin: Tavakkol et al., FLIN, ISCA 2018";
        suspend_program: bool = false, Kind::Bool, "", "a host read may suspend a program (reads_first only)";
        suspend_erase: bool = false, Kind::Bool, "", "a host read may suspend an erase (reads_first only)";
        suspend_loading: bool = false, Kind::Bool, "",
            "with suspend_program: a host read that came while a program was being loaded, or waited in its register, suspends it as it begins; false: it waits for the end of that program",
            "US 10,579,269 (2020): a controller suspends a write command because a read command waits; what drives do while one is being loaded is not published";
        suspend_us: f64 = 20.0, Kind::Float(0.0, 1e5), "us", "time to suspend, before the read starts";
        resume_us: f64 = 20.0, Kind::Float(0.0, 1e5), "us", "time to resume, added to what was left";
        suspend_min_us: f64 = 100.0, Kind::Float(0.0, 1e6), "us",
            "an operation with less than this left is not suspended; of an erase in pulses, the pulse";
        suspend_limit: u64 = 4, Kind::Int(0, 1000), "", "suspensions of one operation at most";
        suspended_pulse: SuspendedPulse = SuspendedPulse::Restart, Kind::OneOf(SuspendedPulse::NAMES), "",
            "an erase of several pulses that was suspended begins its pulse again, or goes on where it stopped";
        suspend_write_wait_ms: f64 = 0.0, Kind::Float(0.0, 1e6), "ms",
            "no erase is suspended on a die where a host write has waited this long; 0: however long";
        @table flin: FlinConfig, "When a queue is one of low intensity, and when fairness is poor.";
    }
}

params! {
    /// `[drive.scheduling.flin]`: parameters of `by_class = "flin"`, whose defaults are those of the authors' simulator.
    pub struct FlinConfig {
        epoch_ms: f64 = 10.0, Kind::Float(0.001, 1e6), "ms",
            "how long pages are counted before queues are told apart by them",
            "MQSim 7ec40e3, SSD_Device.cpp";
        low_read_mib: f64 = 32.0, Kind::Float(0.0, 1e6), "MiB",
            "a queue that read less in the last epoch, from all dies at the rate of one, is of low intensity there and its reads go first: whole pages count",
            "MQSim 7ec40e3, SSD_Device.cpp";
        low_write_kib: f64 = 256.0, Kind::Float(0.0, 1e9), "KiB",
            "the same of programs",
            "MQSim 7ec40e3, SSD_Device.cpp";
        threshold: f64 = 0.6, Kind::Float(0.0, 1.0), "",
            "fairness at a die, the least mean slowdown of a queue by the largest, below which the queue that suffers most goes ahead",
            "MQSim 7ec40e3, SSD_Device.cpp";
    }
}

choice! {
    /// How the blocks of a group are erased.
    pub enum GroupScheme {
        Drive = "drive",
        Fixed = "fixed",
        Ispe = "ispe",
        IIspe = "i_ispe",
        Dpes = "dpes",
        Aero = "aero",
        Reo = "reo",
    }
}

params! {
    /// `[drive.group.NAME]`: chips of one kind, in a drive of several kinds.
    pub struct GroupConfig {
        first_channel: u64 = 0, Kind::Int(0, 1023), "", "the first channel, from 0, that has such chips";
        channels: u64 = 0, Kind::Int(0, 1024), "",
            "channels from there on that have such chips; 0: all";
        chips_per_channel: u64 = 1, Kind::Int(1, 256), "", "such chips on each of them";
        erase_scheme: GroupScheme = GroupScheme::Drive, Kind::OneOf(GroupScheme::NAMES), "",
            "how their blocks are erased; drive: by erase.scheme. Parameters stand in [erase.NAME]";
        @table chip: ChipConfig, "The flash: what it does not say stands as in `[drive.chip]`.";
    }
}

params! {
    /// `[drive]`: the layout of the drive.
    pub struct DriveConfig {
        channels: u64 = 8, Kind::Int(1, 1024), "", "channels";
        chips_per_channel: u64 = 2, Kind::Int(1, 256), "",
            "chips on a channel (ways); with drive.group tables each of these says it for itself";
        over_provisioning: f64 = 0.28, Kind::Float(0.0, 2.0), "share",
            "(T - U) / U: physical space beyond the logical, as a share of the logical";
        @table chip: ChipConfig, "The flash.";
        @table group: BTreeMap<String, GroupConfig>, "The kinds of chips, by name; empty: one kind.";
        @table scheduling: SchedulingConfig, "Who is served first.";
        @table reads: ReadsConfig, "What is wrong with data when it is read.";
    }
}

impl Cell {
    /// Bits that one stores: the page types of a word line.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Slc => 1,
            Self::Mlc => 2,
            Self::Tlc => 3,
            Self::Qlc => 4,
        }
    }
}

impl ProgramUnit {
    /// Whether one program writes all pages of a word line.
    pub const fn is_word_line(self) -> bool {
        match self {
            Self::Page => false,
            Self::OneShot | Self::FullSequence => true,
        }
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
