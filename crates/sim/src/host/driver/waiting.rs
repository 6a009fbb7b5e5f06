//! Parts that wait in the controller's DRAM before the drive decides where they go: until when, the
//! technique says. They are read from there, and what is written again meanwhile never reaches the flash.

use super::Driver;
use crate::engine::{RequestId, Scheduler};
use crate::ids::Lpn;
use crate::policy::hotness::{HostWrite, Part};
use crate::technique::Hooks;
use rustc_hash::FxHashSet;
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
    held: FxHashSet<Lpn>,
    /// When the technique is asked again.
    due_ns: u64,
}

impl<J> Default for Waiting<J> {
    fn default() -> Self {
        Self { parts: VecDeque::new(), held: FxHashSet::default(), due_ns: u64::MAX }
    }
}

impl<J> Waiting<J> {
    /// True where nothing waits.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// True where a unit waits.
    pub fn holds(&self, lpn: Lpn) -> bool {
        !self.held.is_empty() && self.held.contains(&lpn)
    }

    /// When the technique is asked again; never, where nothing waits any longer.
    pub fn due_ns(&self) -> u64 {
        if self.parts.is_empty() { u64::MAX } else { self.due_ns }
    }

    /// Takes a unit out; the request that waited for it.
    fn remove(&mut self, lpn: Lpn) -> Option<RequestId> {
        if !self.held.remove(&lpn) {
            return None;
        }
        let mut id = None;
        for part in &mut self.parts {
            if let Some(at) = part.iter().position(|unit| unit.write.lpn == lpn) {
                id = part.remove(at).id;
                break;
            }
        }
        self.parts.retain(|part| !part.is_empty());
        id
    }
}

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// True where the part that begins with a unit has to wait.
    pub(super) fn must_wait(&mut self, first: &HostWrite) -> bool {
        if !S::TIMED || self.ftl.read_only {
            return false;
        }
        let Some(wait) = self.ftl.waits(&self.io, first) else { return false };
        self.ask_at(wait.until_ns);
        self.waiting.parts.push_back(Vec::new());
        true
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
        self.waiting.held.insert(write.lpn);
        let last = self.waiting.parts.back_mut().expect("a part waits");
        last.push(Deferred { write: *write, after, id });
    }

    /// A unit is written anew, or its data is dead: what waits of it is of no use.
    pub(super) fn supersede(&mut self, lpn: Lpn) {
        if let Some(id) = self.waiting.remove(lpn) {
            let now_ns = self.io.sched.now_ns();
            self.io.requests.part_done(id, now_ns);
        }
    }

    /// Asks again of the parts, the oldest first; with `all`, none waits any longer.
    pub(super) fn serve_waiting(&mut self, all: bool) {
        if self.waiting.parts.is_empty() || !all && self.io.sched.now_ns() < self.waiting.due_ns {
            return;
        }
        self.waiting.due_ns = u64::MAX;
        let mut index = 0;
        while let Some(part) = self.waiting.parts.get_mut(index) {
            settle(part);
            let first = part[0].write;
            match self.ftl.waits(&self.io, &first).filter(|_| !all) {
                Some(wait) => {
                    self.ask_at(wait.until_ns);
                    if wait.holds_up {
                        return;
                    }
                    index += 1;
                }
                None => {
                    let part = self.waiting.parts.remove(index).unwrap_or_default();
                    self.release(part);
                }
            }
        }
    }

    fn release(&mut self, part: Vec<Deferred<S::Join>>) {
        let now_ns = self.io.sched.now_ns();
        for Deferred { write, after, id } in part {
            self.waiting.held.remove(&write.lpn);
            self.write_flash(&HostWrite { now_ns, ..write }, after, id);
            if let Some(id) = id {
                self.io.requests.part_done(id, now_ns);
            }
        }
    }
}

/// What is left of a part ends with its last unit.
fn settle<J>(part: &mut [Deferred<J>]) {
    let last = part.iter().map(|unit| unit.write.lpn).max().unwrap_or_default();
    for unit in part {
        unit.write.part = unit.write.part.map(|part| Part { last, ..part });
    }
}
