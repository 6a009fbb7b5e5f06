//! The published runs of DiskSim 4 with the SSD extension of Microsoft Research (its folder
//! `valid/`, public copies on GitHub; Agrawal et al., "Design tradeoffs for SSD performance", USENIX
//! ATC 2008).

mod lasting;
mod rerun;
mod runs;
mod workload;

use crate::Status;
use crate::case::{Case, Check, Obstacle, Setup, Value, Workload};
use std::path::PathBuf;
use wordline_items::Served;
use wordline_sim::Outcome;
use wordline_sim::config::{self, Config};
use wordline_trace::Op;
use workload::Synthetic;

const RESPONSE_TOLERANCE: f64 = 0.03;
const CLEANS_TOLERANCE: f64 = 0.03;
const MOVED_TOLERANCE: f64 = 0.05;

/// The preset holds the drive as the extension's code computes with it: 63 data pages in a block, 528
/// bytes on the pins for a sector, a block that is being written and a reserve in each plane.
const DRIVE: &str = "preset = \"disksim-ssd-32g\"";

/// A published run; figures from its `.outv` file.
struct Published {
    id: &'static str,
    file: &'static str,
    what: What,
    response_ms: f64,
    cleans: f64,
    pages_moved: f64,
    quick: bool,
}

enum What {
    Synthetic(Synthetic),
    /// The trace that goes with the run.
    Trace(&'static str),
}

const fn synthetic(requests: u64, sequential: bool, op: Op) -> What {
    What::Synthetic(Synthetic { requests, sequential, op })
}

const RUNS: [Published; 7] = [
    Published {
        id: "sequential-read-250k",
        file: "ssd-sr250k.outv",
        what: synthetic(250_000, true, Op::Read),
        response_ms: 0.132_511,
        cleans: 0.0,
        pages_moved: 0.0,
        quick: true,
    },
    Published {
        id: "sequential-write-250k",
        file: "ssd-sw250k.outv",
        what: synthetic(250_000, true, Op::Write),
        response_ms: 0.310_895,
        cleans: 0.0,
        pages_moved: 0.0,
        quick: true,
    },
    Published {
        id: "sequential-write-5m",
        file: "ssd-sw5m.outv",
        what: synthetic(5_000_000, true, Op::Write),
        response_ms: 0.334_365,
        cleans: 77_493.0,
        pages_moved: 0.0,
        quick: false,
    },
    Published {
        id: "random-read-250k",
        file: "ssd-rr250k.outv",
        what: synthetic(250_000, false, Op::Read),
        response_ms: 0.136_118,
        cleans: 0.0,
        pages_moved: 0.0,
        quick: true,
    },
    Published {
        id: "random-write-250k",
        file: "ssd-rw250k.outv",
        what: synthetic(250_000, false, Op::Write),
        response_ms: 0.329_458,
        cleans: 0.0,
        pages_moved: 0.0,
        quick: true,
    },
    Published {
        id: "random-write-5m",
        file: "ssd-rw5m.outv",
        what: synthetic(5_000_000, false, Op::Write),
        response_ms: 0.593_438,
        cleans: 143_179.0,
        pages_moved: 1_929_239.0,
        quick: false,
    },
    Published {
        id: "iozone-100k",
        file: "ssd-iozone.outv",
        what: What::Trace("iozone_aligned2_100k.csv.zst"),
        response_ms: 6.416_810,
        cleans: 129_772.0,
        pages_moved: 0.0,
        quick: true,
    },
];

/// The runs; `quick` leaves out those of five million requests, and most with lasting GC.
pub fn cases(quick: bool) -> Vec<Case> {
    let published = RUNS.iter().filter(|run| run.quick || !quick).map(case);
    published.chain(rerun::cases(quick)).collect()
}

fn case(run: &'static Published) -> Case {
    let id = format!("disksim/{}", run.id);
    let checks = vec![
        Check {
            note: note(run),
            ..check(run, "mean_response", "ms", RESPONSE_TOLERANCE, run.response_ms, |outcome| {
                outcome.result.host.mean_us / 1000.0
            })
        },
        check(run, "cleans", "blocks", CLEANS_TOLERANCE, run.cleans, |outcome| {
            outcome.result.gc.count as f64
        }),
        check(run, "pages_moved", "pages", MOVED_TOLERANCE, run.pages_moved, |outcome| {
            outcome.result.gc.pages_moved as f64
        }),
    ];
    let (workload, setup) = (describe(&run.what), setup(&run.what));
    Case { id, workload, setup, others: Vec::new(), checks }
}

fn check(
    run: &Published,
    what: &str,
    unit: &'static str,
    tolerance: f64,
    published: f64,
    ours: fn(&Outcome) -> f64,
) -> Check {
    let reference: Value = Box::new(move |_| published);
    Check {
        id: format!("disksim/{}/{what}", run.id),
        source: format!("DiskSim 4 with the SSD extension, valid/{}", run.file),
        unit,
        tolerance,
        served: Served::Nothing,
        reference,
        ours: Box::new(ours),
        note: String::new(),
    }
}

fn note(run: &Published) -> String {
    match run.what {
        What::Synthetic(_) => String::new(),
        What::Trace(_) => {
            "as the driver sees it, which lets 20 requests through; at the device, 6.394276 ms"
                .into()
        }
    }
}

fn describe(what: &What) -> String {
    match what {
        What::Synthetic(Synthetic { requests, sequential, op }) => {
            let order = if *sequential { "sequential" } else { "random" };
            let op = if *op == Op::Read { "reads" } else { "writes" };
            format!("DiskSim's own: {requests} {order} {op}")
        }
        What::Trace(file) => (*file).to_owned(),
    }
}

fn setup(what: &'static What) -> Result<Setup, Obstacle> {
    let config = drive()?;
    let workload: Workload = match what {
        What::Synthetic(synthetic) => Box::new(|_| Ok(synthetic.source())),
        What::Trace(file) => {
            let path = trace_folder().join(file);
            if !path.exists() {
                let why =
                    format!("{} is not there; set WORDLINE_TRACES to its folder", path.display());
                return Err((Status::Skipped, why));
            }
            Box::new(move |_| Ok(wordline_trace::read::open(&path, None)?.source))
        }
    };
    Ok(Setup { config, workload })
}

fn drive() -> Result<Config, Obstacle> {
    config::load(DRIVE, "the drive of DiskSim's runs", &[])
        .map_err(|error| (Status::Deviates, error.to_string()))
}

fn trace_folder() -> PathBuf {
    std::env::var_os("WORDLINE_TRACES").map_or_else(|| "../shared/traces".into(), PathBuf::from)
}
