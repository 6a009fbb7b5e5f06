//! How the data of a unit stands in the cells: in codewords of an error-correcting code, with an out-of-band area
//! that has a code of its own.

use crate::oob::OOB_BYTES;
use wordline_codes::ecc::bch::Bch;
use wordline_codes::ecc::ldpc::Ldpc;
use wordline_codes::ecc::{DecodeError, Ecc};
use wordline_sim::Error;
use wordline_sim::config::{Config, DataCode};

/// Wrong bits that the code of out-of-band areas corrects: they have to outlive the data beside them.
const OOB_BITS: usize = 16;

/// A code for the units of a drive. A clone has a working memory of its own.
#[derive(Clone)]
pub struct Coding {
    unit_bytes: usize,
    /// The code of the data; none: it stands there as it is.
    data: Option<Data>,
    oob: Bch,
    /// Spare cells that second writes program, and their code where the data has one.
    spare: Spare,
    of_spare: Option<Bch>,
}

#[derive(Clone)]
enum Data {
    Bch(Bch),
    Ldpc(Ldpc),
}

impl Data {
    fn code(&mut self) -> &mut dyn Ecc {
        match self {
            Self::Bch(code) => code,
            Self::Ldpc(code) => code,
        }
    }

    fn bytes(&self) -> (usize, usize) {
        match self {
            Self::Bch(code) => (code.data_bytes(), code.parity_bytes()),
            Self::Ldpc(code) => (code.data_bytes(), code.parity_bytes()),
        }
    }
}

/// Bytes of a codeword's data: BCH codes of 1 KiB, LDPC codes of 4 KiB.
const BCH_BYTES: usize = 1024;

/// The longest codeword of the error correction of spare cells, in bytes.
const SPARE_WORD: usize = 1024;

/// Spare cells of a unit that second writes program besides its data, in codewords of one length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spare {
    /// Codewords.
    pub words: usize,
    /// Bytes of each.
    pub word_bytes: usize,
}

impl Spare {
    /// As much of `bytes` as makes up codewords of one length.
    pub fn of(bytes: usize) -> Self {
        let words = bytes.div_ceil(SPARE_WORD);
        Self { words, word_bytes: bytes.checked_div(words).unwrap_or(0) }
    }

    /// Bytes of all.
    pub fn bytes(self) -> usize {
        self.words * self.word_bytes
    }
}

impl Coding {
    /// The code of a configuration, for units of `unit_bytes` and spare cells besides.
    ///
    /// # Errors
    /// A code that is none, or whose codewords do not make up a unit.
    pub fn new(config: &Config, unit_bytes: usize, spare: Spare) -> Result<Self, Error> {
        let own = &config.data;
        let bch = |bytes: usize| {
            Bch::new(bytes, own.bch_bits as usize).map_err(|error| {
                infeasible(
                    format!("data.bch_bits = {}: {error}", own.bch_bits),
                    "choose another data.bch_bits",
                )
            })
        };
        let has_code = own.code != DataCode::None && spare.words > 0;
        let of_spare = has_code.then(|| bch(spare.word_bytes)).transpose()?;
        let data = match own.code {
            DataCode::None => None,
            DataCode::Bch => Some(Data::Bch(bch(BCH_BYTES)?)),
            DataCode::Ldpc => {
                let code = Ldpc::load(own.ldpc_rows as usize).ok_or_else(|| {
                    let stored: Vec<String> = Ldpc::stored().map(|rows| rows.to_string()).collect();
                    infeasible(
                        format!("data.ldpc_rows = {}: there is no such code", own.ldpc_rows),
                        format!("choose one of {}", stored.join(", ")),
                    )
                })?;
                Some(Data::Ldpc(code))
            }
        };
        if let Some((bytes, _)) = data.as_ref().map(Data::bytes)
            && !unit_bytes.is_multiple_of(bytes)
        {
            return Err(infeasible(
                format!(
                    "data.code = \"{}\" takes {bytes} bytes at a time, and a unit has {unit_bytes} (ftl.mapping_unit_kib)",
                    own.code
                ),
                "choose a unit that is a multiple of it, or another data.code",
            ));
        }
        let oob = Bch::new(OOB_BYTES, OOB_BITS)
            .map_err(|error| Error::Invariant(format!("the code of out-of-band areas: {error}")))?;
        Ok(Self { unit_bytes, data, oob, spare, of_spare })
    }

    /// Bytes of a unit's data.
    pub fn unit_bytes(&self) -> usize {
        self.unit_bytes
    }

    fn parity_bytes(&self) -> usize {
        self.data.as_ref().map_or(0, |data| {
            let (bytes, parity) = data.bytes();
            self.unit_bytes / bytes * parity
        })
    }

    fn spare_at(&self) -> usize {
        self.unit_bytes + self.parity_bytes()
    }

    /// Where the out-of-band area begins in the bytes of a unit: it comes last, so that all else is in an image once it is.
    pub fn oob_at(&self) -> usize {
        let parity = self.of_spare.as_ref().map_or(0, Ecc::parity_bytes);
        self.spare_at() + self.spare.bytes() + self.spare.words * parity
    }

