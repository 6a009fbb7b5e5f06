//! What a result says of a drive that takes placement identifiers.

use serde::Serialize;

/// What came of placement identifiers, as the logs of an NVMe drive say it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FdpSummary {
    /// Size of a reclaim unit.
    pub reclaim_unit_bytes: u64,
    /// Bytes that the host wrote (HBMW of NVMe's log page 22h).
    pub host_bytes: u64,
    /// Bytes programmed, padding and parity included (MBMW).
    pub media_bytes: u64,
    /// Bytes erased (MBE).
    pub erased_bytes: u64,
    /// What each handle wrote, and what became of it.
    pub handles: Vec<HandleSummary>,
    /// Units of the controller's own, in which data of several handles lies.
    pub controller: UnitsSummary,
    /// How often the drive had something to tell the host.
    pub events: PlacementEvents,
}

/// A reclaim unit handle.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandleSummary {
    /// Its number.
    pub handle: u32,
    /// Bytes that the host wrote to it.
    pub host_bytes: u64,
    /// Mapping units that the host wrote to its reclaim units. Those that the write buffer absorbed are not among them.
    pub host_units: u64,
    /// Its reclaim units.
    pub units: UnitsSummary,
}

/// Reclaim units with one owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnitsSummary {
    /// Mapping units moved out of them: what GC and the like wrote on their account.
    pub moved_out: u64,
    /// Mapping units moved into them.
    pub moved_in: u64,
    /// How many of them were reclaimed.
    pub reclaimed: u64,
    /// How many of them held data at the end, or were being filled.
    pub reclaim_units: u64,
}

/// Events of NVMe's log page 23h.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlacementEvents {
    /// Writes with an identifier that the namespace does not have (3h); they went to the first handle.
    pub invalid_identifier: u64,
    /// Reclaim units from which the controller moved data (80h).
    pub media_reallocated: u64,
}
