//! Erasing blocks: together where they lie in different planes of a die.

use super::{Allocator, Backend, Eraser, Io, Media};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::flash::taping::tell_of;
use crate::ids::BlockId;
use crate::nand::command::{Cause, Erase};
use crate::nand::{Block, BlockState, Loops, Span};
use crate::technique::{Cells, ErasePlan, Hooks, Observer, Technique};

/// What is left of the erase of a block, and for whose sake it was begun.
#[derive(Debug, Clone)]
pub(super) struct Deferred {
    loops: Together,
    cause: Cause,
}

/// Loops of blocks that are erased together, by die: as long as those of its slowest block, with the energy of each.
#[derive(Debug, Clone, Default)]
struct Together {
    longest: Vec<Loops>,
    energy_nj: u64,
}

impl Together {
    fn add(&mut self, die: u32, loops: &Loops) {
        let die = die as usize;
        if self.longest.len() <= die {
            self.longest.resize(die + 1, Loops::default());
        }
        self.energy_nj += loops.energy_nj();
        if loops.array_ns() > self.longest[die].array_ns() {
            self.longest[die] = *loops;
        }
    }

    fn is_empty(&self) -> bool {
        self.longest.iter().all(Loops::is_empty)
    }
}

/// How blocks are erased: at once, and before they are used again.
#[derive(Debug, Clone, Default)]
struct Erasing {
    at_once: Together,
    deferred: Together,
}

/// For whose sake blocks are erased together: of those who asked, the one who is served first.
fn most_urgent(one: Option<Cause>, other: Cause) -> Option<Cause> {
    Some(one.map_or(other, |one| one.min(other)))
}

/// What a block is once it has been erased. A superblock is as good as its worst block.
#[derive(Debug, Clone, Copy)]
struct Erased {
    /// By which it is programmed and read: those of the slowest block.
    rows: (u8, u8),
    retires: bool,
}

impl Erased {
    fn of(plan: &ErasePlan) -> Self {
        Self { rows: (plan.program_row, plan.read_row), retires: plan.retire }
    }

    /// What they are together.
    fn with(self, state: &DriveState, other: Self) -> Self {
        let slower = |one: u8, other: u8| {
            let is_slower = state.ops.row(other).array_ns > state.ops.row(one).array_ns;
            if is_slower { other } else { one }
        };
        let rows = (slower(self.rows.0, other.rows.0), slower(self.rows.1, other.rows.1));
        Self { rows, retires: self.retires || other.retires }
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Erases the blocks that wait for it, those of different planes of a die together.
    pub(super) fn erase_together(&mut self, io: &mut Io<S>) {
        if self.to_erase.is_empty() {
            return;
        }
        if T::IN_USE {
            self.secure_successors(io);
        }
        while !self.to_erase.is_empty() {
            self.erase_one_of_each_plane(io);
        }
    }
}

impl<T: Hooks, S: Scheduler> Eraser<T, S> {
    /// Of the blocks that wait, the first of each plane of the first one's die, for the sake of the most urgent.
    fn erase_one_of_each_plane(&mut self, io: &mut Io<S>) {
        let mut blocks = std::mem::take(&mut self.erased);
        blocks.clear();
        let geometry = &self.backend.state.geometry;
        let mut cause = None;
        self.to_erase.retain(|&(block, of_block)| {
            let plane = geometry.plane_of(block);
            let die = |of: BlockId| geometry.die_of_block(of);
            let waits = blocks.iter().any(|&other| geometry.plane_of(other) == plane)
                || blocks.first().is_some_and(|&first| die(first) != die(block));
            if !waits {
                blocks.push(block);
                cause = most_urgent(cause, of_block);
            }
            waits
        });
        let Some(cause) = cause else { return };
        let mut erasing = Erasing::default();
        for &block in &blocks {
            self.erase_state(io, block, &mut erasing);
        }
        let Erasing { at_once, deferred } = erasing;
        self.erase_in(io, &blocks, &at_once, cause);
        match blocks[..] {
            _ if deferred.is_empty() => {}
            [only] => {
                self.deferred.insert(only, Deferred { loops: deferred, cause });
            }
            _ => {
                self.erase_in(io, &blocks, &deferred, cause);
            }
        }
        self.erased = blocks;
    }

    /// Erases a block that is of no use to anybody.
    pub(super) fn erase_one(&mut self, io: &mut Io<S>, block: BlockId) -> S::Stamp {
        let mut erasing = Erasing::default();
        self.erase_state(io, block, &mut erasing);
        self.erase_in(io, &[block], &erasing.at_once, Cause::Technique)
    }

    /// A block that reads as erased may not be: it is erased before its first program.
    pub(super) fn owe_erase(&mut self, block: BlockId) {
        let mut erasing = Erasing::default();
        let plan = self.plan_erase(block, &mut erasing);
        let loops = erasing.at_once;
        let cycles = self.state.cycles_per_erase;
        let entry = &mut self.state.blocks[block];
        entry.erases = entry.erases.saturating_add(cycles);
        (entry.program_row, entry.read_row) = plan.rows;
        self.deferred.insert(block, Deferred { loops, cause: Cause::Technique });
    }

    /// Whether an erased block is to be erased once more before it is used.
    pub(super) fn owes_erase(&self, block: BlockId) -> bool {
        self.deferred.contains_key(&block)
    }

    /// The rest of the erase of a block that is about to be used.
    pub(super) fn finish_erase(&mut self, io: &mut Io<S>, block: BlockId) {
        if let Some(rest) = self.deferred.remove(&block) {
            self.erase_in(io, &[block], &rest.loops, rest.cause);
        }
    }

