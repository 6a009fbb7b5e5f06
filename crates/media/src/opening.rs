//! Images of drives: which drives can have one, and of which drive one is.

use crate::coding::infeasible;
use crate::image::{ImageFile, Plan};
use crate::storage::Home;
use wordline_sim::Error;
use wordline_sim::config::{ArrayConfig, ArrayLevel, Config};
use wordline_sim::drive::DriveState;

/// Refuses drives whose flash cannot be in an image.
///
/// # Errors
/// Why it cannot, and what would mend that.
pub fn refuse(config: &Config) -> Result<(), Error> {
    if config.precondition.fill > 0.0 {
        return Err(infeasible(
            format!(
                "precondition.fill = {}, and an image holds what was written",
                config.precondition.fill
            ),
            "set precondition.fill to 0",
        ));
    }
    if config.power.protection.energy_nj().is_some() {
        return Err(infeasible(
            format!(
                "power.protection = {} is an energy, and of a drive that is served nobody counts what it finishes",
                config.power.protection
            ),
            "set power.protection to \"none\" or \"capacitor\"",
        ));
    }
    if config.power.checkpoint_share > 0.0 {
        return Err(infeasible(
            format!(
                "power.checkpoint_share = {}, and a restart from an image reads all of it",
                config.power.checkpoint_share
            ),
            "set power.checkpoint_share to 0",
        ));
    }
    Ok(())
}

/// Opens the image of a drive whose units take so many bytes in the cells, and says whether it was there; `None`
/// where the flash is in no image.
///
/// # Errors
/// The image of another drive; a failure of the system.
pub fn open(
    home: Home<'_>,
    config: &Config,
    state: &DriveState,
    stored_bytes: usize,
) -> Result<Option<(ImageFile, bool)>, Error> {
    ImageFile::open(home, &identity(config), Plan { stored_bytes, firsts: firsts(state) })
}

/// The first unit of each block, and behind them the number of all.
fn firsts(state: &DriveState) -> Vec<u64> {
    let mut next = 0;
    let mut firsts = vec![0];
    for block in state.geometry.blocks() {
        next += u64::from(state.geometry.of(block).units_per_block);
        firsts.push(next);
    }
    firsts
}

/// The text that two configurations have in common if they are of the same drive, in the same array if in any.
fn identity(config: &Config) -> String {
    let array = match config.array.level {
        ArrayLevel::None => ArrayConfig::default(),
        ArrayLevel::Raid0 | ArrayLevel::Raid1 | ArrayLevel::Raid5 => ArrayConfig {
            level: config.array.level,
            drives: config.array.drives,
            chunk_kib: config.array.chunk_kib,
            page_kib: config.array.page_kib,
            ..ArrayConfig::default()
        },
    };
    let own = Config {
        array,
        drive: config.drive.clone(),
        ftl: config.ftl.clone(),
        technique: config.technique.clone(),
        power: config.power.clone(),
        data: config.data.clone(),
        ..Config::default()
    };
    format!("run.seed = {}\n{}", config.run.seed, own.to_toml())
}
