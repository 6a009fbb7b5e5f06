//! A host in front of an array.

use super::drive::{Drive, MemberDrive};
use crate::array::{Array, Contents, Phases, SECTOR_BYTES, State, WHOLE};
use crate::engine::{Finished, Status};
use crate::error::{Error, Fallible};
use crate::ftl::Preconditioning;
use crate::host::log::{HostLog, Noted};
use crate::host::{AddressMap, Ask, Completions, Host, Pace};
use crate::ids::Lpn;
use crate::metrics::{Recorder, Sample};
use crate::report::ArrayFacts;
use crate::schema::{Config, RunMode};
use wordline_trace::{Op, Request};

/// The host's interface to an array.
pub struct Front<C: Contents<Box<dyn MemberDrive>> = ()> {
    /// The array.
    pub array: Array<Box<dyn MemberDrive>, C>,
    /// Where requests land.
    pub addresses: AddressMap,
    /// What is recorded.
    pub recorder: Recorder,
    /// Latencies of reads and of writes by what the array was doing when they ended; `None` as long as it was whole
    /// whenever one did.
    phases: Option<Phases>,
    pace: Pace,
    is_timed: bool,
    /// A rebuild or scrub is awaited at the end.
    pub sync_to_end: bool,
    /// Bytes of a page.
    pub page_bytes: u64,
    pages: Vec<Lpn>,
    /// What the host asked for, while that is noted: not what it wrote.
    log: Option<HostLog>,
    /// Requests that have ended.
    pub completions: Completions,
    /// The configuration of each drive, and how it was preconditioned.
    pub drives: Vec<(Config, Preconditioning)>,
}

impl<C: Contents<Box<dyn MemberDrive>>> Front<C> {
    /// A host in front of an array whose pages are of `page_bytes`.
    pub fn new(
        config: &Config,
        array: Array<Box<dyn MemberDrive>, C>,
        page_bytes: u64,
        drives: Vec<(Config, Preconditioning)>,
    ) -> Self {
        let pages = array.core.layout.pages();
        Self {
            addresses: AddressMap::new(page_bytes, pages, config.workload.beyond),
            recorder: Recorder::new(
                config.run.series_points,
                config.run.records,
                config.host.tells_streams_apart(),
            ),
            phases: None,
            pace: Pace::new(&config.host),
            is_timed: config.run.mode == RunMode::Timed,
            sync_to_end: config.array.sync_to_end,
            page_bytes,
            pages: Vec::new(),
            log: None,
            completions: Completions::default(),
            drives,
            array,
        }
    }

    /// Notes every request from now on.
    pub fn note_requests(&mut self) {
        self.log = Some(HostLog::default());
    }

    /// What was noted, which then ends.
    pub fn take_log(&mut self) -> HostLog {
        self.log.take().unwrap_or_default()
    }

    /// Hands a request on that may lie anywhere.
    #[inline(never)]
    fn place_and_submit(&mut self, request: &Request, arrival_ns: u64) -> Fallible {
        let mut pages = std::mem::take(&mut self.pages);
        let coverage = self.addresses.place(request, self.recorder.number(), &mut pages)?;
        if request.op == Op::Trim {
            let (mut index, count) = (0, pages.len());
            pages.retain(|_| {
                index += 1;
                coverage.is_whole(index - 1, count)
            });
        }
        let sectors = match coverage.whole_first && coverage.whole_last {
            true => WHOLE,
            false => sectors(request, self.page_bytes),
        };
        self.array.submit(request, arrival_ns, &pages, sectors)?;
        self.pages = pages;
        Ok(())
    }

    fn pass_time_until(&mut self, until_ns: u64) -> Fallible {
        loop {
            let next_ns = self.array.next_ns();
            if next_ns > until_ns {
                break;
            }
            self.array.step_to(next_ns)?;
            self.collect_finished();
        }
        self.array.advance(until_ns)
    }

    /// Records the requests that have ended.
    #[inline]
    fn collect_finished(&mut self) {
        if !self.array.core.requests.finished.is_empty() {
            self.collect_those_finished();
        }
    }

    #[inline(never)]
    fn collect_those_finished(&mut self) {
        let mut finished = std::mem::take(&mut self.array.core.requests.finished);
        for request in &finished {
            self.array.core.contents.over(request.number);
            self.note_end(request);
            if C::ITEMISES {
                let counts = self.recorder.counts(request);
                self.array.core.contents.finished(request, counts);
            }
            if self.is_timed {
                self.record(request);
            }
            self.pace.has_ended(request.stream, request.done_ns);
        }
        finished.clear();
        self.array.core.requests.finished = finished;
    }

    /// The end of a request is known.
    #[inline(always)]
    fn note_end(&mut self, request: &Finished) {
        self.completions.add(request);
        if let Some(log) = &mut self.log {
            log.end(request.number, request.done_ns);
        }
    }

    /// The end of a request is known as it is submitted: the array is whole, and stays so until then.
    #[inline(always)]
    fn will_end(&mut self, request: &Request, arrival_ns: u64, done_ns: u64) {
        let &Request { op, size_bytes: bytes, stream, .. } = request;
        let (number, is_unit, status) = (self.recorder.number(), false, Status::Done);
        let done_ns = done_ns.max(arrival_ns);
        let ended = Finished { number, is_unit, op, bytes, stream, arrival_ns, done_ns, status };
        self.note_end(&ended);
        debug_assert!(self.phases.is_none(), "the array was not whole");
        if self.is_timed {
            self.recorder.finish(&ended);
        }
        self.pace.will_end(stream, done_ns);
    }

