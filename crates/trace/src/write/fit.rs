//! What a format can hold, and what is lost where a request does not fit.

use crate::{Op, Request};

/// What a format can hold of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The unit of its times, in nanoseconds.
    pub time_unit_ns: u64,
    /// The unit of its addresses and sizes, in bytes.
    pub sector_bytes: u64,
    /// One past the highest address, in bytes.
    pub end_bytes: u64,
    /// Whether it has an operation for TRIM.
    pub trims: bool,
    /// Whether it has an operation for flushes.
    pub flushes: bool,
    /// Whether it can say that a write is durable at once (FUA).
    pub fuas: bool,
    /// Whether it can name the placement identifier of a write.
    pub placements: bool,
}

/// Requests that a format could not hold as they were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Losses {
    /// Arrivals finer than its unit of time: rounded down.
    pub fine_times: u64,
    /// Addresses or sizes that are not whole sectors: widened to the sectors that they touch.
    pub unaligned: u64,
    /// TRIM requests: left out.
    pub trims: u64,
    /// Flushes: left out.
    pub flushes: u64,
    /// Writes that are durable at once: written as any other.
    pub fuas: u64,
    /// Writes with a placement identifier: written without.
    pub placements: u64,
    /// Addresses beyond what it can name: left out.
    pub beyond: u64,
}

impl Losses {
    /// Whether anything was lost.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }

    /// Requests that were left out.
    pub fn left_out(&self) -> u64 {
        self.trims + self.flushes + self.beyond
    }

    /// What does not fit, in words; `limits` are the format's.
    pub fn told(&self, limits: &Limits) -> String {
        let kinds = [
            (self.fine_times, format!("with times finer than {} ns", limits.time_unit_ns)),
            (self.unaligned, format!("not in whole sectors of {} bytes", limits.sector_bytes)),
            (self.trims, "that trim".to_owned()),
            (self.flushes, "that flush".to_owned()),
            (self.fuas, "that are durable at once".to_owned()),
            (self.placements, "with a placement identifier".to_owned()),
            (self.beyond, format!("beyond byte {}", limits.end_bytes)),
        ];
        let told: Vec<String> = kinds
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, kind)| format!("{count} {kind}"))
            .collect();
        told.join(", ")
    }
}

impl Limits {
    /// Everything that a request can be.
    pub const NONE: Self = Self {
        time_unit_ns: 1,
        sector_bytes: 1,
        end_bytes: u64::MAX,
        trims: true,
        flushes: true,
        fuas: true,
        placements: true,
    };

    /// The request as the format can hold it; `None` where it must be left out. Counts what is
    /// lost.
    pub fn fit(&self, mut request: Request, losses: &mut Losses) -> Option<Request> {
        match request.op {
            Op::Trim if !self.trims => {
                losses.trims += 1;
                return None;
            }
            Op::Flush if !self.flushes => {
                losses.flushes += 1;
                return None;
            }
            _ => {}
        }
        let end = request.offset_bytes.saturating_add(u64::from(request.size_bytes));
        if end > self.end_bytes {
            losses.beyond += 1;
            return None;
        }
        if request.fua && !self.fuas {
            losses.fuas += 1;
            request.fua = false;
        }
        if request.placement.is_some() && !self.placements {
            losses.placements += 1;
            request.placement = None;
        }
        if !request.arrival_ns.is_multiple_of(self.time_unit_ns) {
            losses.fine_times += 1;
            request.arrival_ns -= request.arrival_ns % self.time_unit_ns;
        }
        let sector = self.sector_bytes;
        if !request.offset_bytes.is_multiple_of(sector) || !end.is_multiple_of(sector) {
            losses.unaligned += 1;
            request.offset_bytes -= request.offset_bytes % sector;
            let size = end.next_multiple_of(sector) - request.offset_bytes;
            let largest = u64::from(u32::MAX) / sector * sector;
            request.size_bytes = size.min(largest) as u32;
        }
        Some(request)
    }
}
