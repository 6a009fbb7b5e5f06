//! The flash translation layer: mapping, allocation, garbage collection, wear.
//!
//! The FTL decides at once, in the order of the requests; a scheduler turns its operations into
//! times. So the same requests give the same counts whatever the scheduler.

mod ageing;
mod erase;
mod gc;
mod handles;
mod idle;
mod invariants;
mod issue;
mod layers;
mod levelling;
mod mapping;
mod moving;
mod organs;
mod origin;
mod outage;
mod over;
mod program;
mod read;
mod restart;
mod room;
mod safeguard;
mod sensing;
mod setup;
mod starting;
mod stretches;
mod target;
#[cfg(test)]
mod tests;
mod unmapped;
mod write;

pub use crate::drive::logical_units;
pub use crate::flash::Io;
pub use handles::check_interface;
pub use layers::{Allocator, Backend, Eraser, Ftl, Media, Writer};
pub use safeguard::{trim_pages, units_per_trim_page};
pub use setup::{Preconditioning, precondition};

use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::error::Error;
use crate::flash::Medium;
use crate::ids::{BlockId, DomainId, ScopeId};
use crate::reliability::Tally;
use crate::technique::{Hooks, Phase};
use crate::theory::Cleaning;
use serde_json::{Map, Value};

/// Says whether a set-up is to go on; the error ends it.
pub type Ask<'a> = &'a mut dyn FnMut() -> Result<(), Error>;

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    /// Preconditioning is over, the run begins.
    pub fn begin(&mut self) {
        if let Some(hotness) = &mut self.hotness {
            hotness.begin(&self.eraser.state);
        }
        if let Some(model) = &mut self.reader.model {
            model.count_anew();
        }
        let Media { state, technique, .. } = self.media();
        technique.begin(state, Phase::Run);
    }
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// What the drive holds, of one that is over.
    pub fn into_state(self) -> DriveState {
        self.allocator.writer.eraser.backend.media.state
    }

    /// Records, from now on, what is programmed and erased; marks have to be kept.
    pub fn record(&mut self) {
        let Media { state, door, .. } = self.media();
        if let Some(chips) = &mut door.chips {
            chips.record(state, S::TIMED);
        }
    }

    /// The policy whose closed form holds for the choice of victims, if any.
    pub fn cleaning(&self) -> Option<Cleaning> {
        self.collector.victim_policy.cleaning()
    }
}

impl<T: Hooks> Media<T> {
    /// Keeps, from now on, what the out-of-band areas of the flash hold; where a technique is in use, which
    /// may be none at all of a [`Stack`](crate::technique::Stack).
    pub fn keep_marks(&mut self) {
        if let Some(chips) = &mut self.door.chips {
            chips.keep_marks(&self.state);
        }
    }

    /// Tells `medium` of all data from now on, under the same condition.
    pub fn carry(&mut self, medium: Box<dyn Medium>) {
        if let Some(chips) = &mut self.door.chips {
            chips.carry(medium);
        }
    }

    /// What the drive believes, and what keeps its data, if anything does.
    pub fn state_and_medium(&mut self) -> (&DriveState, Option<&mut dyn Medium>) {
        (&self.state, self.door.chips.as_mut().and_then(|chips| chips.medium_mut()))
    }

    /// What the erase scheme reports.
    pub fn erase_metrics(&self) -> Map<String, Value> {
        self.erase_scheme.metrics(&self.state)
    }

    /// Units of the aligned ranges whose data belongs together; 0: none does.
    pub fn range_units(&self) -> u32 {
        self.technique.range_units()
    }

    /// The group by which techniques are asked of a block: the conventional drive need not know.
    #[inline(always)]
    fn group_of_block(&self, block: BlockId) -> usize {
        if T::IN_USE { self.state.geometry.group_of(block) } else { 0 }
    }

    /// The group by which techniques are asked of a scope.
    #[inline(always)]
    fn group_of_scope(&self, scope: ScopeId) -> usize {
        if T::IN_USE { self.state.layout.group_of_scope(scope) } else { 0 }
    }

    /// The group by which techniques are asked of a domain.
    #[inline(always)]
    fn group_of_domain(&self, domain: DomainId) -> usize {
        if T::IN_USE { self.state.layout.group_of_domain(domain) } else { 0 }
    }
}

impl<T: Hooks> Backend<T> {
    /// What reads took of pages that have errors, where they have any.
    pub fn read_tally(&self) -> Option<Tally> {
        self.reader.model.as_ref().map(|model| model.tally())
    }

    /// What technique and erase scheme warn of.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.technique.warnings(&self.state);
        warnings.extend(self.erase_scheme.warnings());
        let groups = 0..self.state.flash().groups.len();
        let spends = |group| self.erase_scheme.errors_spent(group) > 0.0;
        if self.reader.model.is_none() && groups.into_iter().any(spends) {
            warnings.push(
                "erases spend some of what the code corrects, and reads pay nothing for it: drive.reads.model is none, set it to \"cell\""
                    .to_owned(),
            );
        }
        warnings
    }
}
