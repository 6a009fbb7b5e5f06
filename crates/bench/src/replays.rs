//! Benchmarks of the simulator: workloads that were generated beforehand, replayed on a drive in
//! steady state.

use crate::case::{Goal, Measured};
use crate::prepared::Prepared;
use wordline_sim::config::load;
use wordline_sim::metrics::RunResult;
use wordline_sim::{logical_bytes, simulate};
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

/// What the peers were measured on: 16 GiB with pages of 4 KiB.
const SMALL: &str = "preset = \"peers-16g\"";
/// The same with 1 TiB.
const LARGE: &str = "preset = \"peers-16g\"\n[drive.chip]\nblocks_per_plane = 65536";
const TINY: &str = "preset = \"tiny\"";

/// As many dies as a drive may have, and the same chips with an eighth of them.
const DIES_4096: &str = "preset = \"peers-16g\"\n[drive]\nchannels = 64\nchips_per_channel = 64\n\
    [drive.chip]\nblocks_per_plane = 32\npages_per_block = 64";
const DIES_512: &str = "preset = \"peers-16g\"\n[drive]\nchannels = 64\nchips_per_channel = 8\n\
    [drive.chip]\nblocks_per_plane = 32\npages_per_block = 64";

/// One of the sixteen banks of a drive that is compared with LLH-FTL, which works for itself.
const BANK: &str = "preset = \"llh-emulator-16g\"\n[drive]\nchannels = 1\nchips_per_channel = 1";
/// The same with LLH-FTL.
const BANK_LLH: &str = "preset = \"llh-ftl-16g\"\n[drive]\nchannels = 1\nchips_per_channel = 1";
const HALF_HOT: &str = "hotcold:writes=2e6,size_kib=4,hot=0.02,share=0.5";
const BY_ORACLE: &[&str] =
    &["ftl.frontiers=coldest", "ftl.hotness.policy=oracle", "ftl.hotness.hot_share=0.02"];
const COUNT_BY_ORACLE: &[&str] = &[
    "run.mode=count",
    "ftl.frontiers=coldest",
    "ftl.hotness.policy=oracle",
    "ftl.hotness.hot_share=0.02",
];

/// Writes that leave dies idle, and days in which some of the data dies.
const HALF_HOT_PAGES: &str = "hotcold:writes=2e6,size_kib=16,hot=0.02,share=0.5,interval_us=7000";
/// LazyRS's platform, and the same with lazyFTL.
const LAZYRS: &str = "preset = \"lazyrs-16g\"";
const LAZY_FTL: &str =
    "preset = \"lazyftl-16g\"\n[technique.lazy_ftl]\nmode = \"m1\"\nday_s = 300\nmargin_s = 1";

/// 2D and 3D flash, a 32nd of the size of Centaur's drive; and the same with Centaur.
const TWO_KINDS: &str = "preset = \"centaur-mixed-256g\"\n\
    [drive.group.slc.chip]\nblocks_per_plane = 256\npages_per_block = 32\n\
    [drive.group.tlc.chip]\nblocks_per_plane = 179\npages_per_block = 192";
const CENTAUR: &str = "preset = \"centaur-mixed-256g\"\n\
    [drive.group.slc.chip]\nblocks_per_plane = 256\npages_per_block = 32\n\
    [drive.group.tlc.chip]\nblocks_per_plane = 179\npages_per_block = 192\n\
    [technique.centaur]";
const PARTS: &str = "hotcold:requests=2e6,read=0.5,hot=0.2,share=0.8,size_kib=32";

/// One of the drives of ReSSD's array with fewer blocks, and the same with ReSSD.
const TLC: &str =
    "preset = \"ressd-576g\"\n[drive.chip]\npreset = \"ressd-tlc\"\nblocks_per_plane = 96";
const RESSD: &str = "preset = \"ressd-576g\"\n[drive.chip]\npreset = \"ressd-tlc\"\nblocks_per_plane = 96\n\
    [technique.ressd]";
const HALF_READS: &str = "hotcold:requests=2e6,read=0.5,hot=0.2,share=0.8,size_kib=16";

/// Four drives of 16 GiB as one.
const RAID_0: &str =
    "preset = \"peers-16g\"\n[array]\nlevel = \"raid0\"\ndrives = 4\nchunk_kib = 64";
const RAID_5: &str =
    "preset = \"peers-16g\"\n[array]\nlevel = \"raid5\"\ndrives = 4\nchunk_kib = 64";

const OPEN: &[&str] = &["host.mode=open"];

const DEEP: &[&str] = &["host.queue_depth=1024"];
const DFTL: &[&str] = &["ftl.map_cache.policy=dftl", "ftl.map_cache.capacity_kib=1024"];
const WRITE_BUFFER: &[&str] = &["host.write_buffer_mib=16"];
const DYNAMIC: &[&str] = &["ftl.allocation=dynamic"];
const UNIFORM: &str = "uniform:writes=2e6";
const COUNT: &[&str] = &["run.mode=count"];
const PRIORITIES: &[&str] = &[
    "drive.scheduling.order=reads_first",
    "drive.scheduling.suspend_program=true",
    "drive.scheduling.suspend_erase=true",
];

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
    Replay {
        name: "timed/in_order/16g",
        goal: 10.0,
        work: Work::Operations,
        drive: SMALL,
        tiny: TINY,
        workload: UNIFORM,
        repeat: 2,
        set: &[],
    },
    Replay {
        name: "timed/in_order/zipf-rw/16g",
        goal: 10.0,
        work: Work::Operations,
        drive: SMALL,
        tiny: TINY,
        workload: "zipf:requests=2e6,read=0.5,theta=0.99",
        repeat: 2,
        set: &[],
    },
    Replay {
        name: "timed/priorities/16g",
        goal: 4.0,
        work: Work::Operations,
        drive: SMALL,
        tiny: TINY,
        workload: "zipf:requests=2e6,read=0.5,theta=0.99",
        repeat: 1,
        set: PRIORITIES,
    },
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
    Replay {
        name: "timed/in_order/depth-1024",
        goal: 7.7,
        work: Work::Operations,
        drive: SMALL,
        tiny: TINY,
        workload: UNIFORM,
        repeat: 1,
        set: DEEP,
    },
    Replay {
        name: "timed/in_order/dftl",
        goal: 7.0,
        work: Work::Operations,
        drive: SMALL,
        tiny: TINY,
        workload: UNIFORM,
        repeat: 1,
        set: DFTL,
    },
    Replay {
        name: "timed/in_order/write-buffer",
        goal: 6.0,
        work: Work::Operations,
        drive: SMALL,
        tiny: TINY,
        workload: UNIFORM,
        repeat: 1,
        set: WRITE_BUFFER,
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
];

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
        let result = self.run(extent)?;
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

    /// Replays it.
    ///
    /// # Errors
    /// A drive or a workload that cannot be had.
    pub fn run(&self, extent: Extent) -> Result<RunResult, String> {
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
        let outcome = simulate(&config, Box::new(workload), &mut ());
        outcome.map(|outcome| outcome.result).map_err(|error| error.to_string())
    }
}