    fn record(&mut self, request: &Finished) {
        let state = self.array.state();
        if state != State::Whole {
            let Recorder { reads, writes, .. } = &self.recorder;
            self.phases.get_or_insert_with(|| Phases::of_whole(reads, writes));
        }
        self.recorder.finish(request);
        if let Some(phases) = &mut self.phases
            && self.recorder.counts(request)
            && matches!(request.op, Op::Read | Op::Write)
        {
            let latency_ns = request.done_ns - request.arrival_ns;
            phases.of(state)[request.op as usize].record(latency_ns, request.bytes);
        }
    }

    /// What the result is made of.
    pub fn facts(&mut self) -> ArrayFacts<'_> {
        self.array.core.counts.add_up();
        let Recorder { reads, writes, .. } = &self.recorder;
        let phases = self.phases.clone();
        ArrayFacts {
            counters: self.counters(),
            recorder: &self.recorder,
            addresses: &self.addresses,
            phases: phases.unwrap_or_else(|| Phases::of_whole(reads, writes)),
            counts: &self.array.core.counts,
            layout: &self.array.core.layout,
            now_ns: self.array.core.now_ns,
        }
    }
}

impl<C: Contents<Box<dyn MemberDrive>>> Host for Front<C> {
    const TIMED: bool = true;

    fn pace(&mut self) -> &mut Pace {
        &mut self.pace
    }

    fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    fn sample(&self) -> Sample {
        let drives: Vec<Sample> =
            self.array.core.members.all.iter().map(|drive| drive.sample()).collect();
        self.recorder.complete(Sample {
            time_ns: self.array.core.now_ns,
            free_blocks: drives.iter().map(|drive| drive.free_blocks).sum(),
            dies_busy_ns: drives.into_iter().flat_map(|drive| drive.dies_busy_ns).collect(),
            ..Sample::of(&self.counters())
        })
    }

    #[cold]
    fn measure(&mut self, now_ns: u64) {
        let sample = Sample { time_ns: now_ns, ..self.sample() };
        let counters = self.counters();
        self.recorder.measure(&counters, sample);
        self.phases = None;
        self.addresses.count_anew();
        self.array.core.counts.count_anew();
        self.array.core.contents.count_anew();
        self.array.core.members.all.iter_mut().for_each(|drive| drive.measure(now_ns));
    }

    fn arrive(&mut self, arrival_ns: u64) -> Fallible<u64> {
        self.pass_time_until(arrival_ns)?;
        Ok(arrival_ns)
    }

    #[inline(always)]
    fn submit(&mut self, request: &Request, arrival_ns: u64, _: u64) -> Fallible {
        if let Some(log) = &mut self.log {
            let &Request { op, fua, .. } = request;
            let (submitted, units) = (self.array.core.now_ns, Vec::new());
            let number = log.requests.len() as u64;
            log.requests.push(Noted { number, op, fua, units, submitted, done: u64::MAX });
        }
        match self.addresses.only_unit(request) {
            // Most requests are such: nothing of them is counted, and no list is needed.
            Some(page) => {
                let end_ns = self.array.submit_page(request, arrival_ns, page)?;
                if end_ns < u64::MAX {
                    self.will_end(request, arrival_ns, end_ns);
                    return Ok(());
                }
            }
            None => self.place_and_submit(request, arrival_ns)?,
        }
        self.collect_finished();
        Ok(())
    }

    #[inline(always)]
    fn ask_for(&mut self, ask: Ask, request: &Request) {
        let page = self.addresses.guess(request.offset_bytes);
        self.array.core.ask_for(ask, request.op, page);
    }

    #[inline]
    fn wait_for_end(&mut self, until_ns: u64) -> Fallible<bool> {
        let next_ns = self.array.next_ns();
        let known_ns = self.pace.next_end_ns();
        if next_ns.min(known_ns) > until_ns {
            return Ok(false);
        }
        if known_ns < next_ns {
            self.array.advance(known_ns)?;
        } else if next_ns < u64::MAX {
            self.array.step_to(next_ns)?;
            self.collect_finished();
        } else {
            return Err(Error::Invariant("every request waits and nothing is due".into()).into());
        }
        // What ends at once frees its slots at once, however that became known.
        if let Some(queues) = &mut self.pace.queues {
            queues.free_until(self.array.core.now_ns);
        }
        Ok(true)
    }
}

/// The sectors that a request covers of its first page, and of its last; begun ones count.
fn sectors(request: &Request, page_bytes: u64) -> (u64, u64) {
    let first = request.offset_bytes % page_bytes / SECTOR_BYTES;
    let end = request.offset_bytes.saturating_add(u64::from(request.size_bytes));
    let within = end.saturating_sub(1) % page_bytes / SECTOR_BYTES;
    (u64::MAX << first, u64::MAX >> (63 - within))
}

#[cfg(test)]
mod tests {
    use super::sectors;
    use wordline_trace::{Op, Request};

    #[test]
    fn a_part_of_a_page_is_its_sectors_begun_ones_included() {
        let of = |offset_bytes, size_bytes| {
            let op = Op::Write;
            let request = Request::new(op, offset_bytes, size_bytes);
            let (first, last) = sectors(&request, 4096);
            (first & 0xff, last & 0xff)
        };
        assert_eq!(of(0, 4096), (0xff, 0xff));
        // From the fourth sector on; up to the ninth, the first of the next page.
        assert_eq!(of(3 * 512, 6 * 512), (0b1111_1000, 0b1));
        // A byte before a border and one behind it.
        assert_eq!(of(4096 + 511, 2), (0xff, 0b11));
    }
}
