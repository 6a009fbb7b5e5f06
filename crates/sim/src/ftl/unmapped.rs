//! Reads of data that is not there: never written, or trimmed. The former are free, or as if it had been there
//! before the run.

use super::{Backend, Io, Media};
use crate::engine::Scheduler;
use crate::flash::Order;
use crate::flash::taping::tell_command;
use crate::ids::{Id, Lpn};
use crate::nand::Span;
use crate::nand::command::{Cause, NO_TICKET, Read, RequestId, Sensing};
use crate::technique::Hooks;

impl<T: Hooks> Backend<T> {
    /// Counts the read of a unit that holds nothing: the one at `index` of those that a request reads. Where nobody
    /// has written it and the configuration says so, the read is carried out `after` that of the map, with others of
    /// its page. No cells hold the unit, so that the flash is not asked whether it can be read.
    #[cold]
    pub(super) fn read_unmapped<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        lpns: &[Lpn],
        index: usize,
        waiter: RequestId,
        after: &S::Join,
    ) {
        if !self.takes_time(io, lpns[index]) {
            return;
        }
        let span = self.span_if_mapped(lpns[index]);
        let is_along = |&lpn: &Lpn| {
            !self.state.is_mapped(lpn) && !self.was_trimmed(lpn) && self.span_if_mapped(lpn) == span
        };
        if index > 0 && is_along(&lpns[index - 1]) {
            return;
        }
        let units = lpns[index..].iter().take_while(|lpn| is_along(lpn)).count() as u32;
        if S::TIMED {
            io.requests.add_part(waiter);
        }
        self.sense_unmapped(io, span, units, (Cause::Host, Cause::Host), after, &[waiter]);
    }

    /// Counts the read of a unit that holds nothing; true where it is carried out all the same.
    fn takes_time<S: Scheduler>(&self, io: &mut Io<S>, lpn: Lpn) -> bool {
        match self.was_trimmed(lpn) {
            true => io.counters.trimmed_reads += 1,
            false => io.counters.unmapped_reads += 1,
        }
        self.settings.reads_unmapped && !self.was_trimmed(lpn)
    }

    /// True for a unit that holds nothing because the host trimmed it.
    fn was_trimmed(&self, lpn: Lpn) -> bool {
        self.losses.trimmed.contains(lpn.number())
    }

    /// Reads the rest of a unit that leaves DRAM in part, as a read of the host would.
    pub fn read_rest<S: Scheduler>(&mut self, io: &mut Io<S>, lpn: Lpn) -> S::Join {
        let is_mapped = self.state.is_mapped(lpn);
        let mut after = self.read_before_write(io, lpn);
        if !is_mapped && self.takes_time(io, lpn) {
            let sake = (Cause::Host, Cause::Host);
            let (span, at_once) = (self.span_if_mapped(lpn), S::Join::default());
            let stamp = self.sense_unmapped(io, span, 1, sake, &at_once, &[]);
            io.sched.join(&mut after, stamp);
        }
        after
    }
}

impl<T: Hooks> Media<T> {
    /// Reads what nobody has written, as it would be read if it had been there: for whom, as urgent as whose, and
    /// after what.
    pub(super) fn sense_unmapped<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        span: Span,
        units: u32,
        (cause, rank): (Cause, Cause),
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        let sensing = Sensing::CONVENTIONAL;
        let (others, other_sensings): (&[Span], _) = (&[], &[]);
        let read = Read { span, sensing, others, other_sensings, units, cause, rank };
        tell_command(&mut self.door.tape, &self.state, io, read);
        let place = self.state.superblocks.as_ref();
        read.carry_out(io, &self.state, place, NO_TICKET, after, waiters)
    }

    /// The pages where the data of a unit would stand: ranges, as wide as what belongs together, lie in the
    /// planes of the largest kind of flash in turn.
    pub(super) fn span_if_mapped(&self, lpn: Lpn) -> Span {
        let geometry = &self.state.geometry;
        let largest = geometry.groups.iter().max_by_key(|group| group.units());
        let group = largest.expect("a drive has flash");
        let width = self.range_units().max(1);
        let (range, within) = (lpn.range(width), lpn.place_in_range(width));
        let planes = u64::from(group.planes.count());
        let ranges_per_block = u64::from((group.units_per_block / width).max(1));
        let (plane, turn) = (range % planes, range / planes);
        let per_plane = group.blocks_per_plane;
        let block = (turn / ranges_per_block % u64::from(per_plane)) as u32;
        let block = group.blocks.at(plane as u32 * per_plane + block);
        let place = (turn % ranges_per_block) as u32 * width + within;
        Span { block, page: group.page_of(place), pages: group.pages_per_unit }
    }
}
