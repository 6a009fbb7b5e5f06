//! ReSSD whose operations are done to a model of flash as well.

use crate::power::{Copy, Flash};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{BlockId, DomainId, Id, Lpn, PlaneId, StreamId, Unit};
use wordline_sim::nand::command::Cause;
use wordline_sim::nand::{self, BlockState, Load, Located, OpTable};
use wordline_sim::technique::ressd::ReSsd;
use wordline_sim::technique::ressd::recovery::Mark;
use wordline_sim::technique::{
    Cells, Idle, Joined, Observer, Open, PageRead, Phase, Place, Placement, Profile, Refill,
    Technique, Write,
};

/// The technique, the model, and what is still in the write-back registers.
pub struct Mirror {
    inner: ReSsd,
    flash: Arc<Mutex<Flash>>,
    /// Pages of word lines that are not programmed yet, by their first page.
    registers: HashMap<u32, Vec<(u32, Copy)>>,
    versions: HashMap<Lpn, u64>,
    sequence: u64,
    own_stream: StreamId,
    bits: u32,
}

impl Mirror {
    pub fn new(inner: ReSsd, flash: Arc<Mutex<Flash>>, bits: u32) -> Self {
        let (registers, versions) = (HashMap::new(), HashMap::new());
        let own_stream = StreamId(0);
        Self { inner, flash, registers, versions, sequence: 0, own_stream, bits }
    }

    fn on_flash(&self, act: impl FnOnce(&mut Flash)) {
        act(&mut self.flash.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Two pages of a reprogrammable block, three of another, fill a word line.
    fn join(&mut self, page: u32, copy: Copy, pages: usize) {
        let first = page / self.bits * self.bits;
        let line = self.registers.entry(first).or_default();
        line.push((page, copy));
        if line.len() == pages {
            let line = self.registers.remove(&first).unwrap_or_default();
            self.on_flash(|flash| flash.program(&line));
        }
    }
}

impl Technique for Mirror {
    fn profile(&self) -> Profile {
        self.inner.profile()
    }

    fn idle(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle {
        self.inner.idle(state, load, now_ns)
    }

    fn refill(&mut self) -> Option<&mut dyn Refill> {
        Some(self)
    }
}

impl Placement for Mirror {
    fn place(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        self.inner.place(state, write)
    }

    fn open(&mut self, state: &DriveState, stream: StreamId, plane: PlaneId) -> Open {
        self.inner.open(state, stream, plane)
    }

    fn keeps(&mut self, state: &DriveState, block: BlockId) -> bool {
        self.inner.keeps(state, block)
    }

    fn surrender(&mut self, state: &DriveState, domain: DomainId) -> Option<BlockId> {
        self.inner.surrender(state, domain)
    }
}

impl Refill for Mirror {
    fn cleared(&mut self, state: &DriveState, write: &Write<'_>) -> Vec<Unit> {
        self.inner.cleared(state, write)
    }

    fn companion(&mut self, state: &DriveState, joined: &Joined) -> Option<Unit> {
        self.inner.companion(state, joined)
    }
}

impl Cells for Mirror {
    fn operations(&mut self, table: &mut OpTable, flash: &nand::Flash<'_>) {
        self.inner.operations(table, flash);
    }

    fn read_plan(&self, state: &DriveState, at: &Located) -> PageRead {
        self.inner.read_plan(state, at)
    }
}

impl Observer for Mirror {
    fn begin(&mut self, state: &DriveState, phase: Phase) {
        if let Phase::Drive(first) = phase {
            self.own_stream = first;
        }
        self.inner.begin(state, phase);
    }

    fn written(&mut self, state: &DriveState, at: &Located, cause: Cause, now_ns: u64) {
        let (lpn, page) = (state.lpn_of(at.unit), at.unit.number() as u32);
        let version = self.versions.entry(lpn).or_default();
        *version += u64::from(cause == Cause::Host);
        self.sequence += 1;
        let mark = Mark::CONVENTIONAL;
        let copy = Copy { lpn, sequence: self.sequence, version: *version, mark };
        let block = &state.blocks[at.block];
        let is_own = block.stream() >= self.own_stream;
        if is_own && block.state == BlockState::Kept {
            self.on_flash(|flash| {
                let before = flash.pages[page as usize].and_then(|copy| copy.mark.reprograms());
                let mark = Mark::of_two_bits(before.expect("it holds two bits in a cell") + 1);
                flash.program(&[(page, Copy { mark, ..copy })]);
            });
        } else if is_own {
            self.join(page, Copy { mark: Mark::of_two_bits(0), ..copy }, 2);
        } else {
            self.join(page, copy, self.bits as usize);
        }
        self.inner.written(state, at, cause, now_ns);
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        let first = state.geometry.first_unit(block).number() as u32;
        self.on_flash(|flash| flash.erase(first..first + state.geometry.stride));
        self.inner.erased(state, block);
    }

    fn invalidated(&mut self, state: &DriveState, at: &Located) {
        self.inner.invalidated(state, at);
    }
}
