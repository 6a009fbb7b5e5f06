//! Commands that differ in their pages alone: what one takes follows from the type of its page, and is found
//! once for each type.

use super::io::Io;
use super::prepared::Prepared;
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::nand::command::{NO_TICKET, Program, Read};

/// Reads of single pages of a block, or programs of those of one, that differ in their pages alone.
#[derive(Debug, Default)]
pub struct Alike {
    by_type: [Option<Prepared>; 4],
}

impl Alike {
    /// The command to a page of a type.
    #[inline(always)]
    fn at(&mut self, kind: u32, page: u32, prepare: impl FnOnce() -> Prepared) -> &Prepared {
        let known = &mut self.by_type[kind as usize % 4];
        let prepared = match known {
            Some(prepared) => prepared,
            None => known.insert(prepare()),
        };
        prepared.op.span.page = page;
        prepared
    }
}

impl<S: Scheduler> Io<S> {
    /// Programs a page for which nobody waits, once `after` is over, like others of `alike`.
    #[inline(always)]
    pub fn program_alike(
        &mut self,
        state: &DriveState,
        alike: &mut Alike,
        program: Program<'_>,
        after: &S::Join,
    ) {
        let span = program.span;
        debug_assert!(span.pages == 1 && program.others.is_empty() && !program.closes_block);
        let kind = state.geometry.of(span.block).page_type(span.page);
        let prepare = || state.prepare_program(program, NO_TICKET);
        let Prepared { op, energy_nj, cause } = alike.at(kind, span.page, prepare);
        self.counters.program_ops += 1;
        self.counters.program_nj += energy_nj;
        if S::TIMED {
            self.count_gc(*cause, op);
            self.sched.issue(op, &[], after, &[], &mut self.requests);
        }
    }

    /// Reads a page for nobody in particular, like others of `alike`.
    #[inline(always)]
    pub fn read_alike(
        &mut self,
        state: &DriveState,
        alike: &mut Alike,
        read: Read<'_>,
    ) -> S::Stamp {
        let span = read.span;
        debug_assert!(span.pages == 1 && read.others.is_empty());
        let kind = state.geometry.of(span.block).page_type(span.page);
        let prepare = || state.prepare_read(read, NO_TICKET);
        let Prepared { op, energy_nj, cause } = alike.at(kind, span.page, prepare);
        self.counters.reads[*cause as usize] += 1;
        self.counters.read_nj += energy_nj;
        if !S::TIMED {
            return S::Stamp::default();
        }
        self.count_gc(*cause, op);
        self.sched.issue(op, &[], &S::Join::default(), &[], &mut self.requests)
    }
}
