//! The drives whose power is cut, and what is asked of them.

use wordline_sim::config::{Config, load};
use wordline_sim::power::CutReport;
use wordline_sim::{CutChoice, Outcome, logical_bytes, power_cuts, simulate};
use wordline_trace::{GeneratorContext, Source, from_spec};

/// A drive, and the rules without which it loses something.
pub struct Drive {
    pub name: &'static str,
    pub text: &'static str,
    pub rules: &'static [&'static str],
    /// The schedulers under which it works.
    pub orders: &'static [Service],
}

/// The scheduler.
#[derive(Debug, Clone, Copy)]
pub enum Service {
    Count,
    InOrder,
    ReadsFirst,
}

const SMALL: &str = "
    [run]
    seed = 7
    [drive]
    channels = 2
    chips_per_channel = 1
    over_provisioning = 0.5
    [drive.chip]
    cell = \"tlc\"
    dies = 1
    planes = 2
    blocks_per_plane = 40
    pages_per_block = 24
    page_kib = 4
    [ftl]
    acknowledge = \"program\"
    [ftl.gc]
    mode = \"foreground\"
    [power]
    protection = \"none\"
    [host]
    mode = \"closed\"
    queue_depth = 8
";

/// LLH-FTL on MLC and ReSSD on TLC.
const TWO_KINDS_GIVEN: &str = "[drive.group.a.chip]\ncell = \"mlc\"\nplanes = 1\nblocks_per_plane = 40\npages_per_block = 24\npage_kib = 8\nendurance_pec = 10000\n[drive.group.b]\nfirst_channel = 1\n[drive.group.b.chip]\ncell = \"tlc\"\nprogram = \"one_shot\"\nplanes = 1\nblocks_per_plane = 48\npages_per_block = 24\nlayers_per_block = 4\npage_kib = 4\nendurance_pec = 3000\n[ftl]\nmapping_unit_kib = 4\n[ftl.hotness]\npolicy = \"size\"\n[precondition]\npattern = \"random\"\nfill = 0.2\n[drive]\nover_provisioning = 1.2\n[technique.ressd]\ngroup = \"b\"\nlayers = 2\n[technique.llh_ftl]\ngroup = \"a\"\nfloor = 1";

const ANY_ORDER: &[Service] = &[Service::Count, Service::InOrder, Service::ReadsFirst];
const TIMED: &[Service] = &[Service::InOrder, Service::ReadsFirst];
const ALL: &[&str] = &["erase_waits", "flush_completes", "remembers_trims"];

