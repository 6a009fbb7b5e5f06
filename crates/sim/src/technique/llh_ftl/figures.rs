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
    /// First rounds of blocks that no chip of the publication would let be reused, where blocks do not wear out.
    pub old_rounds: u64,
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

/// Share of hot writes beyond which nothing is told apart, and share of low pages passed over beyond which
/// more are lost than written again; the least share of them that makes the first one matter.
const ALL_HOT: f64 = 0.98;
const HALF_PASSED_OVER: f64 = 0.5;
const SOME_PASSED_OVER: f64 = 0.1;

impl Figures {
    fn hot_share(&self) -> Option<f64> {
        let [cold, hot] = self.writes;
        share(hot, cold + hot)
    }

    /// Low pages that were passed over, of those that a second round came to.
    fn passed_over(&self) -> Option<f64> {
        share(self.left_out, self.left_out + self.reprograms)
    }

    /// What decides against reuse.
    pub fn warnings(&self) -> Vec<String> {
        let (hot, passed_over) = (self.hot_share(), self.passed_over());
        let mut warnings = Vec::new();
        if hot.is_some_and(|share| share > ALL_HOT)
            && passed_over.is_none_or(|share| share > SOME_PASSED_OVER)
        {
            warnings.push(format!(
                "technique llh_ftl: {:.1} % of the writes are called hot, so that nothing is told apart: set ftl.hotness to what tells apart data that is soon written over",
                100.0 * hot.unwrap_or(1.0)
            ));
        }
        if let Some(share) = passed_over.filter(|&share| share > HALF_PASSED_OVER) {
            warnings.push(format!(
                "technique llh_ftl: {:.0} % of the low pages still held valid data when their second write was due, and were passed over: they gain nothing, and blocks that wait take room. Compare the erases with those of the drive without reuse; call less data hot (ftl.hotness), or raise drive.over_provisioning",
                100.0 * share
            ));
        }
        warnings
    }

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
        let hot_share = self.hot_share();
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

fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::Figures;

    fn told(hot: u64, left_out: u64, reprograms: u64) -> [bool; 2] {
        let figures =
            Figures { writes: [1000 - hot, hot], left_out, reprograms, ..Figures::default() };
        let warnings = figures.warnings();
        ["called hot", "passed over"].map(|what| warnings.iter().any(|text| text.contains(what)))
    }

    #[test]
    fn it_warns_where_nothing_is_told_apart_and_where_half_of_the_pages_are_passed_over() {
        for (hot, left_out, reprograms, expected) in [
            (980, 20, 80, [false, false]),
            (981, 20, 80, [true, false]),
            // All data is hot, and invalid in time: that is what reuse is for.
            (1000, 10, 90, [false, false]),
            (1000, 0, 0, [true, false]),
            (500, 50, 50, [false, false]),
            (500, 51, 49, [false, true]),
            (1000, 97, 3, [true, true]),
        ] {
            assert_eq!(told(hot, left_out, reprograms), expected, "{hot} {left_out} {reprograms}");
        }
        assert!(Figures::default().warnings().is_empty());
    }
}
