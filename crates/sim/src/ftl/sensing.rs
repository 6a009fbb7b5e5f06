//! How pages are sensed: as the technique says, and as often as their errors ask for.

use super::Ftl;
use super::Io;
use crate::engine::Scheduler;
use crate::nand::command::{Cause, ReadPlan};
use crate::nand::{Located, READ, Span};
use crate::reliability::{Page, ReadModel, Stage};
use crate::technique::{Cells, Hooks, PageRead};

/// Whose account a read goes to, and whose priority it has.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadOrigin {
    /// Whose read it counts as.
    pub accounted_to: Cause,
    /// Who waits for it, which says how urgent it is.
    pub priority: Cause,
}

impl ReadOrigin {
    /// Who reads also waits.
    pub fn of(cause: Cause) -> Self {
        Self { accounted_to: cause, priority: cause }
    }
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// The pages of a unit, and how they are sensed.
    #[inline(always)]
    pub(super) fn sensing_of(&self, at: &Located, now_ns: u64) -> (Span, ReadPlan) {
        let geometry = &self.state.geometry;
        let of_block = geometry.group_of(at.block);
        let read = match T::IN_USE && self.settings.plans_reads {
            true => self.technique.reads(of_block).read_plan(&self.state, at),
            false => PageRead::of(READ),
        };
        let plan = match &self.reader.model {
            Some(model) => self.with_retries(model, at, now_ns, read),
            None => read.plan,
        };
        let group = &geometry.groups[of_block];
        (Span { block: at.block, page: group.page_of(at.place), pages: group.pages_per_unit }, plan)
    }

    /// A plan with the retries that the errors of a page ask for.
    #[cold]
    fn with_retries(
        &self,
        model: &ReadModel,
        at: &Located,
        now_ns: u64,
        PageRead { plan, data }: PageRead,
    ) -> ReadPlan {
        let (state, scheme) = (&self.state, &self.eraser.scheme);
        let Span { block, page, .. } = state.page_in_flash(at);
        let of_flash = state.flash().group_of(block);
        let group = &state.flash().groups[of_flash];
        let of_drive = state.geometry.of(at.block);
        let sensings = model.sensings(
            of_flash,
            &Page {
                block,
                word_line: page / group.bits,
                kind: group.page_type(page) as usize,
                equivalent_pec: scheme.equivalent_pec(state, block),
                pec: state.cycles_of(block),
                age_h: model.age_h(at.block, of_drive.page_of(at.place) / of_drive.bits, now_ns),
                short_errors: scheme.short_errors(state, block),
                stage: data.map(|data| Stage {
                    mode: data.mode,
                    age_h: data.since_ns.map(|ns| now_ns.saturating_sub(ns) as f64 / 3.6e12),
                }),
            },
        );
        ReadPlan { sensings: plan.sensings + sensings - 1, ..plan }
    }

    /// Pages are programmed at this moment: their data is as old as that.
    #[inline(always)]
    pub(super) fn note_program(&mut self, io: &Io<S>, span: Span, others: &[Span]) {
        let Some(model) = &mut self.reader.model else { return };
        for &Span { block, page, pages } in [span].iter().chain(others) {
            let bits = self.state.geometry.of(block).bits;
            model.programmed(block, page / bits..(page + pages).div_ceil(bits), io.sched.now_ns());
        }
    }
}
