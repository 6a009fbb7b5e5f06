//! Benchmarks of the simulator: workloads that were generated beforehand, replayed on a drive in
//! steady state.

use crate::case::{Goal, Measured};
use crate::drives::{
    BANK, BANK_LLH, BY_ORACLE, CELL_READS, CENTAUR, COUNT, COUNT_BY_ORACLE, DEEP, DFTL, DIES_512,
    DIES_4096, DYNAMIC, ERASE, HALF_HOT, HALF_HOT_PAGES, HALF_READS, LARGE, LAW_READS, LAZY_FTL,
    LAZYRS, OF_FOUR, OPEN, PARTS, PRIORITIES, RAID_0, RAID_5, READS, READS_FIRST, REO, RESSD,
    SLC_CACHE, SMALL, TINY, TLC, TWO_KINDS, UNIFORM, WRITE_BUFFER,
};
use crate::prepared::Prepared;
use wordline_sim::config::load;
use wordline_sim::metrics::RunResult;
use wordline_sim::{Own, logical_bytes, simulate_own};
use wordline_trace::{GeneratorContext, from_spec};

/// What counts as one piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Pages programmed.
    Programs,
    /// Units read and programmed, with data or without, blocks erased.
    Operations,
    /// Pages sensed, programs however large, blocks erased: what the simulator carries out, where a program is
    /// of many units and most of them may stay without data.
    Commands,
}

/// How much of a workload is replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it, as often as it takes to measure.
    Full,
    /// A little, on a small drive.
    Tiny,
    /// So many requests.
    First(u64),
}

/// A benchmark.
#[derive(Debug)]
pub struct Replay {
    /// Its name.
    pub name: &'static str,
    /// The budget: million pieces of its work a second.
    goal: f64,
    work: Work,
    drive: &'static str,
    /// The small drive on which a little is replayed.
    tiny: &'static str,
    workload: &'static str,
    repeat: u32,
    set: &'static [&'static str],
}

/// Operations of a small drive.
const fn on_small(
    name: &'static str,
    goal: f64,
    workload: &'static str,
    repeat: u32,
    set: &'static [&'static str],
) -> Replay {
    let (work, drive, tiny) = (Work::Operations, SMALL, TINY);
    Replay { name, goal, work, drive, tiny, workload, repeat, set }
}

