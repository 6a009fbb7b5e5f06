//! The table of flash operations: what each one does to a page, how long the array works, what
//! crosses the channel, and what it costs. Techniques append rows of their own.

use super::geometry::{Geometry, infeasible};
use crate::config::{ChipConfig, PerPage};
use crate::error::Error;

/// How an operation uses die and channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Array, then data out over the channel.
    Read,
    /// Data in over the channel, then array.
    Program,
    /// Array only.
    Erase,
}

/// What a page must hold before an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing since the last erase, and every earlier page of the block programmed.
    Erased,
    /// Data.
    Programmed,
    /// Anything; the block holds no valid data.
    NoValidData,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct OpRow {
    /// Its name in results and messages.
    pub name: &'static str,
    /// How it uses die and channel.
    pub kind: Kind,
    /// What the page must hold before.
    pub needs: Needs,
    /// Array time by page type, nanoseconds.
    pub array_ns: [u64; 4],
    /// Whether the data cross the channel.
    pub transfers: bool,
    /// Energy by page type, or of a block; nanojoules.
    pub energy_nj: [u64; 4],
}

/// The table; rows are named by their index.
#[derive(Debug, Clone)]
pub struct OpTable {
    rows: Vec<OpRow>,
    /// Time of a byte on the channel, in 2^-24 ns: an integer multiplication instead of a rounding.
    transfer_per_byte: u64,
    /// Command and address cycles of one operation.
    pub command_ns: u64,
}

/// Row: read a page.
pub const READ: u8 = 0;
/// Row: program a page, or all pages of a word line.
pub const PROGRAM: u8 = 1;
/// Row: erase a block.
pub const ERASE: u8 = 2;

const FRACTION_BITS: u32 = 24;

fn ns(us: f64) -> u64 {
    (us * 1000.0).round() as u64
}

fn per_type(values: &PerPage, key: &str, bits: u32) -> Result<[u64; 4], Error> {
    let list = values.expand(bits as usize).ok_or_else(|| {
        infeasible(
            format!("drive.chip.{key} needs one value, or one for each of the {bits} page types"),
            "give as many values as the cell has bits",
        )
    })?;
    let mut by_type = [0; 4];
    for (to, from) in by_type.iter_mut().zip(list) {
        *to = ns(from);
    }
    Ok(by_type)
}

impl OpTable {
    /// The operations of a conventional chip.
    ///
    /// # Errors
    /// A list of latencies that does not have one value per page type.
    pub fn new(chip: &ChipConfig, geometry: &Geometry) -> Result<Self, Error> {
        let read = per_type(&chip.read_us, "read_us", geometry.bits)?;
        let mut program = per_type(&chip.program_us, "program_us", geometry.bits)?;
        if chip.program != "page" {
            // One array operation for the whole word line, as slow as its slowest page type.
            let slowest = program.iter().copied().max().unwrap_or(0);
            program.fill(slowest);
        }
        let erase = [ns(chip.erase_ms * 1000.0); 4];
        let read_nj = per_type(&chip.read_uj, "read_uj", geometry.bits)?;
        let program_nj = per_type(&chip.program_uj, "program_uj", geometry.bits)?;
        let row = |name, kind, needs, array_ns, transfers, energy_nj| OpRow {
            name,
            kind,
            needs,
            array_ns,
            transfers,
            energy_nj,
        };
        use {Kind as K, Needs as N};
        Ok(Self {
            rows: vec![
                row("read", K::Read, N::Programmed, read, true, read_nj),
                row("program", K::Program, N::Erased, program, true, program_nj),
                row("erase", K::Erase, N::NoValidData, erase, false, [ns(chip.erase_uj); 4]),
            ],
            transfer_per_byte: match chip.transfer_mb_s {
                0.0 => 0,
                mb_s => (1e3 / mb_s * f64::from(1 << FRACTION_BITS)).round() as u64,
            },
            command_ns: ns(chip.command_us),
        })
    }

    /// Appends an operation of a technique and returns its row.
    pub fn push(&mut self, row: OpRow) -> u8 {
        self.rows.push(row);
        self.rows.len() as u8 - 1
    }

    /// A row.
    #[inline]
    pub fn row(&self, row: u8) -> &OpRow {
        &self.rows[row as usize]
    }

    /// The rows.
    pub fn rows(&self) -> &[OpRow] {
        &self.rows
    }

    /// Time on the channel of `bytes`, nanoseconds.
    #[inline]
    pub fn transfer_ns(&self, bytes: u64) -> u64 {
        (bytes * self.transfer_per_byte + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS
    }
}
