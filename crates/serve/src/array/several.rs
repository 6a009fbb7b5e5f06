//! An array as what is served.

use super::bytes::Bytes;
use super::images::{Images, in_array};
use crate::carried;
use crate::store::{Sensing, Store};
use std::cell::Cell;
use std::sync::Arc;
use wordline_media::{Decoder, Flash, Home, Reads};
use wordline_sim::config::Config;
use wordline_sim::ids::{Lpn, StripeId};
use wordline_sim::{Error, Served, ServedArray, Watch, served_array};

/// An array.
pub struct Several {
    array: ServedArray<Bytes>,
    /// Whether its flash outlives the process.
    is_kept: bool,
}

impl Several {
    /// The array of a configuration. It restarts from its flash if that is at `home` already.
    ///
    /// # Errors
    /// An array that cannot work or be served, or be in images; images of another one; `watch` said stop.
    pub fn new(config: &Config, home: Home<'_>, watch: &mut dyn Watch) -> Result<Self, Error> {
        let images = Images::new(config, home)?;
        let (mut drives, rests) = (0.., Cell::new(true));
        let array = served_array(
            config,
            |drive, state| {
                let home = images.home(drives.next().unwrap_or_default());
                let (mut flash, found) = Flash::new(&in_array(drive, &config.array), state, home)?;
                rests.set(rests.get() && flash.rests());
                Ok((Box::new(flash), found))
            },
            |layout, page_bytes| Bytes::new(layout, page_bytes, !rests.get()),
            watch,
        )?;
        Ok(Self { array, is_kept: images.are_kept() })
    }

    /// Bytes of a page, and of all of them.
    pub fn sizes(&self) -> (u64, u64) {
        (self.array.page_bytes(), self.array.size_bytes())
    }

    /// Decoders of its drives.
    pub fn decoders(&mut self) -> Vec<Decoder> {
        let (_, mut drives) = self.array.parts();
        drives.members().map(|drive| carried::flash(&mut **drive).1.decoder()).collect()
    }
}

impl Store for Several {
    fn served(&mut self) -> &mut dyn Served {
        &mut self.array
    }

    fn sense(&mut self, lpn: Lpn) -> Sensing {
        let (bytes, mut drives) = self.array.parts();
        bytes.sense_page(lpn, &mut drives)
    }

    fn repair(&mut self, lpn: Lpn) -> Option<Arc<[u8]>> {
        let (bytes, mut drives) = self.array.parts();
        bytes.repair(lpn, &mut drives)
    }

    fn hand_over(&mut self, lpn: Lpn, data: Arc<[u8]>) {
        let request = self.array.next_number();
        self.array.parts().0.hand_over(request, lpn, data);
    }

    /// The array lets go of data once its writes are over.
    fn release(&mut self, _: &[u64]) {}

    fn trim(&mut self, lpn: Lpn) {
        self.array.parts().0.trim(lpn);
    }

    fn has_data(&mut self, lpn: Lpn) -> bool {
        let (bytes, mut drives) = self.array.parts();
        bytes.has_data(lpn, &mut drives)
    }

    fn set_up(&mut self) {
        self.array.parts().1.members().for_each(|drive| carried::flash(&mut **drive).1.set_up());
    }

    fn reads(&mut self) -> (Reads, Reads) {
        let (bytes, mut drives) = self.array.parts();
        let mut moves = bytes.moves;
        drives.members().for_each(|drive| moves.add(carried::flash(&mut **drive).1.moves));
        (bytes.reads, moves)
    }

    fn stripe(&mut self, stripe: StripeId) -> Vec<Option<Arc<[u8]>>> {
        let (bytes, mut drives) = self.array.parts();
        bytes.stripe(stripe, &mut drives)
    }

    fn failed(&mut self) -> Option<String> {
        let (_, mut drives) = self.array.parts();
        drives.members().find_map(|drive| carried::flash(&mut **drive).1.failed())
    }

    /// A capacitor keeps what has a place in flash, and not the stripe cache.
    fn loses_what_is_on_the_way(&mut self) -> bool {
        self.is_kept
    }

    fn end_all(&mut self) -> Result<(), Error> {
        self.array.end_all()
    }

    fn rest(&mut self) {
        let (bytes, mut drives) = self.array.parts();
        if bytes.is_whole() {
            drives.members().for_each(|drive| carried::flash(&mut **drive).1.rest());
        }
    }

    fn repaired(&mut self) -> u64 {
        self.array.parts().0.repaired
    }
}
