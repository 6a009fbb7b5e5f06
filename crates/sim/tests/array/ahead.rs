//! Where no drive can be lost, ends that are known ahead stand among what will happen, and no jobs are kept: that changes
//! nothing.

use crate::fake::{Fake, SECTORS, mix, rules};
use proptest::prelude::*;
use wordline_sim::array::{Array, Contents, DriveRequest, Layout, Level, Rmw, Rules, SECTOR_BYTES};
use wordline_sim::ids::Lpn;
use wordline_trace::{Op, Request};

/// Contents that are told of everything, and do nothing.
struct Watching;

impl Contents<Fake> for Watching {}

/// A run.
#[derive(Debug, Clone)]
struct Case {
    layout: Layout,
    rules: Rules,
    longest_ns: u64,
    /// Of how many drives one does not tell ends before they come; 0: all do.
    one_in: u64,
    /// When requests come, whether they write, and the sectors from the first on.
    asks: Vec<(u64, bool, u64, u64)>,
}

fn cases() -> impl Strategy<Value = Case> {
    let levels =
        prop_oneof![1 => Just(Level::Raid0), 1 => Just(Level::Raid1), 6 => Just(Level::Raid5)];
    let rmw = prop_oneof![Just(Rmw::Enable), Just(Rmw::Disable), Just(Rmw::Prefer)];
    let shape = (levels, 3u32..=5, 1u32..=2, 1u32..=12, 1usize..=8, rmw, 0u32..=2);
    let pace = (prop_oneof![Just(4u64), Just(50), Just(3_000)], 1u64..=3, 0u64..=3);
    (shape, pace).prop_flat_map(|((level, drives, chunk, stripes, heads, rmw, threshold), pace)| {
        let layout = Layout { level, drives, chunk, stripes: chunk * stripes };
        let rules = Rules { rmw, bypass_threshold: threshold, ..rules(heads) };
        let (longest_ns, rate, one_in) = pace;
        let sectors = layout.pages() * SECTORS as u64;
        let most = SECTORS as u64 * u64::from(drives);
        // Whole pages, as most are, and others.
        let ask = (0..longest_ns / rate, 0u8..8, 0..sectors, 1..=most, any::<bool>());
        prop::collection::vec(ask, 1..120).prop_map(move |asks| {
            let mut at_ns = 0;
            let asks = asks.into_iter().map(|(gap_ns, op, first, length, is_whole)| {
                at_ns += gap_ns;
                let per_page = SECTORS as u64;
                let (first, length) = match is_whole {
                    true => (first / per_page * per_page, per_page),
                    false => (first, length.min(sectors - first)),
                };
                (at_ns, op < 7, first, length)
            });
            Case { layout, rules, longest_ns, one_in, asks: asks.collect() }
        })
    })
}

/// What is seen of a run: what each drive was asked, and when; the requests, and when each ended; and what was counted.
type Seen = (Vec<(Vec<DriveRequest>, Vec<u64>)>, Vec<(u64, u64)>, String);

fn run<C: Contents<Fake>>(case: &Case, contents: C, keeps_jobs: bool) -> Seen {
    let drive = |number: u64| {
        let tells_ahead = case.one_in == 0 || !number.is_multiple_of(case.one_in);
        Fake::new(mix(number), case.longest_ns, tells_ahead)
    };
    let drives = (0..u64::from(case.layout.drives)).map(drive).collect();
    let mut array = Array::new(case.layout, case.rules, drives, contents);
    let mut told = Vec::new();
    if keeps_jobs {
        array.scrub_at(u64::MAX / 2);
    }
    let per_page = SECTORS as u64;
    for &(at_ns, is_write, first, sectors) in &case.asks {
        array.advance(at_ns).expect("drives take everything");
        let end = first + sectors;
        let pages: Vec<Lpn> = (first / per_page..end.div_ceil(per_page)).map(Lpn).collect();
        let masks = (u64::MAX << (first % per_page), u64::MAX >> (63 - (end - 1) % per_page));
        let request = Request::new(
            if is_write { Op::Write } else { Op::Read },
            first * SECTOR_BYTES,
            (sectors * SECTOR_BYTES) as u32,
        )
        .at(at_ns);
        let number = array.core.counts.host_requests;
        let taken = match pages[..] {
            [page] if sectors == per_page => array.submit_page(&request, at_ns, page),
            _ => array.submit(&request, at_ns, &pages, masks).map(|()| u64::MAX),
        };
        match taken.expect("drives take everything") {
            u64::MAX => {}
            end_ns => told.push((number, end_ns)),
        }
    }
    while array.core.requests.in_flight() > 0 {
        array.step().expect("drives take everything");
    }
    array.core.counts.add_up();
    let asked = array
        .core
        .members
        .all
        .iter_mut()
        .map(|drive| (std::mem::take(&mut drive.log), std::mem::take(&mut drive.times)));
    let ends = array.core.requests.finished.iter().map(|request| (request.number, request.done_ns));
    let mut ends: Vec<(u64, u64)> = ends.chain(told).collect();
    ends.sort_unstable();
    (asked.collect(), ends, format!("{:?}", array.core.counts))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn ends_known_ahead_come_as_jobs_end(case in cases()) {
        let seen = run(&case, Watching, true);
        prop_assert!(run(&case, Watching, false) == seen);
        prop_assert!(run(&case, (), false) == seen);
    }
}
