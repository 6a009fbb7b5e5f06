//! Which writes belong together: temperature 0 is the hottest.

mod handle;
mod interval;
mod oracle;
mod page_interval;
mod parity;
mod sequence;
mod size;

use crate::declare::PolicyDecl;
use crate::drive::DriveState;
use crate::ids::{BlockId, Lpn};
use crate::schema::{HotnessChoice, HotnessConfig};

/// A host write of one unit, as a hotness policy sees it.
#[derive(Debug, Clone, Copy)]
pub struct HostWrite {
    /// Logical unit.
    pub lpn: Lpn,
    /// The request's number.
    pub request: u64,
    /// First byte of the request.
    pub request_offset_bytes: u64,
    /// Length of the request.
    pub request_bytes: u32,
    /// Its arrival.
    pub now_ns: u64,
    /// Whose data it belongs with. With placement identifiers, the reclaim unit handle to which its own leads; otherwise its
    /// volume, device or stream, and the last number for all beyond.
    pub handle: u16,
    /// True for the parity of an array.
    pub parity: bool,
    /// The part to which it belongs, where the technique asks for parts.
    pub part: Option<Part>,
}

/// What the host writes of one aligned range of logical units at a time: of a request, or of what left
/// the host's buffer together. Its units come one after the other, in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its number; parts that follow one another differ in it.
    pub number: u64,
    /// Bytes of it that the host has written, each counted once.
    pub bytes: u64,
    /// The logical unit of it that comes last.
    pub last: Lpn,
    /// True once it has waited: the technique was asked of it before.
    pub has_waited: bool,
}

/// Tells a write's temperature.
pub trait Hotness: Send {
    /// From 0, the hottest, to the number of temperatures less one.
    fn temperature(&mut self, state: &DriveState, write: &HostWrite) -> u32;

    /// The run begins: what preconditioning wrote was written long ago.
    fn begin(&mut self, _state: &DriveState) {}

    /// A block, or a part of it, was opened.
    fn opened(&mut self, _block: BlockId, _now_ns: u64) {}
}

/// A policy's entry in the list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What it does, and the parameters of `[ftl.hotness]` that it has.
    pub declaration: PolicyDecl,
    temperatures: fn(&HotnessConfig) -> u32,
    cold_after_ns: fn(&HotnessConfig) -> u64,
    build: fn(&HotnessConfig, Drive) -> Option<Box<dyn Hotness>>,
}

/// The sizes of a drive that a policy may go by.
#[derive(Debug, Clone, Copy)]
struct Drive {
    blocks: u32,
    logical_units: u64,
}

/// All data is alike.
const NONE: Entry = Entry {
    declaration: PolicyDecl { summary: "all data is alike", keys: &[] },
    temperatures: |_| 1,
    cold_after_ns: |_| 0,
    build: |_, _| None,
};

/// The entry of a policy.
pub fn entry(policy: HotnessChoice) -> &'static Entry {
    match policy {
        HotnessChoice::None => &NONE,
        HotnessChoice::Size => &size::ENTRY,
        HotnessChoice::Interval => &interval::ENTRY,
        HotnessChoice::PageInterval => &page_interval::ENTRY,
        HotnessChoice::Handle => &handle::ENTRY,
        HotnessChoice::Sequence => &sequence::ENTRY,
        HotnessChoice::Oracle => &oracle::ENTRY,
        HotnessChoice::Parity => &parity::ENTRY,
    }
}

/// As the host says, who names one of so many handles.
pub fn by_handle(handles: u32) -> Box<dyn Hotness> {
    Box::new(handle::Handle::new(handles))
}

/// Temperatures that the policy of `config` tells apart.
pub fn temperatures(config: &HotnessConfig) -> u32 {
    (entry(config.policy).temperatures)(config)
}

/// Nanoseconds after which the policy of `config` takes data for cold that was not updated; 0 where it
/// goes by something else than time.
pub fn cold_after_ns(config: &HotnessConfig) -> u64 {
    (entry(config.policy).cold_after_ns)(config)
}

/// The policy of `config` for a drive of `blocks` blocks and `logical_units` units; `None` for
/// `none`.
pub fn build(config: &HotnessConfig, blocks: u32, logical_units: u64) -> Option<Box<dyn Hotness>> {
    (entry(config.policy).build)(config, Drive { blocks, logical_units })
}
