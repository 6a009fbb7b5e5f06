//! Operations take no time: for erases and write amplification. Requests still arrive at their times,
//! so that update intervals and idle time mean something.

use super::requests::Requests;
use super::scheduler::{FlashOp, Scheduler};
use crate::ids::{DieId, Ids};
use crate::nand::command::RequestId;
use crate::nand::{Load, Span};

/// Only arrivals move time on.
#[derive(Debug, Default)]
pub struct Count {
    now_ns: u64,
}

impl Load for Count {
    fn backlog_ns(&self, _: DieId) -> u64 {
        0
    }

    fn least_loaded(&self, _: Ids<DieId>, turn: u32) -> u32 {
        turn
    }
}

impl Scheduler for Count {
    type Stamp = ();
    type Join = ();

    const TIMED: bool = false;

    #[inline(always)]
    fn join(&self, (): &mut (), (): ()) {}

    #[inline(always)]
    fn is_over(&self, (): ()) -> bool {
        true
    }

    #[inline(always)]
    fn merge(&self, (): &mut (), (): &()) -> usize {
        0
    }

    #[inline(always)]
    fn issue(&mut self, _: &FlashOp, _: &[Span], (): &(), _: &[RequestId], _: &mut Requests) {}

    fn wait(&mut self, (): &(), id: RequestId, requests: &mut Requests) {
        requests.part_done(id, self.now_ns);
    }

    fn advance(&mut self, to_ns: u64, _: &mut Requests) {
        self.now_ns = self.now_ns.max(to_ns);
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn step(&mut self, _: u64, _: &mut Requests) -> bool {
        false
    }

    fn quiet_at_ns(&self) -> u64 {
        self.now_ns
    }

    fn busy_ns(&self) -> (Vec<u64>, Vec<u64>) {
        (Vec::new(), Vec::new())
    }
}
