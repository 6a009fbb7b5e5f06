//! Programs over a unit of the past, which a technique asks for.

use super::issue::Reprogram;
use super::origin::{Origin, ReadOrigin};
use super::read::unit_span;
use super::target::Unplaced;
use super::{Allocator, Io, Media};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::ids::Unit;
use crate::nand::Span;
use crate::technique::{Hooks, Over};
use crate::util::Few;

impl<T: Hooks> Media<T> {
    /// May a program over a unit, and its partner, be carried out? If not the run is stopped.
    pub(super) fn may_overwrite(&mut self, over: &Over, old: Unit) -> bool {
        let free = |unit: Unit| {
            let (block, place) = self.state.geometry.locate(unit);
            old == unit || !self.state.valid.get(block, place)
        };
        assert!(free(over.unit), "unit {} holds valid data of another logical unit", over.unit);
        assert!(over.partner.is_none_or(free), "the partner {:?} holds valid data", over.partner);
        let spans = spans_over(&self.state, over);
        self.allows(over.row, &spans)
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Writes over a unit whose data is no longer valid, by an operation of the technique; one that fails is
    /// tried again where the technique then says.
    pub(super) fn overwrite(
        &mut self,
        io: &mut Io<S>,
        over: &Over,
        unit: &Unplaced<'_>,
        origin: &Origin<'_, S::Join>,
    ) -> bool {
        let (lpn, cause) = (unit.lpn, unit.cause);
        let spans = spans_over(&self.state, over);
        // The technique is asked while the state is still that of before the operation.
        let after = self.prepare(io, over.unit, over.row, ReadOrigin::of(cause), origin.after);
        let after = self.preserve(io, &spans, None, &after);
        if !over.holds {
            let failed = Reprogram::over(&spans, over.row, cause);
            self.reprogram(io, &failed, &after, None);
            return self.write_unit(io, lpn, cause, unit.stream, unit.scope, origin);
        }
        let at = self.state.geometry.located(over.unit);
        let old = self.state.unit_of(lpn);
        self.bind(lpn, old, at, cause, io.sched.now_ns());
        self.reconsider(at.block);
        io.counters.programs[cause as usize] += 1;
        let again = Reprogram::over(&spans, over.row, cause);
        let stamp = self.reprogram(io, &again, &after, origin.waiter);
        self.after_program_over(io, old, stamp);
        true
    }
}

/// The pages of a program over a unit, and its partner.
fn spans_over(state: &DriveState, over: &Over) -> Few<Span> {
    let units = std::iter::once(over.unit).chain(over.partner);
    units.map(|unit| unit_span(state, unit)).collect()
}
