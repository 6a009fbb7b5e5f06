//! When flash operations happen. The FTL decides what is done, in which order; a scheduler decides
//! when, and never changes what.

use super::itemisation::{Itemisation, RequestParts};
use super::requests::{Finished, Requests};
use crate::ids::{BlockId, DieId};
use crate::nand::command::{Cause, RequestId};
use crate::nand::{Kind, Load, Loops, Needs, Span};

/// Where the data of a program is until the program is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// In the controller, which serves reads of it meanwhile.
    Controller,
    /// In the register of its plane: reads wait for the end.
    Register,
    /// In the cells that are programmed further: reads before it begins find it there, later ones wait
    /// for the end.
    Cells,
}

/// A flash operation as a scheduler sees it.
#[derive(Debug, Clone, Copy)]
pub struct FlashOp {
    /// How it uses die and channel.
    pub kind: Kind,
    /// What its pages must hold before.
    pub needs: Needs,
    /// For whose sake it is done, which says how urgent it is.
    pub cause: Cause,
    /// Of a program: where its data is until it is over.
    pub source: Source,
    /// The die.
    pub die: DieId,
    /// Its pages: those of the first block, where there are several.
    pub span: Span,
    /// Time of the array.
    pub array_ns: u64,
    /// Time on the channel for the data.
    pub transfer_ns: u64,
    /// Time on the channel for command and address.
    pub command_ns: u64,
    /// The name under which its begin and its end are told; [`NO_TICKET`](crate::nand::command::NO_TICKET): they are not.
    pub ticket: u32,
    /// Whether it goes before whatever else waits for its die.
    pub urgent: bool,
}

/// Turns operations into times.
pub trait Scheduler: Load + Send + 'static {
    /// Names an operation's end.
    type Stamp: Copy + Default + Send;
    /// Several ends, all of which must come first.
    type Join: Default + Send;

    /// False where time does not exist.
    const TIMED: bool;

    /// Whether it says of what latencies consist.
    const ITEMISES: bool = false;

    /// Whether that end has come; where time does not exist, it always has.
    fn is_over(&self, stamp: Self::Stamp) -> bool;

    /// Adds an end to a join.
    fn join(&self, join: &mut Self::Join, stamp: Self::Stamp);

    /// Adds all ends of `other` to a join that are still to come; returns how many it then has to keep for them.
    fn merge(&self, join: &mut Self::Join, other: &Self::Join) -> usize;

    /// Issues an operation that may start once `after` is over; its end is a part's end for every request
    /// in `waiters`. It also works on `others`: pages of a block in each of further planes of the die, or
    /// pages that belong together.
    fn issue(
        &mut self,
        op: &FlashOp,
        others: &[Span],
        after: &Self::Join,
        waiters: &[RequestId],
        requests: &mut Requests,
    ) -> Self::Stamp;

    /// Issues an erase in loops, whose time is that of `op`. Only a scheduler that interrupts erases
    /// looks into them.
    fn issue_erase(
        &mut self,
        op: &FlashOp,
        _loops: &Loops,
        others: &[Span],
        after: &Self::Join,
        waiters: &[RequestId],
        requests: &mut Requests,
    ) -> Self::Stamp {
        self.issue(op, others, after, waiters, requests)
    }

    /// Asks the cache for what reading from a block will touch.
    #[inline(always)]
    fn prefetch(&self, _block: BlockId) {}

    /// A part of request `id` is over once all of `after` is.
    fn wait(&mut self, after: &Self::Join, id: RequestId, requests: &mut Requests);

    /// Everything before `to_ns` happens; it becomes the present.
    fn advance(&mut self, to_ns: u64, requests: &mut Requests);

    /// The present.
    fn now_ns(&self) -> u64;

    /// Moves on until a request is over, but not beyond `limit_ns`; false when nothing happens until
    /// then.
    fn step(&mut self, limit_ns: u64, requests: &mut Requests) -> bool;

    /// When something happens next; `u64::MAX`: nothing that has been issued will end at a
    /// time not known yet.
    fn next_ns(&self) -> u64 {
        u64::MAX
    }

    /// When all that is under way will have ended, as far as is known now.
    fn quiet_at_ns(&self) -> u64;

    /// When a die could take up a program that is issued then: at once where nothing is before it; `u64::MAX`: that
    /// is not known yet, and [`Self::watch`] tells it.
    fn idle_from_ns(&self, _die: DieId) -> u64 {
        self.now_ns()
    }

    /// [`Self::step`] ends when this die next has nothing to do.
    fn watch(&mut self, _die: DieId) {}

    /// True while dies are watched, or have been found idle and not been taken by [`Self::pop_idle`].
    fn is_watching(&self) -> bool {
        false
    }

    /// Whether a watched die has been found idle.
    fn has_idle(&self) -> bool {
        false
    }

    /// Takes a watched die that has been found idle.
    fn pop_idle(&mut self) -> Option<DieId> {
        None
    }

    /// Busy time of each die and each channel.
    fn busy_ns(&self) -> (Vec<u64>, Vec<u64>);

    /// Suspensions so far.
    fn suspensions(&self) -> u64 {
        0
    }

    /// Array time that was done in vain: that of pulses which began again.
    fn repeated_ns(&self) -> u64 {
        0
    }

    /// What the drive moves from here on ranks with writes of the host, which wait for it or which it goes in step
    /// with, or again as the mode of GC says; says which it was before.
    fn hurry(&mut self, _hurries: bool) -> bool {
        false
    }

    /// The request of this number has been sent whole, and the drive begins with it: from its queue it was fetched
    /// so long after it arrived there.
    fn taken(&mut self, _number: u64, _queue_ns: u64) {}

    /// A request waits for room in the controller's buffer.
    fn waits_for_room(&mut self, _number: u64) {}

    /// A request is over whose parts were at `parts_done_ns`, and which counts or does not.
    fn itemise(&mut self, _request: &Finished, _parts_done_ns: u64, _counts: bool) {}

    /// What the request of that number took, for the array that sent it; once.
    fn take_parts(&mut self, _number: u64) -> Option<RequestParts> {
        None
    }

    /// Of what the latencies of requests consist that counted so far, where it says so.
    fn itemisation(&self) -> Option<&Itemisation> {
        None
    }

    /// Latencies count anew from here on.
    fn itemise_anew(&mut self) {}
}
