//! Solidigm D7-P5520 1.92 TB: uniform and Zipf-distributed writes over the whole drive.

use super::fit::Point;
use super::pace::{Pace, Rates};
use super::published::{check, goal, measured};
use super::scaled::{Layout, Scaled};
use crate::case::{Case, Check};
use wordline_sim::config::{Pattern, VictimChoice};

/// What the drive exports.
const EXPORTED_GIB: f64 = 1788.5;
/// Blocks that are erased together: unknown, and without effect on random writes.
const SUPERBLOCK_GIB: f64 = 4.0;
const PASSES: f64 = 4.0;
const FILL: &str = "drives/p5520/fill";
const FILL_IOPS: &str = "drives/p5520/fill/iops";
const UNIFORM: &str = "drives/p5520/uniform";
/// Logs of write amplification under Zipf's law: popular addresses anywhere, and in order. Which addresses are
/// popular matters to no drive that places data as it comes: a random fill stands for shuffled addresses.
const ZIPF: [(&str, Pattern); 2] =
    [("drives/p5520/zipf", Pattern::Random), ("drives/p5520/zipf/ordered", Pattern::Sequential)];
/// A later series of rates alone: exponents of Zipf's law. The first one, next to uniform, says what moves take.
const SERIES: [&str; 5] = ["0.2", "0.4", "0.6", "0.8", "1"];
const SERIES_PASSES: f64 = 5.0;
/// Ends the ids of rows where the age of a block weighs in the choice of the victim.
const COST_BENEFIT: &str = "/reading=cost_benefit";

/// The runs.
pub fn cases() -> Vec<Case> {
    let drive = drive();
    let layout = Layout { victims: VictimChoice::CostBenefit, ..drive.layout };
    let aged = Scaled { layout, ..drive };
    let mut cases = vec![
        drive.fill(FILL, vec![drive.amplification(FILL), iops(&drive, FILL_IOPS)]),
        drive.case(UNIFORM, "uniform", Pattern::Sequential, PASSES),
        drive.case("drives/p5520/uniform/shuffled", "uniform", Pattern::Random, PASSES),
        drive.case("drives/p5520/zipf_fio", "zipf_fio:theta=0.8", Pattern::Sequential, PASSES),
    ];
    cases.extend(ZIPF.map(|zipf| amplification(&drive, zipf, "")));
    cases.extend(ZIPF.map(|zipf| amplification(&aged, zipf, COST_BENEFIT)));
    cases.extend(SERIES.map(|theta| rate(&drive, theta, "")));
    cases.push(rate(&aged, SERIES[4], COST_BENEFIT));
    cases
}

/// The drive: its factor is read off the log of the fill, its room fitted to uniform writes.
fn drive() -> Scaled {
    let whole = Point { space_gib: EXPORTED_GIB, amplification: goal(UNIFORM) };
    Scaled::fitted(measured(FILL), whole, SUPERBLOCK_GIB)
}

fn amplification(drive: &Scaled, (id, order): (&str, Pattern), reading: &str) -> Case {
    let id = format!("{id}{reading}");
    drive.real(&id, "zipf:theta=0.8,scatter=off", order, PASSES, drive.amplification(&id))
}

fn rate(drive: &Scaled, theta: &str, reading: &str) -> Case {
    let id = format!("{}{reading}", rate_id(theta));
    let keys = format!("zipf:theta={theta},scatter=off");
    drive.real(&id, &keys, Pattern::Random, SERIES_PASSES, iops(drive, &id))
}

fn rate_id(theta: &str) -> String {
    format!("drives/p5520/zipf/theta={theta}/iops")
}

/// The check of a row of rates: a fill says what programs take, and the least skewed writes what moves take besides.
fn iops(drive: &Scaled, id: &str) -> Check {
    let uniform = goal(&rate_id(SERIES[0]));
    let rates = Rates { fill: measured(FILL_IOPS), uniform, amplification: goal(UNIFORM) };
    let factor = drive.log.factor;
    check(id, Pace::of(factor, rates, 1.0).iops(factor))
}
