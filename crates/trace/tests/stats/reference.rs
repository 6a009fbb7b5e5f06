//! A naive reimplementation, sector by sector and with lists of everything, must agree.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use wordline_trace::stats::{Stats, VolumeStats};
use wordline_trace::{Op, Request};

use crate::given::stats_of;

const SECTOR: u64 = 512;
const PAGE: u64 = 16 * 1024;
const MINUTE: u64 = 60_000_000_000;

type Address = (u32, u64);

/// What a naive reader of the trace remembers.
#[derive(Default)]
struct Naive {
    written: BTreeSet<Address>,
    read: BTreeSet<Address>,
    held: BTreeMap<Address, u64>,
    updates_of: BTreeMap<Address, u64>,
    reads_of: BTreeMap<Address, u64>,
    intervals: Vec<u64>,
    deaths: Vec<u64>,
    pages_written: u64,
    sectors_written: u64,
    sectors_rewritten: u64,
    blocks: BTreeSet<Address>,
    blocks_written: u64,
    updating_requests: u64,
    sectors_read: [u64; 3],
    zone_of: BTreeMap<Address, usize>,
    switches: [[usize; 4]; 4],
}

impl Naive {
    fn of(requests: &[Request]) -> Self {
        let mut naive = Self::default();
        requests.iter().for_each(|request| naive.add(request));
        naive
    }

    fn add(&mut self, request: &Request) {
        let volume = request.stream;
        let (start, end) =
            (request.offset_bytes, request.offset_bytes + u64::from(request.size_bytes));
        let units = |bytes: u64| (start / bytes..end.div_ceil(bytes)).map(move |n| (volume, n));
        match request.op {
            Op::Read => {
                units(SECTOR).for_each(|sector| self.read_sector(sector));
                units(PAGE).for_each(|page| *self.reads_of.entry(page).or_default() += 1);
            }
            Op::Write => {
                for sector in units(SECTOR) {
                    self.sectors_written += 1;
                    self.sectors_rewritten += u64::from(!self.written.insert(sector));
                }
                units(4096).for_each(|block| {
                    self.blocks.insert(block);
                    self.blocks_written += 1;
                });
                let before = self.intervals.len();
                units(PAGE).for_each(|page| self.write_page(page, request.arrival_ns));
                self.updating_requests += u64::from(self.intervals.len() > before);
            }
            Op::Trim => {
                for page in units(PAGE).filter(|&(_, n)| start <= n * PAGE && (n + 1) * PAGE <= end)
                {
                    let held = self.held.remove(&page);
                    self.deaths.extend(held.map(|since| request.arrival_ns - since));
                }
            }
            Op::Flush => {}
        }
    }

    fn read_sector(&mut self, sector: Address) {
        let found = if self.written.contains(&sector) {
            0
        } else if self.read.contains(&sector) {
            1
        } else {
            2
        };
        self.sectors_read[found] += 1;
        self.read.insert(sector);
    }

    fn write_page(&mut self, page: Address, now: u64) {
        self.pages_written += 1;
        let updates = self.updates_of.entry(page).or_default();
        if let Some(since) = self.held.insert(page, now) {
            *updates += 1;
            let zone = zone(now - since);
            if let Some(before) = self.zone_of.insert(page, zone) {
                self.switches[before][zone] += 1;
            }
            self.intervals.push(now - since);
            self.deaths.push(now - since);
        }
    }

    fn footprint(&self, unit: u64) -> [u64; 3] {
        let bytes = |sectors: &BTreeSet<Address>| {
            let units: BTreeSet<Address> =
                sectors.iter().map(|&(volume, sector)| (volume, sector * SECTOR / unit)).collect();
            units.len() as u64 * unit
        };
        let either: BTreeSet<Address> = self.read.union(&self.written).copied().collect();
        [bytes(&self.read), bytes(&self.written), bytes(&either)]
    }
}

