//! Parts that wait in the controller's DRAM before the drive decides where they go: until when, the
//! technique says. They are read from there, and what is written again meanwhile never reaches the flash.

use super::Driver;
use crate::engine::Scheduler;
use crate::ids::{Id, Lpn};
use crate::nand::command::RequestId;
use crate::policy::hotness::{HostWrite, Part};
use crate::technique::{Hooks, Ready};
use crate::util::GrowingBits;
use std::collections::VecDeque;

/// A unit that waits.
struct Deferred<J> {
    write: HostWrite,
    /// What must be over before it can be programmed.
    after: J,
    /// The request that waits for it.
    id: Option<RequestId>,
}

/// Parts that wait, the oldest first.
pub(super) struct Waiting<J> {
    parts: VecDeque<Vec<Deferred<J>>>,
    /// Their units.
    held: GrowingBits,
    /// When the technique is asked again.
    due_ns: u64,
}

impl<J> Default for Waiting<J> {
    fn default() -> Self {
        Self { parts: VecDeque::new(), held: GrowingBits::default(), due_ns: u64::MAX }
    }
}

impl<J> Waiting<J> {
    /// True where nothing waits.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// True where a unit waits.
    pub fn holds(&self, lpn: Lpn) -> bool {
        !self.parts.is_empty() && self.held.contains(lpn.number())
    }

    /// When the technique is asked again; never, where nothing waits any longer.
    pub fn due_ns(&self) -> u64 {
        if self.parts.is_empty() { u64::MAX } else { self.due_ns }
    }

    /// The next unit of the part that waits last.
    fn push(&mut self, unit: Deferred<J>) {
        self.held.insert(unit.write.lpn.number());
        self.parts.back_mut().expect("a part waits").push(unit);
    }

    /// Takes a unit out that waits; the request that waited for it. What is left of its part ends with its
    /// last unit.
    fn remove(&mut self, lpn: Lpn) -> Option<RequestId> {
        self.held.remove(lpn.number());
        let place = |part: &Vec<Deferred<J>>| part.iter().position(|unit| unit.write.lpn == lpn);
        let found = self.parts.iter().enumerate().find_map(|(at, part)| Some((at, place(part)?)));
        let (at, place) = found.expect("a part holds what waits");
        let part = &mut self.parts[at];
        let id = part.remove(place).id;
        match part.iter().map(|unit| unit.write.lpn).max() {
            None => drop(self.parts.remove(at)),
            Some(last) => {
                for unit in part {
                    unit.write.part = unit.write.part.map(|part| Part { last, ..part });
                }
            }
        }
        id
    }
}

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// True where the part that begins with a unit has to wait.
    pub(super) fn must_wait(&mut self, first: &HostWrite) -> bool {
        if !S::TIMED || self.ftl.read_only {
            return false;
        }
        let Ready { place, until_ns } = self.ftl.first_ready(&self.io, &mut std::iter::once(first));
        let waits = place.is_none();
        if waits {
            self.ask_at(until_ns);
            self.waiting.parts.push_back(Vec::new());
        }
        waits
    }

    /// The technique is asked again at a time, or as soon as time passes.
    fn ask_at(&mut self, until_ns: u64) {
        let later_ns = until_ns.max(self.io.sched.now_ns() + 1);
        self.waiting.due_ns = self.waiting.due_ns().min(later_ns);
    }

    /// Lets time pass until no part waits.
    pub(super) fn wait_out(&mut self) {
        while !self.waiting.is_empty() {
            let due_ns = self.waiting.due_ns;
            while self.io.sched.step(due_ns, &mut self.io.requests) {
                self.collect_finished();
            }
            self.io.sched.advance(due_ns, &mut self.io.requests);
            self.serve_waiting(false);
            self.collect_finished();
        }
    }

    /// The next unit of the part that waits last.
    pub(super) fn defer(&mut self, write: &HostWrite, after: S::Join, id: Option<RequestId>) {
        if let Some(id) = id {
            self.io.requests.add_part(id);
        }
        let part = write.part.map(|part| Part { has_waited: true, ..part });
        self.waiting.push(Deferred { write: HostWrite { part, ..*write }, after, id });
    }

    /// A unit is written anew, or its data is dead: what waits of it is of no use. True where that
    /// did wait.
    #[inline]
    pub(super) fn supersede(&mut self, lpn: Lpn) -> bool {
        let waits = self.waiting.holds(lpn);
        if waits {
            self.let_go(lpn);
        }
        waits
    }

    #[inline(never)]
    fn let_go(&mut self, lpn: Lpn) {
        if let Some(id) = self.waiting.remove(lpn) {
            let now_ns = self.io.sched.now_ns();
            self.io.requests.part_done(id, now_ns);
        }
    }

    /// Asks again of the parts, the oldest first; with `all`, none waits any longer.
    pub(super) fn serve_waiting(&mut self, all: bool) {
        if self.waiting.is_empty() || !all && self.io.sched.now_ns() < self.waiting.due_ns {
            return;
        }
        self.waiting.due_ns = u64::MAX;
        let mut from = 0;
        while from < self.waiting.parts.len() {
            let asked = if all { 1 } else { usize::MAX };
            let firsts = self.waiting.parts.range(from..).map(|part| &part[0].write);
            let Ready { place, until_ns } = self.ftl.first_ready(&self.io, &mut firsts.take(asked));
            self.ask_at(until_ns);
            match place {
                _ if all => {}
                Some(place) => from += place,
                None => return,
            }
            self.release(from);
        }
    }

    fn release(&mut self, at: usize) {
        let now_ns = self.io.sched.now_ns();
        for Deferred { write, after, id } in self.waiting.parts.remove(at).unwrap_or_default() {
            self.waiting.held.remove(write.lpn.number());
            self.write_flash::<false>(&HostWrite { now_ns, ..write }, after, id);
            if let Some(id) = id {
                self.io.requests.part_done(id, now_ns);
            }
        }
    }
}
