//! What is served, as the data of its clients sees it: a drive alone, or an array.

use crate::carried;
use std::sync::Arc;
use wordline_media::{Reads, Sensed};
use wordline_sim::ids::{Lpn, StripeId};
use wordline_sim::{Error, Served, ServedDrive};

/// What is sensed for a unit.
pub struct Sensing {
    /// Whose decoder decodes it: the drive's number in an array.
    pub by: usize,
    pub sensed: Sensed,
}

/// Keeps data unit by unit; those of an array are its pages.
pub trait Store: Send {
    /// The simulation that decides where data goes, and when.
    fn served(&mut self) -> &mut dyn Served;

    /// What is sensed for a unit.
    fn sense(&mut self, lpn: Lpn) -> Sensing;

    /// The data of a unit that could not be had of what was sensed, if it can be had otherwise.
    fn repair(&mut self, _: Lpn) -> Option<Arc<[u8]>> {
        None
    }

    /// The newest data of a unit, about to be written by the next request.
    fn hand_over(&mut self, lpn: Lpn, data: Arc<[u8]>);

    /// The request that writes these units has been taken, or refused.
    fn release(&mut self, lpns: &[u64]);

    /// A whole unit has been trimmed.
    fn trim(&mut self, lpn: Lpn);

    /// False where a unit was never written, or trimmed.
    fn has_data(&mut self, lpn: Lpn) -> bool;

    /// The set-up is over: from now on the host hands its data over.
    fn set_up(&mut self);

    /// What reads for the host that were decoded at once came to, and those within the drives.
    fn reads(&mut self) -> (Reads, Reads);

    /// Pages that came from the other drives of an array, where their own had lost them.
    fn repaired(&mut self) -> u64 {
        0
    }

    /// What the drives of an array hold of a stripe, drive by drive: `None` where that cannot be had.
    fn stripe(&mut self, _: StripeId) -> Vec<Option<Arc<[u8]>>> {
        Vec::new()
    }

    /// Why an image cannot be written, if it cannot.
    fn failed(&mut self) -> Option<String> {
        None
    }

    /// Whether a power cut takes what has not been programmed.
    fn loses_what_is_on_the_way(&mut self) -> bool {
        false
    }

    /// Time passes until whatever was acknowledged is where a flush reaches it.
    ///
    /// # Errors
    /// An operation that the flash could not carry out.
    fn end_all(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Everything has come to its end.
    fn rest(&mut self) {}
}

/// A drive alone.
pub struct Alone(pub ServedDrive);

impl Store for Alone {
    fn served(&mut self) -> &mut dyn Served {
        &mut self.0
    }

    fn sense(&mut self, lpn: Lpn) -> Sensing {
        Sensing { by: 0, sensed: carried::sense(&mut *self.0.drive, lpn) }
    }

    fn hand_over(&mut self, lpn: Lpn, data: Arc<[u8]>) {
        carried::hand_over(&mut *self.0.drive, lpn, data);
    }

    fn release(&mut self, lpns: &[u64]) {
        carried::release(&mut *self.0.drive, lpns.iter().copied().map(Lpn));
    }

    fn trim(&mut self, lpn: Lpn) {
        carried::flash(&mut *self.0.drive).1.trim(lpn);
    }

    fn has_data(&mut self, lpn: Lpn) -> bool {
        carried::has_data(&mut *self.0.drive, lpn)
    }

    fn set_up(&mut self) {
        carried::flash(&mut *self.0.drive).1.set_up();
    }

    fn reads(&mut self) -> (Reads, Reads) {
        (Reads::default(), carried::flash(&mut *self.0.drive).1.moves)
    }

    fn failed(&mut self) -> Option<String> {
        carried::flash(&mut *self.0.drive).1.failed()
    }

    fn loses_what_is_on_the_way(&mut self) -> bool {
        carried::flash(&mut *self.0.drive).1.loses_what_is_on_the_way()
    }
}