fn zone(interval: u64) -> usize {
    match interval / (30 * MINUTE) {
        0 => 0,
        1 => 1,
        2 | 3 => 2,
        _ => 3,
    }
}

fn share(part: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

fn close(ours: Option<f64>, expected: Option<f64>) -> bool {
    match (ours, expected) {
        (Some(ours), Some(expected)) => (ours - expected).abs() <= 1e-9 * expected.abs().max(1.0),
        (ours, expected) => ours == expected,
    }
}

/// The share of accesses on the hottest fifth of the pages, one page at a time.
fn hottest(accesses: &BTreeMap<Address, u64>) -> Option<f64> {
    let mut counts: Vec<u64> = accesses.values().copied().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let total: u64 = counts.iter().sum();
    let room = counts.len() as f64 * 0.2;
    let whole = room.floor() as usize;
    let part = counts.get(whole).map_or(0.0, |&count| count as f64 * (room - whole as f64));
    let found = counts[..whole].iter().sum::<u64>() as f64 + part;
    (total > 0).then(|| found / total as f64)
}

fn check_pages(ours: &VolumeStats, naive: &Naive) {
    let footprints = [
        (SECTOR, ours.footprint.sector),
        (4096, ours.footprint.block_4k),
        (PAGE, ours.footprint.page_16k),
    ];
    for (unit, found) in footprints {
        let found = [found.read_bytes, found.written_bytes, found.total_bytes];
        assert_eq!(found, naive.footprint(unit), "footprint in units of {unit}");
    }
    let updates = &ours.updates;
    assert_eq!(updates.pages_written, naive.pages_written);
    assert_eq!(updates.pages_updated, naive.intervals.len() as u64);
    let rewritten = share(naive.sectors_rewritten as usize, naive.sectors_written as usize);
    assert!(close(updates.share_of_bytes, rewritten));
    let rewritten = naive.blocks_written as usize - naive.blocks.len();
    let rewritten = share(rewritten, naive.blocks_written as usize);
    assert!(close(updates.share_of_blocks_4k, rewritten));
    let updating = share(naive.updating_requests as usize, ours.requests.writes as usize);
    assert!(close(updates.share_of_requests, updating));
    let skew = |skew: &Option<wordline_trace::stats::Skew>| {
        skew.as_ref().map(|skew| skew.on_hottest_20_percent)
    };
    assert!(close(skew(&ours.skew.updates), hottest(&naive.updates_of)));
    assert!(close(skew(&ours.skew.reads), hottest(&naive.reads_of)));
    let all: u64 = naive.sectors_read.iter().sum();
    let found = naive.sectors_read.map(|sectors| share(sectors as usize, all as usize));
    let reuse = &ours.reuse;
    let shares = [reuse.after_write_share, reuse.after_read_share, reuse.first_touch_share];
    assert!(shares.into_iter().zip(found).all(|(ours, expected)| close(ours, expected)));
}

fn check_times(ours: &VolumeStats, naive: &Naive, end_ns: u64) {
    if ours.time.span_s == 0.0 {
        assert!(ours.arrivals.is_none() && ours.updates.intervals.is_none());
        assert!(ours.lifetimes.is_none());
        return;
    }
    let (intervals, ages) =
        (&naive.intervals, naive.held.values().map(|since| end_ns - since).collect::<Vec<_>>());
    let within = |times: &[u64], low: u64, high: u64| {
        times.iter().filter(|&&time| low <= time && time < high).count()
    };
    if let Some(found) = &ours.updates.intervals {
        let mean_s = intervals.iter().sum::<u64>() as f64 / intervals.len() as f64 / 1e9;
        assert!(close(Some(found.mean_s), Some(mean_s)));
        let limits = [0, 30 * MINUTE, 60 * MINUTE, 120 * MINUTE, u64::MAX];
        for (zone, ends) in found.zone_shares.iter().zip(limits.windows(2)) {
            let expected = share(within(intervals, ends[0], ends[1]), intervals.len());
            assert!(close(Some(*zone), expected));
        }
        let all: usize = naive.switches.as_flattened().iter().sum();
        assert_eq!(found.zone_switches.is_some(), all > 0);
        let ours = found.zone_switches.unwrap_or_default();
        for (ours, &expected) in ours.as_flattened().iter().zip(naive.switches.as_flattened()) {
            assert!(all == 0 || close(Some(*ours), share(expected, all)));
        }
    } else {
        assert!(intervals.is_empty());
    }
    let all = naive.deaths.len() + ages.len();
    let Some(lives) = &ours.lifetimes else { return assert_eq!(all, 0) };
    for (limit_s, bounds) in lives.limits_s.iter().zip(lives.longer_than_shares) {
        let limit = (limit_s * 1e9) as u64;
        let least = within(&naive.deaths, limit, u64::MAX) + within(&ages, limit, u64::MAX);
        let most = least + within(&ages, 0, limit);
        assert!(
            close(Some(bounds.0), share(least, all)) && close(Some(bounds.1), share(most, all))
        );
    }
}

fn check_requests(ours: &VolumeStats, requests: &[Request]) {
    let of = |op: Op| requests.iter().filter(move |r| r.op == op).copied().collect::<Vec<_>>();
    let (reads, writes) = (of(Op::Read), of(Op::Write));
    assert_eq!(ours.requests.total, requests.len() as u64);
    assert_eq!(ours.requests.reads, reads.len() as u64);
    assert_eq!(ours.requests.trims, of(Op::Trim).len() as u64);
    let bytes = |list: &[Request]| list.iter().map(|r| u64::from(r.size_bytes)).sum::<u64>();
    assert_eq!((ours.bytes.read, ours.bytes.written), (bytes(&reads), bytes(&writes)));
    for (found, list) in [(ours.sequentiality.reads, &reads), (ours.sequentiality.writes, &writes)]
    {
        for (recent, found) in [(1, found.after_last_share), (32, found.after_recent_share)] {
            let continuing = (0..list.len()).filter(|&n| {
                list[n.saturating_sub(recent)..n].iter().any(|earlier| {
                    earlier.offset_bytes + u64::from(earlier.size_bytes) == list[n].offset_bytes
                })
            });
            assert!(close(found, share(continuing.count(), list.len())));
        }
    }
    let small = |r: &&Request| r.size_bytes < 65_536;
    let blocks = |r: &Request| {
        (r.offset_bytes + u64::from(r.size_bytes)).div_ceil(4096) - r.offset_bytes / 4096
    };
    let hot: u64 = writes.iter().filter(small).map(blocks).sum();
    let all: u64 = writes.iter().map(blocks).sum();
    assert!(close(ours.hot_writes.small_request_share, share(hot as usize, all as usize)));
    let data: Vec<&Request> = reads.iter().chain(&writes).collect();
    let aligned = data.iter().filter(|r| {
        r.offset_bytes % 4096 == 0 && (r.offset_bytes + u64::from(r.size_bytes)) % 4096 == 0
    });
    assert!(close(ours.alignment.block_4k_share, share(aligned.count(), data.len())));
}

/// Where requests of one volume go beside earlier ones, with lists of everything.
fn check_locality(ours: &VolumeStats, requests: &[Request]) {
    const RECENT_NS: u64 = 30_000_000_000;
    let end = |r: &Request| r.offset_bytes + u64::from(r.size_bytes);
    let of = |op: Op| requests.iter().filter(move |r| r.op == op).copied().collect::<Vec<_>>();
    let (reads, writes) = (of(Op::Read), of(Op::Write));
    let found = &ours.locality;
    let timed = ours.time.span_s > 0.0;
    for (share_of, list) in
        [(found.reads_behind_recent_share, &reads), (found.writes_behind_recent_share, &writes)]
    {
        let behind = (0..list.len()).filter(|&n| {
            let recent = |r: &&Request| r.arrival_ns + RECENT_NS >= list[n].arrival_ns;
            list[..n].iter().filter(recent).any(|r| end(r) == list[n].offset_bytes)
        });
        assert!(close(share_of, share(behind.count(), list.len()).filter(|_| timed)));
    }
    let behind = (0..writes.len()).filter(|&n| {
        writes[..n].iter().any(|r| end(r) / SECTOR == writes[n].offset_bytes / SECTOR)
    });
    assert!(close(found.writes_behind_any_share, share(behind.count(), writes.len())));
    for merged in &found.merged_parts {
        let window_ns = (merged.window_s * 1e9) as u64;
        let parts = |r: &Request| {
            let window = r.arrival_ns / window_ns;
            (r.offset_bytes / 98_304..end(r).div_ceil(98_304)).map(move |part| (window, part))
        };
        let all: Vec<(u64, u64)> = writes.iter().flat_map(parts).collect();
        let left: BTreeSet<&(u64, u64)> = all.iter().collect();
        assert!(close(merged.left_share, share(left.len(), all.len())));
    }
    let (mut pages, mut rewritten, mut written_4k) = ([0; 3], [0; 3], 0);
    let (mut kib, mut last) = (vec![Vec::new(); 3], BTreeMap::new());
    for write in &writes {
        let class =
            usize::from(write.size_bytes >= 16_384) + usize::from(write.size_bytes >= 65_536);
        written_4k += u64::from(write.size_bytes).div_ceil(4096);
        for page in write.offset_bytes / PAGE..end(write).div_ceil(PAGE) {
            pages[class] += 1;
            if let Some(before) = last.insert(page, written_4k) {
                rewritten[class] += 1;
                kib[class].push((written_4k - before) * 4);
            }
        }
    }
    for (class, found) in found.rewrites.iter().enumerate() {
        assert_eq!(found.pages, pages[class]);
        assert!(close(found.rewritten_share, share(rewritten[class], pages[class] as usize)));
        kib[class].sort_unstable();
        let rank = (kib[class].len().div_ceil(2)).saturating_sub(1);
        let median = kib[class].get(rank).map(|&kib| kib as f64 / 1024.0);
        assert_eq!(found.p50_mib.is_some(), median.is_some());
        let (found, median) = (found.p50_mib.unwrap_or(0.0), median.unwrap_or(0.0));
        assert!(found <= median && found >= median * (1.0 - 1.0 / 128.0), "{found} for {median}");
    }
}

fn check_arrivals(ours: &VolumeStats, requests: &[Request]) {
    let Some(found) = &ours.arrivals else { return };
    let times: Vec<u64> = requests.iter().map(|request| request.arrival_ns).collect();
    let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    assert!((found.mean_ms - mean / 1e6).abs() <= 1e-9 * found.mean_ms);
    assert!((found.cv - variance.sqrt() / mean).abs() < 1e-6);
    let mut seconds: BTreeMap<u64, u64> = BTreeMap::new();
    times
        .iter()
        .for_each(|time| *seconds.entry((time - times[0]) / 1_000_000_000).or_default() += 1);
    let windows = (times[times.len() - 1] - times[0]) / 1_000_000_000 + 1;
    let per_window = times.len() as f64 / windows as f64;
    let squares = seconds.values().map(|&count| (count * count) as f64).sum::<f64>();
    let dispersion = (squares / windows as f64 - per_window * per_window) / per_window;
    assert!(
        (found.dispersion - dispersion.max(0.0)).abs() < 1e-6,
        "{} {dispersion}",
        found.dispersion
    );
    assert_eq!(Some(&found.peak_per_s), seconds.values().max());
}

fn check_series(ours: &Stats, requests: &[Request]) {
    let width_ns = (ours.series.interval_s * 1e9) as u64;
    let (mut footprint, mut first) = (BTreeSet::new(), [BTreeSet::new(), BTreeSet::new()]);
    for (place, found) in ours.series.intervals.iter().enumerate() {
        let inside = requests.iter().filter(|r| (r.arrival_ns / width_ns) as usize == place);
        let (mut set, mut reads, mut bytes_written) = (BTreeSet::new(), 0, 0);
        for r in inside.filter(|r| matches!(r.op, Op::Read | Op::Write)) {
            let end = r.offset_bytes + u64::from(r.size_bytes);
            let pages = (r.offset_bytes / PAGE..end.div_ceil(PAGE)).map(|page| (r.stream, page));
            first[usize::from(r.op == Op::Write)].extend(pages.clone());
            set.extend(pages);
            reads += u64::from(r.op == Op::Read);
            bytes_written += u64::from(r.size_bytes) * u64::from(r.op == Op::Write);
        }
        assert_eq!((found.reads, found.bytes_written), (reads, bytes_written));
        assert_eq!(found.working_set_pages, set.len() as u64, "interval {place}");
        footprint.extend(set);
        assert_eq!(found.footprint_pages, footprint.len() as u64);
        assert_eq!(found.read_footprint_pages, first[0].len() as u64);
        assert_eq!(found.written_footprint_pages, first[1].len() as u64);
    }
}

fn requests() -> impl Strategy<Value = Vec<Request>> {
    let op = prop_oneof![
        4 => Just(Op::Write), 3 => Just(Op::Read), 1 => Just(Op::Trim), 1 => Just(Op::Flush)
    ];
    // Gaps from none to days, so that zones, lifetimes and joined intervals all occur.
    let gap = prop_oneof![Just(0u64), 0..5_000_000u64, 0..40 * MINUTE, 0..3 * 24 * 60 * MINUTE];
    let offset = prop_oneof![0..200_000u64, (0..50u64).prop_map(|n| n * 4096)];
    let size = prop_oneof![1..100_000u32, (1..12u32).prop_map(|n| n * 4096)];
    let one = (op, gap, offset, size, 0..2u32);
    proptest::collection::vec(one, 1..120).prop_map(|list| {
        let mut arrival_ns = 0;
        let request = |(op, gap_ns, offset_bytes, size_bytes, stream): (Op, u64, u64, u32, u32)| {
            arrival_ns += gap_ns;
            let size_bytes = if op == Op::Flush { 0 } else { size_bytes };
            Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream)
        };
        list.into_iter().map(request).collect()
    })
}

