//! Static wear levelling: blocks that have been spared take their share of the erases.

use super::moving::has_room_for;
use super::{Allocator, Io};
use crate::engine::Scheduler;
use crate::ids::{BlockId, DomainId};
use crate::nand::BlockState;
use crate::nand::command::Cause;
use crate::policy::wear::Bet;
use crate::technique::Hooks;

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Static wear levelling: the block that has been spared the longest is moved, so that it takes
    /// its share.
    pub(super) fn level_wear(&mut self, io: &mut Io<S>, domain: DomainId) {
        if self.wear.tables.is_some() {
            return self.level_by_table(io, domain);
        }
        let Some(threshold) = self.wear.threshold_pec else { return };
        self.wear.countdown = self.wear.countdown.saturating_sub(1);
        if self.wear.countdown > 0 {
            return;
        }
        self.wear.countdown = self.wear.period;
        let state = &self.state;
        let blocks = state.blocks_of_domain(domain);
        let erases = |block: &BlockId| state.blocks[*block].erases;
        let alive = |block: &BlockId| state.blocks[*block].state != BlockState::Bad;
        let most = blocks.iter().filter(alive).map(|block| erases(&block)).max().unwrap_or(0);
        let is_full = |block: &BlockId| state.is_candidate(*block);
        let Some(coldest) = blocks.iter().filter(is_full).min_by_key(erases) else { return };
        let stream = state.layout.wear_stream;
        if most - erases(&coldest) > threshold && has_room_for(&self.state, coldest, stream) {
            self.erase_together(io);
            let job = self.start_job(io, coldest, Cause::Wear);
            self.finish_job(io, job);
        }
    }

    /// Moves what blocks hold that the table of a domain knows to have been spared.
    #[cold]
    fn level_by_table(&mut self, io: &mut Io<S>, domain: DomainId) {
        let table = self.wear.tables.as_mut().map(|tables| &mut tables[domain]);
        let Some(places) = table.and_then(Bet::spared) else { return };
        let blocks = self.state.blocks_of_domain(domain);
        for block in places.map(|place| blocks.at(place)) {
            if self.state.is_candidate(block)
                && has_room_for(&self.state, block, self.state.layout.wear_stream)
            {
                self.erase_together(io);
                let job = self.start_job(io, block, Cause::Wear);
                self.finish_job(io, job);
            }
        }
    }
}
