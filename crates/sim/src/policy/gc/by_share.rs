//! Victims from the handle that has more of the reclaim units than its share. Each handle then is a log of its own, whose size
//! its share decides.

use super::{Candidates, VictimPolicy};
use crate::drive::{Handles, Orders};
use crate::ids::{BlockId, DomainId};
use crate::nand::BlockState;
use crate::schema::VictimChoice;

pub(super) struct ByShare {
    handles: Handles,
    /// Of all units, by handle.
    shares: Vec<f64>,
    /// Whether a handle gives up its oldest unit, or else the one with the fewest valid data.
    takes_oldest: bool,
}

impl ByShare {
    pub(super) fn new(handles: Handles, shares: &[f64], policy: VictimChoice) -> Self {
        let sum: f64 = shares.iter().sum();
        let shares = shares.iter().map(|share| share / sum).collect();
        Self { handles, shares, takes_oldest: policy == VictimChoice::Fifo }
    }

    /// Handles by what they have beyond their shares, the most first.
    fn by_excess(&self, owned: &[u32]) -> Vec<u32> {
        let all = f64::from(owned.iter().sum::<u32>());
        let excess = |handle: &u32| {
            let at = *handle as usize;
            f64::from(owned[at]) - all * self.shares[at]
        };
        let mut handles: Vec<u32> = (0..owned.len() as u32).collect();
        handles.sort_by(|one, other| excess(other).total_cmp(&excess(one)));
        handles
    }
}

impl VictimPolicy for ByShare {
    fn orders(&self) -> Orders {
        Orders { by_age: true, ..Orders::default() }
    }

    /// A handle that has nothing to gain passes its turn on. What the controller keeps for itself comes last.
    fn select(&mut self, domain: DomainId, candidates: &mut Candidates<'_>) -> Option<BlockId> {
        let (victims, blocks) = (&*candidates.victims, candidates.blocks);
        let owner = |block: BlockId| self.handles.owner(blocks[block].stream());
        let mut owned = vec![0; self.handles.count() as usize];
        for (block, entry) in blocks.iter_with_ids() {
            let holds = !matches!(entry.state, BlockState::Free | BlockState::Bad);
            if let Some(handle) = owner(block).filter(|_| holds) {
                owned[handle as usize] += 1;
            }
        }
        let best = |of: Option<u32>| {
            let own = || victims.by_age(domain).filter(|&block| owner(block) == of);
            let emptiest = own().min_by_key(|&block| blocks[block].valid)?;
            let gains = blocks[emptiest].valid < candidates.units_of_data;
            let chosen = if self.takes_oldest { own().next() } else { Some(emptiest) };
            chosen.filter(|_| gains)
        };
        let turns = self.by_excess(&owned).into_iter().map(Some).chain([None]);
        turns.filter_map(best).next()
    }
}

#[cfg(test)]
mod tests {
    use super::ByShare;
    use crate::drive::Handles;
    use crate::schema::{Config, Frontiers, HostInterface, VictimChoice};

    #[test]
    fn the_handle_furthest_above_its_share_comes_first() {
        let mut config = Config::default();
        config.host.interface = HostInterface::Fdp;
        config.host.fdp.handles = 3;
        config.ftl.frontiers = Frontiers::Shared;
        let handles = Handles::of(&config).expect("handles").expect("of a drive that has them");
        let policy = ByShare::new(handles, &[2.0, 1.0, 1.0], VictimChoice::Greedy);
        assert_eq!(policy.by_excess(&[50, 30, 20]), [1, 0, 2]);
        assert_eq!(policy.by_excess(&[60, 20, 20]), [0, 1, 2]);
        assert_eq!(policy.by_excess(&[0, 0, 4]), [2, 1, 0]);
    }
}
