//! Where host writes go: the order in which they visit the planes of a drive, and the choice of a plane
//! within a die.

mod most_free;
mod order;

pub use most_free::MostFree;
pub use order::{block_order, plane_order};

/// The 24 static orders of channel, way, die and plane (fastest first), and `dynamic`.
pub const NAMES: &[&str] = &[
    "CWDP", "CWPD", "CDWP", "CDPW", "CPWD", "CPDW", "WCDP", "WCPD", "WDCP", "WDPC", "WPCD", "WPDC",
    "DCWP", "DCPW", "DWCP", "DWPC", "DPCW", "DPWC", "PCWD", "PCDW", "PWCD", "PWDC", "PDCW", "PDWC",
    "dynamic",
];
