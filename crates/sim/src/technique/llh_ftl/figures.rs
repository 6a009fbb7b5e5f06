//! What LLH-FTL reports.

use super::codes::SecondWrites;
use super::rounds::{Layout, Record, Stage};
use super::threshold::Threshold;
use crate::ids::{BlockId, ById};
use serde_json::{Map, Value, json};

/// Counts since the run began.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Figures {
    /// Erased blocks of which the first round began.
    pub first_rounds: u64,
    /// Blocks of hot data past the part of their life that is safe to reuse.
    pub unsafe_blocks: u64,
    /// Blocks of hot data that were filled page by page, since no more might wait.
    pub page_by_page: u64,
    /// Second rounds of blocks without valid data, and those that the threshold allowed.
    pub empty: u64,
    pub beyond_threshold: u64,
    /// Low pages that were programmed again.
    pub reprograms: u64,
    /// Low pages that were left as they were, since data on them was valid.
    pub left_out: u64,
    /// Valid units of partially used blocks when their second round began.
    pub valid_at_reuse: u64,
    /// Encodings that failed, and units that went to cold blocks for it.
    pub failures: u64,
    pub diverted: u64,
    /// Units that the host wrote as cold, and as hot.
    pub writes: [u64; 2],
    /// Reads of hot data by the host, from low pages and from high pages.
    pub hot_reads: [u64; 2],
    /// Partially used blocks that garbage collection reclaimed, for want of anything else.
    pub surrendered: u64,
}

impl Figures {
    /// Everything, with what the drive holds now.
    pub fn report(
        &self,
        records: &ById<BlockId, Record>,
        thresholds: &[Threshold],
        (second, layout): (&SecondWrites, &Layout),
    ) -> Map<String, Value> {
        let in_stage = |stage| records.iter().filter(|record| record.stage == stage).count();
        let blocks: Vec<u32> = thresholds.iter().map(Threshold::blocks).collect();
        let mean = blocks.iter().sum::<u32>() as f64 / blocks.len().max(1) as f64;
        let total = |of: fn(&Threshold) -> u64| thresholds.iter().map(of).sum::<u64>();
        let [cold, hot] = self.writes;
        let hot_share = (cold + hot > 0).then(|| hot as f64 / (cold + hot) as f64);
        let report = json!({
            "writes": { "hot": hot, "cold": cold, "hot_share": hot_share },
            "hot_reads": { "low": self.hot_reads[0], "high": self.hot_reads[1] },
            "reprograms": self.reprograms,
            "low_pages_left_out": self.left_out,
            "rounds": {
                "first": self.first_rounds,
                "second_empty": self.empty,
                "second_beyond_threshold": self.beyond_threshold,
                "valid_units_at_reuse": self.valid_at_reuse,
                "past_safe_life": self.unsafe_blocks,
                "page_by_page": self.page_by_page,
                "surrendered": self.surrendered,
            },
            "encoding": {
                "failures": self.failures,
                "units_to_cold_blocks": self.diverted,
                "failure": second.failure,
                "share_of_page": f64::from(second.units) / f64::from(layout.units_per_page),
                "encode_us": second.encode_us,
            },
            "threshold": {
                "mean": mean,
                "min": blocks.iter().min(),
                "max": blocks.iter().max(),
                "rises": total(|threshold| threshold.rises),
                "falls": total(|threshold| threshold.falls),
            },
            "blocks": {
                "first_round": in_stage(Stage::First),
                "partially_used": in_stage(Stage::PartiallyUsed),
                "second_round": in_stage(Stage::Second),
                "reused": in_stage(Stage::Reused),
            },
        });
        match report {
            Value::Object(report) => report,
            _ => unreachable!("an object was built"),
        }
    }
}
