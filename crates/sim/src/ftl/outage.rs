//! What does not outlive a time without power.

use super::{Backend, Ftl, Io, Media};
use crate::engine::Scheduler;
use crate::flash::taping::tell_drop;
use crate::ids::{Lpn, Unit};
use crate::technique::{Hooks, Outage};
use crate::util::GrowingBits;
use rustc_hash::FxHashSet;

/// Logical units that hold nothing any more.
#[derive(Default)]
pub(super) struct Losses {
    /// Those that were lost while power was off, and not written since.
    pub lost: FxHashSet<Lpn>,
    /// Of those, the ones of which a part was written since.
    pub torn: FxHashSet<Lpn>,
    /// Those that the host has ever trimmed: one that holds nothing now held nothing since.
    pub trimmed: GrowingBits,
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Power was off. What the technique says is lost is held by nobody any more, and known to be missing.
    pub fn power_was_off(&mut self, io: &mut Io<S>, outage: &Outage) {
        self.drain_notices(io);
        let Media { state, technique, .. } = self.media();
        let promises = technique.promises_mut();
        let lost = promises.map(|owner| owner.power_was_off(state, outage));
        for unit in lost.unwrap_or_default() {
            let lpn = self.state.lpn_of(unit);
            tell_drop(&mut self.door.tape, unit);
            self.forget(unit);
            self.state.map.set(lpn, Unit::NONE);
            self.losses.lost.insert(lpn);
        }
    }
}

impl<T: Hooks> Backend<T> {
    /// A unit is about to be written in part: where the rest of it was lost it stays unreadable.
    #[cold]
    pub fn keep_lost(&mut self, lpn: Lpn) {
        if self.losses.lost.contains(&lpn) {
            self.losses.torn.insert(lpn);
        }
    }

    /// A unit is about to be written whole.
    #[inline]
    pub fn make_whole(&mut self, lpn: Lpn) {
        if T::IN_USE && !self.losses.torn.is_empty() {
            self.losses.torn.remove(&lpn);
        }
    }

    /// Whether a part of a unit that the host asks for is lost, of which a technique that promised it hears.
    #[inline]
    pub(super) fn is_torn(&mut self, lpn: Lpn) -> bool {
        T::IN_USE
            && !self.losses.torn.is_empty()
            && self.losses.torn.contains(&lpn)
            && self.miss(lpn)
    }

    /// The host wants a logical unit of which the flash holds nothing: it may have been lost.
    #[cold]
    pub(super) fn miss(&mut self, lpn: Lpn) -> bool {
        let is_lost = self.losses.lost.contains(&lpn);
        let Media { state, technique, .. } = &mut self.media;
        if is_lost && let Some(promises) = technique.promises_mut() {
            promises.missed(state, lpn);
        }
        is_lost
    }
}
