//! What a result says of wear and of a life.

use serde::Serialize;

/// Wear.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WearSummary {
    /// Fewest P/E cycles of a block at the end of the run.
    pub erases_min: u64,
    /// Mean P/E cycles of blocks at the end of the run.
    pub erases_mean: f64,
    /// Most P/E cycles of a block at the end of the run.
    pub erases_max: u64,
    /// Standard deviation of the P/E cycles of blocks.
    pub erases_stddev: f64,
    /// Mapping units that the host wrote for each block erased.
    pub page_writes_per_erase: f64,
    /// Blocks erased for each GiB that the host wrote and the drive took; `null` when it took none.
    pub erases_per_host_gib: Option<f64>,
    /// Mean P/E cycles over the endurance, of the kind of flash that has spent the largest share;
    /// `null` when the endurance is not set.
    pub spent_lifetime: Option<f64>,
    /// Blocks that were bad from the start.
    pub bad_blocks: u64,
    /// Blocks that were retired in the run.
    pub worn_out_blocks: u64,
    /// Simulated time at which the drive turned read-only; `null` if it did not.
    pub read_only_at_s: Option<f64>,
    /// Mapping units that the host wrote until the drive turned read-only; `null` if it did not.
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
pub struct GroupWear {
    /// The kind of flash.
    pub name: String,
    /// Blocks of this kind.
    pub blocks: u64,
    /// Fewest P/E cycles of a block at the end of the run.
    pub erases_min: u64,
    /// Mean P/E cycles of blocks at the end of the run.
    pub erases_mean: f64,
    /// Most P/E cycles of a block at the end of the run.
    pub erases_max: u64,
    /// Standard deviation of the P/E cycles of blocks.
    pub erases_stddev: f64,
    /// Mean P/E cycles over the endurance; `null` when the endurance is not set.
    pub spent_lifetime: Option<f64>,
    /// Bad from the start, or worn out.
    pub unusable_blocks: u64,
    /// Its mapping units.
    pub pages: u64,
    /// Of its mapping units, those that hold valid data.
    pub valid_pages: u64,
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
    /// Mean latency of its reads; `null` without one, or without time.
    pub read_mean_us: Option<f64>,
    /// Latency that 99.9 % of its reads do not exceed; `null` as above.
    pub read_p999_us: Option<f64>,
    /// Mean latency of its writes; `null` as above.
    pub write_mean_us: Option<f64>,
}