    /// Erases blocks of a die in loops.
    ///
    /// # Panics
    /// Two of them lie in one plane, which erases one block at a time, or in different dies.
    fn erase_in(
        &mut self,
        io: &mut Io<S>,
        blocks: &[BlockId],
        loops: &Together,
        cause: Cause,
    ) -> S::Stamp {
        let geometry = &self.state.geometry;
        let plane_of = |at: usize| geometry.plane_of(blocks[at]);
        let is_alone = |at: usize| (0..at).all(|before| plane_of(before) != plane_of(at));
        assert!((0..blocks.len()).all(is_alone), "blocks {blocks:?} of one plane at once");
        let die = geometry.die_of(plane_of(0));
        let is_there = |at: usize| geometry.die_of(plane_of(at)) == die;
        assert!((1..blocks.len()).all(is_there), "blocks {blocks:?} of several dies at once");
        let pages = geometry.of(blocks[0]).pages_per_block;
        let mut spans = std::mem::take(&mut self.spans);
        spans.clear();
        spans.extend(blocks.iter().map(|&block| Span { block, page: 0, pages }));
        let Together { longest, energy_nj } = loops;
        let erase = Erase {
            span: spans[0],
            others: &spans[1..],
            loops: longest,
            energy_nj: *energy_nj,
            cause,
        };
        let after = if T::IN_USE { self.erase_after(io, blocks) } else { S::Join::default() };
        let stamp = self.issue(io, erase, &after, &[]);
        if T::IN_USE {
            self.note_erase(io, blocks, stamp);
        }
        self.spans = spans;
        stamp
    }

    /// How a block is erased: `erasing` gets its loops. While the steady state is verified no scheme is asked: what
    /// it noted of the block would outlive the verification.
    fn plan_erase(&mut self, block: BlockId, erasing: &mut Erasing) -> Erased {
        let Block { program_row, read_row, .. } = self.state.blocks[block];
        if !self.settings.wears {
            erasing.at_once.add(0, &Loops::default());
            return Erased { rows: (program_row, read_row), retires: false };
        }
        let group = self.group_of_block(block);
        let Media { state, erase_scheme, technique, .. } = self.media();
        let technique = technique.erases_mut(group);
        let mut plan = |die, of_flash| {
            let plan = erase_scheme.plan(state, of_flash);
            let plan = match technique.rounds() {
                Some(rounds) => rounds.erase_plan(state, block, plan),
                None => plan,
            };
            erasing.at_once.add(die, &plan.loops);
            erasing.deferred.add(die, &plan.deferred);
            Erased::of(&plan)
        };
        let Some(superblocks) = &state.superblocks else { return plan(0, block) };
        let blocks = (0..superblocks.programs(block))
            .flat_map(|die| superblocks.blocks_of(block, die).1.map(move |span| (die, span.block)));
        let afters = blocks.map(|(die, of_flash)| plan(die, of_flash));
        afters.reduce(|one, other| one.with(state, other)).expect("a superblock has blocks")
    }

    /// What an erase does to a block: it is free again, or worn out. `erasing` gets its loops.
    fn erase_state(&mut self, io: &mut Io<S>, block: BlockId, erasing: &mut Erasing) {
        let usual = self.state.cycles_per_erase;
        let group = self.group_of_block(block);
        let media = self.media();
        media.state.cycles_per_erase =
            media.technique.erases_mut(group).cycles(&media.state, block, usual);
        let after = self.plan_erase(block, erasing);
        let stays = T::IN_USE && self.is_of_metadata(block);
        let Backend { media, reader, .. } = &mut self.backend;
        let state = &mut media.state;
        assert_eq!(state.blocks[block].valid, 0, "block {block} holds valid data");
        io.counters.erases += u64::from(if T::IN_USE { state.blocks_at_once(block) } else { 1 });
        if let Some(tables) = self.wear.tables.as_mut().filter(|_| media.settings.wears) {
            let domain = state.domain_of_block(block);
            tables[domain].erased(state.blocks_of_domain(domain).place_of(block));
        }
        let entry = &mut state.blocks[block];
        entry.erases = entry.erases.saturating_add(state.cycles_per_erase);
        (entry.program_row, entry.read_row) = after.rows;
        if stays {
            entry.next = 0;
        } else if after.retires {
            state.pass(block, BlockState::Bad);
            io.counters.worn_out_blocks += u64::from(state.blocks_at_once(block));
        } else {
            state.release(block);
        }
        reader.note_erased(&media.state, block);
        tell_of(&mut media.door.tape, &media.state, block, true);
        for layer in media.technique.observers_of_mut(group) {
            layer.erased(&media.state, block);
        }
        media.state.cycles_per_erase = usual;
    }
}

#[cfg(test)]
mod tests {
    use super::{Cause, Loops, Together, most_urgent};

    #[test]
    fn erases_that_go_together_are_as_urgent_as_the_most_urgent() {
        let for_sake_of = |causes: &[Cause]| causes.iter().copied().fold(None, most_urgent);
        assert_eq!(for_sake_of(&[Cause::Wear, Cause::Gc, Cause::Technique]), Some(Cause::Gc));
        assert_eq!(for_sake_of(&[Cause::Technique, Cause::Wear, Cause::Wear]), Some(Cause::Wear));
        assert_eq!(for_sake_of(&[]), None);
    }

    #[test]
    fn erases_that_go_together_take_as_long_as_the_slowest_and_the_energy_of_all() {
        let mut together = Together::default();
        for (array_ns, energy_nj) in [(500, 1), (900, 2), (700, 4)] {
            together.add(0, &Loops::undivided(array_ns, energy_nj));
        }
        assert_eq!((together.longest[0].array_ns(), together.energy_nj), (900, 7));
    }
}
