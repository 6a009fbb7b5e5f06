//! Whatever the configuration says: a drive is refused with the arithmetic, or it serves every
//! request.

use crate::common::{Dice, Script};
use wordline_sim::config::{Config, Kind, Param, RunMode, TABLES, load, policies};
use wordline_sim::{Error, simulate};
use wordline_trace::{Op, Request};

const CASES: u64 = 1000;

/// Keys that superblocks are not built together with.
const BESIDE_SUPERBLOCKS: [&str; 8] = [
    "drive.chip.bad_blocks",
    "drive.chip.copy_back",
    "erase.scheme",
    "ftl.allocation",
    "ftl.frontier_scope",
    "ftl.incomplete",
    "ftl.plane_allocation",
    "power.",
];

/// Keys whose values are kept small or fixed, so that a drive is built in no time.
fn most(path: &str, key: &str) -> Option<u64> {
    match (path, key) {
        (_, "blocks_per_plane" | "pages_per_block") => Some(36),
        (_, "dies" | "planes") => Some(3),
        (_, "first_channel") => Some(1),
        ("drive" | "drive.group.NAME", _) => Some(3),
        ("ftl.gc", "d" | "window") => Some(8),
        ("host", "queue_depth") | ("array", "stripe_cache") => Some(9),
        ("array", "drives") => Some(5),
        ("workload", "repeat") => Some(2),
        _ => None,
    }
}

fn number(dice: &mut Dice, param: &Param, least: f64, most: f64) -> String {
    let typical: &[f64] = match param.key {
        "over_provisioning" => &[0.07, 0.15, 0.28, 0.6, 1.5],
        "chunk_kib" => &[4.0, 16.0, 48.0],
        "page_kib" => &[0.5, 2.0, 4.0, 16.0],
        "mapping_unit_kib" => &[0.0, 0.5, 2.0, 4.0, 8.0, 16.0],
        "bad_blocks" => &[0.0, 0.02, 0.1],
        "fill" | "hot_share" => &[0.0, 0.3, 1.0],
        "free_block_threshold" | "background_threshold" | "hard_threshold" => &[0.0, 0.05, 0.2],
        "overwrites" => &[0.0, 0.3, 2.0],
        "write_buffer_mib" => &[0.0, 0.002, 0.02],
        "flush_interval_s" => &[0.0, 0.001, 1.0],
        "time_scale" => &[0.1, 1.0, 10.0],
        "capacity_kib" => &[1.0, 2.0],
        "transfer_mb_s" | "bus_mb_s" => &[0.0, 3.0, 800.0],
        _ => &[0.0, 1.0, 7.5, 100.0],
    };
    format!("{:?}", dice.pick(typical).clamp(least, most))
}

fn value(dice: &mut Dice, path: &str, param: &Param) -> String {
    match param.kind {
        Kind::Bool => dice.one_in(2).to_string(),
        Kind::Int(least, limit) => {
            dice.between(least, limit.min(most(path, param.key).unwrap_or(200))).to_string()
        }
        Kind::Float(least, most) | Kind::Floats(least, most) => number(dice, param, least, most),
        Kind::OneOf(names) | Kind::OneOfOr(names, ..) => format!("{:?}", dice.pick(names)),
        Kind::Policy(slot) => format!("{:?}", dice.pick(policies(slot))),
        Kind::Ints(..) | Kind::Text | Kind::Texts => unreachable!("left as they are"),
    }
}

