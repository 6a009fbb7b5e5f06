//! The parameters that all schemes of erase pulses have.

use super::cells::Gates;
use crate::reliability::Chip;

/// Declares the parameters of a scheme of erase pulses: those of all, and its own.
macro_rules! pulsed_params {
    ($(#[$meta:meta])* $name:ident { $($own:tt)* }) => {
        $crate::declare::params! {
            $(#[$meta])*
            pub struct $name {
                chip: $crate::reliability::Chip = $crate::reliability::Chip::ReoTlc,
                    $crate::declare::Kind::OneOf($crate::reliability::Chip::NAMES), "",
                    "the chip whose tables of the cell laboratory say how blocks erase, of flash with its kind of cells; other kinds take centaur-slc, llh-a16, reo-tlc or lazyrs-qlc";
                borrow: $crate::technique::erase::Borrowed = $crate::technique::erase::Borrowed::None,
                    $crate::declare::Kind::OneOf($crate::technique::erase::Borrowed::NAMES), "",
                    "the chip by whose tables flash of other cells than those of `chip` erases; none: by those of a chip with such cells, whose pulses the laboratory carried over from reo-tlc unless they are of TLC";
                requirement: f64 = 63.0, $crate::declare::Kind::Float(1.0, 1000.0), "bits per KiB",
                    "errors of the worst page after a year at which a block is worn out",
                    "63 as remembered of Cho et al., ASPLOS 2024; 50 and 40 are points of their sensitivity";
                lazy: bool = false, $crate::declare::Kind::Bool, "",
                    "the last loop waits until the block is used again";
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
                    word_lines_alike: false,
                }
            }

            fn defaults() -> toml::Table {
                toml::Table::try_from(Self::default()).unwrap_or_default()
            }
        }
    };
}
pub(super) use pulsed_params;

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
    /// Whether all word lines of a block erase alike.
    pub word_lines_alike: bool,
}
