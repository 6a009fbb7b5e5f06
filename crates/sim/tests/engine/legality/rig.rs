//! Operations handed to a scheduler one by one, and when each of them ends.

use crate::common::{at, tiny_timed};
use wordline_sim::config::{Config, ServiceOrder};
use wordline_sim::engine::{FlashOp, InOrder, Queued, Requests, Scheduler, Source};
use wordline_sim::ids::{BlockId, DieId};
use wordline_sim::nand::command::{Cause, NO_TICKET};
use wordline_sim::nand::{Geometry, Kind, Loops, Needs, Pulse, Span};
use wordline_trace::Op;

/// Array times of [`read`], [`program`] and [`erase`], and the time of a transfer.
pub const READ_NS: u64 = 50;
pub const PROGRAM_NS: u64 = 600;
pub const ERASE_NS: u64 = 3000;
pub const TRANSFER_NS: u64 = 10;

/// An operation as it is issued.
#[derive(Debug, Clone)]
pub struct Step {
    pub at_ns: u64,
    pub op: FlashOp,
    pub block: u32,
    pub page: u32,
    /// A block of another plane that takes part.
    pub other: Option<u32>,
    /// Steps that must be over first, by index.
    pub after: Vec<usize>,
    /// Those of an erase; empty: undivided.
    pub loops: Loops,
}

impl Step {
    fn new(kind: Kind, array_ns: u64, transfer_ns: u64) -> Self {
        let needs = match kind {
            Kind::Read => Needs::Programmed,
            Kind::Program => Needs::Erased,
            Kind::Erase => Needs::NoValidData,
        };
        let op = FlashOp {
            kind,
            needs,
            cause: Cause::Host,
            source: Source::Controller,
            die: DieId(0),
            array_ns,
            transfer_ns,
            command_ns: 0,
            span: Span::default(),
            ticket: NO_TICKET,
            urgent: false,
        };
        let (after, loops) = (Vec::new(), Loops::default());
        Self { at_ns: 0, op, block: 0, page: 0, other: None, after, loops }
    }

    pub fn at(mut self, at_ns: u64) -> Self {
        self.at_ns = at_ns;
        self
    }

    /// On another die; its blocks are its own.
    pub fn die(mut self, die: u32) -> Self {
        self.op.die = DieId(die);
        self.block = die * BLOCKS + self.block % BLOCKS;
        self
    }

    pub fn block(mut self, block: u32) -> Self {
        self.block = self.op.die.0 * BLOCKS + block;
        self
    }

    /// Together with a block of another plane.
    pub fn with(mut self, other: u32) -> Self {
        self.other = Some(self.op.die.0 * BLOCKS + other);
        self
    }

    pub fn page(mut self, page: u32) -> Self {
        self.page = page;
        self
    }

    /// Ahead of whatever else waits.
    pub fn urgent(mut self) -> Self {
        self.op.urgent = true;
        self
    }

    pub fn cause(mut self, cause: Cause) -> Self {
        self.op.cause = cause;
        self
    }

    /// A pass over pages that hold data; its own is there.
    pub fn pass(mut self, source: Source) -> Self {
        (self.op.needs, self.op.source) = (Needs::Programmed, source);
        self
    }

    /// A program of data that is there.
    pub fn source(mut self, source: Source) -> Self {
        self.op.source = source;
        self
    }

    pub fn command(mut self, command_ns: u64) -> Self {
        self.op.command_ns = command_ns;
        self
    }

    pub fn transfer(mut self, transfer_ns: u64) -> Self {
        self.op.transfer_ns = transfer_ns;
        self
    }

    /// An erase in pulses of this length; the last one is what is left.
    pub fn pulse(self, pulse_ns: u64) -> Self {
        let (full, rest) = (self.op.array_ns / pulse_ns, self.op.array_ns % pulse_ns);
        let pulses = (0..full).map(|_| pulse_ns).chain((rest > 0).then_some(rest));
        let loops: Vec<(u64, u32)> = pulses.map(|pulse_ns| (pulse_ns, 0)).collect();
        self.loops(&loops)
    }

