//! When programs start that are not full.

use super::{Io, Writer};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::ids::{ById, DieId, PointId};
use crate::nand::Span;
use crate::schema::{Acknowledge, FtlConfig, ProgramStart};
use crate::technique::Hooks;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What starts a program that is not full and for which somebody waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Its die has nothing else to do.
    Idle,
    /// Its die has nothing else to do, and more writes wait for room in the controller's buffer than are being programmed.
    IdleAndFull,
    /// So many nanoseconds since somebody has waited for it.
    Timeout(u64),
    /// Writes wait for such room, and nothing that serves them is under way.
    Stuck,
}

/// The programs of a die for which somebody waits, the one that has been waited for longest first.
#[derive(Debug, Default)]
struct OfDie {
    points: Vec<PointId>,
    /// Whether the die is among those due, or is watched.
    is_listed: bool,
}

/// Programs that are not full and for which somebody waits.
#[derive(Debug)]
pub(super) struct Starts {
    rule: Rule,
    /// By timeout: `(when, write point)`, earliest first.
    deadlines: VecDeque<(u64, PointId)>,
    /// By idle dies.
    dies: ById<DieId, OfDie>,
    /// Dies that may be idle, and from when: once each. It is asked again then.
    due: BinaryHeap<Reverse<(u64, DieId)>>,
    /// Parts that wait for programs which are not full.
    unstarted: u64,
}

impl Starts {
    pub fn new(config: &FtlConfig, dies: u32) -> Self {
        let rule = match (config.program_start, config.acknowledge) {
            (ProgramStart::WhenIdle, Acknowledge::Program) => Rule::Idle,
            (ProgramStart::WhenIdle, Acknowledge::Buffer) => Rule::IdleAndFull,
            (ProgramStart::AfterTimeout, Acknowledge::Program) => {
                Rule::Timeout((config.merge_timeout_us * 1000.0).round() as u64)
            }
            (ProgramStart::AfterTimeout, Acknowledge::Buffer) => Rule::Stuck,
        };
        Self {
            rule,
            deadlines: VecDeque::new(),
            dies: (0..dies).map(|_| OfDie::default()).collect(),
            due: BinaryHeap::new(),
            unstarted: 0,
        }
    }

    /// Starts by the same rule of a drive on which nothing waits.
    pub fn anew(&self) -> Self {
        Self {
            rule: self.rule,
            deadlines: VecDeque::new(),
            dies: self.dies.iter().map(|_| OfDie::default()).collect(),
            due: BinaryHeap::new(),
            unstarted: 0,
        }
    }

    /// Lists a die by when it will be idle.
    fn list<S: Scheduler>(&mut self, die: DieId, sched: &mut S) {
        self.dies[die].is_listed = true;
        match sched.idle_from_ns(die) {
            u64::MAX => sched.watch(die),
            at_ns => self.due.push(Reverse((at_ns, die))),
        }
    }