/// The drives.
pub const DRIVES: &[Drive] = &[
    Drive { name: "pages", text: "", rules: ALL, orders: ANY_ORDER },
    Drive {
        name: "one_shot",
        text: "[drive.chip]\nprogram = \"one_shot\"",
        rules: &["erase_waits", "remembers_trims"],
        orders: ANY_ORDER,
    },
    Drive {
        name: "planes",
        text: "[drive.chip]\nmulti_plane = true",
        rules: ALL,
        orders: ANY_ORDER,
    },
    Drive {
        name: "scope_of_all_dies",
        text: "[ftl.gc]\nscope = \"drive\"\n[drive.chip]\nprogram = \"one_shot\"",
        rules: &["erase_waits", "remembers_trims"],
        orders: ANY_ORDER,
    },
    Drive {
        name: "buffer",
        text: "[ftl]\nacknowledge = \"buffer\"",
        rules: ALL,
        orders: ANY_ORDER,
    },
    Drive {
        name: "map_cache",
        text: "[ftl.map_cache]\npolicy = \"dftl\"\ncapacity_kib = 8",
        rules: ALL,
        orders: ANY_ORDER,
    },
    Drive {
        name: "ressd",
        text: "[technique.ressd]\nlayers = 2\n[drive]\nover_provisioning = 0.8\n[drive.chip]\nlayers_per_block = 4\n[ftl.hotness]\npolicy = \"size\"",
        rules: &["erase_waits", "flush_completes", "preserves", "remembers_trims"],
        orders: ANY_ORDER,
    },
    Drive {
        name: "lazy_ftl",
        text: "[technique.lazy_ftl]\nday_s = 0.7\nmargin_s = 0.1\n[drive.chip]\nprogram = \"one_shot\"\n[ftl]\nfrontiers = \"separate\"",
        rules: &["erase_waits", "preserves", "remembers_trims"],
        orders: TIMED,
    },
    Drive {
        name: "slc_cache",
        text: "[technique.slc_cache]\nstatic_share = 0.06\n[drive]\nover_provisioning = 0.8",
        rules: ALL,
        orders: ANY_ORDER,
    },
    Drive {
        name: "slc_in_place",
        text: "[technique.slc_cache]\nfold = \"in_place\"\nwhen_full = \"in_place\"\n[drive.chip]\nprogram = \"one_shot\"\n[drive]\nover_provisioning = 0.8",
        rules: &["erase_waits", "preserves", "remembers_trims"],
        orders: ANY_ORDER,
    },
    Drive {
        name: "two_kinds",
        text: "[drive.group.a.chip]\ncell = \"slc\"\nendurance_pec = 60000\nblocks_per_plane = 32\npages_per_block = 24\npage_kib = 4\n[drive.group.b]\nfirst_channel = 1\n[drive.group.b.chip]\ncell = \"tlc\"\nendurance_pec = 5000\nprogram = \"full_sequence\"\nblocks_per_plane = 40\npages_per_block = 24\npage_kib = 16\n[ftl]\nmapping_unit_kib = 4\n[precondition]\npattern = \"random\"\nfill = 0.2\n[drive]\nover_provisioning = 2.0\n[technique.centaur]\ninitial_bytes = 24576\nmin_bytes = 4096\nmax_bytes = 49152",
        rules: &["erase_waits", "remembers_trims"],
        orders: TIMED,
    },
    Drive {
        name: "two_kinds_lazy",
        text: "[drive.group.a.chip]\ncell = \"slc\"\nendurance_pec = 60000\nblocks_per_plane = 32\npages_per_block = 24\npage_kib = 4\n[drive.group.b]\nfirst_channel = 1\n[drive.group.b.chip]\ncell = \"tlc\"\nendurance_pec = 5000\nprogram = \"one_shot\"\nblocks_per_plane = 40\npages_per_block = 24\npage_kib = 16\n[ftl]\nmapping_unit_kib = 4\n[precondition]\npattern = \"random\"\nfill = 0.2\n[drive]\nover_provisioning = 2.0\n[technique.centaur]\ninitial_bytes = 4096\nmin_bytes = 4096\nmax_bytes = 49152\nstep_bytes = 0\n[technique.lazy_ftl]\ngroup = \"b\"\nday_s = 0.2\nmargin_s = 0.02",
        rules: &["erase_waits", "preserves", "remembers_trims"],
        orders: TIMED,
    },
    Drive {
        name: "two_kinds_given",
        text: TWO_KINDS_GIVEN,
        rules: &["erase_waits", "preserves", "remembers_trims"],
        orders: ANY_ORDER,
    },
    Drive {
        name: "llh_ftl",
        text: "[technique.llh_ftl]\nlists = true\n[drive.chip]\ncell = \"mlc\"\npage_kib = 8\n[drive]\nover_provisioning = 1.0\n[ftl]\nmapping_unit_kib = 4\nfrontiers = \"coldest\"\nacknowledge = \"buffer\"\n[ftl.hotness]\npolicy = \"oracle\"\nhot_share = 0.5",
        rules: &["erase_waits", "preserves", "remembers_trims"],
        orders: ANY_ORDER,
    },
    Drive {
        name: "hot_and_cold",
        text: "[ftl]\nfrontiers = \"separate\"\n[ftl.hotness]\npolicy = \"size\"",
        rules: ALL,
        orders: ANY_ORDER,
    },
];

/// Requests of a run, and of one in which enough happens for what every drive has to do.
const REQUESTS: u32 = 12_000;
const FEWER_REQUESTS: u32 = 6_000;

/// Power is cut at every operation of a run of a drive, with some keys set otherwise.
pub fn report(drive: &Drive, order: Service, set: &[&str]) -> CutReport {
    report_of(drive, order, set, CutChoice::default())
}

/// Power is cut at every operation of a shorter run.
pub fn short_report(drive: &Drive, order: Service, set: &[&str]) -> CutReport {
    cut(drive, configured(drive, order, set, FEWER_REQUESTS), CutChoice::default())
}

/// Power is cut at some of the operations of a run.
pub fn report_of(drive: &Drive, order: Service, set: &[&str], choice: CutChoice) -> CutReport {
    cut(drive, configured(drive, order, set, REQUESTS), choice)
}

