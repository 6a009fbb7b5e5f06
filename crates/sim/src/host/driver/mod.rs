//! A host in front of one drive. The driver says when things happen; what it owns keeps its own fields.

mod cores;
mod finishing;
mod link;
mod measure;
mod outages;
mod passing;
mod submitting;
mod timers;

use super::log::HostLog;
use super::{AddressMap, Ask, Completions, DataPath, Device, Host, Pace};
use crate::engine::Scheduler;
use crate::error::{Error, Fallible};
use crate::ftl::Ftl;
use crate::ids::Lpn;
use crate::metrics::{Recorder, Sample};
use crate::schema::Config;
use crate::technique::Hooks;
use link::Link;
pub use measure::{Baseline, Before, Lifetime};
use outages::Outages;
pub(crate) use submitting::Sent;
use timers::Timers;
use wordline_trace::Request;

/// The host's interface to one drive.
pub struct Driver<T: Hooks, S: Scheduler> {
    /// The drive.
    pub device: Device<T, S>,
    /// Where requests land.
    pub addresses: AddressMap,
    lpns: Vec<Lpn>,
    /// What is recorded.
    pub recorder: Recorder,
    pace: Pace,
    /// The way of the host's data to the flash.
    pub data: DataPath<S>,
    link: Link,
    timers: Timers,
    outages: Outages,
    /// Fast path: nothing held in DRAM, no delay on the bus or by decoding, no timers, no idle work. It does not change in
    /// a run, and its requests go by code that is compiled for it (`PLAIN`).
    pub(crate) is_plain: bool,
    /// What its totals are judged from.
    pub baseline: Baseline,
    /// The life that the run stands for.
    pub lifetime: Lifetime,
    /// What the host asked for and was promised, while that is noted.
    log: Option<Box<HostLog>>,
    /// Requests that have ended.
    pub(crate) completions: Completions,
}

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// A host in front of a drive.
    pub fn new(config: &Config, ftl: Ftl<T, S>, sched: S) -> Self {
        let state = &ftl.state;
        let data = DataPath::new(config, state, ftl.range_units());
        let (link, timers) = (Link::new(&config.host), Timers::new(config, ftl.uses_idle_time()));
        let (unit_bytes, units) = (state.geometry.unit_bytes, state.logical_units);
        Self {
            is_plain: data.is_direct()
                && link.is_instant()
                && timers.are_off()
                && config.drive.reads.decode_us == 0.0,
            addresses: AddressMap::new(unit_bytes, units, config.workload.beyond),
            lpns: Vec::new(),
            recorder: Recorder::new(
                config.run.series_points,
                config.run.records,
                config.host.tells_streams_apart(),
            ),
            pace: Pace::new(&config.host),
            data,
            link,
            timers,
            outages: Outages::new(config),
            baseline: Baseline::default(),
            lifetime: Lifetime::default(),
            log: None,
            completions: Completions::default(),
            device: Device::new(ftl, sched),
        }
    }

    /// Feeds a batch of requests, `base_ns` being the time at which their workload began.
    ///
    /// # Errors
    /// An address beyond the drive.
    pub fn feed(&mut self, batch: &[Request], base_ns: u64) -> Result<(), Error> {
        self.feed_batch(batch, base_ns)?;
        self.device.ftl.check_legality()
    }

    /// Notes every request from now on; what the flash does has to be recorded.
    pub fn note_requests(&mut self) {
        self.log = Some(Box::default());
    }

    /// What was noted, which then ends.
    pub fn take_log(&mut self) -> Option<HostLog> {
        self.log.take().map(|log| *log)
    }

    /// Lets everything that waits or is under way come to its end.
    ///
    /// # Errors
    /// An address beyond the drive, an illegal operation, a promise that the technique did not keep.
    pub fn drain(&mut self) -> Result<(), Error> {
        self.carry_out_waiting(0, u64::MAX)?;
        self.end_coming();
        self.end_waiting_parts();
        let Device { ftl, io } = &mut self.device;
        let padding = io.counters.padding;
        ftl.end_all_programs(io);
        io.counters.padding_at_end = io.counters.padding - padding;
        self.end_all();
        self.data.release_until(&mut self.device, u64::MAX);
        self.record_finished();
        self.device.ftl.drain_notices(&mut self.device.io);
        let sample = self.sample();
        self.recorder.series.close(sample);
        self.device.ftl.check_legality()
    }
}

impl<T: Hooks, S: Scheduler> Host for Driver<T, S> {
    const TIMED: bool = S::TIMED;

    #[inline(always)]
    fn pace(&mut self) -> &mut Pace {
        &mut self.pace
    }

    #[inline(always)]
    fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    #[inline(always)]
    fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    fn sample(&self) -> Sample {
        self.recorder.complete(self.device.sample())
    }

    #[cold]
    fn note_first(&mut self) {
        self.baseline.note_start(&self.device);
    }

    /// The drive goes on as it stands: what it holds, how worn it is and what is under way do not change.
    #[cold]
    fn measure(&mut self, now_ns: u64) {
        self.baseline.count_anew(&self.device);
        self.lifetime.lived.restart(self.recorder.bytes[1]);
        let sample = Sample { time_ns: now_ns, ..self.sample() };
        self.recorder.measure(&self.device.io.counters, sample);
        self.device.count_anew();
        self.addresses.count_anew();
        self.data.count_anew();
    }

    #[inline]
    fn arrive(&mut self, arrival_ns: u64) -> Fallible<u64> {
        while let Some(outage) = self.outages.next(arrival_ns) {
            self.lose_power(&outage);
        }
        let present_ns = self.outages.present_ns(arrival_ns);
        self.pass_time_until(present_ns);
        Ok(present_ns)
    }

    #[inline(always)]
    fn submit(&mut self, request: &Request, arrival_ns: u64, sent_ns: u64) -> Fallible {
        let sent = Sent { arrival_ns, sent_ns, parity: false };
        let end_ns = match self.is_plain {
            true => self.take::<true>(request, sent)?,
            false => self.take::<false>(request, sent)?,
        };
        if S::TIMED && end_ns < u64::MAX {
            self.completions.add_known(self.recorder.number(), end_ns);
        }
        Ok(())
    }

    #[inline(always)]
    fn ask_for(&mut self, ask: Ask, request: &Request) {
        self.device.prefetch(ask, request.op, self.addresses.guess(request.offset_bytes));
    }

    #[inline(always)]
    fn wait_for_end(&mut self, until_ns: u64) -> Fallible<bool> {
        if self.is_plain { self.go_on::<true>(until_ns) } else { self.go_on::<false>(until_ns) }
    }
}
