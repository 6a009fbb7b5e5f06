//! The cores of the controller: each request takes one of them for a time.

use crate::schema::HostConfig;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cores, by when they are free.
#[derive(Debug)]
pub(super) struct Cores {
    free_ns: BinaryHeap<Reverse<u64>>,
    request_ns: u64,
}

impl Cores {
    /// Those of a configuration; `None`: no request takes any of their time.
    pub fn new(host: &HostConfig) -> Option<Self> {
        let request_ns = (host.controller_us * 1000.0).round() as u64;
        let free_ns = (0..host.controller_cores).map(|_| Reverse(0)).collect();
        (request_ns > 0).then_some(Self { free_ns, request_ns })
    }

    /// When the core is done that is free first, and takes a request then, but not before `from_ns`.
    pub fn take(&mut self, from_ns: u64) -> u64 {
        let Some(mut first) = self.free_ns.peek_mut() else { return from_ns };
        let done_ns = first.0.max(from_ns) + self.request_ns;
        *first = Reverse(done_ns);
        done_ns
    }
}
