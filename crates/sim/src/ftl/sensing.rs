//! How pages are sensed: as the technique says, and as often as their errors ask for.

use super::Ftl;
use super::Io;
use super::organs::Reader;
use super::origin::ReadOrigin;
use super::read::Wanted;
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::flash::{Retried, RetriedRead};
use crate::ids::BlockId;
use crate::nand::command::{Cause, Read, RequestId, Sensing};
use crate::nand::{Located, READ, Span};
use crate::reliability::{Page, Stage};
use crate::technique::erase::EraseScheme;
use crate::technique::{Cells, Hooks, PageRead};

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// The pages of a unit, and how they are sensed.
    #[inline(always)]
    pub(super) fn sensing_of(&self, at: &Located) -> (Span, PageRead) {
        let geometry = &self.state.geometry;
        let of_block = geometry.group_of(at.block);
        let read = match T::IN_USE && self.settings.plans_reads {
            true => self.technique.reads(of_block).read_plan(&self.state, at),
            false => PageRead::of(READ),
        };
        let group = &geometry.groups[of_block];
        (Span { block: at.block, page: group.page_of(at.place), pages: group.pages_per_unit }, read)
    }

    /// Reads the pages of a unit, and of others that are sensed with it, as often as their errors ask for.
    #[cold]
    pub(super) fn read_together(
        &mut self,
        io: &mut Io<S>,
        wanted: &Wanted<'_>,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        let &Wanted { at, others, units, sake } = wanted;
        let ReadOrigin { accounted_to: cause, priority: rank } = sake;
        let now_ns = io.sched.now_ns();
        let mut retried = Retried::default();
        let (span, read) = self.sensing_of(&at);
        let along = read.plan.along;
        let scheme = &*self.eraser.scheme;
        let when = (now_ns, cause);
        let sensing = self.reader.with_retries(&self.state, scheme, &at, read, when, &mut retried);
        let (mut spans, mut sensings) =
            (std::mem::take(&mut self.spans), std::mem::take(&mut self.reader.sensings));
        spans.clear();
        sensings.clear();
        for &unit in others.iter().chain(&along) {
            let at = self.state.geometry.located(unit);
            let (span, read) = self.sensing_of(&at);
            spans.push(span);
            let scheme = &*self.eraser.scheme;
            let (reader, state) = (&mut self.reader, &self.state);
            sensings.push(reader.with_retries(state, scheme, &at, read, when, &mut retried));
        }
        let (others, other_sensings) = (&*spans, &*sensings);
        let read = Read { span, sensing, others, other_sensings, units, cause, rank };
        let retried = RetriedRead { read, retried, times: self.reader.times };
        let stamp = self.issue(io, retried, after, waiters);
        (self.spans, self.reader.sensings) = (spans, sensings);
        stamp
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

impl Reader {
    /// How a page is sensed, with the retries that its errors ask for, which `retried` gets; when, and who asks.
    fn with_retries(
        &mut self,
        state: &DriveState,
        scheme: &dyn EraseScheme,
        at: &Located,
        PageRead { plan, data }: PageRead,
        (now_ns, cause): (u64, Cause),
        retried: &mut Retried,
    ) -> Sensing {
        let Some(model) = &mut self.model else { return Sensing::of(&plan) };
        let Span { block, page, .. } = state.page_in_flash(at);
        let of_flash = state.flash().group_of(block);
        let group = &state.flash().groups[of_flash];
        let of_drive = state.geometry.of(at.block);
        let page = Page {
            block,
            word_line: page / group.bits,
            kind: group.page_type(page) as usize,
            equivalent_pec: scheme.equivalent_pec(state, block),
            pec: state.cycles_of(block),
            age_h: model.age_h(at.block, of_drive.page_of(at.place) / of_drive.bits, now_ns),
            reads: model.reads(block),
            short_errors: scheme.short_errors(state, block),
            stage: data.map(|data| Stage {
                mode: data.mode,
                age_h: data.since_ns.map(|ns| now_ns.saturating_sub(ns) as f64 / 3.6e12),
            }),
        };
        let sensed = model.sense(of_flash, &page, of_drive.pages_per_unit, cause);
        retried.add(&sensed);
        Sensing { row: plan.row, times: plan.sensings + sensed.retries + sensed.soft }
    }

    /// A block is erased: nothing is left of what its reads did.
    #[inline(always)]
    pub fn note_erased(&mut self, state: &DriveState, block: BlockId) {
        let Some(model) = &mut self.model else { return };
        state.blocks_in_flash(block).for_each(|of_flash| model.erased(of_flash));
    }
}
