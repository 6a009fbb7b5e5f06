//! What each die did, and when: who waits for a die waits for that.

use crate::engine::itemisation::{Ahead, AheadNs};
use crate::engine::scheduler::FlashOp;
use crate::nand::Kind;
use crate::nand::command::Cause;
use std::collections::VecDeque;

/// What an operation is to those behind it.
pub fn ahead(op: &FlashOp) -> Ahead {
    match (op.cause, op.kind) {
        (Cause::Gc, _) => Ahead::Gc,
        (Cause::Host | Cause::Mapping, Kind::Read) => Ahead::Reads,
        (Cause::Host | Cause::Mapping, Kind::Program) => Ahead::Programs,
        _ => Ahead::Others,
    }
}

/// A time during which a die did one thing.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    from_ns: u64,
    to_ns: u64,
    what: Ahead,
    /// What the die had done by its end.
    done_ns: AheadNs,
}

/// An operation that a die has taken up.
#[derive(Debug, Clone, Copy)]
struct Running {
    number: u32,
    what: Ahead,
    /// Since when the die has done nothing else.
    since_ns: u64,
    own_ns: u64,
}

/// What a die did.
#[derive(Debug, Default)]
pub struct Course {
    /// The operation that the die is at, and beneath it those that it has interrupted.
    running: Vec<Running>,
    stretches: VecDeque<Stretch>,
    done_ns: AheadNs,
    /// Operations by time of issue.
    issued: VecDeque<(u32, u64)>,
}

impl Course {
    /// An operation was issued.
    pub fn issued(&mut self, number: u32, now_ns: u64) {
        self.issued.push_back((number, now_ns));
    }

    /// The die takes an operation up.
    pub fn begin(&mut self, number: u32, what: Ahead, at_ns: u64) {
        self.pause(at_ns);
        self.running.push(Running { number, what, since_ns: at_ns, own_ns: 0 });
    }

    /// An operation is over; returns the time that the die gave it alone.
    pub fn end(&mut self, number: u32, at_ns: u64) -> u64 {
        let Some(at) = self.running.iter().position(|it| it.number == number) else { return 0 };
        if at + 1 == self.running.len() {
            self.pause(at_ns);
        }
        let over = self.running.remove(at);
        if let Some(resumed) = self.running.last_mut().filter(|_| at > 0) {
            resumed.since_ns = resumed.since_ns.max(at_ns);
        }
        over.own_ns
    }

    /// What the die is at pauses.
    fn pause(&mut self, at_ns: u64) {
        let Some(running) = self.running.last_mut() else { return };
        let Running { what, since_ns: from_ns, .. } = *running;
        let length_ns = at_ns.saturating_sub(from_ns);
        if length_ns == 0 {
            return;
        }
        running.own_ns += length_ns;
        running.since_ns = at_ns;
        self.done_ns[what as usize] += length_ns;
        let done_ns = self.done_ns;
        self.stretches.push_back(Stretch { from_ns, to_ns: at_ns, what, done_ns });
    }

    /// What the die did from one time to another, as far as that is over.
    pub fn between(&self, from_ns: u64, to_ns: u64) -> AheadNs {
        let (from, to) = (self.done_by(from_ns), self.done_by(to_ns));
        std::array::from_fn(|what| to[what].saturating_sub(from[what]))
    }

    /// What it had done by a time.
    fn done_by(&self, at_ns: u64) -> AheadNs {
        let next = self.stretches.partition_point(|it| it.to_ns <= at_ns);
        let Some(stretch) = self.stretches.get(next) else { return self.done_ns };
        let mut done_ns = stretch.done_ns;
        done_ns[stretch.what as usize] -= stretch.to_ns - stretch.from_ns.max(at_ns);
        done_ns
    }

    /// Forgets what was over before all that is still to end was issued, and before a time.
    pub fn forget(&mut self, before_ns: u64, is_over: impl Fn(u32) -> bool) {
        while self.issued.front().is_some_and(|&(number, _)| is_over(number)) {
            self.issued.pop_front();
        }
        let oldest_ns = self.issued.front().map_or(u64::MAX, |&(_, issued_ns)| issued_ns);
        let before_ns = before_ns.min(oldest_ns);
        while self.stretches.front().is_some_and(|it| it.to_ns <= before_ns) {
            self.stretches.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_goes_to_what_the_die_is_at() {
        let mut course = Course::default();
        course.begin(1, Ahead::Gc, 10);
        // Interrupted by two reads, one after the other.
        course.begin(2, Ahead::Reads, 15);
        assert_eq!(course.end(2, 18), 3);
        course.begin(3, Ahead::Reads, 20);
        assert_eq!(course.end(3, 24), 4);
        assert_eq!(course.end(1, 30), 5 + 2 + 6);
        course.begin(4, Ahead::Programs, 40);
        assert_eq!(course.end(4, 50), 10);
        assert_eq!(course.between(0, 60), [13, 7, 10, 0]);
        assert_eq!(course.between(12, 22), [3 + 2, 3 + 2, 0, 0]);
        assert_eq!(course.between(30, 40), [0; 4]);
        assert_eq!(course.between(39, 41), [0, 0, 1, 0]);
    }

    #[test]
    fn what_somebody_may_have_waited_for_is_kept() {
        let mut course = Course::default();
        for number in 0..100 {
            course.issued(number, u64::from(number));
            course.begin(number, Ahead::Programs, 10 * u64::from(number));
            course.end(number, 10 * u64::from(number) + 10);
        }
        course.forget(u64::MAX, |number| number < 50);
        assert_eq!(course.between(50, 1000), [0, 0, 950, 0]);
        assert!(course.stretches.len() == 95);
        course.forget(700, |_| true);
        assert_eq!(course.between(700, 1000), [0, 0, 300, 0]);
        assert_eq!(course.stretches.len(), 30);
    }
}
