//! Micron 7450 MAX 800 GB: uniform writes over part of the space, skewed writes, and sequential writes within
//! zones.

use super::fit::Point;
use super::pace::{Pace, Rates};
use super::published::{check, goal, measured};
use super::scaled::{Layout, Scaled};
use super::zones::Zones;
use crate::SEED;
use crate::case::{Case, Check, Setup};
use wordline_sim::config::{Frontiers, Pattern};

/// What the drive exports: 800,166,076,416 bytes.
const EXPORTED_GIB: f64 = 745.212;
/// Blocks that are erased together; of powers of two, the one that meets zones of 1 GiB best.
const SUPERBLOCK_GIB: f64 = 2.0;
const FILL: &str = "drives/7450-max/fill";
const FILL_IOPS: &str = "drives/7450-max/fill/iops";
const WHOLE: &str = "drives/7450-max/uniform/gib=745.2";
const WHOLE_IOPS: &str = "drives/7450-max/uniform/gib=745.2/iops";

/// Uniform writes: the part of an id, the space in GiB, and how often it is written.
const UNIFORM: [(&str, f64, f64); 6] = [
    ("372.6", 372.606, 5.0),
    ("447.1", 447.127, 4.0),
    ("521.6", 521.648, 4.0),
    ("596.2", 596.170, 4.0),
    ("670.7", 670.691, 4.0),
    ("745.2", EXPORTED_GIB, 4.0),
];
/// Skewed writes: percent of the writes that go to as many percent less of the space, and passes.
const SKEW: [(u32, f64); 5] = [(60, 5.0), (70, 5.0), (80, 6.0), (90, 7.0), (95, 8.0)];
/// Zipf's exponents, and passes.
const ZIPF: [(&str, f64); 5] = [("0.2", 5.0), ("0.4", 5.0), ("0.6", 5.0), ("0.8", 5.0), ("1", 6.0)];
/// Units of 4 KiB in a page of 16 KiB, as 3D TLC has it.
const UNITS_PER_PAGE: f64 = 4.0;
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
/// Ends the ids of rows where what is moved shares blocks with what the host writes.
const SHARED: &str = "/reading=shared";

/// The runs.
pub fn cases() -> Vec<Case> {
    let drive = drive();
    let frontiers = Frontiers::Shared;
    let shared = Scaled { layout: Layout { frontiers, ..drive.layout }, ..drive };
    let fill = vec![drive.amplification(FILL), iops(&drive, FILL_IOPS, 1.0)];
    let mut cases = vec![drive.fill(FILL, fill)];
    cases.extend(UNIFORM.map(|(part, space_gib, passes)| uniform(part, space_gib, passes)));
    cases.extend(SKEW.map(|(percent, passes)| skew(&drive, percent, passes, "")));
    let both = SKEW[2..4].iter();
    cases.extend(both.map(|&(percent, passes)| skew(&shared, percent, passes, SHARED)));
    cases.extend(ZIPF.map(|(theta, passes)| zipf(&drive, theta, passes)));
    cases.extend(ZONE_MIB.map(|(part, mib)| zones(&format!("mib={part}"), drive, 1, mib)));
    let open = |open: usize| zones(&format!("open={open}"), drive, open, OPEN_ZONE_MIB);
    cases.extend(OPEN_ZONES.map(open));
    let open = |&open: &usize| zones(&format!("open={open}{SHARED}"), shared, open, OPEN_ZONE_MIB);
    cases.extend(OPEN_ZONES[2..].iter().map(open));
    cases
}

/// The drive: its factor is read off the log of the fill, its room fitted to uniform writes over all of it.
fn drive() -> Scaled {
    let whole = Point { space_gib: EXPORTED_GIB, amplification: goal(WHOLE) };
    Scaled::fitted(measured(FILL), whole, SUPERBLOCK_GIB)
}

/// The check of a row of rates: a fill says what programs take, uniform writes what moves take besides.
fn iops(drive: &Scaled, id: &str, units_per_page: f64) -> Check {
    let rates =
        Rates { fill: measured(FILL_IOPS), uniform: goal(WHOLE_IOPS), amplification: goal(WHOLE) };
    let factor = drive.log.factor;
    check(id, Pace::of(factor, rates, units_per_page).iops(factor))
}

fn uniform(part: &str, space_gib: f64, passes: f64) -> Case {
    let id = format!("drives/7450-max/uniform/gib={part}");
    let drive = Scaled { space_gib, ..drive() };
    let rate = format!("{id}/iops");
    let pages = format!("{rate}/reading=pages");
    let mut checks = vec![drive.amplification(&id), iops(&drive, &rate, 1.0)];
    if rate != WHOLE_IOPS {
        checks.push(iops(&drive, &pages, UNITS_PER_PAGE));
    }
    drive.run(&id, "uniform", Pattern::Sequential, passes, checks)
}

/// A fill in random order stands for shuffled addresses: popular ones lie anywhere in the log.
fn skew(drive: &Scaled, percent: u32, passes: f64, reading: &str) -> Case {
    let id = format!("drives/7450-max/skew/percent={percent}/iops{reading}");
    let share = f64::from(percent) / 100.0;
    let keys = format!("hotcold:hot={:.2},share={share}", 1.0 - share);
    drive.run(&id, &keys, Pattern::Random, passes, vec![iops(drive, &id, 1.0)])
}

fn zipf(drive: &Scaled, theta: &str, passes: f64) -> Case {
    let id = format!("drives/7450-max/zipf/theta={theta}/iops");
    let keys = format!("zipf:theta={theta},scatter=off");
    drive.real(&id, &keys, Pattern::Random, passes, iops(drive, &id, 1.0))
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
    let check = drive.amplification(&id);
    let workload = format!("{open} of {count} zones of {zone_mib} MiB");
    let others = (SEED + 1..SEED + DRAWS).map(draw).collect();
    Case { id, workload, setup: Ok(draw(SEED)), others, checks: vec![check] }
}
