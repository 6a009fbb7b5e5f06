//! Erasing blocks: together where they lie in different planes of a die.

use super::Ftl;
use super::Io;
use crate::engine::{Cause, FlashOp, Scheduler};
use crate::nand::{Block, BlockState, Kind, Loops, Needs};
use crate::technique::{ErasePlan, Technique};

impl<T: Technique, S: Scheduler> Ftl<T, S> {
    /// Erases the blocks that wait for it.
    pub(super) fn erase_together(&mut self, io: &mut Io<S>) {
        if self.to_erase.is_empty() {
            return;
        }
        let mut blocks = std::mem::take(&mut self.to_erase);
        let (mut loops, mut deferred) = (Loops::default(), Loops::default());
        for &block in &blocks {
            let plan = self.erase_state(io, block);
            loops = longer(loops, plan.loops);
            deferred = longer(deferred, plan.deferred);
        }
        self.erase_in(io, &blocks, &loops);
        match blocks[..] {
            _ if deferred.is_empty() => {}
            [only] => {
                self.deferred.insert(only, deferred);
            }
            _ => self.erase_in(io, &blocks, &deferred),
        }
        blocks.clear();
        self.to_erase = blocks;
    }

    /// The rest of the erase of a block that is about to be used.
    pub(super) fn finish_erase(&mut self, io: &mut Io<S>, block: u32) {
        if let Some(loops) = self.deferred.remove(&block) {
            self.erase_in(io, &[block], &loops);
        }
    }

    /// Erases blocks of a die in loops.
    fn erase_in(&self, io: &mut Io<S>, blocks: &[u32], loops: &Loops) {
        let array_ns = loops.array_ns();
        io.counters.erase_ns += array_ns;
        io.counters.erase_nj += loops.energy_nj() * blocks.len() as u64;
        if S::TIMED {
            // The reads of the victims come before it on the die as they are.
            let geometry = &self.state.geometry;
            let row = self.state.ops.of_group(geometry.group_of(blocks[0])).erase;
            let op = FlashOp {
                kind: Kind::Erase,
                needs: Needs::NoValidData,
                cause: Cause::Gc,
                die: geometry.die_of(geometry.plane_of(blocks[0])),
                page: 0,
                pages: geometry.of(blocks[0]).pages_per_block,
                array_ns,
                transfer_ns: 0,
                command_ns: self.state.ops.command_ns(row),
            };
            io.counters.gc_ns += op.array_ns;
            let none = S::Join::default();
            io.sched.issue_erase(&op, loops, blocks, &none, &[], &mut io.requests);
        }
    }

    /// How a block is erased. While the steady state is verified no scheme is asked: what it noted of
    /// the block would outlive the verification.
    fn plan_erase(&mut self, block: u32, now_ns: u64) -> ErasePlan {
        let state = &self.state;
        let Block { program_row, read_row, .. } = state.blocks[block as usize];
        if !self.settings.wears {
            return ErasePlan { program_row, read_row, ..ErasePlan::default() };
        }
        let plan = self.erase_scheme.plan(state, block, now_ns);
        self.technique.erase_plan(state, block, plan)
    }

    /// What an erase does to a block: it is free again, or worn out.
    fn erase_state(&mut self, io: &mut Io<S>, block: u32) -> ErasePlan {
        let plan = self.plan_erase(block, io.sched.now_ns());
        let state = &mut self.state;
        debug_assert_eq!(state.blocks[block as usize].valid, 0, "block {block} holds valid data");
        io.counters.erases += 1;
        let entry = &mut state.blocks[block as usize];
        entry.erases = entry.erases.saturating_add(state.cycles_per_erase);
        (entry.program_row, entry.read_row) = (plan.program_row, plan.read_row);
        if plan.retire {
            entry.state = BlockState::Bad;
            io.counters.worn_out_blocks += 1;
        } else {
            state.release(block);
        }
        self.technique.erased(&self.state, block);
        plan
    }
}

/// The loops that take longer: those of blocks which are erased together.
fn longer(one: Loops, other: Loops) -> Loops {
    if other.array_ns() > one.array_ns() { other } else { one }
}
