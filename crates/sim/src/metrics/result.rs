//! The result of a run, as other tools read it. Extend, do not rename.

use super::array::ArraySummary;
use super::breakdown::Breakdown;
use serde::Serialize;
use serde_json::{Map, Value};

/// The version that results carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What was replayed.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct WorkloadSummary {
    pub name: String,
    pub synthetic: bool,
    pub requests: u64,
    pub reads: u64,
    pub writes: u64,
    pub trims: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub duration_s: f64,
    /// Of it, the time within which the requests arrived.
    pub arrival_span_s: f64,
    /// Requests that began or ended beyond the drive and how they were treated.
    pub beyond_drive: u64,
    /// Logical units that the workload touched and that got a place, where `workload.beyond` is
    /// `compact`; `None` otherwise.
    pub placed_units: Option<u64>,
    /// Requests that were not aligned to the mapping unit.
    pub unaligned: u64,
    /// Requests smaller than a mapping unit; each is unaligned as well.
    pub sub_unit: u64,
    /// Where volumes lie that were laid side by side; empty for one volume.
    pub volumes: Vec<VolumeSummary>,
}

/// The range of the drive in which a volume of the workload lies, before addresses beyond the drive
/// are placed.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct VolumeSummary {
    pub volume: u32,
    /// Its name; empty where volumes are numbers.
    pub name: String,
    pub first_byte: u64,
    /// Up to the highest byte that the workload touches.
    pub bytes: u64,
}

/// Latencies of one kind of request, microseconds.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct LatencySummary {
    pub count: u64,
    pub bytes: u64,
    pub mean_us: f64,
    pub p50_us: f64,
    pub p95_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub p9999_us: f64,
    pub max_us: f64,
    /// `[latency_us, share of requests at or below]`, at most 200 points; empty when not timed.
    pub distribution: Vec<[f64; 2]>,
}

/// What the host saw.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct HostSummary {
    /// Rates, of the bursts alone where the host pauses; `None` for a run that took no time.
    pub iops: Option<f64>,
    /// Requests a second if the dies, the channels or the link to the host, whichever is busiest, were never idle
    /// with the operations of this run; `None` where nothing takes time, and for an array.
    pub iops_bound: Option<f64>,
    /// Requests a second if the host had waited at the end for what the technique put off, such as second stages;
    /// `None` for a run that took no time, and for an array.
    pub iops_if_secured: Option<f64>,
    pub bandwidth_mb_s: Option<f64>,
    /// Time that the host let pass between bursts (`host.pause_s`).
    pub paused_s: f64,
    pub mean_us: f64,
    pub read: LatencySummary,
    pub write: LatencySummary,
    /// Hits in the DRAM write buffer: units written over, units read.
    pub buffer_write_hits: u64,
    pub buffer_read_hits: u64,
    /// Units that found the controller's buffer full (`ftl.acknowledge = "buffer"`).
    pub buffer_waits: u64,
    /// Units read that were never written: they cost no flash operation.
    pub unmapped_reads: u64,
    /// Units read that the host had trimmed: they cost no flash operation.
    pub trimmed_reads: u64,
    /// Writes refused because the drive had turned read-only.
    pub refused_writes: u64,
}

/// Pages by who asked for them.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct ByCause {
    pub host: u64,
    pub gc: u64,
    pub mapping: u64,
    pub wear: u64,
    pub technique: u64,
    pub metadata: u64,
}

impl ByCause {
    /// All causes together.
    pub fn total(&self) -> u64 {
        self.host + self.gc + self.mapping + self.wear + self.technique + self.metadata
    }
}

/// The part of a run that its result counts, where that is not all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measured {
    /// Simulated time at which it begins.
    pub from_s: f64,
    /// Requests before it.
    pub from_request: u64,
    /// Mapping units that the host wrote before it.
    pub host_units_before: u64,
    /// Blocks erased before it.
    pub erases_before: u64,
}

