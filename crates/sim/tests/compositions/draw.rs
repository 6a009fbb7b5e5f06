//! Configurations drawn by their declarations.

use crate::common::Dice;
use crate::needs::{NEEDS, Needs};
use wordline_sim::config::{Config, Kind, Param, TABLES, TECHNIQUES, load, policies};
use wordline_sim::technique::InSuperblocks;

/// Keys that superblocks are not built together with.
const BESIDE_SUPERBLOCKS: [&str; 7] = [
    "chip.bad_blocks",
    "chip.copy_back",
    "ftl.allocation",
    "ftl.frontier_scope",
    "ftl.incomplete",
    "ftl.plane_allocation",
    "power.",
];

/// Keys that do not go with placement identifiers.
const BESIDE_PLACEMENT: [&str; 2] = ["ftl.hotness", "ftl.wear"];

/// A small drive.
const SMALL: [&str; 8] = [
    "run.series_points=0",
    "drive.channels=1",
    "drive.chips_per_channel=1",
    "drive.chip.blocks_per_plane=30",
    "drive.chip.pages_per_block=12",
    "drive.over_provisioning=0.5",
    "ftl.map_cache.capacity_kib=1",
    "array.chunk_kib=16",
];

/// Keys whose values are kept small or fixed, so that a drive is built in no time.
fn most(path: &str, key: &str) -> Option<u64> {
    match (path, key) {
        (_, "blocks_per_plane" | "pages_per_block") => Some(36),
        (_, "dies" | "planes" | "independent_plane_reads" | "multi_plane_reads") => Some(3),
        (_, "first_channel") => Some(1),
        ("drive" | "drive.group.NAME", _) => Some(3),
        ("ftl.gc", "d" | "window") => Some(8),
        ("host", "queue_depth") | ("array", "stripe_cache") => Some(9),
        ("array", "drives") => Some(5),
        ("workload", "repeat") => Some(2),
        _ => None,
    }
}

fn number(dice: &mut Dice, key: &str, least: f64, most: f64) -> String {
    let share = [0.0, 0.05, 0.3, 1.0].map(|share| least + share * (most - least));
    let typical: &[f64] = match key {
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
        "pause_s" => &[0.0, 0.001, 0.1],
        "time_scale" => &[0.1, 1.0, 10.0],
        "capacity_kib" => &[1.0, 2.0],
        "transfer_mb_s" | "bus_mb_s" => &[0.0, 3.0, 800.0],
        "intervals_min" => &[0.0, 1e-6, 1e-4, 1.0],
        "static_mib" | "dynamic_mib" => &[0.0, 0.2, 1.0],
        "refresh_after_h" => &[0.0, 1e-5, 1e-4, 1e-3],
        _ if most <= 1.0 => &share,
        _ => &[0.0, 1.0, 7.5, 100.0],
    };
    format!("{:?}", dice.pick(typical).clamp(least, most))
}

fn value(dice: &mut Dice, path: &str, param: &Param) -> String {
    match param.kind {
        Kind::Bool => dice.one_in(2).to_string(),
        Kind::Int(least, limit) => dice
            .between(least, limit.min(most(path, param.key).unwrap_or(200)).max(least))
            .to_string(),
        Kind::Float(least, most) | Kind::Floats(least, most) => {
            number(dice, param.key, least, most)
        }
        Kind::OneOfOr(_, least, most) if dice.one_in(3) => number(dice, param.key, least, most),
        Kind::OneOf(names) | Kind::OneOfOr(names, ..) => format!("{:?}", dice.pick(names)),
        Kind::Policy(slot) => format!("{:?}", dice.pick(policies(slot))),
        Kind::Ints(..) | Kind::Text | Kind::Texts => unreachable!("left as they are"),
    }
}

/// Draws a table's keys, one of `rarity` of them. Its declared path has `NAME` where it has `name`.
fn table(
    dice: &mut Dice,
    (declared, name): (&str, &str),
    params: &[Param],
    rarity: u64,
) -> Vec<String> {
    let mut drawn = Vec::new();
    let path = declared.replace("NAME", name);
    for param in params {
        let is_left = matches!(param.kind, Kind::Ints(..) | Kind::Text | Kind::Texts)
            || param.key.starts_with("superblock")
            || (declared, param.key) == ("host", "interface");
        // Most values of these contradict the rest of the run.
        let is_rare = param.key.starts_with("measure_from")
            || param.key.starts_with("window")
            || ["overwrites", "checkpoint_share", "until", "breakdown"].contains(&param.key)
            || path == "host.power_off";
        if dice.one_in(if is_rare { 40 } else { rarity }) && !is_left {
            drawn.push(format!("{path}.{}={}", param.key, value(dice, declared, param)));
        }
    }
    drawn
}

/// What a drive is drawn with.
struct Shape {
    techniques: Vec<&'static Needs>,
    groups: &'static [&'static str],
    has_superblocks: bool,
    is_array: bool,
    takes_placement: bool,
    /// One key of so many is drawn.
    rarity: u64,
}

impl Shape {
    fn draw(dice: &mut Dice) -> Self {
        let takes_placement = dice.one_in(12);
        let has_superblocks = takes_placement || dice.one_in(6);
        let mut techniques = Vec::new();
        if !takes_placement && !dice.one_in(3) {
            techniques.push(&NEEDS[dice.below(NEEDS.len() as u64) as usize]);
            if dice.one_in(4) {
                techniques.push(&NEEDS[dice.below(NEEDS.len() as u64) as usize]);
            }
        }
        let is_mixed =
            techniques.iter().any(|it| it.is_mixed) || !takes_placement && dice.one_in(6);
        let groups: &[&str] = if is_mixed { &["one", "other"] } else { &[] };
        let rarity = dice.pick(&[3, 6, 12]);
        let is_array = !takes_placement && dice.one_in(5);
        Self { techniques, groups, has_superblocks, is_array, takes_placement, rarity }
    }

