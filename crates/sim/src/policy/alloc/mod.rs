//! The order in which writes visit the planes of a drive.

/// The 24 static orders of channel, way, die and plane (fastest first), and `dynamic`.
pub const NAMES: &[&str] = &[
    "CWDP", "CWPD", "CDWP", "CDPW", "CPWD", "CPDW", "WCDP", "WCPD", "WDCP", "WDPC", "WPCD", "WPDC",
    "DCWP", "DCPW", "DWCP", "DWPC", "DPCW", "DPWC", "PCWD", "PCDW", "PWCD", "PWDC", "PDCW", "PDWC",
    "dynamic",
];
