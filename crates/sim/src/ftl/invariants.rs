//! What must hold between any two requests.

use super::Ftl;
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::error::Error;
use crate::ids::{BlockId, Id, Lpn, Unit};
use crate::nand::{BlockState, infeasible};
use crate::technique::Hooks;
use crate::util::mix;

/// A hash of a pair of map and reverse map; 0, which no sum would show, for none that occurs.
fn hash_of(lpn: Lpn, unit: Unit) -> u64 {
    mix(!(lpn.number().rotate_left(32) ^ unit.number()))
}

fn broken<R>(what: String) -> Result<R, Error> {
    Err(Error::Invariant(what))
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Checks map against reverse map, valid bits against counts, free blocks against lists.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn check(&self) -> Result<(), Error> {
        self.check_legality()?;
        let mapped = check_map(&self.state)?;
        check_blocks(&self.state, mapped)?;
        check_free(&self.state)
    }

    /// No operation was asked for that the flash could not carry out, and the technique kept what it
    /// promised.
    ///
    /// # Errors
    /// The first operation, with what its word line had been through; the first promise.
    pub fn check_legality(&self) -> Result<(), Error> {
        if let Some(why) = self.door.chips.as_ref().and_then(|chips| chips.illegal()) {
            return Err(Error::Illegal(why.to_owned()));
        }
        if let Some(what) = self.lacked_room_for() {
            return Err(infeasible(
                format!("power.protection = \"none\": the drive had no erased block for {what}"),
                "raise drive.over_provisioning or ftl.gc.free_block_threshold",
            ));
        }
        let broken = self.technique.promises().and_then(|owner| owner.broken(&self.state));
        broken.map_or(Ok(()), |what| Err(Error::Promise(what)))
    }
}

/// Map and reverse map must hold the same pairs. They are compared by the sums of their pairs' hashes,
/// each in its own order, for to look each entry up in the other would cost more than some runs.
fn check_map(state: &DriveState) -> Result<u64, Error> {
    let (mut mapped, mut forth) = (0, 0_u64);
    for (lpn, unit) in state.map.iter_with_ids() {
        let is_mapped = unit.is_some();
        mapped += u64::from(is_mapped);
        forth = forth.wrapping_add(if is_mapped { hash_of(lpn, unit) } else { 0 });
    }
    let mut back = 0_u64;
    for block in state.geometry.blocks() {
        let first = state.geometry.first_unit(block);
        for unit in state.valid.places(block).map(|place| first.plus(place)) {
            back = back.wrapping_add(hash_of(state.lpn_of(unit), unit));
        }
    }
    if forth == back { Ok(mapped) } else { find_in_map(state).map(|()| mapped) }
}

/// Names the first logical unit whose flash does not hold it; none where a unit is valid to which
/// nothing is mapped, which the count of the valid tells.
fn find_in_map(state: &DriveState) -> Result<(), Error> {
    for (lpn, unit) in state.map.iter_with_ids().filter(|(_, unit)| unit.is_some()) {
        let (block, place) = state.geometry.locate(unit);
        if state.lpn_of(unit) != lpn || !state.valid.get(block, place) {
            return broken(format!("logical unit {lpn} maps to unit {unit}, which is not its"));
        }
    }
    Ok(())
}

fn check_blocks(state: &DriveState, mapped: u64) -> Result<(), Error> {
    let mut valid = 0;
    for (index, block) in state.blocks.iter_with_ids() {
        let bits = state.valid.count(index);
        valid += u64::from(bits);
        if bits != block.valid {
            return broken(format!("block {index} counts {} valid, has {bits}", block.valid));
        }
        let is_empty = matches!(block.state, BlockState::Free | BlockState::Bad);
        if is_empty && bits > 0 {
            return broken(format!("block {index} is {:?} but holds data", block.state));
        }
        if let Some(place) = misplaced_data(state, index) {
            return broken(format!("block {index} has data at {place}, where none can stand"));
        }
        let is_full =
            matches!(block.state, BlockState::Full | BlockState::Kept | BlockState::Victim);
        let beyond = state.valid.next(index, block.next).filter(|_| is_full);
        if let Some(place) = beyond {
            let next = block.next;
            return broken(format!("block {index} is filled to {next}, but {place} is valid"));
        }
    }
    if valid != mapped {
        return broken(format!("{mapped} logical units are mapped, {valid} units are valid"));
    }
    Ok(())
}

/// Where a superblock holds data in place of parity or metadata.
fn misplaced_data(state: &DriveState, block: BlockId) -> Option<u32> {
    let shape = state.layout.fillings[state.geometry.group_of(block)].shape;
    shape.stripe?;
    state.valid.places(block).find(|&place| shape.is_without_data(place))
}

fn check_free(state: &DriveState) -> Result<(), Error> {
    let listed: usize = state.free.iter().map(|list| list.len()).sum();
    let free = state.blocks.iter().filter(|block| block.state == BlockState::Free).count();
    if listed != free || state.free_blocks() != free as u64 {
        return broken(format!(
            "{free} blocks are free, {listed} are listed, {} are counted",
            state.free_blocks()
        ));
    }
    Ok(())
}
