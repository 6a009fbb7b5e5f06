//! The tables by which each kind of flash of a drive erases: those of a chip with the same cells, or
//! borrowed ones where the configuration says so.

use super::cells::{Cells, Chip};
use super::common::Common;
use super::retries::Retries;
use crate::error::Error;
use crate::ids::{BlockId, Ids};
use crate::nand::{chip_key, infeasible};
use crate::schema::{Chips, Config, SchemeChoice};
use crate::util::mix;

/// The tables of a kind of flash.
pub(super) struct Tables {
    /// What its blocks are, as tables have it.
    pub cells: Cells,
    /// How often its pages are read again; none: never.
    pub retries: Option<Retries>,
    /// Why its tables are not its own; none: they are of its kind of cells.
    pub borrowed: Option<String>,
    /// Its blocks.
    pub blocks: Ids<BlockId>,
}

/// The tables of each kind of flash that a scheme erases, in the order of the drive's groups; `None`: another
/// one erases it.
///
/// # Errors
/// Flash for whose kind of cells there is no table, unless one is borrowed; tables that lack something.
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
        let (chip, borrowed) = chip_for(kind, common, scheme)?;
        // Groups draw apart; a drive of one kind draws as ever.
        let seed = mix(config.run.seed) ^ if group == 0 { 0 } else { mix(group) };
        let retries = common.retries.clone();
        let table = chip.error_rates();
        let retries = retries.map(|known| Retries::new(table, kind.chip, seed, known));
        let (cells, retries) = (Cells::of(chip)?.gated(common.gates), retries.transpose()?);
        Ok(Some(Tables { cells, retries, borrowed, blocks: Ids::default() }))
    };
    (0..).zip(&groups).map(of).collect()
}

/// The chip whose tables a kind of flash takes, and why if they are not of its cells: the chip that the
/// configuration prefers, another one with such cells, or the one that it lets borrow from.
fn chip_for(
    kind: &Chips<'_>,
    common: &Common,
    scheme: SchemeChoice,
) -> Result<(Chip, Option<String>), Error> {
    let cell = kind.chip.cell;
    let wanted = cell.bits();
    let mut known = Vec::new();
    for chip in std::iter::once(common.chip).chain(Chip::ALL.iter().copied()) {
        let bits = Cells::of(chip)?.bits;
        if bits == wanted {
            let text = chip.erases_as().map(|from| {
                format!(
                    "{} = {cell} erases by the tables of {chip} (erase.{scheme}.chip), whose erases are not measured: the laboratory took the pulses of {from} to its cells",
                    chip_key(kind.name, "cell")
                )
            });
            return Ok((chip, text));
        }
        known.push(format!("{chip} has {bits} bits a cell"));
    }
    let key = chip_key(kind.name, "cell");
    if let Some(chip) = common.borrow {
        let text = format!(
            "{key} = {cell} erases by the tables of {chip} (erase.{scheme}.borrow), whose cells are of another kind: erase times, wear, errors and retries are not those of such flash"
        );
        return Ok((chip, Some(text)));
    }
    known.dedup();
    Err(infeasible(
        format!(
            "erase.scheme = {scheme}: {key} is {cell}, and no table says how such cells erase ({})",
            known.join(", ")
        ),
        format!(
            "set erase.scheme = fixed, or erase.{scheme}.borrow = {} to erase them as that chip does",
            Chip::ALL[0]
        ),
    ))
}
