//! When each die is looked at, and until when its second stages can wait.

use crate::ids::{ById, DieId};

/// What is planned for a die.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// When it is looked at next.
    pub look_ns: u64,
    /// When its second stages must begin at the latest, were nothing else before them.
    pub latest_ns: u64,
    /// True where blocks have left the lists since that was worked out: it may then be later.
    pub is_stale: bool,
}

const NOTHING: Plan = Plan { look_ns: u64::MAX, latest_ns: u64::MAX, is_stale: false };

/// The plans of all dies.
#[derive(Debug, Clone)]
pub(super) struct Agenda {
    dies: ById<DieId, Plan>,
    next_ns: u64,
}

impl Agenda {
    pub fn new(dies: u32) -> Self {
        Self { dies: ById::filled(NOTHING, dies), next_ns: u64::MAX }
    }

    /// When a die is looked at next.
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// A die whose time has come.
    pub fn due(&self, now_ns: u64) -> Option<DieId> {
        if self.next_ns > now_ns {
            return None;
        }
        self.dies.iter_with_ids().min_by_key(|(_, plan)| plan.look_ns).map(|(die, _)| die)
    }

    pub fn of(&self, die: DieId) -> Plan {
        self.dies[die]
    }

    /// A die is looked at again at `look_ns`.
    pub fn look_at(&mut self, die: DieId, look_ns: u64) {
        self.dies[die].look_ns = look_ns;
        self.next_ns = self.dies.iter().map(|plan| plan.look_ns).min().unwrap_or(u64::MAX);
    }

    /// The same, unless that is sooner already.
    pub fn look_by(&mut self, die: DieId, look_ns: u64) {
        self.look_at(die, look_ns.min(self.of(die).look_ns));
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
