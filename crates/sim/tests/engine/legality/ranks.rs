//! For whose sake the drive reads its own map: a log of what the FTL hands to its scheduler.

use crate::common::{Dice, tiny};
use wordline_sim::engine::{Cause, FlashOp, Load, RequestId, Requests, Scheduler};
use wordline_sim::ftl::{Ftl, Io};
use wordline_sim::nand::Kind;
use wordline_sim::policy::hotness::HostWrite;
use wordline_sim::technique::Conventional;

/// Every operation ends when it is issued; reads are counted by rank.
#[derive(Default)]
struct Log {
    reads: [u64; wordline_sim::engine::CAUSES],
}

impl Load for Log {
    fn backlog_ns(&self, _: u32) -> u64 {
        0
    }
}

impl Scheduler for Log {
    type Stamp = ();
    type Join = ();

    const TIMED: bool = true;

    fn join(&self, (): &mut (), (): ()) {}

    fn merge(&self, (): &mut (), (): &()) {}

    fn issue(&mut self, op: &FlashOp, _: &[u32], (): &(), _: &[RequestId], _: &mut Requests) {
        self.reads[op.cause as usize] += u64::from(op.kind == Kind::Read);
    }

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

#[test]
fn translation_pages_read_for_garbage_collection_rank_with_it() {
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 300;
    config.ftl.map_cache.policy = "dftl".into();
    config.ftl.map_cache.capacity_kib = 1.0;
    let mut ftl = Ftl::<_, Log>::new(&config, Conventional).expect("the drive works");
    let (mut io, mut dice) = (Io::new(Log::default()), Dice::new(1));
    let [gc, mapping] = [Cause::Gc as usize, Cause::Mapping as usize];
    for request in 0..6000 {
        let lpn = dice.below(u64::from(ftl.state.logical_units)) as u32;
        let (offset, bytes) = (u64::from(lpn) * 4096, 4096);
        let write = HostWrite {
            lpn,
            request,
            request_offset_bytes: offset,
            request_bytes: bytes,
            now_ns: 0,
            parity: false,
        };
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
