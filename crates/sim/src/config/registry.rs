//! What a configuration may name: tables, and what stands in the lists of policies and techniques.

use crate::declare::{Param, PolicyDecl, Slot, Table, TechniqueDecl};
use crate::policy::{gc, hotness, map_cache, wear};
use crate::schema::{
    Allocation, ArrayConfig, ChipConfig, DataConfig, DriveConfig, EraseConfig, FdpConfig,
    FlinConfig, FtlConfig, GcConfig, GroupConfig, HostConfig, HotnessChoice, HotnessConfig,
    LawConfig, LinkConfig, MapCacheChoice, MapCacheConfig, PlacementConfig, PowerConfig,
    PowerOffConfig, PreconditionConfig, QueueConfig, ReadsConfig, RunConfig, SchedulingConfig,
    SchemeChoice, VictimChoice, WearChoice, WearConfig, WorkloadConfig,
};
use crate::technique::ENTRIES;
use serde::Serialize;

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
    TableDecl { path: "drive.scheduling.flin", params: FlinConfig::PARAMS },
    TableDecl { path: "drive.reads", params: ReadsConfig::PARAMS },
    TableDecl { path: "drive.reads.law", params: LawConfig::PARAMS },
    TableDecl { path: "ftl", params: FtlConfig::PARAMS },
    TableDecl { path: "ftl.gc", params: GcConfig::PARAMS },
    TableDecl { path: "ftl.hotness", params: HotnessConfig::PARAMS },
    TableDecl { path: "ftl.wear", params: WearConfig::PARAMS },
    TableDecl { path: "ftl.map_cache", params: MapCacheConfig::PARAMS },
    TableDecl { path: "erase", params: EraseConfig::PARAMS },
    TableDecl { path: "power", params: PowerConfig::PARAMS },
    TableDecl { path: "data", params: DataConfig::PARAMS },
    TableDecl { path: "host", params: HostConfig::PARAMS },
    TableDecl { path: "host.link", params: LinkConfig::PARAMS },
    TableDecl { path: "host.fdp", params: FdpConfig::PARAMS },
    TableDecl { path: "host.queue.NAME", params: QueueConfig::PARAMS },
    TableDecl { path: "host.power_off", params: PowerOffConfig::PARAMS },
    TableDecl { path: "array", params: ArrayConfig::PARAMS },
    TableDecl { path: "precondition", params: PreconditionConfig::PARAMS },
    TableDecl { path: "workload", params: WorkloadConfig::PARAMS },
    TableDecl { path: "workload.placement", params: PlacementConfig::PARAMS },
];

/// The names of the policies that may fill a slot.
pub fn policies(slot: Slot) -> &'static [&'static str] {
    match slot {
        Slot::Victims => VictimChoice::NAMES,
        Slot::Hotness => HotnessChoice::NAMES,
        Slot::Allocation => Allocation::NAMES,
        Slot::Wear => WearChoice::NAMES,
        Slot::MapCache => MapCacheChoice::NAMES,
        Slot::Erases => SchemeChoice::NAMES,
    }
}

/// What each policy of a slot is, in the order of [`policies`].
pub fn declarations(slot: Slot) -> Vec<PolicyDecl> {
    match slot {
        Slot::Victims => VictimChoice::ALL.iter().map(|&it| gc::entry(it).declaration).collect(),
        Slot::Hotness => {
            HotnessChoice::ALL.iter().map(|&it| hotness::entry(it).declaration).collect()
        }
        Slot::Allocation => vec![PolicyDecl::default(); Allocation::ALL.len()],
        Slot::Wear => WearChoice::ALL.iter().map(|&it| wear::entry(it).declaration).collect(),
        Slot::MapCache => {
            MapCacheChoice::ALL.iter().map(|&it| map_cache::entry(it).declaration).collect()
        }
        // Schemes have tables of their own.
        Slot::Erases => vec![PolicyDecl::default(); SchemeChoice::ALL.len()],
    }
}

/// The policies of a slot that have `key` as a parameter of their own; none: all of them read it.
pub fn owners(slot: Slot, key: &str) -> Vec<&'static str> {
    let with_names = policies(slot).iter().zip(declarations(slot));
    with_names.filter(|(_, policy)| policy.keys.contains(&key)).map(|(name, _)| *name).collect()
}

/// The techniques that a configuration may name: those of [`ENTRIES`].
pub const TECHNIQUES: &[TechniqueDecl] = &{
    const NONE: TechniqueDecl = TechniqueDecl { name: "", params: &[], defaults: toml::Table::new };
    let mut declarations = [NONE; ENTRIES.len()];
    let mut index = 0;
    while index < ENTRIES.len() {
        declarations[index] = ENTRIES[index].declaration;
        index += 1;
    }
    declarations
};
