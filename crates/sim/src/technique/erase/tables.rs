//! The tables by which each kind of flash of a drive erases: those of a chip with the same cells, or
//! borrowed ones where the configuration says so.

use super::cells::Cells;
use super::common::Common;
use crate::error::Error;
use crate::ids::{BlockId, Ids};
use crate::nand::chip_key;
use crate::reliability::Chip;
use crate::schema::{Chips, Config, SchemeChoice};

/// The tables of a kind of flash.
pub(super) struct Tables {
    /// What its blocks are, as tables have it.
    pub cells: Cells,
    /// The chip whose tables they are.
    pub chip: Chip,
    /// What a reader must know of them.
    pub warnings: Vec<String>,
    /// Its blocks.
    pub blocks: Ids<BlockId>,
}

/// The tables of each kind of flash that a scheme erases, in the order of the drive's groups; `None`: another
/// one erases it.
///
/// # Errors
/// Tables that lack something.
pub(super) fn of_drive(
    config: &Config,
    common: &Common,
    scheme: SchemeChoice,
) -> Result<Vec<Option<Tables>>, Error> {
    let groups = config.drive.kinds();
    let schemes = config.schemes();
    let of = |(group, kind): (u64, &Chips<'_>)| {
        if schemes[group as usize] != scheme {
            return Ok(None);
        }
        let (chip, whence) = chip_for(kind, common)?;
        let cells = Cells::of(chip)?.gated(common.gates);
        let told = [
            told_of_source(kind, chip, whence, scheme),
            told_of_life(kind, &cells, common, scheme),
        ];
        let warnings = told.into_iter().flatten().collect();
        Ok(Some(Tables { cells, chip, warnings, blocks: Ids::default() }))
    };
    (0..).zip(&groups).map(of).collect()
}

/// Whose tables a kind of flash takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whence {
    /// A chip with such cells.
    Alike,
    /// One with other cells, because the configuration says so.
    Borrowed,
}

/// The chip whose tables a kind of flash takes: the one that the configuration prefers if it has such cells,
/// or else the one that it borrows from, or else the one that stands for such cells.
fn chip_for(kind: &Chips<'_>, common: &Common) -> Result<(Chip, Whence), Error> {
    let cell = kind.chip.cell;
    if Cells::of(common.chip)?.bits == cell.bits() {
        return Ok((common.chip, Whence::Alike));
    }
    Ok(match common.borrow {
        Some(chip) => (chip, Whence::Borrowed),
        None => (Chip::of_cells(cell), Whence::Alike),
    })
}

/// Tells where the pulses are those of other flash.
fn told_of_source(
    kind: &Chips<'_>,
    chip: Chip,
    whence: Whence,
    scheme: SchemeChoice,
) -> Option<String> {
    let (key, cell) = (chip_key(kind.name, "cell"), kind.chip.cell);
    if whence == Whence::Borrowed {
        return Some(format!(
            "{key} = {cell} erases by the tables of {chip} (erase.{scheme}.borrow), whose cells are of another kind: erase times, wear and errors are not those of such flash"
        ));
    }
    chip.erases_as().map(|from| {
        format!(
            "{key} = {cell} erases by the tables of {chip} (erase.{scheme}.chip), whose erases are not measured: the laboratory took the pulses of {from} to its cells"
        )
    })
}

/// The share of the requirement below which errors at the end of a table mean that no block wears out in any
/// run.
const WEARLESS: f64 = 0.01;

/// Tells where errors grow so slowly that no block wears out.
fn told_of_life(
    kind: &Chips<'_>,
    cells: &Cells,
    common: &Common,
    scheme: SchemeChoice,
) -> Option<String> {
    let (errors, pec) = cells.last_errors();
    (errors < WEARLESS * common.requirement).then(|| {
        format!(
            "{} = {}: no block wears out, because its worst page has {errors:.2} errors per KiB after {pec:.0} P/E cycles, where its table ends, and erase.{scheme}.requirement is {}; erase.scheme = fixed counts endurance_pec instead",
            chip_key(kind.name, "cell"), kind.chip.cell, common.requirement
        )
    })
}
