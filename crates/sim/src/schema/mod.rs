//! What a configuration holds: every key, with its type, default, range, unit and help.
//!
//! Nothing here knows what a key means to the drive, nor what a policy does.

mod array;
mod data;
mod drive;
mod ftl;
mod law;
mod link;
mod placement;
mod power;
mod queue;
mod reads;
mod workload;

use crate::declare::{Kind, Param, Slot, Table};
use crate::declare::{choice, params};
use serde::{Deserialize, Serialize};

pub use array::{ArrayConfig, ArrayLevel, Rmw, WriteHole};
pub use data::{DataCode, DataConfig, DataErrors, SecondWriting};
pub use drive::{
    Cell, ChipConfig, Chips, DieClasses, DriveConfig, FlinConfig, GroupConfig, GroupScheme,
    ProgramUnit, SchedulingConfig, ServiceOrder, SuspendedPulse,
};
pub use ftl::{
    Acknowledge, Allocation, FreeBlockOrder, FrontierScope, Frontiers, FtlConfig, GcConfig,
    GcCounts, GcMode, GcScope, GcTrigger, HotnessChoice, HotnessConfig, Incomplete, MapCacheChoice,
    MapCacheConfig, PlaneAllocation, ProgramStart, SuperblockParity, Ties, VictimChoice,
    WearChoice, WearConfig,
};
pub use law::LawConfig;
pub use link::LinkConfig;
pub use placement::{FdpConfig, HostInterface, PlacementBy, PlacementConfig};
pub use power::{Flushes, PowerConfig, Protection};
pub use queue::{Arbitration, QueueClass, QueueConfig};
pub use reads::{Code, ErrorsBy, ReadErrors, ReadsConfig, References, RetryOrder, SoftDecoding};
pub use wordline_trace::shape::Layout as VolumeLayout;
pub use workload::{
    Beyond, HostConfig, HostMode, Pattern, PowerOffConfig, PreconditionConfig, RestOfUnit, Streams,
    Unmapped, WindowOrder, WorkloadConfig,
};

const BIG: u64 = 1 << 40;

choice! {
    /// Whether time is simulated.
    pub enum RunMode {
        Timed = "timed",
        Count = "count",
    }
}

choice! {
    /// How blocks are erased.
    pub enum SchemeChoice {
        Fixed = "fixed",
        Ispe = "ispe",
        IIspe = "i_ispe",
        Dpes = "dpes",
        Aero = "aero",
        Reo = "reo",
    }
}

params! {
    /// `[run]`: how the simulation is carried out.
    pub struct RunConfig {
        seed: u64 = 1, Kind::Int(0, u64::MAX >> 1), "", "seed of every random choice";
        mode: RunMode = RunMode::Timed, Kind::OneOf(RunMode::NAMES), "",
            "timed: latencies and throughput; count: no timing, for erases and write amplification";
        cycles_per_erase: u64 = 1, Kind::Int(1, 10_000), "P/E cycles",
            "each erase wears its block as so many would, and a short run takes a drive through its life";
        window_drive_writes: f64 = 0.0, Kind::Float(0.0, 1e6), "drive writes",
            "the life is told in windows of so many capacities written by the host; in every other one an erase stands for itself alone (0: no windows)";
        measure_from_s: f64 = 0.0, Kind::Float(0.0, 1e10), "s",
            "the result counts from the first request that arrives at this simulated time or later; what came before only warms the drive up";
        measure_from_request: u64 = 0, Kind::Int(0, u64::MAX >> 1), "requests",
            "the result counts once so many requests have reached the drive; with measure_from_s or measure_from_repeat, from the latest of them";
        measure_from_repeat: u64 = 1, Kind::Int(1, 1_000_000), "",
            "the result counts from this repetition of the workload on (workload.repeat), the first being 1";
        records: bool = false, Kind::Bool, "", "keep a record of every request";
        series_points: u64 = 200, Kind::Int(0, 100_000), "", "points of the time series (0: none)";
        check: bool = true, Kind::Bool, "", "verify the invariants of the drive after the run";
    }
}

/// `[erase]`: how blocks are erased.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EraseConfig {
    /// The erase scheme.
    pub scheme: SchemeChoice,
    /// Its parameters, by its name.
    #[serde(flatten)]
    pub schemes: toml::Table,
}

impl Default for EraseConfig {
    fn default() -> Self {
        Self { scheme: SchemeChoice::Fixed, schemes: toml::Table::new() }
    }
}

impl Table for EraseConfig {
    const PARAMS: &'static [Param] = &[Param {
        key: "scheme",
        kind: Kind::Policy(Slot::Erases),
        unit: "",
        help: "the erase scheme; its parameters stand in [erase.NAME]",
        source: "",
    }];
}

impl GroupScheme {
    /// The erase scheme, where that of the drive is `of_drive`.
    fn resolve(self, of_drive: SchemeChoice) -> SchemeChoice {
        match self {
            Self::Drive => of_drive,
            Self::Fixed => SchemeChoice::Fixed,
            Self::Ispe => SchemeChoice::Ispe,
            Self::IIspe => SchemeChoice::IIspe,
            Self::Dpes => SchemeChoice::Dpes,
            Self::Aero => SchemeChoice::Aero,
            Self::Reo => SchemeChoice::Reo,
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
    /// What it has against power cuts.
    pub power: PowerConfig,
    /// What its flash does to data, where it holds any.
    pub data: DataConfig,
    /// How requests reach the drive.
    pub host: HostConfig,
    /// Several drives as one.
    pub array: ArrayConfig,
    /// The state before the first request.
    pub precondition: PreconditionConfig,
    /// What is replayed.
    pub workload: WorkloadConfig,
}

impl Config {
    /// The erase scheme of each kind of flash, in the order of [`DriveConfig::kinds`].
    pub fn schemes(&self) -> Vec<SchemeChoice> {
        let of_drive = self.erase.scheme;
        match self.drive.group.is_empty() {
            true => vec![of_drive],
            false => self
                .drive
                .group
                .values()
                .map(|group| group.erase_scheme.resolve(of_drive))
                .collect(),
        }
    }
}
