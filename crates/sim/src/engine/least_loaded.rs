//! Which die has the least before it: asked for every write that goes wherever there is least to do.

use super::lowest::Lowest;
use crate::ids::{DieId, Id, Ids};
use crate::schema::{Allocation, Config};

/// Dies that are looked at one by one in less time than it takes to keep an index of them.
const FEW: u32 = 16;

/// An index of dies by a time that grows with what each has before it; kept where it is asked for.
#[derive(Debug)]
pub struct LeastLoaded(Option<Lowest>);

impl LeastLoaded {
    /// An index of idle dies, where the drive of `config` writes to the one with the least before it.
    pub fn new(config: &Config, dies: u32) -> Self {
        let is_kept = config.ftl.allocation == Allocation::Dynamic && dies > FEW;
        Self(is_kept.then(|| Lowest::new(dies)))
    }

    /// The time of a die is another from now on; it is asked for only where the index is kept.
    #[inline]
    pub fn set(&mut self, die: DieId, time_ns: impl FnOnce() -> u64) {
        if let Some(lowest) = &mut self.0 {
            lowest.set(die.number(), time_ns());
        }
    }

    /// [`Load::least_loaded`](super::scheduler::Load::least_loaded), where the index is kept, if dies up to `idle_ns` have nothing before them.
    pub fn find(&self, dies: Ids<DieId>, turn: u32, idle_ns: u64) -> Option<u32> {
        let lowest = self.0.as_ref()?;
        let (first, end) = (dies.first().number(), dies.end().number());
        let limit_ns = lowest.lowest(first, end).max(idle_ns);
        let from_turn = lowest.first_from(first + turn, limit_ns).filter(|&die| die < end);
        Some(from_turn.or_else(|| lowest.first_from(first, limit_ns))? - first)
    }
}

#[cfg(test)]
mod tests {
    use super::{LeastLoaded, Lowest};
    use crate::ids::{DieId, Id, Ids};
    use crate::nand::Load;
    use proptest::prelude::*;

    struct Drive {
        now_ns: u64,
        free_ns: Vec<u64>,
    }

    impl Load for Drive {
        fn backlog_ns(&self, die: DieId) -> u64 {
            self.free_ns[die.index()].saturating_sub(self.now_ns)
        }
    }

    proptest! {
        /// Idle dies are equals, whenever they became idle, and each kind of flash is looked at alone.
        #[test]
        fn the_index_names_the_die_that_a_look_at_all_of_them_does(
            first in 0u32..20,
            count in 1u32..30,
            steps in prop::collection::vec((0u32..60, 0u64..9, 0u64..2, 0u32..30), 1..200)
        ) {
            let dies = Ids::new(DieId(first), count);
            let all = first + count + 7;
            let mut drive = Drive { now_ns: 0, free_ns: vec![0; all as usize] };
            let mut index = LeastLoaded(Some(Lowest::new(all)));
            for (die, length_ns, passes_ns, turn) in steps {
                let die = DieId(die % all);
                drive.now_ns += passes_ns;
                drive.free_ns[die.index()] = drive.now_ns + length_ns;
                index.set(die, || drive.free_ns[die.index()]);
                let looked = drive.by_looking(dies, turn % count);
                prop_assert_eq!(index.find(dies, turn % count, drive.now_ns), Some(looked));
            }
        }
    }
}
