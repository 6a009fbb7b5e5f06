//! A drive that comes back after a power cut: the blocks as a restart found them, and what has to be done before
//! the host's first request.

use super::{Eraser, Ftl, Io, Media, Writer};
use crate::drive::{DriveState, FreeList};
use crate::engine::{Count, Scheduler};
use crate::error::Error;
use crate::flash::Image;
use crate::ids::{BlockId, ById, Lpn, Packed, ScopeId, Unit};
use crate::nand::command::Cause;
use crate::nand::{BlockState, infeasible};
use crate::schema::FtlConfig;
use crate::technique::{Hooks, Observer};
use std::cmp::Reverse;

impl<T: Hooks> Writer<T, Count> {
    /// An empty drive takes up what a restart found. Whatever is not erased counts as full: nothing is added to
    /// a block that was begun before the cut.
    pub fn take_up(&mut self, config: &FtlConfig, image: &Image) {
        for plane in self.state.geometry.planes() {
            self.state.free[plane] = FreeList::new(config);
        }
        for domain in self.state.layout.domains() {
            self.state.free_in[domain] = 0;
        }
        let is_trusted = self.trusted(image);
        let mut full = Vec::new();
        for block in self.state.geometry.blocks() {
            let entry = &mut self.state.blocks[block];
            // Those of the area for metadata stay there.
            if matches!(entry.state, BlockState::Bad | BlockState::Kept) {
                entry.erases = image.held.erases[block];
                continue;
            }
            entry.erases = image.held.erases[block];
            match image.held.lines.is_erased(block) {
                true => {
                    self.state.list_erased(block);
                    if !is_trusted[block] {
                        self.owe_erase(block);
                    }
                }
                false => full.push(block),
            }
        }
        bind_found(&mut self.state, &image.map, &full);
        if let Some(chips) = &mut self.door.chips {
            chips.take_up(image);
        }
        self.take_up_metadata(image.checkpoint.as_ref());
        // Policies that go by age see the blocks in the order in which they were written last.
        full.sort_by_cached_key(|&block| newest_in(&self.state, image, block));
        for block in full {
            let Media { state, technique, .. } = self.media();
            for layer in technique.observers_of_mut(state.geometry.group_of(block)) {
                layer.preset(state, block);
            }
            self.fill(block);
        }
        if let Some(safeguard) = &mut self.safeguard {
            safeguard.begin();
        }
        self.begin();
    }
}

impl<T: Hooks, S: Scheduler> Eraser<T, S> {
    /// Blocks that are erased if they read so: those of which a checkpoint says it, and to which nothing was done since.
    fn trusted(&self, image: &Image) -> ById<BlockId, bool> {
        let erases_again = self.safeguard.as_ref().is_some_and(|it| it.erases_again());
        let mut trusted = ById::filled(!erases_again, self.state.geometry.blocks().count());
        if let Some(found) = &image.checkpoint {
            let erased = found.checkpoint.erased.iter();
            erased.for_each(|&block| trusted[block] |= !found.listed[block]);
        }
        trusted
    }
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Moves what stands in blocks that are not to be relied on, and erases them. Blocks with an older copy of what
    /// a damaged block holds come last, once that stands elsewhere; all others first, since they make room.
    ///
    /// # Errors
    /// There is no room for it.
    pub fn clear(&mut self, io: &mut Io<S>, image: &Image) -> Result<(), Error> {
        if let Some(found) = &image.checkpoint {
            self.repeat_checkpoint(io, found);
            self.settle(io);
        }
        let is_data = |block: &BlockId| !self.is_of_metadata(*block);
        let damaged: Vec<BlockId> = image.damaged.iter().copied().filter(is_data).collect();
        let open = image.open.iter().copied().filter(is_data);
        let (needed, free): (Vec<BlockId>, Vec<BlockId>) =
            open.partition(|block| image.needed.contains(block));
        let mut rest = self.clear_all(io, free);
        rest.extend(self.clear_all(io, damaged));
        self.settle(io);
        rest.extend(needed);
        rest = self.clear_all(io, rest);
        if let Some(block) = rest.first() {
            return Err(infeasible(
                format!("a restart has no room for what block {block} holds, which it has to move"),
                "raise drive.over_provisioning or drive.chip.blocks_per_plane",
            ));
        }
        self.write_checkpoint(io);
        self.settle(io);
        self.check_legality()?;
        self.check()
    }

