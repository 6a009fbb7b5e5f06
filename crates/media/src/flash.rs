//! The flash of a drive that holds data.

use crate::coding::Coding;
use crate::errors::{Errors, disturb};
use crate::oob::Oob;
use crate::scramble::{mix, scramble};
use crate::slab::{Kept, Slabs};
use rustc_hash::FxHashMap;
use thiserror::Error as ThisError;
use wordline_sim::Error;
use wordline_sim::config::Config;
use wordline_sim::drive::DriveState;
use wordline_sim::engine::Phase;
use wordline_sim::flash::{Deed, From, Issued, Medium};
use wordline_sim::ids::{Id, Lpn, Unit};

/// Data that cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum Lost {
    /// Its code cannot correct what was read.
    #[error("the code cannot correct what was read")]
    Uncorrectable,
    /// It was corrected to something else than was written, or is another unit's.
    #[error("what was read is not what was written")]
    Checksum,
    /// It was lost when it was moved.
    #[error("it was lost when it was moved")]
    Before,
    /// Nothing was ever programmed where the map says that it stands.
    #[error("nothing was programmed there")]
    Nothing,
}

/// Data that is on its way to the cells.
#[derive(Debug, Clone)]
enum Load {
    Data(Box<[u8]>),
    Zeroes,
    Lost,
}

/// The data of a unit whose program was not issued.
#[derive(Debug, Clone)]
struct Staged {
    lpn: Lpn,
    sequence: u64,
    load: Load,
}

/// What reads of the flash came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reads {
    /// Units read.
    pub units: u64,
    /// Wrong bits that were corrected.
    pub corrected_bits: u64,
    /// Reads again because a code had failed.
    pub retries: u64,
    /// Units whose data could not be had.
    pub lost: u64,
}

impl Reads {
    /// Adds others.
    pub fn add(&mut self, other: Self) {
        self.units += other.units;
        self.corrected_bits += other.corrected_bits;
        self.retries += other.retries;
        self.lost += other.lost;
    }
}

/// A unit as it was sensed: all that is needed to decode it, elsewhere and later.
#[derive(Debug, Clone)]
pub enum Sensed {
    /// Zeroes: never written, or trimmed.
    Zeroes,
    /// Data that the controller still has.
    Data(Box<[u8]>),
    /// Cells.
    Cells(Cells),
    /// Nothing that could be decoded.
    Lost(Lost),
}

/// The cells of a unit, as they were programmed, and how they are read.
#[derive(Debug, Clone)]
pub struct Cells {
    cells: Box<[u8]>,
    lpn: Lpn,
    unit: Unit,
    rber: f64,
    seed: u64,
}

/// Decodes what was sensed. A clone has a working memory of its own.
#[derive(Clone)]
pub struct Decoder {
    coding: Coding,
    scrambling: u64,
    retries: u32,
    retry_share: f64,
    read: Box<[u8]>,
}

impl Decoder {
    /// The data of a unit, written to `data`; what it took is added to `reads`.
    ///
    /// # Errors
    /// It cannot be had, not by reading again either.
    pub fn decode(
        &mut self,
        sensed: &Sensed,
        data: &mut [u8],
        reads: &mut Reads,
    ) -> Result<(), Lost> {
        match sensed {
            Sensed::Zeroes => data.fill(0),
            Sensed::Data(known) => data.copy_from_slice(known),
            Sensed::Lost(lost) => {
                reads.lost += 1;
                return Err(*lost);
            }
            Sensed::Cells(cells) => return self.decode_cells(cells, data, reads),
        }
        Ok(())
    }

    fn decode_cells(
        &mut self,
        cells: &Cells,
        data: &mut [u8],
        reads: &mut Reads,
    ) -> Result<(), Lost> {
        reads.units += 1;
        let (mut rber, mut result) = (cells.rber, Err(Lost::Uncorrectable));
        for attempt in 0..=self.retries {
            reads.retries += u64::from(attempt > 0);
            result = self.attempt(cells, (rber, u64::from(attempt)), data, reads);
            // Without wrong bits another read gives the same.
            if result.is_ok() || result == Err(Lost::Before) || rber == 0.0 {
                break;
            }
            rber *= self.retry_share;
        }
        reads.lost += u64::from(result.is_err());
        result
    }

