//! A request is handed to the drive: what of it goes where.

use super::Driver;
use crate::engine::{Finished, Scheduler};
use crate::error::Fallible;
use crate::host::address::Coverage;
use crate::ids::Lpn;
use crate::nand::command::RequestId;
use crate::technique::Hooks;
use wordline_trace::{Op, Request};

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// Hands a request on that may lie anywhere; it arrived, and is sent, at `times_ns`.
    ///
    /// # Errors
    /// An address beyond the end.
    #[inline(never)]
    pub(super) fn place_and_submit(
        &mut self,
        request: Request,
        times_ns: (u64, u64),
    ) -> Fallible<u64> {
        let mut lpns = std::mem::take(&mut self.lpns);
        let coverage = self.addresses.place(&request, self.recorder.number(), &mut lpns)?;
        let end_ns = self.submit_units::<false>(&request, &lpns, coverage, times_ns);
        self.lpns = lpns;
        Ok(end_ns)
    }

    /// Hands a request on whose units those are; compiled for one whole unit, and for any. Returns when it ends, where
    /// that is yet to be told, and otherwise `u64::MAX`.
    #[inline(always)]
    pub(super) fn submit_units<const PLAIN: bool>(
        &mut self,
        request: &Request,
        lpns: &[Lpn],
        coverage: Coverage,
        (arrival_ns, sent_ns): (u64, u64),
    ) -> u64 {
        let number = self.recorder.number();
        let mut id = None;
        if S::TIMED {
            id = Some(self.io.requests.start(request, arrival_ns));
            let ready_ns = sent_ns + self.times.overhead_ns;
            let ready_ns = match request.op {
                Op::Write => self.over_bus::<PLAIN>(ready_ns, request.size_bytes),
                _ => ready_ns,
            };
            self.io.sched.advance(ready_ns, &mut self.io.requests);
            if S::ITEMISES {
                self.io.sched.taken(number);
            }
        }
        if T::IN_USE && self.log.is_some() {
            let units = lpns.iter().enumerate();
            let is_meant = |index| request.op != Op::Trim || coverage.is_whole(index, lpns.len());
            let units = units.filter(|&(index, _)| is_meant(index)).map(|(_, &lpn)| lpn);
            self.note((request.op, request.fua), units);
        }
        let fua = T::IN_USE && request.fua && !self.lies;
        if fua {
            self.ftl.begin_fua();
        }
        match request.op {
            Op::Write if self.ftl.read_only => self.refuse(lpns, id),
            Op::Write if !PLAIN && self.buffer.is_some() => {
                self.write_to_buffer(*request, number, lpns, coverage, id);
            }
            Op::Write => self.write_through::<PLAIN>(request, number, lpns, coverage, id),
            Op::Read => self.read::<PLAIN>(lpns, id),
            Op::Trim => self.trim(lpns, coverage, id),
            Op::Flush if self.lies => {}
            Op::Flush => {
                self.flush_buffer(id);
                self.serve_waiting(true);
                self.ftl.flush(&mut self.io, id);
            }
        }
        if fua {
            self.serve_waiting(true);
            self.ftl.end_fua(&mut self.io, id);
        }
        let end_ns = match id {
            Some(id) => self.end_submission::<PLAIN>(id, request, arrival_ns),
            None => {
                if T::IN_USE && self.log.is_some() {
                    self.note_end_at_once();
                }
                self.io.sched.now_ns()
            }
        };
        if self.ftl.read_only {
            self.note_read_only();
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
        arrival_ns: u64,
    ) -> u64 {
        self.record_finished();
        let now_ns = self.io.sched.now_ns();
        let mut end_ns = u64::MAX;
        if let Some(ended) = self.io.requests.end_part(id, now_ns) {
            // All but the end is at hand, and need not be loaded.
            let (number, is_unit) = (self.recorder.number(), false);
            debug_assert_eq!((ended.number, ended.arrival_ns), (number, arrival_ns));
            let &Request { op, size_bytes: bytes, stream, .. } = request;
            let mut ended = Finished { number, is_unit, op, bytes, stream, arrival_ns, ..ended };
            self.finish::<PLAIN>(&mut ended);
            match self.ended.is_empty() {
                true => end_ns = ended.done_ns,
                false => self.will_tell(&ended),
            }
        }
        if !PLAIN && self.programs.is_some() {
            self.serve_buffer();
        }
        end_ns
    }

    /// The drive takes no writes from now on.
    #[cold]
    fn note_read_only(&mut self) {
        if self.read_only_at.is_some() {
            return;
        }
        let lived_bytes = self.lived.bytes(self.recorder.bytes[1]);
        let before = self.recorder.measured.map_or(0, |measured| measured.host_units_before);
        let host_units = before + self.io.counters.host_units;
        self.read_only_at = Some((self.io.sched.now_ns(), host_units, lived_bytes));
    }
}
