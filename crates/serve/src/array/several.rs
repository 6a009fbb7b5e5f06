//! An array as what is served.

use super::bytes::Bytes;
use crate::carried;
use crate::store::Store;
use std::sync::Arc;
use wordline_media::{Decoder, Flash, Home, Lost, Reads, Sensed};
use wordline_sim::config::Config;
use wordline_sim::ids::{Lpn, StripeId};
use wordline_sim::{Error, Served, ServedArray, Watch, served_array};

/// An array.
pub struct Several(ServedArray<Bytes>);

impl Several {
    /// The array of a configuration, each of whose drives has flash that goes with the process.
    ///
    /// # Errors
    /// An array that cannot work or be served; one that is to be kept in an image; `watch` said stop.
    pub fn new(config: &Config, home: &Home<'_>, watch: &mut dyn Watch) -> Result<Self, Error> {
        check(config, home)?;
        let array = served_array(
            config,
            |config, state| Ok(Box::new(Flash::new(config, state, Home::Process)?.0)),
            Bytes::new,
            watch,
        )?;
        Ok(Self(array))
    }

    /// Bytes of a page, and of all of them.
    pub fn sizes(&self) -> (u64, u64) {
        (self.0.page_bytes(), self.0.size_bytes())
    }

    /// A decoder of one of its drives: what the array gives is decoded already.
    pub fn decoder(&mut self) -> Decoder {
        let (_, mut drives) = self.0.parts();
        let drive = drives.members().next().expect("an array has drives");
        carried::flash(&mut **drive).1.decoder()
    }
}

fn check(config: &Config, home: &Home<'_>) -> Result<(), Error> {
    let (what, help) = match home {
        Home::Process => return Ok(()),
        Home::File(path) => (
            format!(
                "{}: an image holds the flash of one drive, and array.level = {} makes several",
                path.display(),
                config.array.level
            ),
            "leave --image (`image`) out, or set array.level to \"none\"",
        ),
        Home::Memory(_) => (
            format!(
                "array.level = {}: the power of an array that holds data cannot be cut",
                config.array.level
            ),
            "set array.level to \"none\"; `wordline run --cuts` cuts the power of arrays without data",
        ),
    };
    Err(Error::Infeasible { what, help: help.into() })
}

impl Store for Several {
    fn served(&mut self) -> &mut dyn Served {
        &mut self.0
    }

    fn sense(&mut self, lpn: Lpn) -> Sensed {
        let (bytes, mut drives) = self.0.parts();
        bytes.read(lpn, &mut drives).map_or(Sensed::Lost(Lost::Uncorrectable), Sensed::Data)
    }

    fn hand_over(&mut self, lpn: Lpn, data: Arc<[u8]>) {
        let request = self.0.next_number();
        self.0.parts().0.hand_over(request, lpn, data);
    }

    /// The array lets go of data once its writes are over.
    fn release(&mut self, _: &[u32]) {}

    fn trim(&mut self, lpn: Lpn) {
        self.0.parts().0.trim(lpn);
    }

    fn has_data(&mut self, lpn: Lpn) -> bool {
        let (bytes, mut drives) = self.0.parts();
        bytes.has_data(lpn, &mut drives)
    }

    fn set_up(&mut self) {
        self.0.parts().1.members().for_each(|drive| carried::flash(&mut **drive).1.set_up());
    }

    fn reads(&mut self) -> (Reads, Reads) {
        let (bytes, mut drives) = self.0.parts();
        let mut moves = bytes.moves;
        drives.members().for_each(|drive| moves.add(carried::flash(&mut **drive).1.moves));
        (bytes.reads, moves)
    }

    fn stripe(&mut self, stripe: StripeId) -> Vec<Option<Arc<[u8]>>> {
        let (bytes, mut drives) = self.0.parts();
        bytes.stripe(stripe, &mut drives)
    }

    fn repaired(&mut self) -> u64 {
        self.0.parts().0.repaired
    }
}
