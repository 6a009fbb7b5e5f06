//! The result of a run, as other tools read it. Extend, do not rename.

use super::array::ArraySummary;
use super::breakdown::Breakdown;
use super::causes::ByCause;
use super::placement::FdpSummary;
use super::reads::ReadsSummary;
use super::wear::{LifeWindow, WearSummary};
use serde::Serialize;
use serde_json::{Map, Value};

/// The version that results carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What was replayed.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadSummary {
    /// The trace or generator.
    pub name: String,
    /// Whether a generator made the requests.
    pub synthetic: bool,
    /// Requests, of all kinds.
    pub requests: u64,
    /// Read requests.
    pub reads: u64,
    /// Write requests.
    pub writes: u64,
    /// Trim requests.
    pub trims: u64,
    /// Bytes that the host read.
    pub bytes_read: u64,
    /// Bytes that the host wrote.
    pub bytes_written: u64,
    /// Simulated time from the first arrival to the end of the last request.
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
pub struct VolumeSummary {
    /// Its number in the trace.
    pub volume: u32,
    /// Its name; empty where volumes are numbers.
    pub name: String,
    /// Where its range of the drive begins.
    pub first_byte: u64,
    /// Up to the highest byte that the workload touches.
    pub bytes: u64,
}

/// Latencies of one kind of request, microseconds.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencySummary {
    /// Requests of this kind.
    pub count: u64,
    /// Bytes of these requests.
    pub bytes: u64,
    /// Mean latency.
    pub mean_us: f64,
    /// Latency that 50 % of the requests do not exceed, the median.
    pub p50_us: f64,
    /// Latency that 95 % of the requests do not exceed.
    pub p95_us: f64,
    /// Latency that 99 % of the requests do not exceed.
    pub p99_us: f64,
    /// Latency that 99.9 % of the requests do not exceed.
    pub p999_us: f64,
    /// Latency that 99.99 % of the requests do not exceed.
    pub p9999_us: f64,
    /// The longest latency.
    pub max_us: f64,
    /// `[latency_us, share of requests at or below]`, at most 200 points; empty when not timed.
    pub distribution: Vec<[f64; 2]>,
}

/// What the host saw of the requests of one stream.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StreamSummary {
    /// Its number.
    pub stream: u32,
    /// Its name in the workload; empty where it has none.
    pub name: String,
    /// The queue of `host.queue` that names it; empty: one of its own.
    pub queue: String,
    /// Reads and writes a second, from its first arrival to its last end; `null` for a run that took no time.
    pub iops: Option<f64>,
    /// Bytes read and written a second, in 10^6; `null` for a run that took no time.
    pub bandwidth_mb_s: Option<f64>,
    /// Mean latency of its reads and writes.
    pub mean_us: f64,
    /// Latency that 99 % of its reads and writes do not exceed.
    pub p99_us: f64,
    /// Latencies of its reads.
    pub read: LatencySummary,
    /// Latencies of its writes.
    pub write: LatencySummary,
}

/// What the host saw.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostSummary {
    /// Requests a second, of the bursts alone where the host pauses; `null` for a run that took no time.
    pub iops: Option<f64>,
    /// Requests a second if the dies, the channels, the link to the host or the controller's cores, whichever are
    /// busiest, were never idle with the operations of this run; `None` where nothing takes time, and for an array.
    pub iops_bound: Option<f64>,
    /// Requests a second if the host had waited at the end for what the technique put off, such as second stages;
    /// `None` for a run that took no time, and for an array.
    pub iops_if_secured: Option<f64>,
    /// Bytes read and written a second, in 10^6; `null` for a run that took no time.
    pub bandwidth_mb_s: Option<f64>,
    /// Time that the host let pass between bursts (`host.pause_s`).
    pub paused_s: f64,
    /// Mean latency of reads and writes.
    pub mean_us: f64,
    /// Latencies of reads.
    pub read: LatencySummary,
    /// Latencies of writes.
    pub write: LatencySummary,
    /// What came of placement identifiers; `null` where the drive takes none (`host.interface`).
    pub fdp: Option<FdpSummary>,
    /// What each stream saw, where streams have queues of their own (`host.streams`, `host.queue`).
    pub streams: Vec<StreamSummary>,
    /// Units written over in the DRAM write buffer.
    pub buffer_write_hits: u64,
    /// Units read from the DRAM write buffer.
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
    /// Programs of pages that were not erased since their last one.
    pub reprograms: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Array time of erases, planes that erase together counted once.
    pub erase_time_ms: f64,
    /// Programs and erases that were interrupted for a host read.
    pub suspensions: u64,
    /// Array time of erase pulses that were interrupted and began again, done in vain.
    pub erase_time_repeated_ms: f64,
    /// Busy share of the run, one value per channel.
    pub channel_utilisation: Vec<f64>,
    /// Busy share of the run, one value per die.
    pub die_utilisation: Vec<f64>,
}

