//! Whose turn it is: which queue the drive takes its next request from.

use crate::schema::{Arbitration, HostConfig, QueueClass};
use std::collections::BTreeSet;

/// Queues that take turns, each with a burst of requests.
#[derive(Debug, Default)]
pub(super) struct Turns {
    ready: BTreeSet<usize>,
    /// The queue whose turn it was last, and what is left of its burst.
    last: usize,
    left: u64,
}

impl Turns {
    fn next(&mut self, burst: u64) -> Option<usize> {
        if self.left == 0 || !self.ready.contains(&self.last) {
            let after = self.ready.range(self.last + 1..).next();
            self.last = *after.or_else(|| self.ready.first())?;
            self.left = burst;
        }
        self.left -= 1;
        Some(self.last)
    }
}

/// Chooses among the queues of which a request can go.
#[derive(Debug)]
pub(super) enum Arbiter {
    /// The drive takes whatever can go: the one that could the longest ago first.
    Longest(BTreeSet<(u64, usize)>),
    /// It has room for so many alone, and classes and queues take turns (NVM Express: an urgent class before all others,
    /// whose credits are given anew when none of those that can go has any left).
    Turns { classes: [Turns; 4], weights: [u64; 3], credits: [u64; 3], burst: u64 },
}

impl Arbiter {
    /// The arbiter of a configuration.
    ///
    /// # Panics
    /// There are not three weights, which nobody has checked.
    pub fn new(host: &HostConfig) -> Self {
        if host.fetch_limit == 0 {
            return Self::Longest(BTreeSet::new());
        }
        let weights: [u8; 3] = host.class_weights[..].try_into().expect("three weights");
        let weights = weights.map(|weight| u64::from(weight) + 1);
        let classes = std::array::from_fn(|_| Turns { last: usize::MAX - 1, ..Turns::default() });
        Self::Turns { classes, weights, credits: weights, burst: host.arbitration_burst }
    }

    /// The class in which a queue takes turns.
    pub fn class(host: &HostConfig, own: QueueClass) -> usize {
        match host.arbitration {
            Arbitration::RoundRobin => 0,
            Arbitration::Weighted => own as usize,
        }
    }

    /// A queue of a class, which could send a request since `before_ns`, can since `now_ns`; `None`: it cannot.
    pub fn note(
        &mut self,
        queue: usize,
        class: usize,
        before_ns: Option<u64>,
        now_ns: Option<u64>,
    ) {
        match self {
            Self::Longest(can_go) => {
                before_ns.map(|ns| can_go.remove(&(ns, queue)));
                now_ns.map(|ns| can_go.insert((ns, queue)));
            }
            Self::Turns { classes, .. } => match now_ns {
                Some(_) => drop(classes[class].ready.insert(queue)),
                None => drop(classes[class].ready.remove(&queue)),
            },
        }
    }

    /// The queue whose turn it is.
    pub fn next(&mut self) -> Option<usize> {
        let (classes, weights, credits, burst) = match self {
            Self::Longest(can_go) => return Some(can_go.first()?.1),
            Self::Turns { classes, weights, credits, burst } => {
                (classes, *weights, credits, *burst)
            }
        };
        let [urgent, others @ ..] = classes;
        if let Some(queue) = urgent.next(burst) {
            return Some(queue);
        }
        let can_go = |class: &usize| !others[*class].ready.is_empty();
        let class = (0..3).filter(can_go).find(|&class| credits[class] > 0).or_else(|| {
            *credits = weights;
            (0..3).find(can_go)
        })?;
        credits[class] -= 1;
        others[class].next(burst)
    }
}
