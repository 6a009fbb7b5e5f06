//! The way from the FTL to time and figures: a scheduler, the requests that wait, the counters.

use super::cost::Cost;
use super::prepared::Prepared;
use crate::drive::DriveState;
use crate::engine::{FlashOp, Requests, Scheduler};
use crate::metrics::Counters;
use crate::nand::command::{Cause, Command, Erase, Extent, Program, Read, RequestId, Sensing};
use crate::nand::{Loops, Needs, PROGRAM, Span, Superblocks};

/// The way from the FTL to time and figures.
#[derive(Debug)]
pub struct Io<S: Scheduler> {
    /// Turns operations into times.
    pub sched: S,
    /// Host requests in flight.
    pub requests: Requests,
    /// Running totals.
    pub counters: Counters,
}

impl<S: Scheduler> Io<S> {
    /// An idle drive with every figure at zero.
    pub fn new(sched: S) -> Self {
        Self { sched, requests: Requests::default(), counters: Counters::default() }
    }

    #[inline(always)]
    fn program(
        &mut self,
        state: &DriveState,
        program: Program<'_>,
        place: Place<'_>,
        ticket: u32,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        self.counters.program_ops += 1;
        if program.row != PROGRAM {
            let is_in_place = state.ops.row(program.row).needs == Needs::Programmed;
            self.counters.reprograms += u64::from(is_in_place);
        }
        if !S::TIMED {
            if state.ops.has_energy() {
                let Program { row, extent, span, others, .. } = program;
                self.count_program_energy(state, (row, extent), span, others);
            }
            return S::Stamp::default();
        }
        let Prepared { op, energy_nj, cause } = state.prepare_program(program, ticket);
        self.counters.program_nj += energy_nj;
        self.count_gc(cause, &op);
        match place {
            None => self.sched.issue(&op, program.others, after, waiters, &mut self.requests),
            Some(superblocks) => self.issue_in(superblocks, op, program.others, after, waiters),
        }
    }

    /// Issues an operation on pages of a superblock where they lie in the flash.
    #[cold]
    fn issue_in(
        &mut self,
        superblocks: &Superblocks,
        op: FlashOp,
        others: &[Span],
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        let (die, span) = superblocks.locate(op.span);
        // Those of another die have ended the run already: `Chips::take`.
        let in_flash = others.iter().map(|&other| superblocks.locate(other));
        let others: Vec<Span> =
            in_flash.filter(|&(other, _)| other == die).map(|(_, span)| span).collect();
        let op = FlashOp { die, span, ..op };
        self.sched.issue(&op, &others, after, waiters, &mut self.requests)
    }

    #[inline(always)]
    fn read(
        &mut self,
        state: &DriveState,
        read: Read<'_>,
        place: Place<'_>,
        ticket: u32,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        if !S::TIMED {
            self.count_read(&read);
            if state.ops.has_energy() {
                let Read { span, sensing, others, other_sensings, .. } = read;
                match others {
                    [] => self.count_sensing_energy(state, span, sensing),
                    _ => {
                        self.count_energy_together(state, (span, sensing), (others, other_sensings))
                    }
                }
            }
            return S::Stamp::default();
        }
        self.issue_read(&read, state.prepare_read(read, ticket), place, after, waiters)
    }

    #[inline(always)]
    fn count_read(&mut self, read: &Read<'_>) {
        let pages = u64::from(read.span.pages) * (1 + read.others.len() as u64);
        self.counters.reads[read.cause as usize] += pages;
    }

    /// Issues a read that has been prepared.
    #[inline(always)]
    pub(super) fn issue_read(
        &mut self,
        read: &Read<'_>,
        Prepared { op, energy_nj, cause }: Prepared,
        place: Place<'_>,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        self.count_read(read);
        self.counters.read_nj += energy_nj;
        self.count_gc(cause, &op);
        match place {
            None => self.sched.issue(&op, read.others, after, waiters, &mut self.requests),
            Some(superblocks) => self.issue_in(superblocks, op, read.others, after, waiters),
        }
    }

    /// The energy of a read that takes no time, kept out of the path of drives without energy.
    // Given what it looks at, not the command, which would be kept in memory.
    #[inline(never)]
    fn count_sensing_energy(&mut self, state: &DriveState, span: Span, sensing: Sensing) {
        self.counters.read_nj += state.sensing_cost((span, sensing), (&[], &[])).energy_nj;
    }

    /// The energy of a read of pages in several planes.
    #[inline(never)]
    fn count_energy_together(
        &mut self,
        state: &DriveState,
        (span, sensing): (Span, Sensing),
        others: (&[Span], &[Sensing]),
    ) {
        self.counters.read_nj += state.sensing_cost((span, sensing), others).energy_nj;
    }

    /// The energy of a program.
    #[inline(never)]
    fn count_program_energy(
        &mut self,
        state: &DriveState,
        (row, extent): (u8, Extent),
        span: Span,
        others: &[Span],
    ) {
        self.counters.program_nj += state.program_cost_by((row, extent), span, others).energy_nj;
    }

