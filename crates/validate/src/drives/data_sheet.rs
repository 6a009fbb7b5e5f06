//! What a data sheet says of a drive: reads and writes in sequence, reads at random, and a read alone.

use super::load::smaller;
use super::published::check;
use crate::case::{Case, Setup};
use wordline_sim::Outcome;

/// The drives: in ids, the preset, and pages of a block of ours.
const DRIVES: [(&str, &str, u64); 4] = [
    ("7450-max", "micron-7450-max-800g", 27),
    ("p5520", "solidigm-p5520-1920g", 24),
    ("cm7-r", "kioxia-cm7-r-3840g", 24),
    ("pm9a3", "samsung-pm9a3-960g", 24),
];

/// A row: the end of its id, the workload, requests in flight, how the drive is filled before, and what of a run it is.
struct Row {
    name: &'static str,
    workload: &'static str,
    queue_depth: u32,
    figure: fn(&Outcome) -> f64,
}

const MB_S: fn(&Outcome) -> f64 = |it| it.result.host.bandwidth_mb_s.unwrap_or(f64::NAN);

const ROWS: [Row; 4] = [
    Row {
        name: "read-mb-s",
        workload: "sequential:requests=40000,read=1,size_kib=128",
        queue_depth: 32,
        figure: MB_S,
    },
    Row {
        name: "write-mb-s",
        workload: "sequential:writes=60000,size_kib=128",
        queue_depth: 32,
        figure: MB_S,
    },
    Row {
        name: "random-read",
        workload: "uniform:requests=300000,read=1",
        queue_depth: 512,
        figure: |it| it.result.host.iops.unwrap_or(f64::NAN),
    },
    Row {
        name: "read-us",
        workload: "uniform:requests=3000,read=1",
        queue_depth: 1,
        figure: |it| it.result.host.read.mean_us,
    },
];

/// The runs.
pub fn cases() -> Vec<Case> {
    let of = |drive| ROWS.iter().filter_map(move |row| case(drive, row));
    DRIVES.iter().flat_map(of).collect()
}

/// The run of a row, where the data sheet has it.
fn case(&(id, preset, pages): &(&str, &str, u64), row: &Row) -> Option<Case> {
    let id = format!("drives/{id}/sheet/{}", row.name);
    super::published::ROWS.iter().find(|it| it.id == id)?;
    let depth = format!("host.queue_depth={}", row.queue_depth);
    let config =
        smaller(preset, pages, &["precondition.pattern=sequential", "host.mode=closed", &depth]);
    let workload = row.workload.to_owned();
    let setup = Setup { config, workload: crate::generated(workload.clone()) };
    let checks = vec![check(&id, Box::new(row.figure))];
    Some(Case { id, workload, setup: Ok(setup), others: Vec::new(), checks })
}