    /// Bytes of a unit in the cells.
    pub fn stored_bytes(&self) -> usize {
        self.oob_at() + OOB_BYTES + self.oob.parity_bytes()
    }

    /// The spare cells in those of a unit.
    pub fn spare_of<'a>(&self, cells: &'a [u8]) -> &'a [u8] {
        &cells[self.spare_at()..][..self.spare.bytes()]
    }

    /// Puts spare cells, and their parity, into `cells`.
    pub fn encode_spare(&mut self, spare: &[u8], cells: &mut [u8]) {
        let (of_spare, rest) = cells[self.spare_at()..].split_at_mut(self.spare.bytes());
        of_spare.copy_from_slice(spare);
        let Some(code) = &mut self.of_spare else { return };
        let (bytes, parity) = (code.data_bytes(), code.parity_bytes());
        for (word, its_parity) in of_spare.chunks_exact(bytes).zip(rest.chunks_exact_mut(parity)) {
            code.encode(word, its_parity).expect("buffers of the code's own lengths");
        }
    }

    /// Corrects spare cells and their parity in `cells`, as [`decode`](Self::decode) corrects the others.
    pub fn decode_spare(&mut self, cells: &mut [u8]) -> Option<usize> {
        let (of_spare, rest) = cells[self.spare_at()..].split_at_mut(self.spare.bytes());
        match &mut self.of_spare {
            Some(code) => corrected_all(code, of_spare, rest),
            None => Some(0),
        }
    }

    /// Adds the parity to the data in `cells`.
    pub fn encode(&mut self, cells: &mut [u8]) {
        let unit_bytes = self.unit_bytes;
        let Some(data) = &mut self.data else { return };
        let (bytes, parity) = data.bytes();
        let (of_data, rest) = cells.split_at_mut(unit_bytes);
        for (word, its_parity) in of_data.chunks_exact(bytes).zip(rest.chunks_exact_mut(parity)) {
            data.code().encode(word, its_parity).expect("buffers of the code's own lengths");
        }
    }

    /// Corrects data and parity in `cells`; returns how many bits were wrong, `None` where that cannot be done.
    pub fn decode(&mut self, cells: &mut [u8]) -> Option<usize> {
        let (of_data, rest) = cells.split_at_mut(self.unit_bytes);
        match &mut self.data {
            Some(data) => corrected_all(data.code(), of_data, rest),
            None => Some(0),
        }
    }

    /// Puts an out-of-band area into `cells`.
    pub fn encode_oob(&mut self, area: &[u8; OOB_BYTES], cells: &mut [u8]) {
        let (of_area, parity) = cells[self.oob_at()..].split_at_mut(OOB_BYTES);
        of_area.copy_from_slice(area);
        let parity = &mut parity[..self.oob.parity_bytes()];
        self.oob.encode(area, parity).expect("buffers of the code's own lengths");
    }

    /// The out-of-band area in `cells`, corrected; `None` where that cannot be done.
    pub fn decode_oob(&mut self, cells: &mut [u8]) -> Option<[u8; OOB_BYTES]> {
        let (area, parity) = cells[self.oob_at()..].split_at_mut(OOB_BYTES);
        let parity = &mut parity[..self.oob.parity_bytes()];
        corrected(&mut self.oob, area, parity)?;
        area.first_chunk().copied()
    }
}

/// Corrects codewords, whose parity stands behind them; returns how many bits were wrong.
fn corrected_all(code: &mut dyn Ecc, data: &mut [u8], parity: &mut [u8]) -> Option<usize> {
    let words = data.chunks_exact_mut(code.data_bytes());
    let mut bits = 0;
    for (word, its_parity) in words.zip(parity.chunks_exact_mut(code.parity_bytes())) {
        bits += corrected(code, word, its_parity)?;
    }
    Some(bits)
}

/// Corrects a codeword; returns how many of its bits were wrong.
fn corrected(code: &mut dyn Ecc, data: &mut [u8], parity: &mut [u8]) -> Option<usize> {
    match code.decode(data, parity) {
        Ok(corrected) => Some(corrected.bits),
        Err(DecodeError::Uncorrectable) => None,
        Err(DecodeError::Length(error)) => panic!("buffers of the code's own lengths: {error}"),
    }
}

pub fn infeasible(what: impl Into<String>, help: impl Into<String>) -> Error {
    Error::Infeasible { what: what.into(), help: help.into() }
}

#[cfg(test)]
mod tests {
    use super::Spare;

    #[test]
    fn spare_cells_make_up_codewords_of_one_length() {
        let spare = |words, word_bytes| Spare { words, word_bytes };
        for (bytes, expected) in
            [(0, spare(0, 0)), (430, spare(1, 430)), (1024, spare(1, 1024)), (1967, spare(2, 983))]
        {
            assert_eq!(Spare::of(bytes), expected);
        }
    }
}
