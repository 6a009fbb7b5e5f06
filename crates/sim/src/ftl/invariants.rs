//! What must hold between any two requests.

use super::Ftl;
use crate::engine::Scheduler;
use crate::error::Error;
use crate::nand::BlockState;
use crate::technique::Technique;
use crate::util::{NONE, prefetch};

/// Logical units ahead of which what is written in their flash is asked for.
const AHEAD: usize = 32;

fn broken<R>(what: String) -> Result<R, Error> {
    Err(Error::Invariant(what))
}

impl<T: Technique, S: Scheduler> Ftl<T, S> {
    /// Checks map against reverse map, valid bits against counts, free blocks against lists.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn check(&self) -> Result<(), Error> {
        let mapped = self.check_map()?;
        self.check_blocks(mapped)?;
        self.check_free()
    }

    fn check_map(&self) -> Result<u64, Error> {
        let state = &self.state;
        let mut mapped = 0;
        for (lpn, &unit) in state.map.iter().enumerate() {
            if let Some(&ahead) = state.map.get(lpn + AHEAD) {
                prefetch(&state.reverse, ahead as usize);
            }
            if unit == NONE {
                continue;
            }
            mapped += 1;
            let (block, place) = state.geometry.locate(unit);
            if state.reverse[unit as usize] as usize != lpn || !state.valid.get(block, place) {
                return broken(format!("logical unit {lpn} maps to unit {unit}, which is not its"));
            }
        }
        Ok(mapped)
    }

    fn check_blocks(&self, mapped: u64) -> Result<(), Error> {
        let state = &self.state;
        let mut valid = 0;
        for (index, block) in state.blocks.iter().enumerate() {
            let bits = state.valid.count(index as u32);
            valid += u64::from(bits);
            if bits != block.valid {
                return broken(format!("block {index} counts {} valid, has {bits}", block.valid));
            }
            let is_empty = matches!(block.state, BlockState::Free | BlockState::Bad);
            if is_empty && bits > 0 {
                return broken(format!("block {index} is {:?} but holds data", block.state));
            }
            let is_full =
                matches!(block.state, BlockState::Full | BlockState::Kept | BlockState::Victim);
            let beyond = state.valid.next(index as u32, block.next).filter(|_| is_full);
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

    fn check_free(&self) -> Result<(), Error> {
        let state = &self.state;
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
}
