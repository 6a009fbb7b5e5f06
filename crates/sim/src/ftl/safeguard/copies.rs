//! Copies of what a program in place puts at risk, in blocks that hold nothing else. Nobody maps them: a restart
//! finds them where the original was damaged. They are of no use once the program is over.

use super::Io;
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::flash::tape::Other;
use crate::flash::taping::{count_other, tell_of};
use crate::ftl::read::unit_span;
use crate::ftl::{Allocator, Eraser, Media};
use crate::ids::{BlockId, ById, ScopeId, Unit};
use crate::nand::command::{Cause, Data, Extent, Program};
use crate::nand::{BlockState, PROGRAM, Span};
use crate::technique::Hooks;

/// Where the next copies of a scope go.
#[derive(Debug)]
struct Current<J> {
    block: BlockId,
    /// The next word line.
    page: u32,
    /// The ends of the programs whose sake its copies were made for.
    needed_until: J,
}

/// The blocks of copies.
#[derive(Debug)]
pub(super) struct CopySpace<J> {
    current: ById<ScopeId, Option<Current<J>>>,
    /// Those that are full.
    spent: Vec<Current<J>>,
}

impl<J: Default> CopySpace<J> {
    /// None is in use.
    pub fn new(state: &DriveState) -> Self {
        let scopes = state.layout.scopes().into_iter();
        Self { current: scopes.map(|_| None).collect(), spent: Vec::new() }
    }

    /// Those to which copies are still added.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.current.iter().flatten().map(|current| current.block)
    }

    /// Hands the space to another scheduler, when nothing is under way.
    pub fn under<J2: Default>(self) -> CopySpace<J2> {
        let moved =
            |Current { block, page, .. }| Current { block, page, needed_until: J2::default() };
        let Self { mut current, spent } = self;
        let scopes = current.ids().into_iter();
        CopySpace {
            current: scopes.map(|scope| current[scope].take().map(moved)).collect(),
            spent: spent.into_iter().map(moved).collect(),
        }
    }
}

impl<T: Hooks, S: Scheduler> Eraser<T, S> {
    /// Copies what a program over `spans` puts at risk; returns what it must wait for besides `after`. Of a write
    /// point that fills a block, what it has put into its open word line since `from` is no risk: nobody counts on it.
    pub(in crate::ftl) fn preserve(
        &mut self,
        io: &mut Io<S>,
        spans: &[Span],
        from: Option<u32>,
        after: &S::Join,
    ) -> S::Join {
        let mut all = S::Join::default();
        io.sched.merge(&mut all, after);
        let Some(safeguard) = self.safeguard.as_ref() else { return all };
        for span in spans {
            io.sched.merge(&mut all, &safeguard.erase_after[span.block]);
            io.sched.merge(&mut all, safeguard.spares.before(span.block));
        }
        let preserves = safeguard.rules.preserves && safeguard.has_begun;
        self.list(io, spans, &mut all);
        if !preserves {
            return all;
        }
        for &span in spans {
            let units = self.at_risk(span, from);
            if !units.is_empty() {
                let copied = self.copy_away(io, &units);
                io.sched.merge(&mut all, &copied);
            }
        }
        all
    }

    /// The programs for which copies were just made of units of these blocks end so.
    pub(in crate::ftl) fn preserved_until(&mut self, io: &Io<S>, spans: &[Span], stamp: S::Stamp) {
        let Some(safeguard) = &mut self.safeguard else { return };
        for span in spans {
            let state = &self.backend.state;
            let scope = state.layout.scope_of(state.geometry.plane_of(span.block));
            let copies = &mut safeguard.copies;
            for of_block in copies.current[scope].iter_mut().chain(&mut copies.spent) {
                io.sched.join(&mut of_block.needed_until, stamp);
            }
        }
    }

    /// Units on the word lines of `span` whose data somebody counts on: valid ones, and those whose successor
    /// is in a word line that is still open. Of a write point the units of the program itself are new data;
    /// what stood in their place may still be counted on.
    fn at_risk(&self, span: Span, from: Option<u32>) -> Vec<Unit> {
        let Some(safeguard) = &self.safeguard else { return Vec::new() };
        let group = self.state.geometry.of(span.block);
        let first_unit = self.state.geometry.first_unit(span.block);
        let program = group.units_of(span);
        let own = from.map(|from| from..program.start);
        let counts = |&place: &u32| {
            let unit = first_unit.plus(place);
            let is_new = own.is_some() && program.contains(&place);
            !own.as_ref().is_some_and(|own| own.contains(&place))
                && self
                    .door
                    .chips
                    .as_ref()
                    .is_some_and(|chips| chips.holds(unit_span(&self.state, unit)))
                && (!is_new && self.state.valid.get(span.block, place)
                    || safeguard.is_superseded_in_open_line(unit))
        };
        group
            .units_of(group.word_lines_of(span))
            .filter(counts)
            .map(|place| first_unit.plus(place))
            .collect()
    }

