//! What a reader must know before believing the statistics of a workload.

use super::report::Stats;
use crate::{Source, plausibility};

impl Stats {
    /// What casts doubt on a workload that was read whole from `source`; `unit_ns` is the unit of
    /// its times, where it came from a file.
    pub fn warnings(&self, source: &dyn Source, unit_ns: Option<u64>) -> Vec<String> {
        let (requests, total) = (self.total.requests.total, &self.total);
        let mut found = Vec::new();
        if requests == 0 {
            found.push("the workload holds no request".to_owned());
        }
        if !source.is_synthetic() {
            found.extend(plausibility::doubtful_time(requests, total.time.span_s, unit_ns));
        }
        let end_bytes = total.footprint.end_bytes;
        found.extend(plausibility::doubtful_addresses(end_bytes, total.alignment.sector_share));
        let clamped = source.clamped_arrivals();
        if clamped > 0 {
            let percent = clamped as f64 / requests.max(1) as f64 * 100.0;
            found.push(format!(
                "{clamped} requests ({percent:.1} %) were out of order in time; they were moved to \
                 the arrival ahead of them"
            ));
        }
        found
    }
}