/// Makes a third of the requests continue the one before.
fn chained(mut list: Vec<Request>) -> Vec<Request> {
    for n in (3..list.len()).step_by(3) {
        let earlier = list[n - 1 - n % 3];
        list[n].offset_bytes = earlier.offset_bytes + u64::from(earlier.size_bytes);
    }
    list
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_naive_reader_agrees(list in requests().prop_map(chained)) {
        let start = list[0].arrival_ns;
        let list: Vec<Request> =
            list.into_iter().map(|r| Request { arrival_ns: r.arrival_ns - start, ..r }).collect();
        let stats = stats_of(&list);
        let end_ns = list.last().expect("a request").arrival_ns;
        let naive = Naive::of(&list);
        check_pages(&stats.total, &naive);
        check_times(&stats.total, &naive, end_ns);
        check_arrivals(&stats.total, &list);
        check_series(&stats, &list);
        for volume in &stats.volumes {
            let of = |r: &&Request| Some(r.stream) == volume.volume;
            let alone: Vec<Request> = list.iter().filter(of).copied().collect();
            let naive = Naive::of(&alone);
            check_requests(volume, &alone);
            check_locality(volume, &alone);
            check_pages(volume, &naive);
            check_times(volume, &naive, end_ns);
            check_arrivals(volume, &alone);
        }
    }
}
