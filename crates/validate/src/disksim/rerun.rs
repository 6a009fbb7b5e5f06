//! DiskSim run anew on the drive of its published runs, under workloads for which garbage collection lasts.
//!
//! Its figures are those of the "Overall I/O System": a request waits in DiskSim's driver, too.

use super::lasting::{Lasting, Places};
use super::runs::{RUNS, Rerun};
use super::{CLEANS_TOLERANCE, RESPONSE_TOLERANCE, drive};
use crate::case::{Case, Check, Setup, Value};
use wordline_items::Served;
use wordline_sim::Outcome;

const SOURCE: &str =
    "measured by us with DiskSim 4 and its SSD extension, on valid/ssd-postmark.parv";

/// The runs; `quick` leaves out most of them.
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
            served: Served::Nothing,
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
        others: Vec::new(),
        checks,
    }
}

fn describe(workload: &Lasting) -> String {
    let Lasting { requests, pages, read_share, largest_pages, mean_ms, seed, .. } = workload;
    let places = match workload.places {
        Places::Uniform => String::new(),
        Places::Hot { pages, share } => format!(", {share} of them on the first {pages}"),
        Places::Runs { share } => format!(", {share} of them where the last one ended"),
    };
    format!(
        "{requests} requests of 1 to {largest_pages} pages on {pages}{places}, {read_share} of them reads, every {mean_ms} ms on average, seed {seed}"
    )
}
