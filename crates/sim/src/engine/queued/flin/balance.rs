//! The third stage of FLIN: whether a die serves a read or a write next, and how much of garbage collection goes before a
//! write.

use rustc_hash::FxHashMap;

/// What a die could take up: how long it has waited, and how long it takes.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    pub wait_ns: u64,
    pub service_ns: u64,
}

/// Whether the read would wait at least as long as the write, in proportion to its own time, if it went second. What is
/// to go before the write takes `gc_ns`.
pub fn read_goes_first(read: Slot, write: Slot, gc_ns: u64) -> bool {
    let wait = |own: Slot, other: Slot| u128::from(own.wait_ns + other.service_ns + gc_ns);
    wait(read, write) * u128::from(write.service_ns.max(1))
        >= wait(write, read) * u128::from(read.service_ns.max(1))
}

/// Who wrote to a die since its last erase, and what its next write has to let go first.
#[derive(Debug, Default)]
pub struct Debts {
    /// Pages of each flow, and of all.
    written: FxHashMap<u32, u64>,
    total: u64,
    /// The write for which the debt was found, by its number.
    of: Option<u64>,
    due: u64,
}

impl Debts {
    /// Operations of garbage collection that go before a write of a flow, of so many that wait: its share of the pages
    /// written, this one included. It is found once for each write.
    pub fn due(&mut self, number: u64, flow: Option<u32>, waiting: u64) -> u64 {
        if self.of != Some(number) {
            let own = flow.map_or(0, |flow| self.written.get(&flow).copied().unwrap_or(0));
            self.of = Some(number);
            self.due = waiting * (own + 1) / (self.total + 1);
        }
        self.due = self.due.min(waiting);
        self.due
    }

    /// One of them goes.
    pub fn pay(&mut self) {
        self.due = self.due.saturating_sub(1);
    }

    /// A flow writes pages.
    pub fn write(&mut self, flow: Option<u32>, pages: u64) {
        if let Some(flow) = flow {
            *self.written.entry(flow).or_default() += pages;
        }
        self.total += pages;
    }

    /// Garbage collection has gained a block: all begin anew.
    pub fn erased(&mut self) {
        self.written.clear();
        self.total = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{Debts, Slot, read_goes_first};

    const READ_NS: u64 = 60;
    const PROGRAM_NS: u64 = 600;

    fn slot(wait_ns: u64, service_ns: u64) -> Slot {
        Slot { wait_ns, service_ns }
    }

    /// A read that has just come would wait 10 times its time for the program. The program goes first once it has waited
    /// as many times its own.
    #[test]
    fn what_waits_longest_for_its_length_goes_first() {
        let goes = |read_wait_ns, write_wait_ns| {
            let (read, write) = (slot(read_wait_ns, READ_NS), slot(write_wait_ns, PROGRAM_NS));
            read_goes_first(read, write, 0)
        };
        let even_ns = 10 * PROGRAM_NS - READ_NS;
        assert!(goes(0, 0) && goes(0, even_ns));
        assert!(!goes(0, even_ns + 1));
        assert!(goes(1, even_ns + 10) && !goes(1, even_ns + 11));
        // What must go before the write makes both wait, the read more.
        assert!(read_goes_first(slot(0, READ_NS), slot(even_ns + 1, PROGRAM_NS), 1));
    }

    #[test]
    fn writes_let_as_much_go_first_as_they_have_caused() {
        let mut debts = Debts::default();
        // Alone, all of it.
        assert_eq!(debts.due(1, Some(0), 6), 6);
        debts.write(Some(0), 8);
        debts.write(Some(1), 1);
        assert_eq!(debts.due(2, Some(1), 6), 6 * 2 / 10);
        assert_eq!(debts.due(3, Some(0), 6), 6 * 9 / 10);
        debts.pay();
        assert_eq!(debts.due(3, Some(0), 5), 4);
        assert_eq!(debts.due(3, Some(0), 2), 2);
        assert_eq!(debts.due(4, None, 20), 2);
        debts.erased();
        assert_eq!(debts.due(5, Some(1), 6), 6);
    }
}
