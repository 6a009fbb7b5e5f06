//! Quasi-cyclic low-density parity-check codes (Gallager 1962; Fossorier, IEEE Trans. Inf. Theory
//! 50, 2004) for 4 KiB of data: circulants of 256, data columns of weight 4, girth 6, and parity
//! that is encoded in linear time.
//!
//! The codeword is data, then parity, byte 0's lowest bit first.

mod block;
mod construct;
mod encoder;
mod lanes;
mod matrix;
mod min_sum;

pub use construct::construct;
pub use matrix::{BaseMatrix, Circulant, MatrixError};

use super::codec::{Corrected, DecodeError, Ecc, LengthError, check_lengths};
use crate::cpu::Isa;
use block::{BYTES, Block, SIZE};
use min_sum::{Input, LARGEST_BELIEF, Messages, Schedule};
use std::sync::Arc;

/// What a hard decision is believed at first. Min-sum only compares and adds, so that the size
/// matters for rounding and saturation alone: large beliefs lose the fewest words.
const HARD_BELIEF: i8 = 20;
/// Rounds after which decoding is given up, unless said otherwise.
const ROUNDS: usize = 30;

/// The stored codes: 4 KiB of data, and parity columns of 32 bytes.
const STORED: [(usize, &str); 5] = [
    (10, include_str!("../../../data/ldpc/4k-r10.qc")),
    (12, include_str!("../../../data/ldpc/4k-r12.qc")),
    (14, include_str!("../../../data/ldpc/4k-r14.qc")),
    (16, include_str!("../../../data/ldpc/4k-r16.qc")),
    (19, include_str!("../../../data/ldpc/4k-r19.qc")),
];

/// An LDPC code with its decoder.
#[derive(Debug, Clone)]
pub struct Ldpc {
    code: Arc<Code>,
    isa: Isa,
    rounds: usize,
    blocks: Vec<Block>,
    messages: Messages,
}

/// What all decoders of a code share.
#[derive(Debug)]
struct Code {
    matrix: BaseMatrix,
    schedule: Schedule,
}

impl Ldpc {
    /// The code of `matrix`.
    pub fn new(matrix: BaseMatrix) -> Self {
        let schedule = Schedule::new(&matrix);
        Self {
            isa: Isa::best(),
            rounds: ROUNDS,
            blocks: vec![[0; 4]; matrix.columns().len()],
            messages: schedule.messages(),
            code: Arc::new(Code { matrix, schedule }),
        }
    }

    /// Block rows of the stored codes; each row is 32 bytes of parity for 4 KiB of data.
    pub fn stored() -> impl Iterator<Item = usize> {
        STORED.iter().map(|&(rows, _)| rows)
    }

    /// The stored code with `rows` block rows; `None` where there is none.
    pub fn load(rows: usize) -> Option<Self> {
        let (_, text) = STORED.iter().find(|(stored, _)| *stored == rows)?;
        BaseMatrix::parse(text).ok().map(Self::new)
    }

    /// Computes the code with `isa`; `None` where the processor cannot run it.
    pub fn with_isa(mut self, isa: Isa) -> Option<Self> {
        self.isa = isa;
        isa.is_available().then_some(self)
    }

    /// Gives a codeword up after `rounds` over all checks.
    pub fn with_rounds(mut self, rounds: usize) -> Self {
        self.rounds = rounds;
        self
    }

    /// Rounds over all checks after which decoding is given up, or tried anew.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// The parity-check matrix.
    pub fn matrix(&self) -> &BaseMatrix {
        &self.code.matrix
    }

    /// Bits of a codeword.
    pub fn codeword_bits(&self) -> usize {
        self.matrix().columns().len() * SIZE
    }

    /// Data bits per bit of a codeword.
    pub fn rate(&self) -> f64 {
        self.matrix().data_columns() as f64 / self.matrix().columns().len() as f64
    }