    fn attempt(
        &mut self,
        cells: &Cells,
        (rber, attempt): (f64, u64),
        data: &mut [u8],
        reads: &mut Reads,
    ) -> Result<(), Lost> {
        self.read.copy_from_slice(&cells.cells);
        disturb(&mut self.read, rber, cells.seed.wrapping_add(attempt));
        let area = self.coding.decode_oob(&mut self.read).ok_or(Lost::Uncorrectable)?;
        let oob = Oob::from_bytes(&area).ok_or(Lost::Uncorrectable)?;
        if oob.lpn != cells.lpn.number() {
            return Err(Lost::Checksum);
        }
        if oob.is_lost {
            return Err(Lost::Before);
        }
        if oob.is_zero {
            data.fill(0);
            return Ok(());
        }
        let bits = self.coding.decode(&mut self.read).ok_or(Lost::Uncorrectable)?;
        reads.corrected_bits += bits as u64;
        data.copy_from_slice(&self.read[..data.len()]);
        scramble(data, self.scrambling, u64::from(cells.unit.number()));
        match crc32fast::hash(data) == oob.checksum {
            true => Ok(()),
            false => Err(Lost::Checksum),
        }
    }
}

/// The flash of a drive, and what its controller has in DRAM.
pub struct Flash {
    slabs: Slabs,
    decoder: Decoder,
    errors: Errors,
    seed: u64,
    /// Data of the host that has no place yet.
    incoming: FxHashMap<Lpn, Box<[u8]>>,
    staged: FxHashMap<Unit, Staged>,
    /// Units written so far.
    written: u64,
    /// What moves within the drive came to.
    pub moves: Reads,
}

impl Flash {
    /// The erased flash of a drive.
    ///
    /// # Errors
    /// A code or error rates that cannot be.
    pub fn new(config: &Config, state: &DriveState) -> Result<Self, Error> {
        let unit_bytes = state.geometry.unit_bytes as usize;
        let coding = Coding::new(config, unit_bytes)?;
        let errors = Errors::new(config)?;
        let seed = mix(config.run.seed);
        let stored_bytes = coding.stored_bytes();
        Ok(Self {
            slabs: Slabs::new(state.geometry.blocks().count(), stored_bytes),
            decoder: Decoder {
                scrambling: seed,
                retries: errors.retries,
                retry_share: errors.retry_share,
                read: vec![0; stored_bytes].into(),
                coding,
            },
            errors,
            seed,
            incoming: FxHashMap::default(),
            staged: FxHashMap::default(),
            written: 0,
            moves: Reads::default(),
        })
    }

    /// Decodes what this flash gives.
    pub fn decoder(&self) -> Decoder {
        self.decoder.clone()
    }

    /// The host hands over the newest data of a logical unit, which it is about to write.
    pub fn hand_over(&mut self, lpn: Lpn, data: Box<[u8]>) {
        assert_eq!(data.len(), self.decoder.coding.unit_bytes(), "bytes of a unit");
        self.incoming.insert(lpn, data);
    }

    /// The host's newest data of a logical unit is of no use any more: trimmed, or refused.
    pub fn take_back(&mut self, lpn: Lpn) {
        self.incoming.remove(&lpn);
    }

    /// True where the controller has data of a logical unit that has no place yet.
    pub fn has_incoming(&self, lpn: Lpn) -> bool {
        self.incoming.contains_key(&lpn)
    }

    /// The newest data of a logical unit that stands in `unit`, if anywhere.
    pub fn sense(&mut self, state: &DriveState, lpn: Lpn, unit: Option<Unit>) -> Sensed {
        if let Some(data) = self.incoming.get(&lpn) {
            return Sensed::Data(data.clone());
        }
        unit.map_or(Sensed::Zeroes, |unit| self.sense_unit(state, lpn, unit))
    }