    fn erase(
        &mut self,
        state: &DriveState,
        erase: Erase<'_>,
        place: Place<'_>,
        ticket: u32,
        after: &S::Join,
    ) -> S::Stamp {
        self.counters.erase_ns += erase.loops.iter().map(Loops::array_ns).sum::<u64>();
        self.counters.erase_nj += erase.energy_nj;
        if !S::TIMED {
            return S::Stamp::default();
        }
        let first = erase.span;
        let row = state.ops.of_group(state.geometry.group_of(first.block)).erase;
        let loops = erase.loops.first().copied().unwrap_or_default();
        let array_ns = loops.array_ns();
        let cost = Cost { row: state.ops.entry(row), array_ns, energy_nj: erase.energy_nj };
        let op = state.flash_op(cost, first, erase.cause, 0, ticket);
        if let Some(superblocks) = place {
            return self.erase_in(superblocks, op, erase.loops, after);
        }
        self.count_gc(erase.cause, &op);
        // The reads of the victims come before it on the die as they are.
        let requests = &mut self.requests;
        self.sched.issue_erase(&op, &loops, erase.others, after, &[], requests)
    }

    /// Erases the blocks of a superblock, those of each die together, unless a die has no loops to do; returns the
    /// end of the last erase.
    fn erase_in(
        &mut self,
        superblocks: &Superblocks,
        op: FlashOp,
        loops: &[Loops],
        after: &S::Join,
    ) -> S::Stamp {
        let mut last = S::Stamp::default();
        for (program, loops) in (0..).zip(loops).filter(|(_, loops)| !loops.is_empty()) {
            let (die, blocks) = superblocks.blocks_of(op.span.block, program);
            let blocks: Vec<Span> = blocks.collect();
            let op = FlashOp { die, span: blocks[0], array_ns: loops.array_ns(), ..op };
            self.count_gc(op.cause, &op);
            let requests = &mut self.requests;
            last = self.sched.issue_erase(&op, loops, &blocks[1..], after, &[], requests);
        }
        last
    }

    #[inline(always)]
    pub(super) fn count_gc(&mut self, cause: Cause, op: &FlashOp) {
        if cause == Cause::Gc {
            self.counters.gc_ns += op.array_ns + op.transfer_ns;
        }
    }
}

/// Where the blocks of a command lie: `None` where they are those of the flash, or else superblocks.
pub type Place<'a> = Option<&'a Superblocks>;

/// A command of one kind, for those who issue it: what it is called for is known when it is compiled.
pub trait Order<'a>: Copy + Into<Command<'a>> {
    /// True for what leaves the pages as they are.
    const READS: bool = false;

    /// The pages that it works on: the first, and the others.
    fn pages(self) -> (Span, &'a [Span]);

    /// The row by which it is carried out on the first pages.
    fn row(self, state: &DriveState) -> u8;

    /// The name under which its technique wants to hear of it.
    #[inline(always)]
    fn asked(self) -> Option<u32> {
        None
    }

    /// Carries it out once `after` is over; its end is a part's end for every request in `waiters`.
    /// Whoever is to hear of it is told under the name `ticket`.
    fn carry_out<S: Scheduler>(
        self,
        io: &mut Io<S>,
        state: &DriveState,
        place: Place<'_>,
        ticket: u32,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp;
}

impl<'a> Order<'a> for Program<'a> {
    #[inline(always)]
    fn pages(self) -> (Span, &'a [Span]) {
        (self.span, self.others)
    }

    #[inline(always)]
    fn row(self, state: &DriveState) -> u8 {
        state.program_row(self.row, self.span.block)
    }

    #[inline(always)]
    fn asked(self) -> Option<u32> {
        self.ticket
    }

    #[inline(always)]
    fn carry_out<S: Scheduler>(
        self,
        io: &mut Io<S>,
        state: &DriveState,
        place: Place<'_>,
        ticket: u32,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        io.program(state, self, place, ticket, after, waiters)
    }
}

impl<'a> Order<'a> for Read<'a> {
    const READS: bool = true;

    #[inline(always)]
    fn pages(self) -> (Span, &'a [Span]) {
        (self.span, self.others)
    }

    #[inline(always)]
    fn row(self, state: &DriveState) -> u8 {
        state.sensing_row(self.sensing.row, self.span.block)
    }

    #[inline(always)]
    fn carry_out<S: Scheduler>(
        self,
        io: &mut Io<S>,
        state: &DriveState,
        place: Place<'_>,
        ticket: u32,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        io.read(state, self, place, ticket, after, waiters)
    }
}

impl<'a> Order<'a> for Erase<'a> {
    #[inline(always)]
    fn pages(self) -> (Span, &'a [Span]) {
        (self.span, self.others)
    }

    #[inline(always)]
    fn row(self, state: &DriveState) -> u8 {
        state.erase_row(self.span.block)
    }

    fn carry_out<S: Scheduler>(
        self,
        io: &mut Io<S>,
        state: &DriveState,
        place: Place<'_>,
        ticket: u32,
        after: &S::Join,
        _: &[RequestId],
    ) -> S::Stamp {
        io.erase(state, self, place, ticket, after)
    }
}