    /// Moves what blocks hold and erases them, those with the least data first, and again where there was no room;
    /// returns those for which there is none.
    fn clear_all(&mut self, io: &mut Io<S>, mut rest: Vec<BlockId>) -> Vec<BlockId> {
        rest.sort_by_key(|&block| self.state.blocks[block].valid);
        loop {
            let before = rest.len();
            rest.retain(|&block| !self.clear_block(io, block));
            self.erase_together(io);
            if rest.len() == before {
                return rest;
            }
        }
    }

    /// Moves what a block holds and erases it; what its scope has no room for goes to others of its kind of flash,
    /// first to those with the most. Wear is not levelled: that erased what a damaged block's data is also in. False where
    /// there is no room.
    fn clear_block(&mut self, io: &mut Io<S>, block: BlockId) -> bool {
        let (geometry, layout) = (&self.state.geometry, &self.state.layout);
        let own = layout.scope_of(geometry.plane_of(block));
        let mut scopes: Vec<ScopeId> =
            layout.fillings[geometry.group_of(block)].scopes.into_iter().collect();
        scopes.sort_by_key(|&scope| (scope != own, Reverse(erased_in(&self.state, scope))));
        scopes.into_iter().any(|scope| {
            let job = self.start_job(io, block, Cause::Gc).to(scope);
            self.empty(io, job)
        })
    }
}

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    /// Waits for all that is under way: what comes next begins after it, on idle dies too.
    fn settle(&mut self, io: &mut Io<S>) {
        self.end_all_programs(io);
        while io.sched.step(u64::MAX, &mut io.requests) {}
        // What still has no end after all steps waits for what never comes.
        let quiet_ns = io.sched.quiet_at_ns();
        if quiet_ns < u64::MAX {
            io.sched.advance(quiet_ns, &mut io.requests);
        }
        self.drain_notices(io);
    }
}

/// The map as it was found.
fn bind_found(state: &mut DriveState, map: &Packed<Lpn, Unit>, full: &[BlockId]) {
    let coldest = state.layout.filled_stream();
    for &block in full {
        let units = state.geometry.of(block).units_per_block;
        state.pass(block, BlockState::Open);
        let entry = &mut state.blocks[block];
        entry.next = units;
        entry.set_stream(coldest);
    }
    for (lpn, unit) in map.iter_with_ids() {
        if let Some(unit) = unit.known() {
            let (block, place) = state.geometry.locate(unit);
            let is_open = state.blocks[block].state == BlockState::Open;
            assert!(is_open, "a restart found {lpn} in block {block}, which reads as erased");
            state.map.set(lpn, unit);
            state.reverse.set(unit, lpn);
            state.occupy(block, &[place]);
        }
    }
}

/// The sequence number of what was written last to a block.
fn newest_in(state: &DriveState, image: &Image, block: BlockId) -> u64 {
    let (first, group) = (state.geometry.first_unit(block), state.geometry.of(block));
    let units = (0..group.units_per_block).map(|place| first.plus(place));
    let marks = units.filter_map(|unit| image.held.marks[unit]);
    marks.map(|mark| mark.sequence).max().unwrap_or(0)
}

/// Erased blocks of a scope.
fn erased_in(state: &DriveState, scope: ScopeId) -> usize {
    let planes = state.layout.planes_of_scope(scope).into_iter();
    planes.map(|plane| state.free[plane].len()).sum()
}
