//! What the host asked for, and how much of it an array has taken.

use super::pages::Part;
use crate::ids::Lpn;
use crate::nand::command::RequestId;

/// What the host asked for: to read or to write pages.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HostRequest {
    pub id: RequestId,
    pub number: u64,
    pub is_write: bool,
    /// True for a write that is durable at once.
    pub fua: bool,
    /// The sectors of the first and of the last page that count.
    pub first: u64,
    pub last: u64,
}

impl HostRequest {
    /// The part of one of its pages.
    #[inline]
    pub fn part(&self, pages: &[Lpn], index: usize) -> Part {
        let first = if index == 0 { self.first } else { u64::MAX };
        let last = if index + 1 == pages.len() { self.last } else { u64::MAX };
        Part { request: self.number, page: pages[index], sectors: first & last }
    }
}