/// Power is cut at some operations of a shorter run whose host trims nothing, on a drive with that share of its data.
pub fn without_trims(drive: &Drive, order: Service, fill: f64) -> CutReport {
    let keys = keys(drive, order, &[&format!("precondition.fill={fill}")]);
    let workload = format!("zipf:requests={FEWER_REQUESTS},read=0.2,flush=0.02,theta=0.8");
    cut(drive, loaded(drive, &keys, &workload), CutChoice { every: 101, at: None })
}

fn cut(
    drive: &Drive,
    (config, workload): (Config, Box<dyn Source>),
    choice: CutChoice,
) -> CutReport {
    power_cuts(&config, workload, choice, &mut ())
        .unwrap_or_else(|error| panic!("{}: {error}", drive.name))
}

/// Erases and programs that the same run suspends.
pub fn suspensions(drive: &Drive, set: &[&str]) -> u64 {
    let (config, workload) = configured(drive, Service::ReadsFirst, set, REQUESTS);
    let outcome = simulate(&config, workload, &mut ()).expect("it works");
    outcome.result.flash.suspensions
}

fn configured(
    drive: &Drive,
    order: Service,
    set: &[&str],
    requests: u32,
) -> (Config, Box<dyn Source>) {
    let workload =
        format!("zipf:requests={requests},read=0.2,trim=0.02,flush=0.02,fua=0.02,theta=0.8");
    loaded(drive, &keys(drive, order, set), &workload)
}

fn keys(drive: &Drive, order: Service, set: &[&str]) -> Vec<String> {
    let order = match order {
        Service::Count => "run.mode=count",
        Service::InOrder => "drive.scheduling.order=in_order",
        Service::ReadsFirst => "drive.scheduling.order=reads_first",
    };
    let mut keys: Vec<String> = own_keys(drive.text);
    keys.extend(set.iter().chain(&[order]).map(|&key| key.to_owned()));
    keys
}

fn loaded(drive: &Drive, keys: &[String], workload: &str) -> (Config, Box<dyn Source>) {
    let config = load(SMALL, drive.name, keys).unwrap_or_else(|error| panic!("{error}"));
    let context = GeneratorContext::on_drive(logical_bytes(&config).expect("it works"), 7);
    let workload = from_spec(workload, &context).expect("it is a workload");
    (config, workload)
}

/// Power is cut at every operation of a drive whose low pages are written twice, some of them over data that
/// was trimmed just before.
pub fn second_writes() -> CutReport {
    let keys = [
        "drive.chip.cell=mlc",
        "drive.chip.pages_per_block=48",
        "ftl.mapping_unit_kib=2",
        "ftl.frontiers=coldest",
        "ftl.hotness.policy=oracle",
        "ftl.hotness.hot_share=0.2",
        "technique.llh_ftl={}",
        "power.protection=none",
        "host.mode=closed",
    ];
    let (config, workload) = on_tiny(&keys, "zipf:requests=2e4,theta=0.9,flush=0.01,trim=0.005");
    power_cuts(&config, workload, CutChoice::default(), &mut ()).expect("it works")
}

/// A drive without capacitor is full, with so much room besides, and its host gives up units and flushes, and writes nothing.
pub fn trims_and_flushes(over_provisioning: f64) -> Outcome {
    let room = format!("drive.over_provisioning={over_provisioning}");
    let keys = ["power.protection=none", &*room];
    let (config, workload) = on_tiny(&keys, "uniform:requests=2e4,read=0,trim=0.5,flush=0.5");
    simulate(&config, workload, &mut ()).expect("it works")
}

fn on_tiny(keys: &[&str], workload: &str) -> (Config, Box<dyn Source>) {
    let keys: Vec<String> = keys.iter().copied().map(String::from).collect();
    let config = load("preset = \"tiny\"", "tiny", &keys).expect("it is right");
    let bytes = logical_bytes(&config).expect("it works");
    let context = GeneratorContext::on_drive(bytes, config.run.seed);
    let workload = from_spec(workload, &context).expect("it is a workload");
    (config, workload)
}

/// The keys of a piece of TOML, as `--set` takes them.
fn own_keys(text: &str) -> Vec<String> {
    let mut table = String::new();
    let mut keys = Vec::new();
    for line in text.lines() {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(name) => table = name.to_owned(),
            // A technique without keys of its own.
            None if line.is_empty() => keys.push(format!("{table}={{}}")),
            None => keys.push(format!("{table}.{}", line.replace(" = ", "="))),
        }
    }
    keys
}
