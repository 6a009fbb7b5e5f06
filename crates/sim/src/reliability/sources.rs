//! Where the error rates of a kind of flash come from.

use super::Chip;
use super::law::Law;
use super::rate_table::RateTable;
use super::rates::ErrorRates;
use crate::error::{Error, infeasible};
use crate::schema::{ChipConfig, ReadErrors, ReadsConfig};

/// What messages call a user's table whose file has no name.
const OWN: &str = "drive.reads.table";
/// What stands before the name of the file in a user's table.
pub(super) const FILE: &str = "# file ";

/// The error rates of cells as programs of the drive leave them.
#[derive(Debug)]
pub(super) enum Rates {
    Table(ErrorRates),
    Law(Law),
}

impl Rates {
    /// Those of flash of `chip` with the cells of a chip of the laboratory, and by the table those of the modes in which
    /// techniques program cells.
    ///
    /// # Errors
    /// No rates of such cells, at this temperature.
    pub fn of(
        cells: Chip,
        chip: &ChipConfig,
        config: &ReadsConfig,
    ) -> Result<(Self, Vec<(String, ErrorRates)>), Error> {
        match config.model {
            ReadErrors::Law => Ok((Self::Law(law(chip, config)?), Vec::new())),
            ReadErrors::Table => {
                let (name, text) = own_table(&config.table)?;
                tables(RateTable::parse(name, text)?, chip, config)
            }
            ReadErrors::Cell | ReadErrors::None => {
                let name = format!("rber.csv of {cells}");
                tables(RateTable::parse(&name, cells.error_rates())?, chip, config)
            }
        }
    }
}

/// The rates of a chip's cells as programs of the drive leave them, and as techniques do.
fn tables(
    table: RateTable<'_>,
    chip: &ChipConfig,
    config: &ReadsConfig,
) -> Result<(Rates, Vec<(String, ErrorRates)>), Error> {
    if table.has("layer") && chip.layers_per_block == 0 {
        return Err(infeasible(
            "drive.reads.table has a column layer, but the blocks have no layers",
            "set drive.chip.layers_per_block, or drive.reads.model to \"none\"",
        ));
    }
    let of_mode = |mode: &str| table.of(mode, config.temperature_c, config.references);
    let rates = of_mode(chip.cell.name())?;
    let stages = table.modes().filter_map(|mode| Some((mode.into(), of_mode(mode).ok()?)));
    Ok((Rates::Table(rates), stages.collect()))
}

/// The law, which knows no temperature.
fn law(chip: &ChipConfig, config: &ReadsConfig) -> Result<Law, Error> {
    let usual = ReadsConfig::default().temperature_c;
    if config.temperature_c != usual {
        return Err(infeasible(
            format!(
                "drive.reads.temperature_c = {}, but the law of drive.reads knows no temperature",
                config.temperature_c
            ),
            format!("set drive.reads.temperature_c to {usual}, or drive.reads.model to \"none\""),
        ));
    }
    Law::new(chip, config)
}

/// The name of a user's table, and its text.
fn own_table(given: &str) -> Result<(&str, &str), Error> {
    let text = given.strip_prefix('\u{feff}').unwrap_or(given);
    match text.split_once('\n') {
        Some((first, rest)) => {
            let (name, text) = first.strip_prefix(FILE).map_or((OWN, text), |name| (name, rest));
            Ok((name, text.trim_end()))
        }
        None => Err(infeasible(
            format!("drive.reads.model = \"table\", but drive.reads.table = {text:?} is no table"),
            "set drive.reads.table to the path of a CSV file, or drive.reads.model to \"none\"",
        )),
    }
}
