//! Reads of pages that are sensed again: what the steps between the first sensing and the last decoding take.

use super::io::{Io, Order, Place};
use super::prepared::Prepared;
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::nand::Span;
use crate::nand::command::{Cause, Command, Read, RequestId, Sensing};
use crate::reliability::Sensed;
use crate::schema::ReadsConfig;

/// What retries take.
#[derive(Debug, Clone, Copy)]
pub struct RetryTimes {
    /// Whether the next step is sensed beside transfer and decoding of the one before.
    pipelined: bool,
    /// By how much their sensings are shorter, as a share.
    sensing_cut: f64,
    decode_ns: u64,
}

impl RetryTimes {
    /// Those of a configuration.
    pub fn of(reads: &ReadsConfig) -> Self {
        let decode_ns = (reads.decode_us * 1000.0).round() as u64;
        Self { pipelined: reads.pipelined, sensing_cut: reads.sensing_cut, decode_ns }
    }

    /// Whether a code takes time for each page.
    pub fn decodes(&self) -> bool {
        self.decode_ns > 0
    }

    /// Time of the array for a read all of whose sensings take `array_ns`, one `one_ns`, and the transfer of each `transfer_ns`; and
    /// time on the channel. The die is held from the first sensing to the last. In a pipeline the transfers of all but the last are
    /// hidden, and leave the channel to others.
    fn of_read(
        &self,
        retried: Retried,
        (array_ns, one_ns): (u64, u64),
        transfer_ns: u64,
    ) -> (u64, u64) {
        let Retried { retries, soft, soft_decodings, .. } = retried;
        let cut_ns = (one_ns as f64 * self.sensing_cut).round() as u64;
        let array_ns = array_ns - u64::from(retries) * cut_ns;
        let again = u64::from(retries + soft);
        if !self.pipelined {
            let decodings = u64::from(retries + soft_decodings);
            return (array_ns + decodings * self.decode_ns, (1 + again) * transfer_ns);
        }
        let beside =
            |sensing_ns: u64, decode_ns: u64| transfer_ns.max(decode_ns).saturating_sub(sensing_ns);
        let waits_ns = u64::from(retries) * beside(one_ns - cut_ns, self.decode_ns)
            + u64::from(soft) * beside(one_ns, 0)
            + u64::from(soft_decodings) * self.decode_ns;
        (array_ns + waits_ns, transfer_ns)
    }
}

/// How often pages that are read together were sensed again, and decoded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Retried {
    retries: u32,
    soft: u32,
    soft_decodings: u32,
    /// Whether nothing read one of them.
    is_lost: bool,
}

impl Retried {
    /// Another page is read with them; `None`: by one sensing.
    pub fn add(&mut self, sensed: Option<&Sensed>) {
        let Some(sensed) = sensed else { return };
        self.retries = self.retries.max(sensed.retries);
        self.soft = self.soft.max(sensed.soft);
        self.soft_decodings = self.soft_decodings.max(sensed.soft_decodings);
        self.is_lost |= sensed.is_lost;
    }
}

/// A read of pages that have errors.
#[derive(Debug, Clone, Copy)]
pub struct RetriedRead<'a> {
    /// The read, with all sensings.
    pub read: Read<'a>,
    /// What of them were retries.
    pub retried: Retried,
    /// What these take.
    pub times: RetryTimes,
}

impl<'a> From<RetriedRead<'a>> for Command<'a> {
    fn from(retried: RetriedRead<'a>) -> Self {
        Self::Read(retried.read)
    }
}

impl<'a> Order<'a> for RetriedRead<'a> {
    const READS: bool = true;

    fn pages(self) -> (Span, &'a [Span]) {
        self.read.pages()
    }

    fn row(self, state: &DriveState) -> u8 {
        self.read.row(state)
    }

    fn carry_out<S: Scheduler>(
        self,
        io: &mut Io<S>,
        state: &DriveState,
        place: Place<'_>,
        ticket: u32,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        let Self { read, retried, times } = self;
        io.counters.lost_reads += u64::from(retried.is_lost && read.cause == Cause::Host);
        if S::TIMED && times.decode_ns > 0 {
            waiters.iter().for_each(|&waiter| io.requests.decode(waiter, times.decode_ns));
        }
        if !S::TIMED || retried.retries + retried.soft == 0 {
            return read.carry_out(io, state, place, ticket, after, waiters);
        }
        let Prepared { mut op, energy_nj, cause } = state.prepare_read(read, ticket);
        let once = |sensing: Sensing| Sensing { times: 1, ..sensing };
        let others: Vec<Sensing> = read.other_sensings.iter().copied().map(once).collect();
        let one = Read { sensing: once(read.sensing), other_sensings: &others, ..read };
        let one_ns = state.read_cost(one).array_ns;
        let once_ns = one_ns + op.transfer_ns;
        (op.array_ns, op.transfer_ns) =
            times.of_read(retried, (op.array_ns, one_ns), op.transfer_ns);
        if cause == Cause::Host {
            io.counters.retry_ns += op.array_ns + op.transfer_ns - once_ns;
        }
        io.issue_read(&read, Prepared { op, energy_nj, cause }, place, after, waiters)
    }
}
