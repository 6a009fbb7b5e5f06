//! DiskSim run anew on the drive of its published runs, under workloads for which garbage collection lasts.
//!
//! Its figures are those of the "Overall I/O System": a request waits in DiskSim's driver, too.

use super::lasting::Lasting;
use super::{CLEANS_TOLERANCE, RESPONSE_TOLERANCE, drive};
use crate::case::{Case, Check, Setup, Value};
use wordline_sim::Outcome;

const SOURCE: &str = "DiskSim 4 with the SSD extension, run on valid/ssd-postmark.parv";

/// A run; figures from DiskSim's output.
struct Rerun {
    id: &'static str,
    workload: Lasting,
    /// Mean response of reads; `None`: there are none.
    read_ms: Option<f64>,
    write_ms: f64,
    maximum_ms: f64,
    cleans: f64,
    pages_moved: f64,
    quick: bool,
}

const RUNS: [Rerun; 2] = [
    Rerun {
        id: "gc-mixed",
        workload: Lasting {
            requests: 700_000,
            pages: 2 * 877_363,
            read_share: 0.3,
            largest_pages: 8,
            mean_ms: 1.2,
            seed: 7,
        },
        read_ms: Some(1.368_619),
        write_ms: 1.544_383,
        maximum_ms: 9.927_993,
        cleans: 39_869.0,
        pages_moved: 1_128_515.0,
        quick: true,
    },
    Rerun {
        id: "gc-writes",
        workload: Lasting {
            requests: 1_000_000,
            pages: 7 * 877_363,
            read_share: 0.0,
            largest_pages: 6,
            mean_ms: 0.9,
            seed: 11,
        },
        read_ms: None,
        write_ms: 6.281_229,
        maximum_ms: 29.375_444,
        cleans: 181_794.0,
        pages_moved: 8_774_291.0,
        quick: false,
    },
];

/// The runs; `quick` leaves out the longer one.
pub fn cases(quick: bool) -> Vec<Case> {
    RUNS.iter().filter(|run| run.quick || !quick).map(case).collect()
}

fn case(run: &'static Rerun) -> Case {
    let check = |what: &str, unit, tolerance, theirs: f64, ours: fn(&Outcome) -> f64| {
        let reference: Value = Box::new(move |_| theirs);
        Check {
            id: format!("disksim/{}/{what}", run.id),
            source: SOURCE.to_owned(),
            unit,
            tolerance,
            reference,
            ours: Box::new(ours),
            note: String::new(),
        }
    };
    let times = |what, theirs, ours| check(what, "ms", RESPONSE_TOLERANCE, theirs, ours);
    let mut checks = vec![
        times("mean_write", run.write_ms, |outcome| outcome.result.host.write.mean_us / 1000.0),
        times("maximum", run.maximum_ms, |outcome| {
            let host = &outcome.result.host;
            host.read.max_us.max(host.write.max_us) / 1000.0
        }),
        check("cleans", "blocks", CLEANS_TOLERANCE, run.cleans, |outcome| {
            outcome.result.gc.count as f64
        }),
        check("pages_moved", "pages", CLEANS_TOLERANCE, run.pages_moved, |outcome| {
            outcome.result.gc.pages_moved as f64
        }),
    ];
    if let Some(read_ms) = run.read_ms {
        let ours = |outcome: &Outcome| outcome.result.host.read.mean_us / 1000.0;
        checks.insert(0, times("mean_read", read_ms, ours));
    }
    Case {
        id: format!("disksim/{}", run.id),
        workload: describe(&run.workload),
        setup: drive()
            .map(|config| Setup { config, workload: Box::new(|_| Ok(run.workload.source())) }),
        checks,
    }
}

fn describe(workload: &Lasting) -> String {
    let Lasting { requests, pages, read_share, largest_pages, mean_ms, seed } = workload;
    format!(
        "{requests} requests of 1 to {largest_pages} pages on {pages}, {read_share} of them reads, every {mean_ms} ms on average, seed {seed}"
    )
}
