//! Wrong bits of a read: how likely, and which.

use crate::coding::infeasible;
use crate::scramble::mix;
use wordline_codes::ecc::WrongBits;
use wordline_sim::Error;
use wordline_sim::config::{Config, DataErrors};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{BlockId, Unit};
use wordline_sim::reliability::{Chip, ErrorRates};

/// How likely a bit is read wrongly.
#[derive(Debug, Clone)]
pub struct Errors {
    rates: Rates,
    age_h: f64,
    /// Reads again after the first.
    pub retries: u32,
    /// Wrong bits of a retry, of those of the read before.
    pub retry_share: f64,
}

#[derive(Debug, Clone)]
enum Rates {
    None,
    Fixed(f64),
    /// By kind of flash.
    Table(Vec<ErrorRates>),
}

impl Errors {
    /// Those of a configuration.
    ///
    /// # Errors
    /// A table without the drive's cells, or without the temperature.
    pub fn new(config: &Config) -> Result<Self, Error> {
        let own = &config.data;
        let chip = match own.errors {
            DataErrors::None | DataErrors::Fixed => None,
            DataErrors::ReoTlc => Some(Chip::ReoTlc),
            DataErrors::LazyrsTlc => Some(Chip::LazyrsTlc),
            DataErrors::LlhA16 => Some(Chip::LlhA16),
            DataErrors::LlhA27 => Some(Chip::LlhA27),
            DataErrors::LlhB16 => Some(Chip::LlhB16),
            DataErrors::LlhB29 => Some(Chip::LlhB29),
            DataErrors::LlhC35 => Some(Chip::LlhC35),
            DataErrors::CentaurTlc => Some(Chip::CentaurTlc),
            DataErrors::CentaurSlc => Some(Chip::CentaurSlc),
            DataErrors::LazyrsQlc => Some(Chip::LazyrsQlc),
        };
        let rates = match chip {
            None if own.errors == DataErrors::Fixed && own.rber > 0.0 => Rates::Fixed(own.rber),
            None => Rates::None,
            Some(chip) => {
                let kinds = config.drive.kinds();
                let of = |kind: &wordline_sim::config::Chips<'_>| {
                    ErrorRates::of(chip, kind.chip.cell.name(), own.temperature_c).map_err(|_| {
                        infeasible(
                            format!(
                                "data.errors = \"{}\": the chip's table has no {} cells at {} °C",
                                own.errors, kind.chip.cell, own.temperature_c
                            ),
                            "choose another data.errors or data.temperature_c",
                        )
                    })
                };
                Rates::Table(kinds.iter().map(of).collect::<Result<_, Error>>()?)
            }
        };
        let retries = u32::try_from(own.retries).unwrap_or(u32::MAX);
        Ok(Self { rates, age_h: own.age_h, retries, retry_share: own.retry_share })
    }

    /// The probability of each bit of a unit to be read wrongly.
    pub fn rber(&self, state: &DriveState, block: BlockId, unit: Unit) -> f64 {
        match &self.rates {
            Rates::None => 0.0,
            Rates::Fixed(rber) => *rber,
            Rates::Table(by_group) => {
                let number = state.geometry.group_of(block);
                let group = &state.geometry.groups[number];
                let (_, place) = state.geometry.locate(unit);
                let kind = group.page_type(group.page_of(place)) as usize;
                by_group[number].rber(kind, f64::from(state.blocks[block].erases), self.age_h)
            }
        }
    }
}

/// Inverts bits of `cells`, each with the probability `rber`.
pub fn disturb(cells: &mut [u8], rber: f64, seed: u64) {
    if rber <= 0.0 {
        return;
    }
    for bit in WrongBits::new(8 * cells.len(), rber.min(0.5), mix(seed)) {
        cells[bit / 8] ^= 1 << (bit % 8);
    }
}

#[cfg(test)]
mod tests {
    use super::{Chip, ErrorRates, Errors};
    use wordline_sim::config::load;
    use wordline_sim::drive::DriveState;
    use wordline_sim::{Error, Opened, served};

    /// SLC beside TLC, by the tables of a chip that has both, after so many P/E cycles each and a month.
    #[test]
    fn each_kind_of_flash_has_the_errors_of_its_own_cells_and_cycles() {
        let drive = "
            [drive]
            channels = 2
            chips_per_channel = 1
            over_provisioning = 1.0
            [drive.chip]
            blocks_per_plane = 16
            pages_per_block = 24
            [drive.group.slc]
            channels = 1
            chip = { cell = \"slc\", initial_pec = 3000 }
            [drive.group.tlc]
            first_channel = 1
            channels = 1
            chip = { cell = \"tlc\", initial_pec = 500 }
            [precondition]
            fill = 0.0
            [data]
            errors = \"centaur-tlc\"
            age_h = 730
            [host]
            mode = \"closed\"
        ";
        let config = load(drive, "drive", &[]).unwrap_or_else(|error| panic!("{error}"));
        let errors = Errors::new(&config).unwrap_or_else(|error| panic!("{error}"));
        let check = |state: &DriveState| -> Result<Opened, Error> {
            for (group, cell, pec) in [(0, "slc", 3000.0), (1, "tlc", 500.0)] {
                let block = state.geometry.groups[group].blocks.first();
                let rates = ErrorRates::of(Chip::CentaurTlc, cell, config.data.temperature_c)?;
                let found = errors.rber(state, block, state.geometry.first_unit(block));
                assert_eq!(found, rates.rber(0, pec, 730.0), "{cell}");
            }
            Err(Error::Stopped)
        };
        // Nothing but the check is wanted of the drive.
        assert!(matches!(served(&config, check, &mut ()).err(), Some(Error::Stopped)));
    }
}
