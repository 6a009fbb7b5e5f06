//! Micron 7450 MAX 800 GB: uniform writes over part of the space, and sequential writes within zones.

use super::fit::{Log, Point};
use super::published::{check, goal, measured};
use super::scaled::{Layout, Scaled, amplification};
use super::zones::Zones;
use crate::SEED;
use crate::case::{Case, Setup};
use wordline_sim::config::{Frontiers, Pattern};

/// What the drive exports: 800,166,076,416 bytes.
const EXPORTED_GIB: f64 = 745.212;
/// Blocks that are erased together; the power of two that meets zones of 1 GiB best.
const SUPERBLOCK_GIB: f64 = 2.0;
const FILL: &str = "drives/7450-max/fill";
const WHOLE: &str = "drives/7450-max/uniform/gib=745.2";

/// Uniform writes: the part of an id, the space in GiB, and how often it is written.
const UNIFORM: [(&str, f64, f64); 6] = [
    ("372.6", 372.606, 5.0),
    ("447.1", 447.127, 4.0),
    ("521.6", 521.648, 4.0),
    ("596.2", 596.170, 4.0),
    ("670.7", 670.691, 4.0),
    ("745.2", EXPORTED_GIB, 4.0),
];
/// How often zones are written.
const ZONE_PASSES: f64 = 4.0;
/// Sizes of a single open zone, in MiB: the part of an id, and the size.
const ZONE_MIB: [(&str, f64); 6] = [
    ("1024", 1024.0),
    ("1077", 1077.0),
    ("2048", 2048.0),
    ("2642", 2642.5),
    ("4096", 4096.0),
    ("16384", 16_384.0),
];
const OPEN_ZONES: [usize; 6] = [1, 2, 4, 8, 16, 32];
const OPEN_ZONE_MIB: f64 = 8192.0;
/// Which zones come next is chance: ours is the mean over so many draws, the log is one.
const DRAWS: u64 = 8;

/// The runs.
pub fn cases() -> Vec<Case> {
    let mut cases = vec![drive().fill_case(FILL)];
    cases.extend(UNIFORM.map(|(part, space_gib, passes)| uniform(part, space_gib, passes)));
    let sizes = ZONE_MIB.map(|(part, mib)| zones(&format!("mib={part}"), drive(), 1, mib));
    cases.extend(sizes);
    let open = |open| zones(&format!("open={open}"), drive(), open, OPEN_ZONE_MIB);
    cases.extend(OPEN_ZONES.map(open));
    let shared = Layout { frontiers: Frontiers::Shared, ..drive().layout };
    let shared = Scaled { layout: shared, ..drive() };
    let open =
        |open: &usize| zones(&format!("open={open}/reading=shared"), shared, *open, OPEN_ZONE_MIB);
    cases.extend(OPEN_ZONES[2..].iter().map(open));
    cases
}

/// The drive: its factor is read off the log of the fill, its room fitted to uniform writes over all of it.
fn drive() -> Scaled {
    let whole = Point { space_gib: EXPORTED_GIB, amplification: goal(WHOLE) };
    let log = Log::with_factor(measured(FILL), whole);
    Scaled::new(log, EXPORTED_GIB, Layout::greedy(SUPERBLOCK_GIB))
}

fn uniform(part: &str, space_gib: f64, passes: f64) -> Case {
    let id = format!("drives/7450-max/uniform/gib={part}");
    let drive = Scaled { space_gib, ..drive() };
    drive.case(&id, "uniform", Pattern::Sequential, passes)
}

fn zones(part: &str, drive: Scaled, open: usize, zone_mib: f64) -> Case {
    let id = format!("drives/7450-max/zones/{part}");
    let drive = drive.coarser();
    let units = drive.units(zone_mib / 1024.0) as u64;
    let count = drive.units(EXPORTED_GIB) as u64 / units;
    let writes = drive.requests(ZONE_PASSES);
    let draw = |seed| -> Setup {
        let zones = Zones { count, units, open, writes, seed };
        let workload = Box::new(move |_| Ok(zones.source()));
        drive.setup(Pattern::Sequential, ZONE_PASSES, workload)
    };
    let check = check(&id, amplification(drive.log.factor));
    let workload = format!("{open} of {count} zones of {zone_mib} MiB");
    let others = (SEED + 1..SEED + DRAWS).map(draw).collect();
    Case { id, workload, setup: Ok(draw(SEED)), others, checks: vec![check] }
}