/// All of them, small drives first: resident sizes are those of the process so far.
pub const REPLAYS: &[Replay] = &[
    Replay {
        name: "count/uniform/16g",
        goal: 20.0,
        work: Work::Programs,
        drive: SMALL,
        tiny: TINY,
        workload: UNIFORM,
        repeat: 10,
        set: COUNT,
    },
    Replay {
        name: "count/zipf/16g",
        goal: 20.0,
        work: Work::Programs,
        drive: SMALL,
        tiny: TINY,
        workload: "zipf:writes=2e6,theta=0.99",
        repeat: 10,
        set: COUNT,
    },
    on_small("timed/in_order/16g", 10.0, UNIFORM, 2, &[]),
    on_small("timed/in_order/zipf-rw/16g", 10.0, "zipf:requests=2e6,read=0.5,theta=0.99", 2, &[]),
    // The drives of RAID 5 read a page for each that they write.
    on_small("timed/in_order/half-reads/16g", 8.3, "uniform:requests=2e6,read=0.5", 1, &[]),
    on_small("timed/in_order/reads/16g", 10.0, READS, 1, &[]),
    on_small("timed/in_order/reads/cell", 7.7, READS, 1, CELL_READS),
    on_small("timed/in_order/reads/law", 7.7, READS, 1, LAW_READS),
    on_small("timed/in_order/writes/cell", 8.7, UNIFORM, 1, CELL_READS),
    on_small("timed/priorities/16g", 4.0, "zipf:requests=2e6,read=0.5,theta=0.99", 1, PRIORITIES),
    on_small(
        "timed/priorities/no-suspension/16g",
        4.0,
        "zipf:requests=2e6,read=0.5,theta=0.99",
        1,
        READS_FIRST,
    ),
    Replay {
        name: "count/uniform/1t",
        goal: 5.0,
        work: Work::Programs,
        drive: LARGE,
        tiny: TINY,
        workload: UNIFORM,
        repeat: 10,
        set: COUNT,
    },
    Replay {
        name: "timed/in_order/1t",
        goal: 2.5,
        work: Work::Operations,
        drive: LARGE,
        tiny: TINY,
        workload: UNIFORM,
        repeat: 2,
        set: &[],
    },
    Replay {
        name: "timed/priorities/1t",
        goal: 2.0,
        work: Work::Operations,
        drive: LARGE,
        tiny: TINY,
        workload: "zipf:requests=2e6,read=0.5,theta=0.99",
        repeat: 1,
        set: PRIORITIES,
    },
    Replay {
        name: "timed/in_order/dynamic/512",
        goal: 2.5,
        work: Work::Operations,
        drive: DIES_512,
        tiny: TINY,
        workload: UNIFORM,
        repeat: 1,
        set: DYNAMIC,
    },
    Replay {
        name: "timed/in_order/dynamic/4096",
        goal: 2.5,
        work: Work::Operations,
        drive: DIES_4096,
        tiny: TINY,
        workload: UNIFORM,
        repeat: 1,
        set: DYNAMIC,
    },
    on_small("timed/in_order/depth-1024", 7.7, UNIFORM, 1, DEEP),
    on_small("timed/in_order/dftl", 7.0, UNIFORM, 1, DFTL),
    on_small("timed/in_order/write-buffer", 6.0, UNIFORM, 1, WRITE_BUFFER),
    Replay {
        name: "timed/in_order/64g",
        goal: 5.0,
        work: Work::Operations,
        drive: OF_FOUR,
        tiny: TINY,
        workload: UNIFORM,
        repeat: 1,
        set: &[],
    },
    // As large as the four drives of the arrays together.
    Replay {
        name: "timed/in_order/half-reads/64g",
        goal: 6.7,
        work: Work::Operations,
        drive: OF_FOUR,
        tiny: TINY,
        workload: "uniform:requests=2e6,read=0.5",
        repeat: 1,
        set: &[],
    },
    Replay {
        name: "timed/in_order/raid0",
        goal: 8.3,
        work: Work::Operations,
        drive: RAID_0,
        tiny: "preset = \"tiny\"\n[array]\nlevel = \"raid0\"\ndrives = 4",
        workload: UNIFORM,
        repeat: 1,
        set: &[],
    },
    Replay {
        name: "timed/in_order/raid5",
        goal: 6.7,
        work: Work::Operations,
        drive: RAID_5,
        tiny: "preset = \"tiny-raid5\"",
        workload: UNIFORM,
        repeat: 1,
        set: &[],
    },
    Replay {
        name: "count/baseline/bank",
        goal: 20.0,
        work: Work::Programs,
        drive: BANK,
        tiny: BANK,
        workload: HALF_HOT,
        repeat: 2,
        set: COUNT_BY_ORACLE,
    },
    Replay {
        name: "count/llh_ftl/bank",
        goal: 10.0,
        work: Work::Programs,
        drive: BANK_LLH,
        tiny: BANK_LLH,
        workload: HALF_HOT,
        repeat: 2,
        set: COUNT_BY_ORACLE,
    },
    Replay {
        name: "timed/in_order/baseline/bank",
        goal: 10.0,
        work: Work::Operations,
        drive: BANK,
        tiny: BANK,
        workload: HALF_HOT,
        repeat: 2,
        set: BY_ORACLE,
    },
    Replay {
        name: "timed/in_order/llh_ftl/bank",
        goal: 5.0,
        work: Work::Operations,
        drive: BANK_LLH,
        tiny: BANK_LLH,
        workload: HALF_HOT,
        repeat: 2,
        set: BY_ORACLE,
    },
    Replay {
        name: "timed/in_order/baseline/lazyrs",
        goal: 10.0,
        work: Work::Operations,
        drive: LAZYRS,
        tiny: LAZYRS,
        workload: HALF_HOT_PAGES,
        repeat: 1,
        set: OPEN,
    },
    Replay {
        name: "timed/in_order/lazy_ftl/lazyrs",
        goal: 5.0,
        work: Work::Operations,
        drive: LAZY_FTL,
        tiny: LAZY_FTL,
        workload: HALF_HOT_PAGES,
        repeat: 1,
        set: OPEN,
    },
    Replay {
        name: "timed/in_order/two_kinds",
        goal: 0.6,
        work: Work::Commands,
        drive: TWO_KINDS,
        tiny: TWO_KINDS,
        workload: PARTS,
        repeat: 1,
        set: &[],
    },
    Replay {
        name: "timed/in_order/centaur",
        goal: 0.3,
        work: Work::Commands,
        drive: CENTAUR,
        tiny: CENTAUR,
        workload: PARTS,
        repeat: 1,
        set: &[],
    },
    Replay {
        name: "timed/priorities/baseline/tlc",
        goal: 4.0,
        work: Work::Operations,
        drive: TLC,
        tiny: TLC,
        workload: HALF_READS,
        repeat: 1,
        set: &[],
    },
    Replay {
        name: "timed/priorities/ressd/tlc",
        goal: 2.7,
        work: Work::Operations,
        drive: RESSD,
        tiny: RESSD,
        workload: HALF_READS,
        repeat: 1,
        set: &[],
    },
    Replay {
        name: "timed/priorities/slc_cache/tlc",
        goal: 2.7,
        work: Work::Operations,
        drive: SLC_CACHE,
        tiny: SLC_CACHE,
        workload: HALF_READS,
        repeat: 1,
        set: &[],
    },
    Replay {
        name: "timed/priorities/baseline/erase",
        goal: 4.0,
        work: Work::Operations,
        drive: ERASE,
        tiny: ERASE,
        workload: HALF_READS,
        repeat: 1,
        set: &[],
    },
    Replay {
        name: "timed/priorities/reo/erase",
        goal: 2.7,
        work: Work::Operations,
        drive: ERASE,
        tiny: ERASE,
        workload: HALF_READS,
        repeat: 1,
        set: REO,
    },
];

