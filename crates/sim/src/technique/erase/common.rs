//! The parameters that all schemes of erase pulses have.

use super::cells::{Chip, Gates};
use super::retries::Conditions;
use crate::declare::choice;

/// Declares the parameters of a scheme of erase pulses: those of all, and its own.
macro_rules! pulsed_params {
    ($(#[$meta:meta])* $name:ident { $($own:tt)* }) => {
        $crate::declare::params! {
            $(#[$meta])*
            pub struct $name {
                chip: $crate::technique::erase::Chip = $crate::technique::erase::Chip::ReoTlc,
                    $crate::declare::Kind::OneOf($crate::technique::erase::Chip::NAMES), "",
                    "the chip whose tables of the cell laboratory say how blocks erase, of flash with its kind of cells; other kinds take centaur-slc, llh-a16, reo-tlc or lazyrs-qlc";
                borrow: $crate::technique::erase::Borrowed = $crate::technique::erase::Borrowed::None,
                    $crate::declare::Kind::OneOf($crate::technique::erase::Borrowed::NAMES), "",
                    "the chip by whose tables flash of other cells than those of `chip` erases; none: by those of a chip with such cells, whose pulses the laboratory carried over from reo-tlc unless they are of TLC";
                requirement: f64 = 63.0, $crate::declare::Kind::Float(1.0, 1000.0), "bits per KiB",
                    "errors of the worst page after a year at which a block is worn out",
                    "63 as remembered of Cho et al., ASPLOS 2024; 50 and 40 are points of their sensitivity";
                lazy: bool = false, $crate::declare::Kind::Bool, "",
                    "the last loop waits until the block is used again";
                retries: bool = true, $crate::declare::Kind::Bool, "",
                    "pages with more errors than the code corrects are sensed again";
                ecc_bits: f64 = 72.0, $crate::declare::Kind::Float(1.0, 1000.0), "bits per KiB",
                    "errors that the code corrects, with `code = \"bound\"`",
                    "as remembered of Cho et al., ASPLOS 2024";
                code: $crate::technique::erase::Code = $crate::technique::erase::Code::Bound,
                    $crate::declare::Kind::OneOf($crate::technique::erase::Code::NAMES), "",
                    "when a page must be sensed again: beyond a bound of errors, or by chance as words of BCH (72 bits in 1 KiB) or of LDPC (4 KiB, 14 rows, hard decisions) are lost";
                errors_by: $crate::technique::erase::common::ErrorsBy = $crate::technique::erase::common::ErrorsBy::Damage,
                    $crate::declare::Kind::OneOf($crate::technique::erase::common::ErrorsBy::NAMES), "",
                    "what errors grow with: the damage that erases did, or the number of P/E cycles whatever erased them";
                data_age_h: f64 = 0.0, $crate::declare::Kind::Float(0.0, 1e6), "h",
                    "age of all data, besides the time since its block was erased";
                temperature_c: f64 = 40.0, $crate::declare::Kind::Float(0.0, 150.0), "°C",
                    "temperature at which data ages: one of the chip's table";
                word_line_sigma: f64 = 1.0, $crate::declare::Kind::Float(0.0, 10.0), "",
                    "standard deviation over word lines of the logarithm of their error rates";
                references: $crate::technique::erase::rates::References = $crate::technique::erase::rates::References::Default,
                    $crate::declare::Kind::OneOf($crate::technique::erase::rates::References::NAMES), "",
                    "the voltages that pages are read by: `default`, those of a new word line, or `best`, those with the fewest errors at its age and wear";
                retry_share: f64 = 0.5, $crate::declare::Kind::Float(0.01, 0.99), "share",
                    "errors of a retry, of those of the sensing before it",
                    "assumed";
                $($own)*
            }
        }

        impl $name {
            /// Reads the scheme's table, which was checked on load.
            fn read(table: &toml::Table) -> Result<Self, $crate::error::Error> {
                table.clone().try_into().map_err(|error: toml::de::Error| {
                    $crate::nand::infeasible(error.message().to_owned(), "see `wordline describe`")
                })
            }

            fn common(&self) -> $crate::technique::erase::common::Common {
                $crate::technique::erase::common::Common {
                    chip: self.chip,
                    borrow: self.borrow.chip(),
                    requirement: self.requirement,
                    lazy: self.lazy,
                    gates: $crate::technique::erase::cells::Gates::GROUND,
                    by_damage: self.errors_by == $crate::technique::erase::common::ErrorsBy::Damage,
                    retries: self.retries.then(|| $crate::technique::erase::retries::Conditions {
                        ecc_bits: self.ecc_bits,
                        code: self.code,
                        data_age_h: self.data_age_h,
                        temperature_c: self.temperature_c,
                        word_line_sigma: self.word_line_sigma,
                        references: self.references,
                        retry_share: self.retry_share,
                    }),
                }
            }

            fn defaults() -> toml::Table {
                toml::Table::try_from(Self::default()).unwrap_or_default()
            }
        }
    };
}
pub(super) use pulsed_params;

choice! {
    /// What errors grow with.
    pub enum ErrorsBy {
        Damage = "damage",
        Cycles = "cycles",
    }
}

/// Parameters that all schemes of erase pulses have.
#[derive(Debug, Clone)]
pub(super) struct Common {
    /// The chip whose tables flash with its kind of cells takes.
    pub chip: Chip,
    /// The chip whose tables all other flash takes; none: one with such cells.
    pub borrow: Option<Chip>,
    pub requirement: f64,
    pub lazy: bool,
    /// What gate voltages of word lines make of a block.
    pub gates: Gates,
    /// True where errors grow with damage, not with cycles.
    pub by_damage: bool,
    /// What retries follow from; none: no page is read again.
    pub retries: Option<Conditions>,
}
