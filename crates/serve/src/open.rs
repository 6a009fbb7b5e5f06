//! Opening what is served: a drive alone, or an array.

use crate::array::Several;
use crate::store::{Alone, Store};
use wordline_media::{Decoder, Flash, Home};
use wordline_sim::config::{ArrayLevel, Config};
use wordline_sim::drive::DriveState;
use wordline_sim::{Error, Opened, Watch, served};

/// What is served, ready for its host.
pub struct Opening {
    pub store: Box<dyn Store>,
    pub unit_bytes: u64,
    pub size_bytes: u64,
    /// Decode what the store gives, by the numbers of the drives.
    pub decoders: Vec<Decoder>,
}

/// Opens what a configuration describes.
///
/// # Errors
/// A drive or an array that cannot work, or cannot be served; the image of another drive; `watch` said stop.
pub fn open(config: &Config, home: Home<'_>, watch: &mut dyn Watch) -> Result<Opening, Error> {
    let mut opening = match config.array.level {
        ArrayLevel::None => alone(config, home, watch)?,
        ArrayLevel::Raid0 | ArrayLevel::Raid1 | ArrayLevel::Raid5 => {
            let mut store = Several::new(config, home, watch)?;
            let (unit_bytes, size_bytes) = store.sizes();
            let decoders = store.decoders();
            Opening { store: Box::new(store), unit_bytes, size_bytes, decoders }
        }
    };
    opening.store.set_up();
    Ok(opening)
}

fn alone(config: &Config, home: Home<'_>, watch: &mut dyn Watch) -> Result<Opening, Error> {
    let (mut units, mut unit_bytes, mut decoders) = (0, 0, Vec::new());
    let flash = |state: &DriveState| -> Result<Opened, Error> {
        let (flash, found) = Flash::new(config, state, home)?;
        (units, unit_bytes) = (state.logical_units, state.geometry.unit_bytes);
        decoders.push(flash.decoder());
        Ok((Box::new(flash), found))
    };
    let drive = served(config, flash, watch)?;
    Ok(Opening {
        store: Box::new(Alone(drive)),
        unit_bytes,
        size_bytes: units * unit_bytes,
        decoders,
    })
}
