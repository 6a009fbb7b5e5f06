//! For whose sake the drive does what it does: a log of what the FTL hands to its scheduler.

use crate::common::{Dice, tiny};
use wordline_sim::config::{Config, MapCacheChoice, WearChoice};
use wordline_sim::engine::{FlashOp, Requests, Scheduler};
use wordline_sim::ftl::{Ftl, Io};
use wordline_sim::ids::{DieId, Lpn};
use wordline_sim::nand::command::{CAUSES, Cause, RequestId};
use wordline_sim::nand::{Kind, Load, Span};
use wordline_sim::policy::hotness::HostWrite;
use wordline_sim::technique::Conventional;

/// Every operation ends when it is issued; reads and erases are counted by rank, times added up.
#[derive(Default)]
struct Log {
    reads: [u64; CAUSES],
    erases: [u64; CAUSES],
    ns: [u64; CAUSES],
}

impl Load for Log {
    fn backlog_ns(&self, _: DieId) -> u64 {
        0
    }
}

impl Scheduler for Log {
    type Stamp = ();
    type Join = ();

    const TIMED: bool = true;

    fn is_over(&self, (): ()) -> bool {
        true
    }

    fn join(&self, (): &mut (), (): ()) {}

    fn merge(&self, (): &mut (), (): &()) -> usize {
        0
    }

    fn issue(&mut self, op: &FlashOp, _: &[Span], (): &(), _: &[RequestId], _: &mut Requests) {
        let cause = op.cause as usize;
        self.reads[cause] += u64::from(op.kind == Kind::Read);
        self.erases[cause] += u64::from(op.kind == Kind::Erase);
        self.ns[cause] += op.array_ns + op.transfer_ns;
    }

    fn wait(&mut self, (): &(), _: RequestId, _: &mut Requests) {}

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

    fn busy_ns(&self) -> (Vec<u64>, Vec<u64>) {
        (Vec::new(), Vec::new())
    }
}

fn write(lpn: u64, request: u64) -> HostWrite {
    HostWrite {
        lpn: Lpn(lpn),
        request,
        request_offset_bytes: lpn * 4096,
        request_bytes: 4096,
        now_ns: 0,
        handle: 0,
        parity: false,
        part: None,
    }
}

#[test]
fn translation_pages_read_for_garbage_collection_rank_with_it() {
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 300;
    config.ftl.map_cache.policy = MapCacheChoice::Dftl;
    config.ftl.map_cache.capacity_kib = 1.0;
    let mut ftl = Ftl::<_, Log>::new(&config, Conventional).expect("the drive works");
    let (mut io, mut dice) = (Io::new(Log::default()), Dice::new(1));
    let [gc, mapping] = [Cause::Gc as usize, Cause::Mapping as usize];
    for request in 0..6000 {
        let lpn = dice.below(ftl.state.logical_units);
        let write = write(lpn, request);
        let before = io.sched.reads[mapping];
        assert!(ftl.write_host(&mut io, &write, (), None));
        // The host waits for one page to be loaded and for another that is written back.
        assert!(io.sched.reads[mapping] - before <= 2);
        if io.counters.gc_count == 0 {
            assert_eq!(io.sched.reads[gc], 0);
        }
    }
    let (reads, ranks) = (io.counters.reads, io.sched.reads);
    assert!(reads[gc] > 0 && ranks[gc] > reads[gc], "{reads:?} {ranks:?}");
    assert_eq!(ranks[gc] + ranks[mapping], reads[gc] + reads[mapping]);
    assert_eq!((ranks[Cause::Host as usize], reads[Cause::Host as usize]), (0, 0));
}

/// Half of the data is written once, and wear levelling moves it.
fn levelled(config: &Config) -> Io<Log> {
    let mut ftl = Ftl::<_, Log>::new(config, Conventional).expect("the drive works");
    let (mut io, mut dice) = (Io::new(Log::default()), Dice::new(1));
    let units = ftl.state.logical_units;
    for request in 0..6000 {
        let lpn = if request < units { request } else { dice.below(units / 2) };
        assert!(ftl.write_host(&mut io, &write(lpn, request), (), None));
    }
    io
}

#[test]
fn erases_count_for_those_who_ask_for_them() {
    let mut config = tiny();
    config.ftl.wear.policy = WearChoice::Static;
    config.ftl.wear.threshold = 4;
    let io = levelled(&config);
    let [gc, wear] = [Cause::Gc as usize, Cause::Wear as usize];
    assert!(io.sched.erases[wear] > 10);
    assert_eq!(io.sched.erases[gc], io.counters.gc_count);
    assert_eq!(io.sched.erases[gc] + io.sched.erases[wear], io.counters.erases);
    assert_eq!(io.sched.ns[gc], io.counters.gc_ns);
}

#[test]
fn planes_that_are_erased_together_are_for_the_most_urgent_of_them() {
    let mut config = tiny();
    (config.drive.chip.planes, config.drive.chip.multi_plane) = (2, true);
    config.drive.chip.blocks_per_plane = 24;
    config.ftl.wear.policy = WearChoice::Static;
    config.ftl.wear.threshold = 4;
    let io = levelled(&config);
    let [gc, wear] = [Cause::Gc as usize, Cause::Wear as usize];
    let operations = io.sched.erases[gc] + io.sched.erases[wear];
    assert!(io.sched.erases[gc] <= io.counters.gc_count);
    assert!(operations <= io.counters.erases && io.sched.erases[wear] > 0);
    assert_eq!(io.sched.ns[gc], io.counters.gc_ns);
}