    /// Decodes from beliefs: of each bit a log-likelihood ratio, in any unit, positive where it is
    /// rather 0. Beliefs beyond ±24 are scaled down, all by the same factor, to what messages hold.
    /// Writes the codeword that was found into `data` and `parity`; nothing otherwise.
    /// `bits` of the answer counts where its bits differ from the signs of `beliefs`.
    ///
    /// # Errors
    /// When a buffer has not the length that the code has, or when no codeword was found.
    pub fn decode_soft(
        &mut self,
        beliefs: &[i8],
        data: &mut [u8],
        parity: &mut [u8],
    ) -> Result<Corrected, DecodeError> {
        self.check_buffers(data, parity)?;
        if beliefs.len() != self.codeword_bits() {
            let (got, wanted) = (beliefs.len(), self.codeword_bits());
            return Err(LengthError { buffer: "beliefs", got, wanted }.into());
        }
        for (word, beliefs) in self.blocks.as_flattened_mut().iter_mut().zip(beliefs.chunks(64)) {
            *word = beliefs.iter().rev().fold(0, |word, &b| word << 1 | u64::from(b < 0));
        }
        let corrected = if self.code.schedule.is_codeword(&self.blocks) {
            Corrected::default()
        } else {
            let scaled = scaled_down(beliefs);
            let from = Input::Beliefs(scaled.as_deref().unwrap_or(beliefs), 1);
            let code = &self.code;
            let found = code.schedule.search(self.isa, &mut self.messages, from, self.rounds);
            self.take(found)?
        };
        self.put(data, parity);
        Ok(corrected)
    }

    /// Takes the codeword that was `found` after so many rounds into `self.blocks`.
    fn take(&mut self, found: Option<usize>) -> Result<Corrected, DecodeError> {
        let iterations = found.ok_or(DecodeError::Uncorrectable)?;
        let changed = self.blocks.iter().flatten().zip(self.messages.bits().iter().flatten());
        let bits = changed.map(|(before, after)| (before ^ after).count_ones() as usize).sum();
        self.blocks.copy_from_slice(self.messages.bits());
        Ok(Corrected { bits, iterations })
    }

    fn check_buffers(&self, data: &[u8], parity: &[u8]) -> Result<(), LengthError> {
        check_lengths((data.len(), self.data_bytes()), (parity.len(), self.parity_bytes()))
    }

    fn get(&mut self, data: &[u8], parity: &[u8]) {
        let (front, back) = self.blocks.split_at_mut(self.code.matrix.data_columns());
        block::from_bytes(data, front);
        block::from_bytes(parity, back);
    }

    fn put(&self, data: &mut [u8], parity: &mut [u8]) {
        let (front, back) = self.blocks.split_at(self.code.matrix.data_columns());
        block::to_bytes(front, data);
        block::to_bytes(back, parity);
    }
}

/// Beliefs in proportion to these, none above what messages hold without saturation; `None` where
/// these are so already.
fn scaled_down(beliefs: &[i8]) -> Option<Vec<i8>> {
    let most = beliefs.iter().map(|belief| i32::from(belief.unsigned_abs())).max()?;
    let bound = LARGEST_BELIEF as i32;
    // Halves are rounded away from 0: no doubt becomes more than it was beside the others.
    let scale = |belief: &i8| {
        let whole = i32::from(*belief) * bound;
        ((whole + whole.signum() * most / 2) / most) as i8
    };
    (most > bound).then(|| beliefs.iter().map(scale).collect())
}

impl Ecc for Ldpc {
    fn data_bytes(&self) -> usize {
        self.matrix().data_columns() * BYTES
    }

    fn parity_bytes(&self) -> usize {
        self.matrix().rows() * BYTES
    }

    fn encode(&mut self, data: &[u8], parity: &mut [u8]) -> Result<(), LengthError> {
        self.check_buffers(data, parity)?;
        let (front, back) = self.blocks.split_at_mut(self.code.matrix.data_columns());
        block::from_bytes(data, front);
        encoder::parity(self.isa, &self.code.matrix, front, back);
        block::to_bytes(back, parity);
        Ok(())
    }

    /// From hard decisions, by the same min-sum as [`Ldpc::decode_soft`].
    fn decode(&mut self, data: &mut [u8], parity: &mut [u8]) -> Result<Corrected, DecodeError> {
        self.check_buffers(data, parity)?;
        self.get(data, parity);
        if self.code.schedule.is_codeword(&self.blocks) {
            return Ok(Corrected::default());
        }
        let from = Input::Bits(&self.blocks, HARD_BELIEF);
        let code = &self.code;
        let found = code.schedule.search(self.isa, &mut self.messages, from, self.rounds);
        let corrected = self.take(found)?;
        self.put(data, parity);
        Ok(corrected)
    }
}
