//! Operations that have not ended, and those that others may have to wait for.

use super::dies::Course;
use crate::engine::itemisation::{Ahead, Path, Step};
use crate::ids::{ById, DieId};
use crate::nand::Kind;
use crate::nand::command::NO_TICKET;
use rustc_hash::{FxHashMap, FxHashSet};

/// Operations that are remembered before it is looked which of them nobody can wait for.
const FEW: usize = 1024;

/// An operation.
#[derive(Debug)]
pub struct Operation {
    /// Its die.
    pub die: DieId,
    /// What it is to those behind it.
    pub ahead: Ahead,
    /// The kind of flash, among the groups of dies.
    pub group: usize,
    /// What it does.
    pub kind: Kind,
    /// Time of the array.
    pub array_ns: u64,
    /// Time on the channel, for command and data.
    pub transfer_ns: u64,
    /// When it was issued.
    pub issued_ns: u64,
    /// The name under which somebody else asked to hear of it.
    pub asked: u32,
    /// Those that had to end before.
    pub after: Vec<u32>,
    /// The requests that wait for it.
    pub waiters: Vec<u64>,
    /// What it took, once it is over.
    pub path: Option<Path>,
}

/// Operations by number, from 1 on.
#[derive(Debug)]
pub struct Operations {
    by_number: FxHashMap<u32, Operation>,
    courses: ById<DieId, Course>,
    last: u32,
    /// How many are to be remembered before some are forgotten.
    most: usize,
}

impl Operations {
    /// None yet, of so many dies.
    pub fn new(dies: u32) -> Self {
        let courses = (0..dies).map(|_| Course::default()).collect();
        Self { by_number: FxHashMap::default(), courses, last: 0, most: 0 }
    }

    /// What a die did.
    pub fn course(&self, die: DieId) -> &Course {
        &self.courses[die]
    }

    /// Adds an operation; returns its number.
    pub fn add(&mut self, operation: Operation, now_ns: u64) -> u32 {
        if self.by_number.len() >= self.most.max(FEW) {
            self.forget(now_ns);
        }
        self.last = if self.last + 1 == NO_TICKET { 1 } else { self.last + 1 };
        self.courses[operation.die].issued(self.last, now_ns);
        self.by_number.insert(self.last, operation);
        self.last
    }

    /// Those that are over, and for which none waits any more, matter to none that is yet to come.
    fn forget(&mut self, now_ns: u64) {
        let under_way = self.by_number.values().filter(|it| it.path.is_none());
        let awaited: FxHashSet<u32> = under_way.flat_map(|it| it.after.iter().copied()).collect();
        self.by_number.retain(|number, it| {
            awaited.contains(number) || it.path.as_ref().is_none_or(|path| path.end_ns > now_ns)
        });
        self.most = 2 * self.by_number.len();
    }

    /// True for an operation that is not over.
    pub fn is_awaited(&self, number: u32, now_ns: u64) -> bool {
        let path = self.by_number.get(&number).map(|operation| operation.path.as_ref());
        path.is_some_and(|path| path.is_none_or(|path| path.end_ns > now_ns))
    }

    /// The name under which somebody else asked to hear of an operation.
    pub fn asked(&self, number: u32) -> u32 {
        self.by_number.get(&number).map_or(NO_TICKET, |operation| operation.asked)
    }

    /// A die takes an operation up.
    pub fn begin(&mut self, number: u32, at_ns: u64) {
        let Some(operation) = self.by_number.get(&number) else { return };
        self.courses[operation.die].begin(number, operation.ahead, at_ns);
    }

    /// An operation ends: who waited for it, and for what they waited. What dies did before a time nobody asks any more.
    pub fn end(&mut self, number: u32, end_ns: u64, before_ns: u64) -> (Vec<u64>, Path) {
        let Some(operation) = self.by_number.get(&number) else { return Default::default() };
        let die = operation.die;
        let own_ns = self.courses[die].end(number, end_ns);
        let path = self.path_of(operation, end_ns, own_ns);
        let Some(operation) = self.by_number.get_mut(&number) else { return Default::default() };
        operation.path = Some(path.clone());
        let waiters = std::mem::take(&mut operation.waiters);
        let is_over =
            |number| self.by_number.get(&number).is_none_or(|operation| operation.path.is_some());
        self.courses[die].forget(before_ns, is_over);
        (waiters, path)
    }