/// Garbage collection.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GcSummary {
    /// Blocks reclaimed.
    pub count: u64,
    /// Of these blocks, those with valid units, which were moved.
    pub with_migration: u64,
    /// Of these blocks, those without valid units.
    pub direct: u64,
    /// Mapping units moved.
    pub pages_moved: u64,
    /// Time that dies and channels spent on GC's reads, programs and erases.
    pub time_ms: f64,
}

/// Write amplification, whole and by cause; `null` when the host wrote nothing.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WriteAmplification {
    /// Of the host's own writes.
    pub host: f64,
    /// Of garbage collection.
    pub gc: f64,
    /// Of the map, where it is kept in flash.
    pub mapping: f64,
    /// Of wear levelling.
    pub wear: f64,
    /// Of techniques.
    pub technique: f64,
    /// Of metadata that outlasts power cuts.
    pub metadata: f64,
    /// Of refresh.
    pub refresh: f64,
    /// Of read reclaim.
    pub reclaim: f64,
    /// Of padding, which fills programs.
    pub padding: f64,
    /// Of the parity of superblocks.
    pub parity: f64,
}

/// Space, in mapping units unless said.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapacitySummary {
    /// Mapping units of the flash, T.
    pub physical_pages: u64,
    /// Mapping units that the host can address, U.
    pub logical_pages: u64,
    /// Units that can be written before an erase, at the end of the run.
    pub free_pages: u64,
    /// (T − U) / U of the drive as built.
    pub over_provisioning: f64,
    /// Size of a mapping unit.
    pub unit_bytes: u64,
    /// What the host can address.
    pub logical_gib: f64,
    /// What the flash holds.
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
pub struct EnergySummary {
    /// Of reads (`drive.chip.read_uj`).
    pub read: f64,
    /// Of programs (`drive.chip.program_uj`).
    pub program: f64,
    /// Of erases (`drive.chip.erase_uj`).
    pub erase: f64,
    /// Of all operations.
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
    /// Write amplification by the closed form; `null` where none holds.
    pub expected: Option<f64>,
    /// Why none does.
    pub left_out: Option<String>,
}

/// Whether the run measured a steady state (SNIA PTS: rounds within 20 % of their mean, slope within
/// 10 %), over a whole cycle of the drive.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SteadyState {
    /// Whether the run was steady at its end.
    pub reached: bool,
    /// Why it was not.
    pub reason: Option<String>,
    /// Requests after which it was steady; `null` if it was not.
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
pub struct SimulatorSummary {
    /// Seconds that the whole run took.
    pub wall_s: f64,
    /// Without building and preconditioning the drive.
    pub run_s: f64,
    /// Flash operations simulated.
    pub flash_ops: u64,
    /// Flash operations simulated a second.
    pub flash_ops_per_s: f64,
    /// Most memory that the process has held, MiB.
    pub peak_rss_mib: f64,
}

/// The result of a run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunResult {
    /// The version of Wordline.
    pub wordline: &'static str,
    /// The seed of everything random (`run.seed`).
    pub seed: u64,
    /// The resolved configuration, every key with its value.
    pub config: Value,
    /// The part of the run that everything below counts; `null`: all of it.
    pub measured: Option<Measured>,
    /// What was replayed.
    pub workload: WorkloadSummary,
    /// What the host saw.
    pub host: HostSummary,
    /// Of what latencies consist; `null` where `host.breakdown` is not set.
    pub breakdown: Option<Breakdown>,
    /// `null` for a drive alone.
    pub array: Option<ArraySummary>,
    /// What the flash did.
    pub flash: FlashSummary,
    /// What garbage collection did.
    pub gc: GcSummary,
    /// Units programmed for each unit that the host wrote to flash; `null` when it wrote none.
    pub write_amplification: Option<f64>,
    /// Write amplification by who asked for the programs.
    pub write_amplification_by_cause: Option<WriteAmplification>,
    /// How often blocks were erased.
    pub wear: WearSummary,
    /// The windows of a life; empty where it is not told in any.
    pub life: Vec<LifeWindow>,
    /// Space on the drive.
    pub capacity: CapacitySummary,
    /// Energy that operations took.
    pub energy_mj: EnergySummary,
    /// Whether the run was in a steady state.
    pub steady_state: SteadyState,
    /// What the techniques report, each under its name.
    pub technique: Map<String, Value>,
    /// What the erase scheme reports.
    pub erase: Map<String, Value>,
    /// What reads took of pages with errors; `null` where `drive.reads.model` is none.
    pub reads: Option<ReadsSummary>,
    /// What a reader must know before believing the figures; shown loudly.
    pub warnings: Vec<String>,
    /// How fast the simulator was.
    #[cfg_attr(feature = "schema", schemars(extend("compare" = false)))]
    pub simulator: SimulatorSummary,
}