    /// Keys of the tables that every configuration has.
    fn tables(&self, dice: &mut Dice) -> Vec<String> {
        let mut drawn = Vec::new();
        for it in TABLES {
            // What the other keys of an array say matters only beside its level.
            if it.path == "array" && !self.is_array || it.path == "host.fdp" {
                continue;
            }
            let names = if it.path.contains("NAME") { self.groups } else { &[""] };
            for name in names {
                drawn.extend(table(dice, (it.path, name), it.params, self.rarity));
            }
        }
        drawn
    }

    /// Keys of the techniques, and those that they need.
    fn of_techniques(&self, dice: &mut Dice) -> Vec<String> {
        let mut drawn = Vec::new();
        for (number, needs) in self.techniques.iter().enumerate() {
            let declared = TECHNIQUES.iter().find(|it| it.name == needs.technique);
            let params = declared.expect("it is a technique").params;
            drawn.extend(table(
                dice,
                (&format!("technique.{}", needs.technique), ""),
                params,
                self.rarity,
            ));
            let group = self.groups.iter().rev().cycle().nth(number).copied();
            drawn.extend(needs.draw(dice, group));
        }
        drawn
    }

    fn of_array(&self, dice: &mut Dice) -> Vec<String> {
        let mut drawn = Vec::new();
        if !self.is_array {
            return drawn;
        }
        let level = dice.pick(&["raid0", "raid1", "raid5"]);
        drawn.push(format!("array.level={level}"));
        if dice.one_in(3) {
            drawn.push(format!("array.fail=[{}]", dice.below(3)));
        }
        if dice.one_in(3) {
            let drive = dice.below(3);
            let own = [
                "technique={}",
                "erase.scheme=ispe",
                "ftl.gc.policy=fifo",
                "drive.chip.bad_blocks=0.02",
            ];
            drawn.push(format!("array.drive.{drive}.{}", dice.pick(&own)));
        }
        drawn
    }

    fn of_superblocks(&self, dice: &mut Dice) -> Vec<String> {
        if !self.has_superblocks {
            return Vec::new();
        }
        let is_dense =
            self.techniques.iter().any(|it| matches!(it.in_superblocks(), InSuperblocks::Dense(_)));
        let (parities, factors): (&[_], &[_]) = match is_dense {
            true => (&["none"], &[1.0]),
            false => (&["none", "plane", "die"], &[1.0, 1.0354, 1.3]),
        };
        vec![
            format!(
                "ftl.superblock_dies={}",
                if self.takes_placement { 1024 } else { dice.between(1, 3) }
            ),
            format!("ftl.superblock_parity={:?}", dice.pick(parities)),
            format!("ftl.superblock_metadata_factor={}", dice.pick(factors)),
        ]
    }
}

/// Handles that take placement identifiers, for which room is left.
fn of_placement(dice: &mut Dice) -> Vec<String> {
    let handles = dice.between(1, 4);
    let isolation = dice.pick(&["initial", "persistent"]);
    let mut drawn = vec![
        "host.interface=fdp".to_owned(),
        format!("host.fdp.handles={handles}"),
        format!("host.fdp.isolation=[{isolation:?}]"),
        "drive.over_provisioning=1.5".to_owned(),
    ];
    if dice.one_in(3) {
        drawn.push(format!("host.fdp.placement_handles=[{}]", dice.below(handles)));
    }
    if isolation == "persistent" && dice.one_in(3) {
        let shares: Vec<String> = (0..handles).map(|_| dice.between(1, 9).to_string()).collect();
        drawn.push(format!("host.fdp.shares=[{}]", shares.join(", ")));
        drawn.push(format!("ftl.gc.policy={}", dice.pick(&["greedy", "fifo"])));
    }
    drawn
}

/// The keys of a drive, of which the last one counts.
pub fn keys(dice: &mut Dice) -> Vec<String> {
    let shape = Shape::draw(dice);
    let mut keys = SMALL.map(String::from).to_vec();
    keys.extend(shape.tables(dice));
    keys.extend(shape.of_techniques(dice));
    if shape.has_superblocks {
        keys.retain(|it| !BESIDE_SUPERBLOCKS.iter().any(|key| it.contains(key)));
    }
    keys.extend(shape.of_superblocks(dice));
    if shape.takes_placement {
        keys.retain(|it| !BESIDE_PLACEMENT.iter().any(|key| it.contains(key)));
        keys.extend(of_placement(dice));
    }
    keys.extend(shape.of_array(dice));
    let is_bare = keys.iter().any(|it| it.starts_with("power.protection") && !it.contains("cap"));
    // A drive with a capacitor writes no checkpoints.
    keys.retain(|it| is_bare || !it.starts_with("power.checkpoint_share"));
    keys.push("run.check=true".into());
    keys
}

/// The configuration that some keys make, without those that belong to other policies than the ones in use.
pub fn configuration(keys: &mut Vec<String>) -> Result<Config, wordline_sim::config::ConfigError> {
    loop {
        match load("", "random", keys) {
            Err(error) if error.what.contains("has no such parameter") => {
                let before = keys.len();
                keys.retain(|given| error.place != format!("override `{given}`"));
                assert!(keys.len() < before, "{error}");
            }
            other => return other,
        }
    }
}
