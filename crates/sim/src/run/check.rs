//! Whether the drives of a configuration can be built, found out before anything is run.

use super::assembly::{check_power, empty_ftl, stack};
use super::plan::plan;
use super::{Own, itemise};
use crate::error::Error;
use crate::schema::{ArrayLevel, Config};

/// Builds the drive of a configuration, or each of its array, and fills none.
///
/// # Errors
/// A drive or an array that cannot work.
pub fn check_drives(config: &Config) -> Result<(), Error> {
    check_power(config)?;
    itemise::check(config)?;
    match config.array.level {
        ArrayLevel::None => check_drive(config),
        ArrayLevel::Raid0 | ArrayLevel::Raid1 | ArrayLevel::Raid5 => {
            check_members(plan(config)?.drives)
        }
    }
}

/// Members that differ in their seeds alone can all be built, or none.
fn check_members(drives: Vec<Config>) -> Result<(), Error> {
    let mut known: Vec<Config> = Vec::new();
    for mut drive in drives {
        drive.run.seed = 0;
        if !known.contains(&drive) {
            check_drive(&drive)?;
            known.push(drive);
        }
    }
    Ok(())
}

fn check_drive(config: &Config) -> Result<(), Error> {
    empty_ftl(config, stack(config, Vec::new())?, Own::default()).map(drop)
}
