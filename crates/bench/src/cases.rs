//! The benchmarks.

use crate::codes;
use crate::prepared::Prepared;
use crate::traces;
use wordline_sim::config::{Config, load};
use wordline_sim::{Outcome, logical_bytes, simulate};
use wordline_trace::generate::{GeneratorContext, from_spec};

/// A benchmark.
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// What is measured.
    pub unit: &'static str,
    /// The budget.
    pub goal: f64,
    /// True when more is better.
    pub at_least: bool,
    /// Runs it.
    pub run: fn(tiny: bool) -> Result<Measured, String>,
}

/// What a benchmark measured.
pub struct Measured {
    /// In the benchmark's unit.
    pub value: f64,
    /// Largest resident size of the process so far.
    pub peak_rss_mib: f64,
}

/// All benchmarks, traces and small drives first: resident sizes are those of the process so far.
pub const CASES: &[Case] = &[
    Case {
        name: "trace/read/msr",
        unit: "M requests/s",
        goal: 3.0,
        at_least: true,
        run: |tiny| traces::read("trace.csv", tiny),
    },
    Case {
        name: "trace/read/wordline",
        unit: "M requests/s",
        goal: 20.0,
        at_least: true,
        run: |tiny| traces::read("trace.wlt", tiny),
    },
    Case {
        name: "trace/statistics",
        unit: "M requests/s",
        goal: 2.0,
        at_least: true,
        run: traces::statistics,
    },
    Case {
        name: "trace/write/wordline",
        unit: "M requests/s",
        goal: 5.0,
        at_least: true,
        run: |tiny| traces::write("trace.wlt", tiny),
    },
    Case {
        name: "code/polar/write",
        unit: "µs/try, 2^16 cells",
        goal: 60.0,
        at_least: false,
        run: codes::polar_write,
    },
    Case {
        name: "code/polar/read",
        unit: "µs, 2^16 cells",
        goal: 10.0,
        at_least: false,
        run: codes::polar_read,
    },
    Case {
        name: "code/polar/bit-by-bit",
        unit: "x our time",
        goal: 20.0,
        at_least: true,
        run: codes::against_bit_by_bit,
    },
    Case {
        name: "code/polar/round-trips",
        unit: "k pages/s, 2^12",
        goal: 50.0,
        at_least: true,
        run: codes::round_trips,
    },
    Case {
        name: "code/ldgm/write",
        unit: "µs, 2^16 cells",
        goal: 5000.0,
        at_least: false,
        run: codes::ldgm_write,
    },
    Case {
        name: "count/uniform/16g",
        unit: "M programs/s",
        goal: 20.0,
        at_least: true,
        run: |tiny| programs(drive(tiny), "uniform:writes=2e6", 10, &["run.mode=count"], tiny),
    },
    Case {
        name: "count/zipf/16g",
        unit: "M programs/s",
        goal: 20.0,
        at_least: true,
        run: |tiny| {
            programs(drive(tiny), "zipf:writes=2e6,theta=0.99", 10, &["run.mode=count"], tiny)
        },
    },
    Case {
        name: "timed/in_order/16g",
        unit: "M flash ops/s",
        goal: 10.0,
        at_least: true,
        run: |tiny| operations(drive(tiny), "uniform:writes=2e6", 2, &[], tiny),
    },
    Case {
        name: "timed/in_order/zipf-rw/16g",
        unit: "M flash ops/s",
        goal: 10.0,
        at_least: true,
        run: |tiny| operations(drive(tiny), "zipf:requests=2e6,read=0.5,theta=0.99", 2, &[], tiny),
    },
    Case {
        name: "timed/priorities/16g",
        unit: "M flash ops/s",
        goal: 4.0,
        at_least: true,
        run: |tiny| {
            operations(drive(tiny), "zipf:requests=2e6,read=0.5,theta=0.99", 1, PRIORITIES, tiny)
        },
    },
    Case {
        name: "count/uniform/1t",
        unit: "M programs/s",
        goal: 5.0,
        at_least: true,
        run: |tiny| programs(large(tiny), "uniform:writes=2e6", 10, &["run.mode=count"], tiny),
    },
    Case {
        name: "timed/in_order/1t",
        unit: "M flash ops/s",
        goal: 2.5,
        at_least: true,
        run: |tiny| operations(large(tiny), "uniform:writes=2e6", 2, &[], tiny),
    },
];

const PRIORITIES: &[&str] = &[
    "drive.scheduling.order=reads_first",
    "drive.scheduling.suspend_program=true",
    "drive.scheduling.suspend_erase=true",
];

/// The drive that the peers were measured on, or a small one.
fn drive(tiny: bool) -> &'static str {
    if tiny { "preset = \"tiny\"" } else { "preset = \"peers-16g\"" }
}

/// 1 TiB with pages of 4 KiB, or a small one.
fn large(tiny: bool) -> &'static str {
    if tiny {
        "preset = \"tiny\""
    } else {
        "preset = \"peers-16g\"\n[drive.chip]\nblocks_per_plane = 65536"
    }
}

fn outcome(
    text: &str,
    spec: &str,
    repeat: u32,
    overrides: &[&str],
    tiny: bool,
) -> Result<Outcome, String> {
    let mut overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    overrides.extend(["host.mode=closed".to_owned(), "run.check=false".to_owned()]);
    if tiny {
        overrides.push("workload.first=20000".to_owned());
    } else {
        overrides.push(format!("workload.repeat={}", repeat.max(1)));
    }
    let config: Config = load(text, "benchmark", &overrides).map_err(|error| error.to_string())?;
    let span_bytes = logical_bytes(&config).map_err(|error| error.to_string())?;
    let context = GeneratorContext::on_drive(span_bytes, config.run.seed);
    let generated = from_spec(spec, &context).map_err(|error| error.to_string())?;
    let workload = Prepared::new(generated).map_err(|error| error.to_string())?;
    simulate(&config, Box::new(workload), &mut ()).map_err(|error| error.to_string())
}

/// Million programs a second, preconditioning left out.
fn programs(
    text: &str,
    spec: &str,
    repeat: u32,
    overrides: &[&str],
    tiny: bool,
) -> Result<Measured, String> {
    let result = outcome(text, spec, repeat, overrides, tiny)?.result;
    let programs = result.flash.page_programs.total() as f64;
    Ok(Measured {
        value: programs / result.simulator.run_s / 1e6,
        peak_rss_mib: result.simulator.peak_rss_mib,
    })
}

/// Million flash operations a second, preconditioning left out.
fn operations(
    text: &str,
    spec: &str,
    repeat: u32,
    overrides: &[&str],
    tiny: bool,
) -> Result<Measured, String> {
    let result = outcome(text, spec, repeat, overrides, tiny)?.result;
    Ok(Measured {
        value: result.simulator.flash_ops_per_s / 1e6,
        peak_rss_mib: result.simulator.peak_rss_mib,
    })
}