    /// When the next die is idle for which a program waits, as far as is known, and which it is.
    fn next_idle<S: Scheduler>(&mut self, sched: &mut S) -> Option<(u64, DieId)> {
        let now_ns = sched.now_ns();
        while let Some(die) = sched.pop_idle() {
            self.due.push(Reverse((now_ns, die)));
        }
        while let Some(&Reverse((at_ns, die))) = self.due.peek() {
            if at_ns > now_ns {
                return Some((at_ns, die));
            }
            if self.dies[die].points.is_empty() {
                self.due.pop();
                self.dies[die].is_listed = false;
            } else if sched.idle_from_ns(die) <= now_ns {
                return Some((now_ns, die));
            } else {
                self.due.pop();
                self.list(die, sched);
            }
        }
        None
    }
}

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    /// Somebody begins to wait for the program of a write point.
    pub(super) fn await_start(&mut self, io: &mut Io<S>, point: PointId) {
        match self.starts.rule {
            Rule::Idle => {
                let die = die_of_program(&self.state, point);
                self.pending[point].die = die;
                self.starts.dies[die].points.push(point);
                if !self.starts.dies[die].is_listed {
                    self.starts.list(die, &mut io.sched);
                }
            }
            Rule::Timeout(timeout_ns) => {
                let at_ns = io.sched.now_ns() + timeout_ns;
                self.pending[point].deadline_ns = at_ns;
                self.starts.deadlines.push_back((at_ns, point));
            }
            Rule::IdleAndFull | Rule::Stuck => {}
        }
    }

    /// One more part waits for a program.
    #[inline]
    pub(super) fn count_waiter(&mut self) {
        self.starts.unstarted += 1;
    }

    /// The program of a write point starts for which so many parts have waited.
    pub(super) fn has_started(&mut self, point: PointId, waiters: usize) {
        self.starts.unstarted -= waiters as u64;
        if waiters > 0 && self.starts.rule == Rule::Idle {
            let points = &mut self.starts.dies[self.pending[point].die].points;
            points.retain(|&other| other != point);
        }
    }

    /// Parts that wait for programs which are not full.
    #[inline]
    pub fn unstarted(&self) -> u64 {
        self.starts.unstarted
    }

    /// Whether a program that is not full starts only when writes wait for room and nothing under way will make any.
    pub fn starts_when_stuck(&self) -> bool {
        self.starts.rule == Rule::Stuck
    }

    /// When the next program starts that is not full; those whose time is over start at once. Idle dies have theirs
    /// started by [`Self::start_one`], once all has come that comes at the same time.
    pub fn next_start_ns(&mut self, io: &mut Io<S>) -> u64 {
        match self.starts.rule {
            Rule::Idle => self.starts.next_idle(&mut io.sched).map_or(u64::MAX, |(at_ns, _)| at_ns),
            Rule::IdleAndFull => self.next_idle_of_all(io),
            Rule::Timeout(_) => self.end_overdue_programs(io),
            Rule::Stuck => u64::MAX,
        }
    }

    /// When the first die is idle for which a program waits; a die without a known time is watched. Looks at every write
    /// point, which is cheap enough because it is done only while a buffer lacks room.
    fn next_idle_of_all(&self, io: &mut Io<S>) -> u64 {
        while io.sched.pop_idle().is_some() {}
        let mut first_ns = u64::MAX;
        for point in self.awaited() {
            let die = die_of_program(&self.state, point);
            match io.sched.idle_from_ns(die) {
                u64::MAX => io.sched.watch(die),
                at_ns => first_ns = first_ns.min(at_ns),
            }
        }
        first_ns
    }

    /// Starts a program that is due: on an idle die the one that has been waited for longest, or for the buffer's sake
    /// the one that lacks the least on any idle die. False where none is.
    pub fn start_one(&mut self, io: &mut Io<S>) -> bool {
        let now_ns = io.sched.now_ns();
        let point = match self.starts.rule {
            Rule::Idle => {
                let next = self.starts.next_idle(&mut io.sched);
                let idle = next.filter(|&(at_ns, _)| at_ns <= now_ns);
                idle.and_then(|(_, die)| self.starts.dies[die].points.first().copied())
            }
            Rule::IdleAndFull => {
                let is_idle = |&point: &PointId| {
                    io.sched.idle_from_ns(die_of_program(&self.state, point)) <= now_ns
                };
                self.awaited().filter(is_idle).min_by_key(|&point| missing(&self.state, point))
            }
            Rule::Timeout(_) => {
                self.end_overdue_programs(io);
                None
            }
            Rule::Stuck => None,
        };
        point.inspect(|&point| self.end_program(io, point)).is_some()
    }

    /// Write points for whose programs somebody waits.
    fn awaited(&self) -> impl Iterator<Item = PointId> + '_ {
        self.pending.ids().into_iter().filter(|&point| !self.pending[point].waiters.is_empty())
    }

    /// Starts every program whose time is over; returns when that of the next one is.
    fn end_overdue_programs(&mut self, io: &mut Io<S>) -> u64 {
        while let Some(&(at_ns, point)) = self.starts.deadlines.front() {
            let current = self.pending[point].deadline_ns == at_ns;
            if current && at_ns > io.sched.now_ns() {
                return at_ns;
            }
            self.starts.deadlines.pop_front();
            if current {
                self.end_program(io, point);
            }
        }
        u64::MAX
    }

    /// Starts, of the programs that a part waits for, the one that lacks the least.
    pub fn end_fullest_program(&mut self, io: &mut Io<S>) {
        if let Some(point) = self.awaited().min_by_key(|&point| missing(&self.state, point)) {
            self.end_program(io, point);
        }
    }
}

/// The die on which a write point programs next.
fn die_of_program(state: &DriveState, point: PointId) -> DieId {
    let open = &state.points[point];
    let block = open.first_lane().block;
    let place = open.place() + open.program_shape(false).offset;
    let page = state.geometry.of(block).page_of(place);
    state.locate_in_flash(Span { block, page, pages: 1 }).0
}

/// Units that the program of a write point lacks.
fn missing(state: &DriveState, point: PointId) -> u32 {
    let open = &state.points[point];
    open.program_units() - open.filled()
}
