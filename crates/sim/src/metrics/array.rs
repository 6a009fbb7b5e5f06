//! What a result says of an array and of each of its drives.

use super::{
    CapacitySummary, EnergySummary, FlashSummary, GcSummary, HostSummary, WearSummary,
    WriteAmplification,
};
use serde::Serialize;
use serde_json::{Map, Value};

/// An array.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct ArraySummary {
    pub level: String,
    /// Drives, without the spare.
    pub members: u64,
    pub chunk_bytes: u64,
    pub page_bytes: u64,
    /// Bytes that the host can address.
    pub logical_bytes: u64,
    /// Units that the flash of all drives programmed, in bytes, by bytes that the host wrote: parity,
    /// rebuilds and the write amplification of the drives together; `null` when it wrote nothing.
    pub bytes_programmed_per_byte_written: Option<f64>,
    /// Requests to drives.
    pub reads: ByPurpose,
    pub writes: ByPurpose,
    /// Pages of the array that they cover, begun ones whole.
    pub pages_read: ByPurpose,
    pub pages_written: ByPurpose,
    pub parity: ParitySummary,
    pub stripes: StripeSummary,
    /// Trims that were not passed on, as they would leave parity wrong.
    pub trims_dropped: u64,
    /// When a drive failed; `null`: none did.
    pub failed_at_s: Option<f64>,
    /// The host's requests while the array was whole, without one drive, and while one was rebuilt.
    pub latency: Vec<PhaseSummary>,
    /// Rebuilds and scrubs in order.
    pub syncs: Vec<SyncSummary>,
    /// Inconsistent stripes that scrubs found.
    pub mismatches: u64,
    pub drives: Vec<DriveSummary>,
}

/// Requests or pages by what they were for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByPurpose {
    /// Data of the host, or data that is read to update parity.
    pub data: u64,
    /// Parity.
    pub parity: u64,
    /// Rebuilds and scrubs.
    pub sync: u64,
    /// For the partial parity log or the journal.
    pub log: u64,
}

/// Parity beside data, in mapping units of the drives; `null` or zero without parity. What follows the ratio is counted with
/// `array.count_updates`, and `null` otherwise.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct ParitySummary {
    /// Units written.
    pub data_units: u64,
    pub parity_units: u64,
    /// `parity_units / data_units`.
    pub per_data: Option<f64>,
    /// Pages of parity per page of data if parity were held back for as long as the stripe cache has room
    /// for other stripes.
    pub held_back_per_data: Option<f64>,
    /// Mean time between two writes of the same unit.
    pub data_interval_s: Option<f64>,
    pub parity_interval_s: Option<f64>,
    /// Units written, each counted once.
    pub distinct_units: Option<u64>,
    /// Share of the updates, of data and parity, that falls on the fifth of the units written that is
    /// updated most.
    pub updates_on_hottest_fifth: Option<f64>,
}

/// Writes of stripes, and what held them up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct StripeSummary {
    pub full: u64,
    pub read_modify: u64,
    pub reconstruct: u64,
    /// Neither whole nor read: what was needed stood in the cache.
    pub cached: u64,
    /// Times that a stripe waited before it was allowed to read.
    pub delayed: u64,
    /// Pages of a lost drive that were computed.
    pub computed_pages: u64,
    /// Times that a request waited for a stripe of the cache, and for another write of its sectors.
    pub waits_for_stripe: u64,
    pub waits_for_overlap: u64,
}

/// The host's requests that ended while the array was in one state.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct PhaseSummary {
    /// `whole`, `degraded`, `rebuild`, `scrub`, or `rebuilt`: whole again.
    pub state: &'static str,
    pub reads: u64,
    pub read_mean_us: f64,
    pub read_p99_us: f64,
    pub read_p999_us: f64,
    pub writes: u64,
    pub write_mean_us: f64,
    pub write_p99_us: f64,
    pub write_p999_us: f64,
}

/// A rebuild or scrub.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct SyncSummary {
    /// `rebuild` or `scrub`.
    pub kind: &'static str,
    pub began_s: f64,
    /// `null` when the run ended before.
    pub over_s: Option<f64>,
    /// Share that is done.
    pub done: f64,
    pub mb_s: f64,
    /// `[seconds, share done]`, about a hundred at most.
    pub progress: Vec<[f64; 2]>,
}

/// A drive of an array; its figures are those that it would report alone.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct DriveSummary {
    /// From 0; the spare comes last.
    pub drive: u64,
    /// `whole`, `failed`, `spare`, `rebuilding`, `rebuilt`, or `journal`.
    pub state: &'static str,
    pub techniques: Vec<String>,
    pub erase_scheme: String,
    pub reads: ByPurpose,
    pub writes: ByPurpose,
    pub pages_read: ByPurpose,
    pub pages_written: ByPurpose,
    /// Requests of the array as this drive saw them.
    pub host: HostSummary,
    pub flash: FlashSummary,
    pub gc: GcSummary,
    pub write_amplification: Option<f64>,
    pub write_amplification_by_cause: Option<WriteAmplification>,
    pub wear: WearSummary,
    pub capacity: CapacitySummary,
    pub energy_mj: EnergySummary,
    pub technique: Map<String, Value>,
    pub erase: Map<String, Value>,
}
