//! What a restart makes of the flash after a cut, and with which a translation layer goes on.

use super::metadata::Found;
use super::recording::Holds;
use crate::ids::{BlockId, ById, Lpn, Packed, Unit};
use std::collections::BTreeSet;

/// What a restart found.
#[derive(Debug, Clone)]
pub struct Image {
    /// What can be read, and what each word line has been through.
    pub held: Holds,
    /// Where the data of each logical unit is; `NONE`: there is none.
    pub map: Packed<Lpn, Unit>,
    /// The version of that data.
    pub versions: ById<Lpn, u32>,
    /// Blocks in whose midst power failed: what they hold need not be readable a second time.
    pub damaged: Vec<BlockId>,
    /// Others that were not full: nothing is to be added to what they hold.
    pub open: Vec<BlockId>,
    /// Those of them that hold, besides, an older copy of what a damaged block does.
    pub needed: BTreeSet<BlockId>,
    /// The checkpoint that was read, if there was a whole one.
    pub checkpoint: Option<Found>,
    /// The sequence number of the unit that was written last.
    pub written: u64,
}