    fn sense_unit(&mut self, state: &DriveState, lpn: Lpn, unit: Unit) -> Sensed {
        if let Some(staged) = self.staged.get(&unit) {
            return match &staged.load {
                _ if staged.lpn != lpn => Sensed::Lost(Lost::Checksum),
                Load::Data(data) => Sensed::Data(data.clone()),
                Load::Zeroes => Sensed::Zeroes,
                Load::Lost => Sensed::Lost(Lost::Before),
            };
        }
        let (block, place) = state.geometry.locate(unit);
        match self.slabs.kept(block, place) {
            Kept::Nothing => return Sensed::Lost(Lost::Nothing),
            Kept::Bare => return Sensed::Zeroes,
            Kept::Data => {}
        }
        let reads = u64::from(self.slabs.count_read(block));
        let erases = u64::from(state.blocks[block].erases);
        let seed = mix(self.seed ^ mix(u64::from(unit.number()) << 32 | erases)) ^ mix(reads);
        let cells = self.slabs.cells(block, place).into();
        let rber = self.errors.rber(state, block, unit);
        Sensed::Cells(Cells { cells, lpn, unit, rber, seed })
    }

    /// What a unit holds, to be moved.
    fn lift(&mut self, state: &DriveState, lpn: Lpn, unit: Unit) -> Load {
        let sensed = self.sense_unit(state, lpn, unit);
        if matches!(sensed, Sensed::Zeroes) {
            return Load::Zeroes;
        }
        let mut data = vec![0; self.decoder.coding.unit_bytes()].into_boxed_slice();
        match self.decoder.decode(&sensed, &mut data, &mut self.moves) {
            Ok(()) => Load::Data(data),
            Err(_) => Load::Lost,
        }
    }

    /// The data of a unit goes into the cells.
    fn program(&mut self, state: &DriveState, unit: Unit, row: u8) {
        let Some(Staged { lpn, sequence, load }) = self.staged.remove(&unit) else { return };
        let (block, place) = state.geometry.locate(unit);
        let units = state.geometry.of(block).units_per_block;
        let data = match &load {
            Load::Data(data) => Some(data),
            Load::Zeroes | Load::Lost => None,
        };
        let is_lost = matches!(load, Load::Lost);
        let kept = if data.is_none() && !is_lost { Kept::Bare } else { Kept::Data };
        let cells = self.slabs.program(block, units, place, kept);
        if kept == Kept::Bare {
            return;
        }
        let checksum = data.map_or(0, |data| crc32fast::hash(data));
        if let Some(data) = data {
            cells[..data.len()].copy_from_slice(data);
            let of_data = &mut cells[..data.len()];
            scramble(of_data, self.decoder.scrambling, u64::from(unit.number()));
        }
        let oob = Oob {
            lpn: lpn.number(),
            erases: state.blocks[block].erases,
            sequence,
            row,
            is_zero: false,
            is_lost,
            checksum,
        };
        self.decoder.coding.encode(cells);
        self.decoder.coding.encode_oob(&oob.to_bytes(), cells);
    }

    fn stage_load(&mut self, unit: Unit, lpn: Lpn, load: Load) {
        self.written += 1;
        self.staged.insert(unit, Staged { lpn, sequence: self.written, load });
    }
}

impl Medium for Flash {
    fn preset(&mut self, state: &DriveState, unit: Unit, _: Lpn) {
        let (block, place) = state.geometry.locate(unit);
        self.slabs.program(block, state.geometry.of(block).units_per_block, place, Kept::Bare);
    }

    fn stage(&mut self, state: &DriveState, unit: Unit, lpn: Lpn, from: From) {
        let load = match from {
            From::Host => self.incoming.remove(&lpn).map_or(Load::Lost, Load::Data),
            From::Unit(of) => self.lift(state, lpn, of),
            From::Drive => Load::Zeroes,
        };
        self.stage_load(unit, lpn, load);
    }

    fn stage_copy(&mut self, state: &DriveState, unit: Unit, of: Unit) {
        let lpn = state.reverse[of];
        let load = self.lift(state, lpn, of);
        self.stage_load(unit, lpn, load);
    }

    fn issue(&mut self, state: &DriveState, issued: &Issued<'_>) {
        for done in issued.pages {
            let block = done.span.block;
            match issued.deed {
                Deed::Erase => self.slabs.erase(block),
                Deed::Program => {
                    let first = state.geometry.first_unit(block);
                    for place in state.geometry.of(block).units_of(done.span) {
                        self.program(state, first.plus(place), done.row);
                    }
                }
            }
        }
    }

    fn hear(&mut self, _: &DriveState, _: u32, _: Phase) {}
}