/// What the flash did.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct FlashSummary {
    /// Physical pages read.
    pub page_reads: ByCause,
    /// Mapping units programmed.
    pub page_programs: ByCause,
    /// Mapping units that were programmed without data, to fill a program.
    pub padding: u64,
    /// Units of parity of superblocks' rows.
    pub parity: u64,
    /// Program operations, each of one or more pages.
    pub program_operations: u64,
    pub reprograms: u64,
    pub erases: u64,
    pub erase_time_ms: f64,
    pub suspensions: u64,
    /// Array time of erase pulses that were interrupted and began again, done in vain.
    pub erase_time_repeated_ms: f64,
    /// Busy share of the run, one value per channel and per die.
    pub channel_utilisation: Vec<f64>,
    pub die_utilisation: Vec<f64>,
}

/// Garbage collection.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct GcSummary {
    pub count: u64,
    pub with_migration: u64,
    pub direct: u64,
    pub pages_moved: u64,
    /// Time that dies and channels spent on GC's reads, programs and erases.
    pub time_ms: f64,
}

/// Write amplification, whole and by cause; `null` when the host wrote nothing.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct WriteAmplification {
    pub host: f64,
    pub gc: f64,
    pub mapping: f64,
    pub wear: f64,
    pub technique: f64,
    pub metadata: f64,
    pub padding: f64,
    pub parity: f64,
}

/// Wear.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct WearSummary {
    pub erases_min: u64,
    pub erases_mean: f64,
    pub erases_max: u64,
    pub erases_stddev: f64,
    pub page_writes_per_erase: f64,
    /// Blocks erased for each GiB that the host wrote and the drive took; `null` when it took none.
    pub erases_per_host_gib: Option<f64>,
    /// Mean P/E cycles over the endurance, of the kind of flash that has spent the largest share;
    /// `null` when the endurance is not set.
    pub spent_lifetime: Option<f64>,
    pub bad_blocks: u64,
    pub worn_out_blocks: u64,
    /// When the drive turned read-only: simulated seconds and host writes; `null` if it did not.
    pub read_only_at_s: Option<f64>,
    pub read_only_after_writes: Option<u64>,
    /// What the host wrote until then over the life that the run stands for, where erases stand for
    /// several.
    pub life_gib: Option<f64>,
    /// Blocks by erase count: `[erases, blocks]`.
    pub histogram: Vec<[u64; 2]>,
    /// Each kind of flash by itself; empty where there is but one.
    pub groups: Vec<GroupWear>,
}

/// Wear and use of one kind of flash.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct GroupWear {
    pub name: String,
    pub blocks: u64,
    pub erases_min: u64,
    pub erases_mean: f64,
    pub erases_max: u64,
    pub erases_stddev: f64,
    /// Mean P/E cycles over the endurance; `null` when the endurance is not set.
    pub spent_lifetime: Option<f64>,
    /// Bad from the start, or worn out.
    pub unusable_blocks: u64,
    /// Its mapping units, and those that hold valid data.
    pub pages: u64,
    pub valid_pages: u64,
}

/// Space, in mapping units unless said.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct CapacitySummary {
    pub physical_pages: u64,
    pub logical_pages: u64,
    pub free_pages: u64,
    /// (T − U) / U of the drive as built.
    pub over_provisioning: f64,
    pub unit_bytes: u64,
    pub logical_gib: f64,
    pub physical_gib: f64,
    /// Units in which valid or invalid data can stand when GC fires: without bad blocks and the
    /// erased blocks that GC holds back.
    pub log_pages: u64,
    /// `log_pages / logical_pages`: the α of the closed forms.
    pub alpha: f64,
    /// Host data that the controller's buffer holds at most; 0 where writes end with their programs.
    pub buffer_bytes: u64,
}

/// Energy, millijoules.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct EnergySummary {
    pub read: f64,
    pub program: f64,
    pub erase: f64,
    pub total: f64,
}

