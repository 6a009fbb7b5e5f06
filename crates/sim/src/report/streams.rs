//! What the host saw of each stream.

use crate::metrics::{Recorder, StreamSummary};
use crate::schema::Config;
use wordline_trace::Source;

/// The streams of a run that have figures of their own.
pub(super) fn of_run(
    recorder: &Recorder,
    config: &Config,
    workload: &dyn Source,
) -> Vec<StreamSummary> {
    let queue =
        |stream: u32| config.host.queue.iter().find(|(_, queue)| queue.streams.contains(&stream));
    (0..)
        .zip(recorder.streams.iter().flatten())
        .filter_map(|(stream, of)| {
            let span_ns = of.last_done_ns - of.first_arrival_ns?;
            let rate = |amount: f64| (span_ns > 0).then(|| amount * 1e9 / span_ns as f64);
            let (read, write) = (of.reads.summary(), of.writes.summary());
            let requests = (read.count + write.count) as f64;
            Some(StreamSummary {
                stream,
                name: workload.stream_names().get(stream as usize).cloned().unwrap_or_default(),
                queue: queue(stream).map(|(name, _)| name.clone()).unwrap_or_default(),
                iops: rate(requests),
                bandwidth_mb_s: rate((read.bytes + write.bytes) as f64 / 1e6),
                mean_us: (of.reads.sum_ns() + of.writes.sum_ns()) as f64 / requests / 1e3,
                p99_us: of.reads.joined(&of.writes).quantile_us(0.99),
                read,
                write,
            })
        })
        .collect()
}
