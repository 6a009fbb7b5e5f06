//! Which writes belong together: temperature 0 is the hottest.

mod interval;
mod oracle;
mod page_interval;
mod parity;
mod sequence;
mod size;

use crate::drive::DriveState;
use crate::schema::{HotnessChoice, HotnessConfig};

/// A host write of one unit, as a hotness policy sees it.
#[derive(Debug, Clone, Copy)]
pub struct HostWrite {
    /// Logical unit.
    pub lpn: u32,
    /// The request's number.
    pub request: u64,
    /// First byte of the request.
    pub request_offset_bytes: u64,
    /// Length of the request.
    pub request_bytes: u32,
    /// Its arrival.
    pub now_ns: u64,
    /// True for the parity of an array.
    pub parity: bool,
}

/// Tells a write's temperature.
pub trait Hotness: Send {
    /// From 0, the hottest, to the number of temperatures less one.
    fn temperature(&mut self, state: &DriveState, write: &HostWrite) -> u32;

    /// The run begins: what preconditioning wrote was written long ago.
    fn begin(&mut self, _state: &DriveState) {}

    /// A block, or a part of it, was opened.
    fn opened(&mut self, _block: u32, _now_ns: u64) {}
}

/// Temperatures that the policy of `config` tells apart.
pub fn temperatures(config: &HotnessConfig) -> u32 {
    use HotnessChoice as C;
    match config.policy {
        C::None => 1,
        C::Interval | C::PageInterval => config.intervals_min.len() as u32 + 1,
        C::Size | C::Sequence | C::Oracle | C::Parity => 2,
    }
}

/// Nanoseconds after which the policy of `config` takes data for cold that was not updated; 0 where it
/// goes by something else than time.
pub fn cold_after_ns(config: &HotnessConfig) -> u64 {
    use HotnessChoice as C;
    match config.policy {
        C::Interval | C::PageInterval => config.intervals_min.last().map_or(0, interval::to_ns),
        C::None | C::Size | C::Sequence | C::Oracle | C::Parity => 0,
    }
}

/// The policy of `config` for a drive of `blocks` blocks and `logical_units` units; `None` for
/// `none`.
pub fn build(config: &HotnessConfig, blocks: u32, logical_units: u32) -> Option<Box<dyn Hotness>> {
    use HotnessChoice as C;
    match config.policy {
        C::None => None,
        C::Size => Some(Box::new(size::Size::new(config))),
        C::Interval => Some(Box::new(interval::Interval::new(config, blocks))),
        C::PageInterval => Some(Box::new(page_interval::PageInterval::new(config, logical_units))),
        C::Sequence => Some(Box::new(sequence::Sequence::new(config))),
        C::Oracle => Some(Box::new(oracle::Oracle::new(config, logical_units))),
        C::Parity => Some(Box::new(parity::Parity)),
    }
}
