//! Erasing blocks: together where they lie in different planes of a die.

use super::Ftl;
use crate::engine::{Cause, FlashOp, Io, Scheduler};
use crate::nand::{Block, BlockState, Kind, Needs};
use crate::technique::{ErasePlan, Technique};

impl<T: Technique, S: Scheduler> Ftl<T, S> {
    /// Erases the blocks that wait for it.
    pub(super) fn erase_together(&mut self, io: &mut Io<S>) {
        let Some(&first) = self.to_erase.first() else { return };
        let (mut array_ns, mut pulse_ns) = (0, 0);
        let waiting = std::mem::take(&mut self.to_erase);
        self.op_blocks.clear();
        for block in waiting {
            self.op_blocks.push(block);
            let plan = self.erase_state(io, block);
            if plan.array_ns > array_ns {
                (array_ns, pulse_ns) = (plan.array_ns, plan.pulse_ns);
            }
        }
        io.counters.erase_ns += array_ns;
        if S::TIMED {
            // The reads of the victims come before it on the die as they are.
            let none = S::Join::default();
            let geometry = &self.state.geometry;
            let row = self.state.ops.of_group(geometry.group_of(first)).erase;
            let op = FlashOp {
                kind: Kind::Erase,
                needs: Needs::NoValidData,
                cause: Cause::Gc,
                die: geometry.die_of(geometry.plane_of(first)),
                page: 0,
                pages: geometry.of(first).pages_per_block,
                array_ns,
                transfer_ns: 0,
                command_ns: self.state.ops.command_ns(row),
                pulse_ns,
            };
            io.counters.gc_ns += op.array_ns;
            io.sched.issue(&op, &self.op_blocks, &none, &[], &mut io.requests);
        }
    }

    /// How a block is erased. While the steady state is verified no scheme is asked: what it noted of
    /// the block would outlive the verification.
    fn plan_erase(&mut self, block: u32) -> ErasePlan {
        let state = &self.state;
        let Block { program_row, read_row, .. } = state.blocks[block as usize];
        if !self.settings.wears {
            return ErasePlan { program_row, read_row, ..ErasePlan::default() };
        }
        let plan = self.erase_scheme.plan(state, block);
        self.technique.erase_plan(state, block, plan)
    }

    /// What an erase does to a block: it is free again, or worn out.
    fn erase_state(&mut self, io: &mut Io<S>, block: u32) -> ErasePlan {
        let plan = self.plan_erase(block);
        let state = &mut self.state;
        debug_assert_eq!(state.blocks[block as usize].valid, 0, "block {block} holds valid data");
        io.counters.erases += 1;
        io.counters.erase_nj += plan.energy_nj;
        let entry = &mut state.blocks[block as usize];
        entry.erases += 1;
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
