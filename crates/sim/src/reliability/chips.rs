//! The chips whose tables of the cell laboratory are built in.

use crate::declare::choice;
use crate::schema::Cell;

choice! {
    /// A chip whose tables are built in.
    pub enum Chip {
        ReoTlc = "reo-tlc",
        LazyrsTlc = "lazyrs-tlc",
        LlhA16 = "llh-a16",
        LlhA27 = "llh-a27",
        LlhB16 = "llh-b16",
        LlhB29 = "llh-b29",
        LlhC35 = "llh-c35",
        CentaurTlc = "centaur-tlc",
        CentaurSlc = "centaur-slc",
        LazyrsQlc = "lazyrs-qlc",
    }
}

macro_rules! table {
    ($chip:literal, $file:literal) => {
        include_str!(concat!("../../../../presets/cells/tables/", $chip, "/", $file))
    };
}

impl Chip {
    /// Its curves of pulses, and its table of error rates.
    fn tables(self) -> (&'static str, &'static str) {
        macro_rules! of {
            ($chip:literal) => {
                (table!($chip, "pulses.csv"), table!($chip, "rber.csv"))
            };
        }
        match self {
            Self::ReoTlc => of!("reo-tlc"),
            Self::LazyrsTlc => of!("lazyrs-tlc"),
            Self::LlhA16 => of!("llh-a16"),
            Self::LlhA27 => of!("llh-a27"),
            Self::LlhB16 => of!("llh-b16"),
            Self::LlhB29 => of!("llh-b29"),
            Self::LlhC35 => of!("llh-c35"),
            Self::CentaurTlc => of!("centaur-tlc"),
            Self::CentaurSlc => of!("centaur-slc"),
            Self::LazyrsQlc => of!("lazyrs-qlc"),
        }
    }

    /// The chip that stands for cells of a kind.
    pub(crate) fn of_cells(cell: Cell) -> Self {
        match cell {
            Cell::Slc => Self::CentaurSlc,
            Cell::Mlc => Self::LlhA16,
            Cell::Tlc => Self::ReoTlc,
            Cell::Qlc => Self::LazyrsQlc,
        }
    }

    /// Its curves of pulses.
    pub(crate) fn pulses(self) -> &'static str {
        self.tables().0
    }

    /// Its table of error rates.
    pub(crate) fn error_rates(self) -> &'static str {
        self.tables().1
    }

    /// The chip whose erases were measured where its own were not, by the first line of its curves.
    pub(crate) fn erases_as(self) -> Option<&'static str> {
        let first = self.pulses().lines().next()?;
        first.split_once("not measured but borrowed from ").map(|(_, from)| from.trim())
    }
}