    /// Copies units of a block, as many as a word line takes at a time; returns the ends of the programs.
    fn copy_away(&mut self, io: &mut Io<S>, units: &[Unit]) -> S::Join {
        let mut ends = S::Join::default();
        let (block, _) = self.state.geometry.locate(units[0]);
        let group = self.state.geometry.of(block);
        let per_line = (group.bits * group.units_per_page / group.pages_per_unit).max(1) as usize;
        for units in units.chunks(per_line) {
            let mut read = None;
            for &unit in units {
                self.read_along(io, unit, &mut read);
            }
            let none = S::Join::default();
            let after = read.as_ref().map_or(&none, |(_, after)| after);
            if let Some(stamp) = self.program_copies(io, units, block, after) {
                io.sched.join(&mut ends, stamp);
            }
        }
        ends
    }

    /// Programs copies into a word line; `None` where there is no block for them, which ends the run.
    fn program_copies(
        &mut self,
        io: &mut Io<S>,
        units: &[Unit],
        of: BlockId,
        after: &S::Join,
    ) -> Option<S::Stamp> {
        let scope = self.state.layout.scope_of(self.state.geometry.plane_of(of));
        let (block, page) = self.next_line(io, scope)?;
        let group = self.state.geometry.of(block);
        let pages = group.pages_of(units.len() as u32).next_multiple_of(group.pages_per_unit);
        let first = self
            .state
            .geometry
            .first_unit(block)
            .plus(group.units_of(Span { block, page, pages }).start);
        let word_lines = self.state.layout.of_scope(scope).word_lines;
        let pages = if word_lines { group.bits.max(pages) } else { pages };
        let per_line = group.bits * group.units_per_page / group.pages_per_unit;
        for (copy, &unit) in (0..).map(|at| first.plus(at)).zip(units) {
            let Media { state, door, .. } = self.media();
            if let Some(chips) = &mut door.chips {
                chips.stage_copy(state, copy, unit);
            }
            if let Some(safeguard) = &mut self.safeguard {
                safeguard.is_copied(unit, copy);
            }
        }
        let copies = units.len() as u64;
        count_other(&mut self.door.tape, &mut io.counters, Other::Of(Cause::Technique), copies);
        count_other(
            &mut self.door.tape,
            &mut io.counters,
            Other::Padding,
            u64::from(per_line).saturating_sub(copies),
        );
        let program = Program {
            span: Span { block, page, pages },
            others: &[],
            row: PROGRAM,
            extent: if word_lines { Extent::WordLines } else { Extent::Pages },
            data: Data::New,
            closes_block: false,
            cause: Cause::Technique,
            ticket: None,
            urgent: false,
        };
        let mut all = S::Join::default();
        io.sched.merge(&mut all, after);
        io.sched.merge(&mut all, self.safeguard.as_ref()?.spares.before(block));
        self.list(io, &[program.span], &mut all);
        let stamp = self.issue(io, program, &all, &[]);
        self.safeguard.as_mut()?.note_end(&io.sched, stamp);
        Some(stamp)
    }

    /// The word line for the next copies of a scope, which is taken.
    fn next_line(&mut self, io: &mut Io<S>, scope: ScopeId) -> Option<(BlockId, u32)> {
        let full = |current: &Current<S::Join>, state: &DriveState| {
            let group = state.geometry.of(current.block);
            current.page + group.bits > group.pages_per_block
        };
        let current = self.safeguard.as_mut()?.copies.current[scope].take();
        let mut current = match current {
            Some(current) if !full(&current, &self.state) => current,
            spent => {
                self.safeguard.as_mut()?.copies.spent.extend(spent);
                self.open_copy_block(io, scope)?
            }
        };
        let bits = self.state.geometry.of(current.block).bits;
        let line = (current.block, current.page);
        current.page += bits;
        let entry = &mut self.state.blocks[line.0];
        entry.next = entry.next.max(current.page);
        self.safeguard.as_mut()?.copies.current[scope] = Some(current);
        Some(line)
    }

    /// Takes an erased block; `None`, and the end of the run, where there is none.
    fn open_copy_block(&mut self, io: &mut Io<S>, scope: ScopeId) -> Option<Current<S::Join>> {
        let plane = self.state.layout.planes_of_scope(scope).first();
        let Some(block) = self.state.take_free(plane, false) else {
            self.lack_room_for("a copy of what a program in place puts at risk");
            return None;
        };
        self.note_open(io, block);
        self.finish_erase(io, block);
        self.state.pass(block, BlockState::Kept);
        self.state.blocks[block].next = 0;
        let Media { state, door, .. } = self.media();
        tell_of(&mut door.tape, state, block, false);
        Some(Current { block, page: 0, needed_until: S::Join::default() })
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// What keeps flushed data is brought up to date before anything is written or programmed in place.
    #[cold]
    pub(in crate::ftl) fn keep_up(&mut self, io: &mut Io<S>) {
        self.retire_copies(io);
        self.keep_checkpoints(io);
    }

    /// Erases the full blocks of copies, which nobody needs once what they were made for is over. Word lines are
    /// filled up for that: not to be called while a program is being issued.
    fn retire_copies(&mut self, io: &mut Io<S>) {
        let Some(safeguard) = &mut self.safeguard else { return };
        for Current { block, needed_until, .. } in std::mem::take(&mut safeguard.copies.spent) {
            self.secure(io, &[block]);
            if let Some(safeguard) = &mut self.safeguard {
                io.sched.merge(&mut safeguard.erase_after[block], &needed_until);
            }
            self.erase_one(io, block);
        }
    }
}
