//! The link of PCI Express between host and drive.

use crate::declare::Kind;
use crate::declare::params;

params! {
    /// `[host.link]`: a link of PCI Express, which carries data both ways at once, in place of `host.bus_mb_s`.
    pub struct LinkConfig {
        generation: u64 = 0, Kind::Int(0, 5), "",
            "PCI Express generation, which says how fast a lane is; 0: no such link",
            "PCI Express: 2.5, 5, 8, 16, 32 GT/s; 8b/10b up to generation 2, then 128b/130b";
        lanes: u64 = 4, Kind::Int(1, 16), "", "lanes; a drive of U.2 or M.2 has four at most";
        max_payload: u64 = 128, Kind::Int(128, 4096), "bytes",
            "data of a packet at most: what host and drive agree on",
            "PCI Express: 128 unless both allow more";
        overhead_bytes: u64 = 28, Kind::Int(0, 256), "bytes",
            "header, checks and framing of a packet",
            "MQSim 7ec40e3: 20 + 6 + 2 bytes by the three layers";
    }
}

impl LinkConfig {
    /// Bytes a second that all lanes carry in one direction, packets' overhead included; `None`: there is no link.
    pub fn raw_bytes_per_s(&self) -> Option<f64> {
        let (gt_per_s, coded) = match self.generation {
            0 => return None,
            1 => (2.5, 0.8),
            2 => (5.0, 0.8),
            generation => (f64::from(1_u32 << generation.min(5)), 128.0 / 130.0),
        };
        Some(gt_per_s * 1e9 * coded / 8.0 * self.lanes as f64)
    }

    /// Bytes of data a second in one direction, in full packets; `None`: there is no link.
    pub fn bytes_per_s(&self) -> Option<f64> {
        let of_packet = self.max_payload as f64 / (self.max_payload + self.overhead_bytes) as f64;
        self.raw_bytes_per_s().map(|raw| raw * of_packet)
    }
}
