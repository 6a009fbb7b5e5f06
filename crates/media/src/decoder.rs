//! What a read of the cells gives, and decoding it.

use crate::coding::Coding;
use crate::errors::disturb;
use crate::oob::Oob;
use crate::scramble::scramble;
use crate::second::Second;
use std::sync::Arc;
use thiserror::Error as ThisError;
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
    Data(Arc<[u8]>),
    /// Cells.
    Cells(Cells),
    /// Nothing that could be decoded.
    Lost(Lost),
}

/// The cells of a unit, as they were programmed, and how they are read.
#[derive(Debug, Clone)]
pub struct Cells {
    pub(crate) cells: Box<[u8]>,
    pub(crate) lpn: Lpn,
    pub(crate) unit: Unit,
    /// Probability of each bit to be read wrongly.
    pub(crate) rber: f64,
    pub(crate) seed: u64,
    /// Whether the unit holds a second write, coded over the page that was there.
    pub(crate) is_second: bool,
}

/// Decodes what was sensed. A clone has a working memory of its own.
#[derive(Clone)]
pub struct Decoder {
    pub(crate) coding: Coding,
    /// The seed of the patterns.
    pub(crate) scrambling: u64,
    pub(crate) retries: u32,
    pub(crate) retry_share: f64,
    /// The code of second writes.
    pub(crate) second: Option<Second>,
    pub(crate) read: Vec<u8>,
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
        self.read.clear();
        self.read.extend_from_slice(&cells.cells);
        disturb(&mut self.read, rber, cells.seed.wrapping_add(attempt));
        let area = self.coding.decode_oob(&mut self.read).ok_or(Lost::Uncorrectable)?;
        let oob = Oob::from_bytes(&area).ok_or(Lost::Uncorrectable)?;
        if oob.lpn != cells.lpn.number() || oob.second.is_some() != cells.is_second {
            return Err(Lost::Checksum);
        }
        if oob.is_lost {
            return Err(Lost::Before);
        }
        if oob.is_zero {
            data.fill(0);
            return Ok(());
        }
        let bits = match oob.second {
            None => self.take_first(data),
            Some(attempt) => self.take_second(attempt, data),
        };
        reads.corrected_bits += bits.ok_or(Lost::Uncorrectable)? as u64;
        scramble(data, self.scrambling, cells.unit.number());
        match crc32fast::hash(data) == oob.checksum {
            true => Ok(()),
            false => Err(Lost::Checksum),
        }
    }
    /// The data of a unit, as it is in its cells; returns how many bits were wrong.
    fn take_first(&mut self, data: &mut [u8]) -> Option<usize> {
        let bits = self.coding.decode(&mut self.read)?;
        data.copy_from_slice(&self.read[..data.len()]);
        Some(bits)
    }

    /// The data of a page over which it is coded: the error correction of its cells comes before their code.
    fn take_second(&mut self, attempt: u16, data: &mut [u8]) -> Option<usize> {
        let Self { coding, second, read, .. } = self;
        let stored_bytes = coding.stored_bytes();
        let (mut cells, mut spare, mut bits) = (Vec::new(), Vec::new(), 0);
        for unit in read.chunks_exact_mut(stored_bytes) {
            bits += coding.decode(unit)? + coding.decode_spare(unit)?;
            cells.extend_from_slice(&unit[..data.len()]);
            spare.extend_from_slice(coding.spare_of(unit));
        }
        cells.append(&mut spare);
        second.as_ref()?.read(&cells, attempt, data).then_some(bits)
    }
}
