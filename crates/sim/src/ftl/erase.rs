//! Erasing blocks: together where they lie in different planes of a die.

use super::Ftl;
use super::Io;
use crate::engine::{Cause, Scheduler};
use crate::flash::Erase;
use crate::ids::BlockId;
use crate::nand::{Block, BlockState, Loops, Span};
use crate::technique::{Cells, ErasePlan, Hooks, Observer};

/// What is left of the erase of a block, and for whose sake it was begun.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deferred {
    loops: Together,
    cause: Cause,
}

/// Loops of blocks that are erased together: as long as those of the slowest, with the energy of each.
#[derive(Debug, Clone, Copy, Default)]
struct Together {
    longest: Loops,
    energy_nj: u64,
}

impl Together {
    fn add(&mut self, loops: &Loops) {
        self.energy_nj += loops.energy_nj();
        if loops.array_ns() > self.longest.array_ns() {
            self.longest = *loops;
        }
    }
}

/// For whose sake blocks are erased together: of those who asked, the one who is served first.
fn most_urgent(one: Option<Cause>, other: Cause) -> Option<Cause> {
    Some(one.map_or(other, |one| one.min(other)))
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
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

    /// Of the blocks that wait, the first of each plane of the first one's die, for the sake of the most urgent.
    fn erase_one_of_each_plane(&mut self, io: &mut Io<S>) {
        let mut blocks = std::mem::take(&mut self.erased);
        blocks.clear();
        let geometry = &self.state.geometry;
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
        let (mut loops, mut deferred) = (Together::default(), Together::default());
        for &block in &blocks {
            let plan = self.erase_state(io, block);
            loops.add(&plan.loops);
            deferred.add(&plan.deferred);
        }
        self.erase_in(io, &blocks, &loops, cause);
        match blocks[..] {
            _ if deferred.longest.is_empty() => {}
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
        let plan = self.erase_state(io, block);
        let mut loops = Together::default();
        loops.add(&plan.loops);
        self.erase_in(io, &[block], &loops, Cause::Technique)
    }

    /// A block that reads as erased may not be: it is erased before its first program.
    pub(super) fn owe_erase(&mut self, block: BlockId) {
        let plan = self.plan_erase(block, 0);
        let mut loops = Together::default();
        loops.add(&plan.loops);
        let cycles = self.state.cycles_per_erase;
        let entry = &mut self.state.blocks[block];
        entry.erases = entry.erases.saturating_add(cycles);
        (entry.program_row, entry.read_row) = (plan.program_row, plan.read_row);
        self.deferred.insert(block, Deferred { loops, cause: Cause::Technique });
    }

    /// True where an erased block is to be erased once more before it is used.
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

    /// How a block is erased. While the steady state is verified no scheme is asked: what it noted of
    /// the block would outlive the verification.
    fn plan_erase(&mut self, block: BlockId, now_ns: u64) -> ErasePlan {
        let state = &self.state;
        let Block { program_row, read_row, .. } = state.blocks[block];
        if !self.settings.wears {
            return ErasePlan { program_row, read_row, ..ErasePlan::default() };
        }
        let plan = self.erase_scheme.plan(state, block, now_ns);
        let group = self.group_of_block(block);
        self.technique.erases_mut(group).erase_plan(&self.state, block, plan)
    }

    /// What an erase does to a block: it is free again, or worn out.
    fn erase_state(&mut self, io: &mut Io<S>, block: BlockId) -> ErasePlan {
        let usual = self.state.cycles_per_erase;
        let group = self.group_of_block(block);
        self.state.cycles_per_erase =
            self.technique.erases_mut(group).cycles(&self.state, block, usual);
        let plan = self.plan_erase(block, io.sched.now_ns());
        let stays = T::IN_USE && self.is_of_metadata(block);
        let state = &mut self.state;
        assert_eq!(state.blocks[block].valid, 0, "block {block} holds valid data");
        io.counters.erases += u64::from(if T::IN_USE { state.blocks_at_once() } else { 1 });
        if let Some(tables) = self.wear.tables.as_mut().filter(|_| self.settings.wears) {
            let domain = state.domain_of_block(block);
            tables[domain].erased(state.blocks_of_domain(domain).place_of(block));
        }
        let entry = &mut state.blocks[block];
        entry.erases = entry.erases.saturating_add(state.cycles_per_erase);
        (entry.program_row, entry.read_row) = (plan.program_row, plan.read_row);
        if stays {
            entry.next = 0;
        } else if plan.retire {
            state.pass(block, BlockState::Bad);
            io.counters.worn_out_blocks += u64::from(state.blocks_at_once());
        } else {
            state.release(block);
        }
        for layer in self.technique.observers_of_mut(group) {
            layer.erased(&self.state, block);
        }
        self.state.cycles_per_erase = usual;
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::{Cause, most_urgent};

    #[test]
    fn erases_that_go_together_are_as_urgent_as_the_most_urgent() {
        let for_sake_of = |causes: &[Cause]| causes.iter().copied().fold(None, most_urgent);
        assert_eq!(for_sake_of(&[Cause::Wear, Cause::Gc, Cause::Technique]), Some(Cause::Gc));
        assert_eq!(for_sake_of(&[Cause::Technique, Cause::Wear, Cause::Wear]), Some(Cause::Wear));
        assert_eq!(for_sake_of(&[]), None);
    }
}
