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
        let (alignment, end_bytes) = (&total.alignment, total.footprint.end_bytes);
        if !source.is_synthetic() {
            let (span_s, bytes) = (total.time.span_s, total.bytes.read + total.bytes.written);
            found.extend(plausibility::doubtful_time(requests, span_s, unit_ns));
            found.extend(plausibility::doubtful_bandwidth(
                requests,
                bytes,
                span_s,
                &plausibility::Link::default(),
            ));
            // Bytes that the user called bytes cannot be too many.
            if !source.has_sizes_in_bytes() {
                let sizes = || [&total.read_size, &total.write_size].into_iter().flatten();
                let largest_kib = sizes().map(|size| size.max_kib).fold(0.0, f64::max);
                let larger = sizes().flat_map(|size| &size.histogram_bytes);
                let larger = larger.filter(|(bytes, _)| *bytes > plausibility::LARGEST_BYTES);
                found.extend(plausibility::doubtful_grain(requests, alignment.grain_bytes));
                found.extend(plausibility::doubtful_size(
                    requests,
                    larger.map(|(_, count)| count).sum(),
                    (largest_kib * 1024.0) as u64,
                    alignment.grain_bytes,
                ));
            }
        }
        found.extend(plausibility::doubtful_addresses(end_bytes, alignment.sector_share));
        found.extend(source.remarks());
        found
    }
}
