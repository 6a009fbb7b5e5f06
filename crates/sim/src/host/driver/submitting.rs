//! A request is handed to the drive.

use super::Driver;
use crate::engine::{Finished, Scheduler};
use crate::error::Fallible;
use crate::host::address::Coverage;
use crate::host::data_path::Placed;
use crate::ids::Lpn;
use crate::nand::command::RequestId;
use crate::technique::Hooks;
use wordline_trace::{Op, Request};

/// A request on its way to the drive.
pub(super) struct Coming {
    request: Request,
    /// Its number.
    pub number: u64,
    sent: Sent,
    id: RequestId,
    lpns: Vec<Lpn>,
    coverage: Coverage,
}

/// When a request arrived and is sent, and whether it is a write of an array's parity.
#[derive(Clone, Copy)]
pub(crate) struct Sent {
    pub arrival_ns: u64,
    pub sent_ns: u64,
    pub parity: bool,
}

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// Takes a request; returns when it ends, where that is yet to be told, and otherwise `u64::MAX`.
    ///
    /// # Errors
    /// An address beyond the end.
    #[inline(always)]
    pub(crate) fn take<const PLAIN: bool>(
        &mut self,
        request: &Request,
        sent: Sent,
    ) -> Fallible<u64> {
        if !PLAIN && S::TIMED && self.link.is_duplex() {
            return self.send(*request, sent);
        }
        match self.addresses.only_unit(request) {
            // Most requests are such: nothing of them is counted, and no list is needed.
            Some(lpn) => Ok(self.submit_units::<PLAIN>(request, sent, &[lpn], Coverage::WHOLE)),
            // A copy: the request itself need not stand in memory otherwise.
            None => self.place_and_submit(*request, sent),
        }
    }

    /// Hands a request on that may lie anywhere.
    ///
    /// # Errors
    /// An address beyond the end.
    #[inline(never)]
    fn place_and_submit(&mut self, request: Request, sent: Sent) -> Fallible<u64> {
        let mut lpns = std::mem::take(&mut self.lpns);
        let coverage = self.addresses.place(&request, self.recorder.number(), &mut lpns)?;
        let end_ns = self.submit_units::<false>(&request, sent, &lpns, coverage);
        self.lpns = lpns;
        Ok(end_ns)
    }

    /// Sends a request over a link: those that are sent later may overtake its data.
    ///
    /// # Errors
    /// An address beyond the end.
    #[inline(never)]
    fn send(&mut self, request: Request, sent: Sent) -> Fallible<u64> {
        let (number, now_ns) = (self.recorder.number(), self.device.now_ns());
        let mut lpns = Vec::new();
        let coverage = self.addresses.place(&request, number, &mut lpns)?;
        let ready_ns = self.link.arrival_ns::<false>(now_ns, sent.sent_ns, &request);
        let id = self.device.io.requests.start(&request, sent.arrival_ns);
        let coming = Coming { request, number, sent, id, lpns, coverage };
        if ready_ns <= now_ns {
            return Ok(self.receive(&coming));
        }
        self.link.send(ready_ns, coming);
        Ok(u64::MAX)
    }

    /// The drive has a request; returns as [`Self::take`].
    fn receive(&mut self, coming: &Coming) -> u64 {
        let &Coming { ref request, number, sent, id, ref lpns, coverage } = coming;
        if T::IS_WATCHED {
            self.device.at_rest();
        }
        self.work_on::<false>(request, number, sent, lpns, coverage, Some(id))
    }

    /// The drive gets the requests that have come over the link by now.
    pub(super) fn receive_all(&mut self) {
        while let Some(coming) = self.link.take_until(self.device.now_ns()) {
            let end_ns = self.receive(&coming);
            if end_ns < u64::MAX {
                self.completions.add_known(coming.number, end_ns);
            }
        }
    }

    /// Hands a request on whose units those are; compiled for one whole unit, and for any. Returns when it ends, where
    /// that is yet to be told, and otherwise `u64::MAX`.
    #[inline(always)]
    fn submit_units<const PLAIN: bool>(
        &mut self,
        request: &Request,
        sent: Sent,
        lpns: &[Lpn],
        coverage: Coverage,
    ) -> u64 {
        let number = self.recorder.number();
        if T::IS_WATCHED {
            self.device.at_rest();
        }
        let mut id = None;
        if S::TIMED {
            id = Some(self.device.io.requests.start(request, sent.arrival_ns));
            let now_ns = self.device.now_ns();
            self.device.advance(self.link.arrival_ns::<PLAIN>(now_ns, sent.sent_ns, request));
        }
        self.work_on::<PLAIN>(request, number, sent, lpns, coverage, id)
    }

    /// The drive works on a request that it has, as [`Self::submit_units`].
    #[inline(always)]
    fn work_on<const PLAIN: bool>(
        &mut self,
        request: &Request,
        number: u64,
        Sent { arrival_ns, sent_ns, parity }: Sent,
        lpns: &[Lpn],
        coverage: Coverage,
        id: Option<RequestId>,
    ) -> u64 {
        let handle = self.data.handle_of::<PLAIN>(request);
        let placed = Placed { request: *request, number, parity, handle, lpns, coverage };
        if S::ITEMISES {
            self.device.io.sched.taken(number, sent_ns - arrival_ns);
        }
        if T::IN_USE
            && let Some(log) = &mut self.log
        {
            let is_meant = |index| request.op != Op::Trim || placed.is_whole(index);
            let units = lpns.iter().enumerate().filter(|&(index, _)| is_meant(index));
            let request = (number, request.op, request.fua);
            log.note(&mut self.device, request, units.map(|(_, &lpn)| lpn));
        }
        self.data.carry_out::<PLAIN, T>(&mut self.device, &placed, id);
        let end_ns = match id {
            Some(id) => self.end_submission::<PLAIN>(id, request, number, arrival_ns),
            None => {
                if T::IN_USE
                    && let Some(log) = &mut self.log
                {
                    log.end_last(self.device.recorded_now());
                }
                self.device.now_ns()
            }
        };
        if self.device.ftl.read_only {
            self.lifetime.note_read_only(&self.device, &self.recorder);
        }
        end_ns
    }

    /// A request has wholly been handed to the drive: if all ends are known, as they are in order, it is recorded
    /// without waiting among others. Returns when it ended, unless others end before it that are yet to be told.
    #[inline(always)]
    fn end_submission<const PLAIN: bool>(
        &mut self,
        id: RequestId,
        request: &Request,
        number: u64,
        arrival_ns: u64,
    ) -> u64 {
        self.record_finished();
        let now_ns = self.device.now_ns();
        let mut end_ns = u64::MAX;
        if let Some(ended) = self.device.io.requests.end_part(id, now_ns) {
            // All but the end is at hand, and need not be loaded.
            let is_unit = false;
            debug_assert_eq!((ended.number, ended.arrival_ns), (number, arrival_ns));
            let &Request { op, size_bytes: bytes, stream, .. } = request;
            let mut ended = Finished { number, is_unit, op, bytes, stream, arrival_ns, ..ended };
            self.finish::<PLAIN>(&mut ended);
            match self.completions.is_empty() {
                true => end_ns = ended.done_ns,
                false => self.completions.add(&ended),
            }
        }
        self.make_room::<PLAIN>();
        end_ns
    }
}
