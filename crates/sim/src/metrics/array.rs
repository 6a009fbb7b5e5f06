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
pub struct ArraySummary {
    /// The level of the array (`array.level`).
    pub level: String,
    /// Drives, without the spare.
    pub members: u64,
    /// Size of a chunk.
    pub chunk_bytes: u64,
    /// Size of a page of the array.
    pub page_bytes: u64,
    /// Bytes that the host can address.
    pub logical_bytes: u64,
    /// Units that the flash of all drives programmed, in bytes, by bytes that the host wrote: parity,
    /// rebuilds and the write amplification of the drives together; `null` when it wrote nothing.
    pub bytes_programmed_per_byte_written: Option<f64>,
    /// Read requests to drives.
    pub reads: ByPurpose,
    /// Write requests to drives.
    pub writes: ByPurpose,
    /// Pages of the array that these reads cover, begun ones whole.
    pub pages_read: ByPurpose,
    /// Pages of the array that these writes cover, begun ones whole.
    pub pages_written: ByPurpose,
    /// Parity beside data.
    pub parity: ParitySummary,
    /// How stripes were written.
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
    /// Each drive, as it would report alone.
    pub drives: Vec<DriveSummary>,
}

/// Requests or pages by what they were for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByPurpose {
    /// Data of the host, or data that is read to update parity.
    pub data: u64,
    /// Parity of stripes, and what is read to update it.
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
pub struct ParitySummary {
    /// Units of data written.
    pub data_units: u64,
    /// Units of parity written.
    pub parity_units: u64,
    /// `parity_units / data_units`.
    pub per_data: Option<f64>,
    /// Pages of parity per page of data if parity were held back for as long as the stripe cache has room
    /// for other stripes.
    pub held_back_per_data: Option<f64>,
    /// Mean time between two writes of the same unit of data.
    pub data_interval_s: Option<f64>,
    /// Mean time between two writes of the same unit of parity.
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
pub struct StripeSummary {
    /// Stripes that were written whole.
    pub full: u64,
    /// Stripes of which old data and parity were read first.
    pub read_modify: u64,
    /// Stripes of which the rest was read first.
    pub reconstruct: u64,
    /// Neither whole nor read: what was needed stood in the cache.
    pub cached: u64,
    /// Times that a stripe waited before it was allowed to read.
    pub delayed: u64,
    /// Pages of a lost drive that were computed.
    pub computed_pages: u64,
    /// Times that a request waited for a stripe of the cache.
    pub waits_for_stripe: u64,
    /// Times that a request waited for another write of its sectors.
    pub waits_for_overlap: u64,
}

/// The host's requests that ended while the array was in one state.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PhaseSummary {
    /// `whole`, `degraded`, `rebuild`, `scrub`, or `rebuilt`: whole again.
    pub state: &'static str,
    /// Read requests.
    pub reads: u64,
    /// Mean latency of reads.
    pub read_mean_us: f64,
    /// Latency that 99 % of the reads do not exceed.
    pub read_p99_us: f64,
    /// Latency that 99.9 % of the reads do not exceed.
    pub read_p999_us: f64,
    /// Write requests.
    pub writes: u64,
    /// Mean latency of writes.
    pub write_mean_us: f64,
    /// Latency that 99 % of the writes do not exceed.
    pub write_p99_us: f64,
    /// Latency that 99.9 % of the writes do not exceed.
    pub write_p999_us: f64,
}

/// A rebuild or scrub.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncSummary {
    /// `rebuild` or `scrub`.
    pub kind: &'static str,
    /// Simulated time at which it began.
    pub began_s: f64,
    /// `null` when the run ended before.
    pub over_s: Option<f64>,
    /// Share that is done.
    pub done: f64,
    /// Rate at which each drive was read or written, 10^6 bytes a second.
    pub mb_s: f64,
    /// `[seconds, share done]`, about a hundred at most.
    pub progress: Vec<[f64; 2]>,
}

/// A drive of an array; its figures are those that it would report alone.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriveSummary {
    /// From 0; the spare comes last.
    pub drive: u64,
    /// `whole`, `failed`, `spare`, `rebuilding`, `rebuilt`, or `journal`.
    pub state: &'static str,
    /// Techniques of this drive.
    pub techniques: Vec<String>,
    /// The erase scheme of this drive.
    pub erase_scheme: String,
    /// Read requests to this drive.
    pub reads: ByPurpose,
    /// Write requests to this drive.
    pub writes: ByPurpose,
    /// Pages of the array that these reads cover, begun ones whole.
    pub pages_read: ByPurpose,
    /// Pages of the array that these writes cover, begun ones whole.
    pub pages_written: ByPurpose,
    /// Requests of the array as this drive saw them.
    pub host: HostSummary,
    /// What its flash did.
    pub flash: FlashSummary,
    /// What its garbage collection did.
    pub gc: GcSummary,
    /// Units programmed for each unit that it was asked to write; `null` when it was asked for none.
    pub write_amplification: Option<f64>,
    /// Write amplification by who asked for the programs.
    pub write_amplification_by_cause: Option<WriteAmplification>,
    /// How often its blocks were erased.
    pub wear: WearSummary,
    /// Space on this drive.
    pub capacity: CapacitySummary,
    /// Energy that its operations took.
    pub energy_mj: EnergySummary,
    /// What its techniques report, each under its name.
    pub technique: Map<String, Value>,
    /// What its erase scheme reports.
    pub erase: Map<String, Value>,
}
