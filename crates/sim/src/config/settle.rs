//! Keys whose defaults depend on what the rest of a configuration says.

use super::names;
use crate::schema::{Config, GcMode, RunMode};
use crate::technique::superblocks;
use std::collections::BTreeSet;

/// The keys that a configuration sets, by their dotted paths.
pub(super) type Given = BTreeSet<String>;

pub(super) const SUPERBLOCK_DIES: &str = "ftl.superblock_dies";
const GC_MODE: &str = "ftl.gc.mode";

/// Settles keys that are not given: superblocks of all dies where the drive, and each of an array, can have them. GC
/// goes in step with what is written and, with superblocks, in idle time, of which there is none in count mode.
pub(super) fn settle(config: &mut Config, given: &Given) {
    if !given.contains(SUPERBLOCK_DIES) {
        config.ftl.superblock_dies = superblock_dies(config, given);
    }
    if !given.contains(GC_MODE) {
        let idles = config.ftl.superblock_dies > 0 && config.run.mode == RunMode::Timed;
        config.ftl.gc.mode = if idles { GcMode::Background } else { GcMode::Paced };
    }
}

/// The dies of a superblock that suit the drive, and each of an array that says nothing of its own.
fn superblock_dies(config: &Config, given: &Given) -> u64 {
    let dies = superblocks::dies_by_default(config);
    let suits = |number: &String| {
        let own = names::join(&names::join(names::ARRAY_DRIVE, number), SUPERBLOCK_DIES);
        let drive = number.parse().ok().and_then(|number| config.of_drive(number).ok());
        given.contains(&own)
            || drive.is_some_and(|drive| superblocks::dies_by_default(&drive) == dies)
    };
    if config.array.drive.keys().all(suits) { dies } else { 0 }
}
