//! Requests that have ended: their way back over the bus, and their records.

use super::Driver;
use crate::engine::{Finished, Scheduler, Status};
use crate::technique::Hooks;
use wordline_trace::Op;

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// Records the requests that have ended, and lets in what waits for room in the controller's buffer.
    #[inline]
    pub(super) fn collect_finished(&mut self) {
        self.collect::<false>();
    }

    #[inline(always)]
    pub(super) fn collect<const PLAIN: bool>(&mut self) {
        self.record_finished();
        self.make_room::<PLAIN>();
    }

    #[inline(always)]
    pub(super) fn make_room<const PLAIN: bool>(&mut self) {
        if !PLAIN && self.data.acknowledges() {
            while self.data.make_room(&mut self.device) {
                self.record_finished();
            }
        }
    }

    #[inline]
    pub(super) fn record_finished(&mut self) {
        if !self.device.io.requests.finished.is_empty() {
            self.record_those_finished();
        }
    }

    #[inline(never)]
    fn record_those_finished(&mut self) {
        let mut finished = std::mem::take(&mut self.device.io.requests.finished);
        for request in &mut finished {
            self.finish::<false>(request);
            self.completions.add(request);
        }
        let requests = &mut self.device.io.requests;
        debug_assert!(requests.finished.is_empty(), "recording ends no request");
        finished.clear();
        requests.finished = finished;
    }

    #[inline(always)]
    pub(super) fn finish<const PLAIN: bool>(&mut self, request: &mut Finished) {
        if PLAIN || !self.data.has_programmed(request) {
            self.record::<PLAIN>(request);
            self.pace.will_end(request.stream, request.done_ns);
        }
    }

    /// Records a request of the host that has ended but for its way over the host's bus.
    #[inline(always)]
    fn record<const PLAIN: bool>(&mut self, request: &mut Finished) {
        let parts_done_ns = request.done_ns;
        if request.op == Op::Read {
            if T::IN_USE && !PLAIN {
                request.done_ns += self.device.io.requests.take_decoding_ns(request.number);
            }
            let now_ns = self.device.now_ns();
            request.done_ns = self.link.carry_back::<PLAIN>(now_ns, request.done_ns, request.bytes);
        }
        if S::ITEMISES {
            let counts = self.recorder.counts(request);
            self.device.io.sched.itemise(request, parts_done_ns, counts);
        }
        self.recorder.finish(request);
        if T::IS_WATCHED
            && request.status == Status::Done
            && let Some(tape) = &mut self.device.ftl.door.tape
        {
            tape.done(request.op, request.done_ns - request.arrival_ns);
        }
        if T::IN_USE
            && request.status == Status::Done
            && let Some(log) = &mut self.log
        {
            log.end(request.number, request.done_ns);
        }
    }

    /// Records the only request that has ended on a plain drive, which is over by now, so that its slot is free.
    #[inline(never)]
    pub(super) fn record_the_last(&mut self) {
        let Some(mut request) = self.device.io.requests.finished.pop() else { return };
        self.record::<true>(&mut request);
        self.completions.add(&request);
        self.pace.has_ended(request.stream, request.done_ns);
    }
}