    /// The path of an operation to which its die gave so much time alone.
    fn path_of(&self, operation: &Operation, end_ns: u64, own_ns: u64) -> Path {
        let Operation { die, ahead, group, kind, array_ns, transfer_ns, issued_ns, .. } =
            *operation;
        let before = operation.after.iter().filter_map(|it| self.by_number.get(it)?.path.as_ref());
        let last = before.filter(|path| path.end_ns > issued_ns).max_by_key(|path| path.end_ns);
        let (begin_ns, ready_ns, first) =
            last.map_or((issued_ns, issued_ns, die), |path| (path.begin_ns, path.end_ns, path.die));
        let mut steps = last.map_or_else(Vec::new, |path| path.steps.clone());
        // A read of what the controller still has takes no flash.
        if let Some(wait_ns) = end_ns.checked_sub(ready_ns + array_ns + transfer_ns) {
            let mut left_ns = wait_ns;
            let mut ahead_ns = self.courses[die].between(ready_ns, end_ns);
            ahead_ns[ahead as usize] = ahead_ns[ahead as usize].saturating_sub(own_ns);
            for ns in &mut ahead_ns {
                *ns = left_ns.min(*ns);
                left_ns -= *ns;
            }
            steps.push(Step { group, kind, wait_ns, ahead_ns, array_ns, transfer_ns });
        }
        Path { begin_ns, end_ns, die: first, steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(array_ns: u64, issued_ns: u64, after: &[u32]) -> Operation {
        Operation {
            die: DieId(0),
            ahead: Ahead::Programs,
            group: 0,
            kind: Kind::Program,
            array_ns,
            transfer_ns: 5,
            issued_ns,
            asked: NO_TICKET,
            after: after.to_vec(),
            waiters: vec![7],
            path: None,
        }
    }

    #[test]
    fn steps_follow_one_another_and_take_all_of_the_time() {
        let mut operations = Operations::new(1);
        let early = operations.add(operation(10, 0, &[]), 0);
        let late = operations.add(operation(20, 0, &[]), 0);
        let then = operations.add(operation(30, 2, &[early, late]), 2);
        operations.end(early, 15, 0);
        operations.end(late, 28, 0);
        let (waiters, path) = operations.end(then, 100, 0);
        assert_eq!(waiters, [7]);
        let waits: Vec<_> = path.steps.iter().map(|step| (step.wait_ns, step.array_ns)).collect();
        assert_eq!(waits, [(3, 20), (37, 30)]);
        let sum = |step: &Step| step.wait_ns + step.array_ns + step.transfer_ns;
        assert_eq!(path.steps.iter().map(sum).sum::<u64>(), path.end_ns);
        // A request that came later waited for less.
        let since: Vec<_> = path.since(10).map(|step| (step.wait_ns, step.array_ns)).collect();
        assert_eq!(since, [(0, 13), (37, 30)]);
    }

    #[test]
    fn what_was_over_before_took_nothing_of_the_time() {
        let mut operations = Operations::new(1);
        let early = operations.add(operation(10, 0, &[]), 0);
        operations.end(early, 15, 0);
        assert!(operations.is_awaited(early, 14) && !operations.is_awaited(early, 15));
        let then = operations.add(operation(30, 20, &[early]), 20);
        let (_, path) = operations.end(then, 55, 0);
        assert_eq!((path.steps.len(), path.steps[0].wait_ns), (1, 0));
    }

    #[test]
    fn what_is_awaited_is_not_forgotten() {
        let mut operations = Operations::new(1);
        let first = operations.add(operation(10, 0, &[]), 0);
        operations.end(first, 15, 0);
        let then = operations.add(operation(10, 0, &[first]), 0);
        for now_ns in (20..).step_by(10).take(2 * FEW) {
            let number = operations.add(operation(1, now_ns, &[]), now_ns);
            operations.end(number, now_ns + 6, 0);
        }
        assert!(operations.by_number.len() < 2 * FEW);
        assert_eq!(operations.end(then, 40, 0).1.steps.len(), 2);
    }
}
