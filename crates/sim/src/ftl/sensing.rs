//! How pages are sensed: as the technique says, and as often as their errors ask for.

use super::origin::ReadOrigin;
use super::read::{Group, Wanted};
use super::{Backend, Io, Media};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::flash::{Retried, RetriedRead, RetryTimes};
use crate::ids::BlockId;
use crate::nand::command::{Cause, Read, RequestId, Sensing};
use crate::nand::{Located, READ, Span};
use crate::reliability::{Page, ReadModel, Sensed, Stage};
use crate::schema::ReadsConfig;
use crate::technique::erase::EraseScheme;
use crate::technique::{Cells, Hooks, PageRead};

/// How pages are read, and room for those that are about to be.
pub(super) struct Reader {
    /// What is wrong with pages when they are read, where anything is.
    pub model: Option<Box<ReadModel>>,
    /// What retries take.
    pub times: RetryTimes,
    /// Pages that the host is about to read.
    pub groups: Vec<Group>,
    /// How the pages of several planes are sensed.
    pub sensings: Vec<Sensing>,
}

impl Reader {
    pub fn new(model: Option<ReadModel>, config: &ReadsConfig) -> Self {
        let (model, times) = (model.map(Box::new), RetryTimes::of(config));
        Self { model, times, groups: Vec::new(), sensings: Vec::new() }
    }
}

impl<T: Hooks> Media<T> {
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
}

impl<T: Hooks> Backend<T> {
    /// Pages are programmed now, and others with them: their data is as old as that.
    #[inline(always)]
    pub(super) fn note_program<S: Scheduler>(&mut self, io: &Io<S>, spans: (Span, &[Span])) {
        self.reader.note_program(&self.media.state, io.sched.now_ns(), spans);
    }

    /// Reads the pages of a unit that have errors, and of others that are sensed with it, as often as these ask for.
    #[inline(never)]
    pub(super) fn read_with_errors<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        wanted: &Wanted<'_>,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        let &Wanted { ref at, others, units, sake } = wanted;
        let ReadOrigin { accounted_to: cause, priority: rank } = sake;
        let (span, read) = self.sensing_of(at);
        if !others.is_empty() || T::IN_USE && read.plan.along.is_some() {
            return self.read_together(io, wanted, after, waiters);
        }
        let of = (&self.media.state, &*self.media.erase_scheme, T::IN_USE);
        let sensed = self.reader.sensed(of, at, &read, (io.sched.now_ns(), cause));
        let (sensing, others, other_sensings) = (Sensing::of(&read.plan), &[], &[]);
        let read = Read { span, sensing, others, other_sensings, units, cause, rank };
        match sensed {
            None if !self.reader.times.decodes() => self.issue(io, read, after, waiters),
            sensed => self.media.issue(io, self.reader.again(read, sensed), after, waiters),
        }
    }

    /// Reads pages that are sensed together, each as often as its errors ask for.
    #[cold]
    pub(super) fn read_together<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        wanted: &Wanted<'_>,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        let &Wanted { at, others, units, sake } = wanted;
        let ReadOrigin { accounted_to: cause, priority: rank } = sake;
        let (mut spans, mut sensings) =
            (std::mem::take(&mut self.spans), std::mem::take(&mut self.reader.sensings));
        spans.clear();
        sensings.clear();
        let mut retried = Retried::default();
        let along = self.sensing_of(&at).1.plan.along;
        for unit in [at.unit].iter().chain(others).copied().chain(along) {
            let at = self.state.geometry.located(unit);
            let (span, read) = self.sensing_of(&at);
            let of = (&self.media.state, &*self.media.erase_scheme, T::IN_USE);
            let sensed = self.reader.sensed(of, &at, &read, (io.sched.now_ns(), cause));
            retried.add(sensed.as_ref());
            spans.push(span);
            sensings.push(Sensing::of(&read.plan).again(sensed.as_ref().map_or(0, Sensed::again)));
        }
        let (span, sensing) = (spans[0], sensings[0]);
        let (others, other_sensings) = (&spans[1..], &sensings[1..]);
        let read = Read { span, sensing, others, other_sensings, units, cause, rank };
        let retried = RetriedRead { read, retried, times: self.reader.times };
        let stamp = self.issue(io, retried, after, waiters);
        (self.spans, self.reader.sensings) = (spans, sensings);
        stamp
    }
}