/// A drive of 1 TiB brought into its steady state, for the sake of one request.
pub const SET_UP: Replay = Replay {
    name: "set-up/1t",
    goal: 0.0,
    work: Work::Programs,
    drive: LARGE,
    tiny: TINY,
    workload: UNIFORM,
    repeat: 1,
    set: COUNT,
};

impl Replay {
    /// What it is to reach.
    pub fn goal(&self) -> Goal {
        let unit = match self.work {
            Work::Programs => "M programs/s",
            Work::Operations => "M flash ops/s",
            Work::Commands => "M commands/s",
        };
        Goal { name: self.name, unit, value: self.goal, at_least: true }
    }

    /// What a piece of its work is.
    pub fn piece(&self) -> &'static str {
        match self.work {
            Work::Programs => "program",
            Work::Operations => "flash operation",
            Work::Commands => "command",
        }
    }

    /// Million pieces of work a second, preconditioning left out.
    ///
    /// # Errors
    /// A drive or a workload that cannot be had.
    pub fn measure(&self, extent: Extent) -> Result<Measured, String> {
        let result = self.run(extent, Own::default())?;
        let work = self.done(&result) as f64;
        Ok(Measured {
            value: work / result.simulator.run_s / 1e6,
            peak_rss_mib: result.simulator.peak_rss_mib,
        })
    }

    /// Pieces of work in a result.
    pub fn done(&self, result: &RunResult) -> u64 {
        match self.work {
            Work::Programs => result.flash.page_programs.total(),
            Work::Operations => result.simulator.flash_ops,
            Work::Commands => {
                let flash = &result.flash;
                flash.page_reads.total() + flash.program_operations + flash.erases
            }
        }
    }

    /// Replays it on a drive with parts of one's own.
    ///
    /// # Errors
    /// A drive or a workload that cannot be had.
    pub fn run(&self, extent: Extent, own: Own) -> Result<RunResult, String> {
        let drive = if extent == Extent::Tiny { self.tiny } else { self.drive };
        let length = match extent {
            Extent::Full => format!("workload.repeat={}", self.repeat),
            Extent::Tiny => "workload.first=20000".to_owned(),
            Extent::First(requests) => format!("workload.first={requests}"),
        };
        let mut set = vec!["host.mode=closed".to_owned(), "run.check=false".to_owned(), length];
        set.extend(self.set.iter().map(|&text| text.to_owned()));
        let config = load(drive, "benchmark", &set).map_err(|error| error.to_string())?;
        let span_bytes = logical_bytes(&config).map_err(|error| error.to_string())?;
        let context = GeneratorContext::on_drive(span_bytes, config.run.seed);
        let generated = from_spec(self.workload, &context).map_err(|error| error.to_string())?;
        let workload = Prepared::new(generated).map_err(|error| error.to_string())?;
        let outcome = simulate_own(&config, own, Box::new(workload), &mut ());
        outcome.map(|outcome| outcome.result).map_err(|error| error.to_string())
    }
}
