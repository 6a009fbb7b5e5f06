//! No time at all: for erases and write amplification.

use super::requests::{RequestId, Requests};
use super::scheduler::{FlashOp, Scheduler};

/// Every operation takes no time.
#[derive(Debug, Default)]
pub struct Count;

impl Scheduler for Count {
    type Stamp = ();
    type Join = ();

    const TIMED: bool = false;

    #[inline(always)]
    fn join(&self, (): &mut (), (): ()) {}

    #[inline(always)]
    fn merge(&self, (): &mut (), (): &()) {}

    #[inline(always)]
    fn issue(&mut self, _: &FlashOp, _: &[u32], (): &(), _: &[RequestId], _: &mut Requests) {}

    fn advance(&mut self, _: u64, _: &mut Requests) {}

    fn now_ns(&self) -> u64 {
        0
    }

    fn step(&mut self, _: u64, _: &mut Requests) -> bool {
        false
    }

    fn quiet_at_ns(&self) -> u64 {
        0
    }

    fn load(&self, _: u32) -> u64 {
        0
    }

    fn busy_ns(&self) -> (Vec<u64>, Vec<u64>) {
        (Vec::new(), Vec::new())
    }
}