/// What a window must see before it can show a steady state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cycle {
    /// Units that fill a block of each plane.
    pub host_units: u64,
    /// Domains of GC, of each of which a block is to be reclaimed.
    pub gc_domains: u64,
}

/// The write amplification that a steady state must have.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ClosedForm"))]
pub struct Comparison {
    /// That of the closed form; `null` where none holds.
    pub expected: Option<f64>,
    /// Why none does.
    pub left_out: Option<String>,
}

/// Whether the run measured a steady state (SNIA PTS: rounds within 20 % of their mean, slope within
/// 10 %), over a whole cycle of the drive.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct SteadyState {
    pub reached: bool,
    /// Why it was not.
    pub reason: Option<String>,
    pub after_requests: Option<u64>,
    /// Write amplification of each round.
    pub rounds: Vec<f64>,
    /// What the rounds that are looked at have seen at least.
    pub cycle: Cycle,
    /// What their mean was held against.
    pub closed_form: Comparison,
    /// What preconditioning did and how far its short run was from the closed form.
    pub preconditioning: Value,
}

/// How fast the simulator was. Left out when results are compared for equality.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct SimulatorSummary {
    pub wall_s: f64,
    /// Without building and preconditioning the drive.
    pub run_s: f64,
    pub flash_ops: u64,
    pub flash_ops_per_s: f64,
    pub peak_rss_mib: f64,
}

/// One window of a life.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LifeWindow {
    /// What the host has written by its end, over the life that the run stands for.
    pub written_gib: f64,
    /// P/E cycles of blocks at its end.
    pub pec_mean: f64,
    /// Blocks that are neither bad from the start nor worn out.
    pub good_block_share: f64,
    /// Mean array time of its erases; `null` without one.
    pub erase_ms: Option<f64>,
    /// Errors of the worst page of a block after a year, mean over blocks; `null` where the erase scheme
    /// does not know them.
    pub errors_per_kib: Option<f64>,
    /// Write amplification of the window; `null` without writes.
    pub write_amplification: Option<f64>,
    /// Latencies of its reads and writes; `null` without one, or without time.
    pub read_mean_us: Option<f64>,
    #[allow(missing_docs)]
    pub read_p999_us: Option<f64>,
    #[allow(missing_docs)]
    pub write_mean_us: Option<f64>,
}

/// Reads of pages that have errors.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct ReadsSummary {
    /// Pages that were read.
    pub pages: u64,
    /// Sensings of a page beyond its first, mean over pages.
    pub retries_per_page: f64,
    /// Errors to expect of a page's first sensing, mean over pages.
    pub errors_per_kib: f64,
}

/// The result of a run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct RunResult {
    pub wordline: &'static str,
    pub seed: u64,
    pub config: Value,
    /// The part of the run that everything below counts; `null`: all of it.
    pub measured: Option<Measured>,
    pub workload: WorkloadSummary,
    pub host: HostSummary,
    /// Of what latencies consist; `null` where `host.breakdown` is not set.
    pub breakdown: Option<Breakdown>,
    /// `null` for a drive alone.
    pub array: Option<ArraySummary>,
    pub flash: FlashSummary,
    pub gc: GcSummary,
    pub write_amplification: Option<f64>,
    pub write_amplification_by_cause: Option<WriteAmplification>,
    pub wear: WearSummary,
    /// The windows of a life; empty where it is not told in any.
    pub life: Vec<LifeWindow>,
    pub capacity: CapacitySummary,
    pub energy_mj: EnergySummary,
    pub steady_state: SteadyState,
    pub technique: Map<String, Value>,
    /// What the erase scheme reports.
    pub erase: Map<String, Value>,
    /// What reads took of pages with errors; `null` where `drive.reads.model` is none.
    pub reads: Option<ReadsSummary>,
    /// What a reader must know before believing the figures; shown loudly.
    pub warnings: Vec<String>,
    #[cfg_attr(feature = "schema", schemars(extend("compare" = false)))]
    pub simulator: SimulatorSummary,
}
