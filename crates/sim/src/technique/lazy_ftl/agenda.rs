//! When each die is looked at, and until when its second stages can wait.

use crate::ids::{ById, DieId, Id};

/// What is planned for a die.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// When its second stages must begin at the latest, were nothing else before them.
    pub latest_ns: u64,
    /// Whether blocks have left the lists since that was worked out: it may then be later.
    pub is_stale: bool,
}

const NOTHING: Plan = Plan { latest_ns: u64::MAX, is_stale: false };

/// The plans of all dies.
#[derive(Debug, Clone)]
pub(super) struct Agenda {
    dies: ById<DieId, Plan>,
    /// When each die is looked at next.
    looks_ns: ById<DieId, u64>,
    /// The die that is looked at next, of equals the first, and when that is.
    next: DieId,
    next_ns: u64,
}

impl Agenda {
    pub fn new(dies: u32) -> Self {
        Self {
            dies: ById::filled(NOTHING, dies),
            looks_ns: ById::filled(u64::MAX, dies),
            next: DieId(0),
            next_ns: u64::MAX,
        }
    }

    /// When a die is looked at next.
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// A die whose time has come.
    pub fn due(&self, now_ns: u64) -> Option<DieId> {
        (self.next_ns <= now_ns).then_some(self.next)
    }

    pub fn of(&self, die: DieId) -> Plan {
        self.dies[die]
    }

    /// A die is looked at again at `look_ns`.
    pub fn look_at(&mut self, die: DieId, look_ns: u64) {
        self.looks_ns[die] = look_ns;
        if (look_ns, die) <= (self.next_ns, self.next) {
            (self.next_ns, self.next) = (look_ns, die);
        } else if die == self.next {
            self.find_next();
        }
    }

    fn find_next(&mut self) {
        let (mut next_ns, mut next) = (u64::MAX, 0);
        for (die, &look_ns) in self.looks_ns.iter().enumerate() {
            if look_ns < next_ns {
                (next_ns, next) = (look_ns, die);
            }
        }
        (self.next_ns, self.next) = (next_ns, DieId::at(next));
    }

    /// A die is looked at again at `look_ns`, unless it is sooner already.
    pub fn look_by(&mut self, die: DieId, look_ns: u64) {
        self.look_at(die, look_ns.min(self.looks_ns[die]));
    }

    pub fn set_latest(&mut self, die: DieId, latest_ns: u64) {
        let plan = &mut self.dies[die];
        (plan.latest_ns, plan.is_stale) = (latest_ns, false);
    }

    /// Work of the entry that is due first is done: all else can wait that much longer.
    pub fn gain(&mut self, die: DieId, gained_ns: u64) {
        let latest_ns = &mut self.dies[die].latest_ns;
        *latest_ns = latest_ns.saturating_add(gained_ns);
    }

    pub fn is_stale(&mut self, die: DieId) {
        self.dies[die].is_stale = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_die_whose_time_comes_first_is_due_and_of_equals_the_first() {
        let mut agenda = Agenda::new(3);
        assert_eq!(agenda.due(u64::MAX - 1), None);
        for (die, look_ns) in [(2, 5), (1, 5), (0, 9)] {
            agenda.look_at(DieId(die), look_ns);
        }
        assert_eq!((agenda.due(4), agenda.due(5)), (None, Some(DieId(1))));
        agenda.look_at(DieId(2), 5);
        assert_eq!(agenda.due(5), Some(DieId(1)));
        // The next one is looked at later than both others, which are equals then.
        agenda.look_at(DieId(2), 9);
        agenda.look_at(DieId(1), 11);
        assert_eq!((agenda.next_ns(), agenda.due(9)), (9, Some(DieId(0))));
        agenda.look_by(DieId(0), 12);
        agenda.look_by(DieId(1), 3);
        assert_eq!(agenda.due(9), Some(DieId(1)));
    }
}
