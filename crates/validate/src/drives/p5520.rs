//! Solidigm D7-P5520 1.92 TB: uniform and Zipf-distributed writes over the whole drive.

use super::fit::Point;
use super::published::{goal, measured};
use super::scaled::Scaled;
use crate::case::Case;
use wordline_sim::config::Pattern;

/// What the drive exports.
const EXPORTED_GIB: f64 = 1788.5;
/// Blocks that are erased together: unknown, and without effect on random writes.
const SUPERBLOCK_GIB: f64 = 4.0;
const PASSES: f64 = 4.0;
const FILL: &str = "drives/p5520/fill";
const UNIFORM: &str = "drives/p5520/uniform";

/// The runs. Which addresses are popular matters to no drive that places data as it comes: a random fill
/// stands for shuffled addresses.
pub fn cases() -> Vec<Case> {
    let drive = drive();
    let zipf =
        |id: &str, keys: &str, order| drive.real(id, keys, order, PASSES, drive.amplification(id));
    let law = "zipf:theta=0.8,scatter=off";
    vec![
        drive.fill(FILL, vec![drive.amplification(FILL)]),
        drive.case(UNIFORM, "uniform", Pattern::Sequential, PASSES),
        drive.case("drives/p5520/uniform/shuffled", "uniform", Pattern::Random, PASSES),
        zipf("drives/p5520/zipf", law, Pattern::Random),
        zipf("drives/p5520/zipf/ordered", law, Pattern::Sequential),
        drive.case("drives/p5520/zipf_fio", "zipf_fio:theta=0.8", Pattern::Sequential, PASSES),
    ]
}

/// The drive: its factor is read off the log of the fill, its room fitted to uniform writes.
fn drive() -> Scaled {
    let whole = Point { space_gib: EXPORTED_GIB, amplification: goal(UNIFORM) };
    Scaled::fitted(measured(FILL), whole, SUPERBLOCK_GIB)
}
