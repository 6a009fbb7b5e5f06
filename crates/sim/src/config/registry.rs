//! What a configuration may name: tables, and what stands in the lists of policies and techniques.

use crate::declare::{Param, Slot, Table, TechniqueDecl};
use crate::schema::{
    Allocation, ArrayConfig, ChipConfig, DriveConfig, EraseConfig, FtlConfig, GcConfig,
    GroupConfig, HostConfig, HotnessChoice, HotnessConfig, MapCacheChoice, MapCacheConfig,
    PreconditionConfig, RunConfig, SchedulingConfig, SchemeChoice, VictimChoice, WearChoice,
    WearConfig, WorkloadConfig,
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