impl Reader {
    /// Pages are programmed at this moment, and others with them: their data is as old as that.
    #[inline(always)]
    pub fn note_program(
        &mut self,
        state: &DriveState,
        now_ns: u64,
        (span, others): (Span, &[Span]),
    ) {
        let Some(model) = &mut self.model else { return };
        for &Span { block, page, pages } in [span].iter().chain(others) {
            let of_block = state.geometry.group_of(block);
            let group = &state.geometry.groups[of_block];
            let word_lines = group.word_line_of(page)..group.word_line_of(page + pages - 1) + 1;
            model.programmed((of_block, block), word_lines, now_ns);
        }
    }

    /// The read of a page that is sensed as often as it was found to need.
    #[cold]
    pub fn again<'a>(&self, read: Read<'a>, sensed: Option<Sensed>) -> RetriedRead<'a> {
        let mut retried = Retried::default();
        retried.add(sensed.as_ref());
        let sensing = read.sensing.again(sensed.as_ref().map_or(0, Sensed::again));
        RetriedRead { read: Read { sensing, ..read }, retried, times: self.times }
    }

    /// Senses a page until its code corrects it, for whoever asks, and at a time; `None` where one sensing does. A drive
    /// where no technique is in use has no superblocks.
    #[inline(always)]
    pub fn sensed(
        &mut self,
        (state, scheme, is_in_use): (&DriveState, &dyn EraseScheme, bool),
        at: &Located,
        read: &PageRead,
        (now_ns, cause): (u64, Cause),
    ) -> Option<Sensed> {
        let model = self.model.as_mut()?;
        let in_drive = state.geometry.group_of(at.block);
        let of_drive = &state.geometry.groups[in_drive];
        let page = of_drive.page_of(at.place);
        let line = of_drive.word_line_of(page);
        let age_h = model.age_h((in_drive, at.block), line, now_ns);
        let superblocks = if is_in_use { state.superblocks.as_ref() } else { None };
        let (in_flash, block, word_line, kind) = match superblocks {
            None => (in_drive, at.block, line, of_drive.page_type(page)),
            Some(superblocks) => {
                let span = Span { block: at.block, page, pages: 1 };
                let Span { block, page, .. } = superblocks.locate(span).1;
                let in_flash = superblocks.flash.group_of(block);
                let of_flash = &superblocks.flash.groups[in_flash];
                (in_flash, block, of_flash.word_line_of(page), of_flash.page_type(page))
            }
        };
        let (kind, cycles) = (kind as usize, state.blocks[at.block].erases);
        let (of_page, of_read) = ((block, word_line, kind), (of_drive.pages_per_unit, cause));
        if read.data.is_none() && model.passes(in_flash, of_page, (age_h, cycles), of_read) {
            return None;
        }
        let data = read.data.as_ref().map(|data| Stage {
            mode: data.mode,
            age_h: data.since_ns.map(|ns| now_ns.saturating_sub(ns) as f64 / 3.6e12),
        });
        let page = Page {
            block,
            word_line,
            kind,
            cycles,
            pec: match model.counts_damage(in_flash) {
                true => scheme.equivalent_pec(state, block),
                false => f64::from(cycles),
            },
            age_h,
            short_errors: scheme.short_errors(state, block),
            stage: data,
        };
        model.sense(in_flash, &page, of_drive.pages_per_unit, cause)
    }

    /// A block is erased: nothing is left of what its reads did.
    #[inline(always)]
    pub fn note_erased(&mut self, state: &DriveState, block: BlockId) {
        let Some(model) = &mut self.model else { return };
        model.erased(block, state.blocks_in_flash(block));
    }
}