/// A configuration of which about a third of the keys differ from the small drive below.
fn draw_config(dice: &mut Dice) -> Config {
    let mut overrides: Vec<String> = [
        "run.series_points=0",
        "drive.channels=1",
        "drive.chips_per_channel=1",
        "drive.chip.blocks_per_plane=30",
        "drive.chip.pages_per_block=12",
        "drive.over_provisioning=0.5",
        "ftl.map_cache.capacity_kib=1",
        "array.chunk_kib=16",
    ]
    .map(String::from)
    .to_vec();
    let has_superblocks = dice.one_in(6);
    let groups: &[&str] = if !has_superblocks && dice.one_in(3) { &["one", "other"] } else { &[] };
    let is_array = dice.one_in(4);
    for table in TABLES {
        // What the other keys of an array say matters only beside its level.
        let is_left_out = table.path == "array" && !is_array;
        if is_left_out {
            continue;
        }
        let is_of_group = table.path.contains("NAME");
        let names = if is_of_group { groups } else { &[""] };
        let params = || table.params.iter();
        for (name, param) in names.iter().flat_map(|name| params().map(move |it| (name, it))) {
            let is_left = matches!(param.kind, Kind::Ints(..) | Kind::Text | Kind::Texts)
                || param.key.starts_with("superblock");
            // Most values of these contradict the rest of the run.
            let is_rare = param.key.starts_with("measure_from")
                || ["overwrites", "checkpoint_share"].contains(&param.key)
                || table.path == "host.power_off";
            if dice.one_in(if is_rare { 40 } else { 3 }) && !is_left {
                let value = value(dice, table.path, param);
                let path = table.path.replace("NAME", name);
                overrides.push(format!("{path}.{}={value}", param.key));
            }
        }
    }
    let is_bare =
        overrides.iter().any(|it| it.starts_with("power.protection") && it.contains("none"));
    // A drive with a capacitor writes no checkpoints.
    overrides.retain(|it| is_bare || !it.starts_with("power.checkpoint_share"));
    if is_array && dice.one_in(2) {
        overrides.push(format!("array.fail=[{}]", dice.below(3)));
    }
    if has_superblocks {
        overrides.retain(|it| !BESIDE_SUPERBLOCKS.iter().any(|key| it.starts_with(key)));
        overrides.push("drive.chip.program=\"one_shot\"".into());
        overrides.push(format!("ftl.superblock_dies={}", dice.between(1, 3)));
        let parity = dice.pick(&["none", "plane", "die"]);
        overrides.push(format!("ftl.superblock_parity={parity:?}"));
        let factor = dice.pick(&[1.0, 1.0354, 1.3]);
        overrides.push(format!("ftl.superblock_metadata_factor={factor}"));
    }
    overrides.push("run.check=true".into());
    loop {
        match load("", "random", &overrides) {
            // Parameters of other policies than those that were drawn.
            Err(error) if error.what.contains("has no such parameter") => {
                overrides.retain(|given| error.place != format!("override `{given}`"));
            }
            other => break other.expect("every value is valid"),
        }
    }
}

fn draw_requests(dice: &mut Dice, config: &Config) -> Vec<Request> {
    let bytes = wordline_sim::logical_bytes(config).unwrap_or(1 << 20).max(1);
    let page = (config.drive.chip.page_kib * 1024.0) as u64;
    let span = if dice.one_in(4) { 2 * bytes } else { bytes };
    let mut now_ns = 0;
    let mut written = 0;
    let mut requests = Vec::new();
    while written < 2 * bytes && requests.len() < 3000 {
        now_ns += dice.pick(&[0, 1_000, 100_000, 3_000_000]);
        let op = dice.pick(&[Op::Write, Op::Write, Op::Write, Op::Read, Op::Trim]);
        let op = if dice.one_in(200) { Op::Flush } else { op };
        let size = match op {
            Op::Flush => 0,
            _ if dice.one_in(3) => 512 * dice.between(1, 4 * page / 512),
            _ => page * dice.between(1, 6),
        };
        written += if op == Op::Write { size } else { 0 };
        let offset_bytes = dice.below(span) / 512 * 512;
        requests.push(Request {
            arrival_ns: now_ns,
            offset_bytes,
            size_bytes: size as u32,
            op,
            stream: 0,
            fua: false,
        });
    }
    requests
}

#[test]
fn drives_are_refused_or_work() {
    let only = std::env::var("FEASIBILITY_SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds = only.map_or(0..CASES, |seed| seed..seed + 1);
    let (mut worked, mut of_superblocks) = (0, 0);
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let config = draw_config(&mut dice);
        let requests = draw_requests(&mut dice, &config);
        let replay = || format!("FEASIBILITY_SEED={seed}\n{}", config.to_toml());
        let outcome = simulate(&config, Script::source(requests.clone()), &mut ());
        let result = match outcome {
            Ok(outcome) => outcome.result,
            Err(Error::Infeasible { what, help }) => {
                assert!(what.len() > 20 && !help.is_empty(), "{what}\n{}", replay());
                continue;
            }
            Err(Error::Workload(_)) => continue, // beyond the drive
            Err(error) => panic!("{error}\n{}", replay()),
        };
        worked += 1;
        of_superblocks += u64::from(config.ftl.superblock_dies > 0);
        let served = result.host.read.count + result.host.write.count;
        let asked = result.workload.reads + result.workload.writes;
        // Each request that is not served had a unit that was refused.
        let refused = result.host.refused_writes;
        assert!(
            config.run.mode == RunMode::Count
                || (asked - refused.min(asked)..=asked).contains(&served),
            "{served} of {asked} {}",
            replay()
        );
        let refuses = refused > 0 && result.wear.worn_out_blocks == 0;
        assert!(!refuses, "writes were refused\n{}", replay());
    }
    assert!(only.is_some() || worked > CASES / 6, "only {worked} drives worked");
    assert!(only.is_some() || of_superblocks > 5, "{of_superblocks} had superblocks");
}