    /// An erase in loops: the time of each pulse and of its verify-read.
    pub fn loops(mut self, loops: &[(u64, u32)]) -> Self {
        let pulse = |&(pulse_ns, verify_ns): &(u64, u32)| Pulse {
            pulse_ns,
            verify_ns,
            may_suspend: true,
            ..Pulse::default()
        };
        self.loops = loops.iter().map(pulse).collect();
        self.op.array_ns = self.loops.array_ns();
        self
    }

    pub fn after(mut self, steps: &[usize]) -> Self {
        self.after = steps.to_vec();
        self
    }
}

pub fn read() -> Step {
    Step::new(Kind::Read, READ_NS, TRANSFER_NS)
}

pub fn program() -> Step {
    Step::new(Kind::Program, PROGRAM_NS, TRANSFER_NS)
}

pub fn erase() -> Step {
    Step::new(Kind::Erase, ERASE_NS, 0)
}

/// Blocks of a die.
pub const BLOCKS: u32 = 16;

/// Two channels with two dies each, of one plane.
pub fn drive() -> Config {
    let mut config = tiny_timed();
    config.drive.channels = 2;
    config.drive.chips_per_channel = 2;
    config.drive.scheduling.order = ServiceOrder::ReadsFirst;
    let scheduling = &mut config.drive.scheduling;
    (scheduling.suspend_us, scheduling.resume_us) = (0.02, 0.03);
    (scheduling.suspend_min_us, scheduling.suspend_limit) = (0.1, 2);
    config
}

pub fn queued(config: &Config) -> Queued {
    let geometry = Geometry::new(config).expect("a valid geometry");
    Queued::new(config, &geometry)
}

pub fn in_order(config: &Config) -> InOrder {
    let geometry = Geometry::new(config).expect("a valid geometry");
    InOrder::new(config, &geometry)
}

/// What a scheduler made of some steps.
#[derive(Debug)]
pub struct Outcome<S> {
    pub sched: S,
    /// When each step ended.
    pub ends_ns: Vec<u64>,
}

/// Issues the steps, which must be in order of time, and waits for all of them.
pub fn carry_out<S: Scheduler>(mut sched: S, steps: &[Step]) -> Outcome<S> {
    let mut requests = Requests::default();
    let mut stamps: Vec<S::Stamp> = Vec::new();
    for step in steps {
        sched.advance(step.at_ns, &mut requests);
        let id = requests.start(&at(0, Op::Read, 0, 0), step.at_ns);
        let mut after = S::Join::default();
        step.after.iter().for_each(|&index| sched.join(&mut after, stamps[index]));
        let span = |block| Span { block: BlockId(block), page: step.page, pages: 1 };
        let others: Vec<Span> = step.other.map(span).into_iter().collect();
        let own = FlashOp { span: span(step.block), ..step.op };
        let (op, loops) = (&own, &step.loops);
        stamps.push(match op.kind {
            Kind::Erase => sched.issue_erase(op, loops, &others, &after, &[id], &mut requests),
            _ => sched.issue(op, &others, &after, &[id], &mut requests),
        });
    }
    while sched.step(u64::MAX, &mut requests) {}
    assert_eq!(requests.in_flight(), 0, "every operation ends");
    let mut ends_ns = vec![0; steps.len()];
    for request in &requests.finished {
        ends_ns[request.number as usize] = request.done_ns;
    }
    Outcome { sched, ends_ns }
}

/// When the steps end under each order.
pub fn ends(config: &Config, steps: &[Step]) -> [Vec<u64>; 2] {
    [carry_out(in_order(config), steps).ends_ns, carry_out(queued(config), steps).ends_ns]
}

/// Both orders must give these ends.
pub fn both_end(config: &Config, steps: &[Step], expected: &[u64]) {
    let [in_order, queued] = ends(config, steps);
    assert_eq!(in_order, expected, "in order: {steps:#?}");
    assert_eq!(queued, expected, "reads first: {steps:#?}");
}

/// Priorities must give these ends.
pub fn queued_ends(config: &Config, steps: &[Step], expected: &[u64]) {
    assert_eq!(carry_out(queued(config), steps).ends_ns, expected, "{steps:#?}");
}
