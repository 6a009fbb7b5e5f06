//! A request of the host, and the logical units where it lies.

use crate::host::address::Coverage;
use crate::ids::Lpn;
use crate::policy::hotness::HostWrite;
use wordline_trace::Request;

/// A request that was placed in the logical space.
#[derive(Clone, Copy)]
pub struct Placed<'a> {
    /// The request.
    pub request: Request,
    /// Its number.
    pub number: u64,
    /// True for a write of an array's parity.
    pub parity: bool,
    /// Whose data it belongs with.
    pub handle: u16,
    /// The units where it lies.
    pub lpns: &'a [Lpn],
    /// What it covers of them.
    pub coverage: Coverage,
}

impl Placed<'_> {
    /// Whether it covers the whole of its unit `index`.
    #[inline(always)]
    pub fn is_whole(&self, index: usize) -> bool {
        self.coverage.is_whole(index, self.lpns.len())
    }

    /// The write of one of its units, now.
    #[inline(always)]
    pub fn write_of(&self, lpn: Lpn, now_ns: u64) -> HostWrite {
        HostWrite {
            lpn,
            request: self.number,
            request_offset_bytes: self.request.offset_bytes,
            request_bytes: self.request.size_bytes,
            now_ns,
            handle: self.handle,
            parity: self.parity,
            part: None,
        }
    }
}
