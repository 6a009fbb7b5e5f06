//! Greedy among the oldest blocks (Hu et al., SYSTOR 2009).

use super::{Candidates, Entry, VictimPolicy};
use crate::drive::Orders;

pub(super) const ENTRY: Entry = Entry {
    name: "windowed_greedy",
    summary: "the fewest valid units among the `window` blocks that became full first",
    build: |config| Box::new(WindowedGreedy { window: config.window as usize }),
};

struct WindowedGreedy {
    window: usize,
}

impl VictimPolicy for WindowedGreedy {
    fn orders(&self) -> Orders {
        Orders { by_age: true, ..Orders::default() }
    }

    fn select(&mut self, domain: u32, candidates: &mut Candidates<'_>) -> Option<u32> {
        let valid = |&block: &u32| candidates.blocks[block as usize].valid;
        candidates.victims.by_age(domain).take(self.window).min_by_key(valid)
    }
}
