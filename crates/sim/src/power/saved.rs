//! What an energy keeps of that over which power fails.

use crate::ids::Lpn;
use rustc_hash::{FxHashMap, FxHashSet};

/// The versions of logical units that were saved out of the controller's memory.
pub type Saved = FxHashMap<Lpn, u32>;

/// What an energy keeps at a cut.
#[derive(Debug, Default)]
pub struct Kept {
    /// The numbers of the commands that it finishes.
    pub finished: FxHashSet<usize>,
    /// What it saves.
    pub saved: Saved,
    /// What everything would take, nanojoules.
    pub needed_nj: u64,
}
