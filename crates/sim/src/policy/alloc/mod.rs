//! The order in which writes visit the planes of a drive.

use crate::nand::Geometry;

/// The 24 static orders of channel, way, die and plane (fastest first), and `dynamic`.
pub const NAMES: &[&str] = &[
    "CWDP", "CWPD", "CDWP", "CDPW", "CPWD", "CPDW", "WCDP", "WCPD", "WDCP", "WDPC", "WPCD", "WPDC",
    "DCWP", "DCPW", "DWCP", "DWPC", "DPCW", "DPWC", "PCWD", "PCDW", "PWCD", "PWDC", "PDCW", "PDWC",
    "dynamic",
];

/// The planes in the order `name`, one round; empty for `dynamic`.
pub fn plane_order(name: &str, geometry: &Geometry) -> Vec<u32> {
    if name == "dynamic" {
        return Vec::new();
    }
    let size = |letter| match letter {
        'C' => geometry.channels,
        'W' => geometry.ways,
        'D' => geometry.dies_per_chip,
        _ => geometry.planes_per_die,
    };
    let plane_at = |mut position: u32| {
        let mut at = [0; 4];
        for letter in name.chars() {
            let size = size(letter);
            at["CWDP".find(letter).unwrap_or(0)] = position % size;
            position /= size;
        }
        let [c, w, d, p] = at;
        let die = (c * geometry.ways + w) * geometry.dies_per_chip + d;
        die * geometry.planes_per_die + p
    };
    (0..geometry.planes()).map(plane_at).collect()
}
