//! What is counted of a volume.

use super::arrivals::Arrivals;
use super::lifetimes::{ZONES, lifetimes};
use super::locality::{self, Locality};
use super::pages::{PAGE_BYTES, Pages, SECTOR_BYTES, parts, place_of};
use super::report::*;
use super::runs::{Counts, Runs};
use super::sampling::Sampler;
use super::series::{self, Course};
use super::sizes::Sizes;
use super::touched::{Found, Touched};
use crate::{Op, Request};

/// Writes of fewer bytes are hot: Margaglia et al., FAST 2016, section 5.3.
const SMALL_BYTES: u32 = 64 * 1024;

/// A volume: what its requests say by themselves, and what its pages remember.
#[derive(Debug, Default)]
pub(super) struct Volume {
    pub arrivals: Arrivals,
    pub pages: Pages,
    reads: Runs,
    writes: Runs,
    pub locality: Locality,
    pub sums: Sums,
}

/// What adds up over volumes.
#[derive(Debug, Default)]
pub(super) struct Sums {
    counts: [u64; 4],
    fua_writes: u64,
    trimmed_bytes: u64,
    end_bytes: u64,
    read_sizes: Sizes,
    write_sizes: Sizes,
    /// Reads and writes that begin and end on a sector, a 4 KiB block, a page.
    aligned: [u64; 3],
    /// Every bit that is set in where any of them begins or ends.
    place_bits: u64,
    small_blocks: u64,
    read_runs: Counts,
    write_runs: Counts,
    locality: locality::Counts,
    pub touched: Touched,
    /// What the pages told at the end.
    found: Found,
}

/// What all volumes have in common.
#[derive(Debug)]
pub(super) struct Shared {
    pub sampler: Sampler,
    pub course: Course,
    /// Requests that a volume keeps before it is measured.
    pub kept_requests: usize,
}

impl Volume {
    /// Counts a request. Those of other volumes may come before or after it, whatever their time.
    #[inline]
    pub fn add(&mut self, request: &Request, shared: &mut Shared) {
        self.add_itself(request);
        if request.op != Op::Flush && request.size_bytes > 0 {
            self.touch(request, shared);
        }
    }

    /// Counts what a request does to pages.
    #[inline]
    fn touch(&mut self, request: &Request, Shared { sampler, course, .. }: &mut Shared) {
        let (now_ns, op) = (request.arrival_ns, request.op);
        let tick = series::tick(now_ns);
        let bin = course.add(request, tick);
        let (offset, end) = span(request);
        let (mut seen, mut updating) = (false, false);
        if op == Op::Write {
            let takes = |chunk| sampler.takes(request.stream, chunk);
            if let Some(behind) = self.follow(request, takes) {
                self.locality.counts.began(behind);
            }
        }
        for part in parts(offset, end) {
            // A trim of what was never touched changes nothing.
            if !sampler.takes(request.stream, part.chunk)
                || (op == Op::Trim && !self.pages.has(part.chunk))
            {
                continue;
            }
            let page = &mut self.pages.chunk(part.chunk)[part.place];
            seen = true;
            let untouched = match op {
                Op::Read => page.read == 0,
                Op::Write => page.written == 0,
                Op::Trim | Op::Flush => false,
            };
            if untouched {
                course.first(bin, op);
            }
            match op {
                Op::Read => self.sums.touched.read(page, part.sectors),
                Op::Write => {
                    self.locality.counts.page(page, request.size_bytes);
                    updating |= self.sums.touched.write(page, part.sectors, now_ns);
                }
                Op::Trim if part.whole_page => self.sums.touched.trim(page, now_ns),
                Op::Trim | Op::Flush => {}
            }
            if op != Op::Trim {
                course.touch(bin, tick, page.touched_tick);
                page.touched_tick = tick;
            }
        }
        if seen && op == Op::Write {
            self.sums.touched.write_request(updating);
        }
    }

    /// Counts what a request says by itself.
    #[inline]
    fn add_itself(&mut self, request: &Request) {
        let sums = &mut self.sums;
        self.arrivals.add(request.arrival_ns);
        sums.counts[request.op as usize] += 1;
        sums.fua_writes += u64::from(request.fua);
        if request.op == Op::Flush || request.size_bytes == 0 {
            return;
        }
        let (offset, end) = span(request);
        sums.end_bytes = sums.end_bytes.max(end);
        match request.op {
            Op::Read => {
                sums.read_sizes.add(request.size_bytes);
                self.reads.add(offset, end);
                self.locality.read(offset, end, request.arrival_ns);
            }
            Op::Write => {
                sums.write_sizes.add(request.size_bytes);
                self.writes.add(offset, end);
                self.locality.write(offset, end, request.arrival_ns);
                let blocks = ((end - 1) >> 12) - (offset >> 12) + 1;
                sums.small_blocks += if request.size_bytes < SMALL_BYTES { blocks } else { 0 };
            }
            Op::Trim | Op::Flush => {
                sums.trimmed_bytes += u64::from(request.size_bytes);
                return;
            }
        }
        sums.place_bits |= offset | end;
        for (count, unit) in sums.aligned.iter_mut().zip([SECTOR_BYTES, 4096, PAGE_BYTES]) {
            *count += u64::from((offset | end).is_multiple_of(unit));
        }
    }

    /// Whether a write ended where this one begins; remembers where this one ends. `None` where the page is
    /// none that `takes` looks at.
    fn follow(&mut self, request: &Request, takes: impl Fn(u64) -> bool) -> Option<bool> {
        let (offset, end) = span(request);
        let (chunk, place, sector) = place_of(offset);
        let behind = takes(chunk).then(|| self.pages.chunk(chunk)[place].ended & sector != 0);
        let (chunk, place, sector) = place_of(end);
        if takes(chunk) {
            self.pages.chunk(chunk)[place].ended |= sector;
        }
        behind
    }

    /// Looks through the pages; `end_ns` is when the workload ended.
    pub fn finish(mut self: Box<Self>, end_ns: u64) -> (Sums, Arrivals) {
        self.pages.chunks().flatten().for_each(|page| self.sums.found.add(page, end_ns));
        self.sums.read_runs = self.reads.counts;
        self.sums.write_runs = self.writes.counts;
        self.sums.locality = self.locality.counts;
        (self.sums, self.arrivals)
    }
}

/// The bytes of a request, from the first to one past the last.
#[inline]
fn span(request: &Request) -> (u64, u64) {
    let end = request.offset_bytes.saturating_add(u64::from(request.size_bytes));
    (request.offset_bytes.min(end - 1), end)
}

impl Sums {
    /// Adds another volume's.
    pub fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(other.counts).for_each(|(ours, theirs)| *ours += theirs);
        self.aligned.iter_mut().zip(other.aligned).for_each(|(ours, theirs)| *ours += theirs);
        self.fua_writes += other.fua_writes;
        self.place_bits |= other.place_bits;
        self.trimmed_bytes += other.trimmed_bytes;
        self.end_bytes = self.end_bytes.max(other.end_bytes);
        self.read_sizes.merge(&other.read_sizes);
        self.write_sizes.merge(&other.write_sizes);
        self.small_blocks += other.small_blocks;
        self.read_runs.merge(&other.read_runs);
        self.write_runs.merge(&other.write_runs);
        self.locality.merge(&other.locality);
        self.touched.merge(&other.touched);
        self.found.merge(&other.found);
    }

    /// The statistics; a page that was looked at stands for `scale` pages.
    pub fn finish(&self, volume: Option<u32>, arrivals: Arrivals, scale: f64) -> VolumeStats {
        let (first_ns, span_ns) = (arrivals.first_ns(), arrivals.span_ns());
        let timed = span_ns > 0;
        VolumeStats {
            volume,
            name: None,
            requests: self.requests(),
            bytes: self.bytes(),
            time: self.time(first_ns, span_ns),
            read_size: self.read_sizes.finish(),
            write_size: self.write_sizes.finish(),
            alignment: self.alignment(),
            arrivals: arrivals.finish(),
            footprint: self.footprint(scale),
            updates: self.updates(timed, scale),
            skew: SkewStats { updates: self.found.updates.skew(), reads: self.found.reads.skew() },
            hot_writes: HotWriteStats {
                small_request_share: share(self.small_blocks, self.write_runs.blocks),
                short_sequence_share: share(self.write_runs.short, self.write_runs.blocks),
            },
            sequentiality: SequentialityStats {
                reads: sequentiality(&self.read_runs, &self.read_sizes),
                writes: sequentiality(&self.write_runs, &self.write_sizes),
            },
            locality: self.locality.finish(
                (self.read_sizes.count(), self.write_sizes.count()),
                &self.touched.successive,
                timed,
            ),
            lifetimes: self.lifetimes().filter(|_| timed),
            reuse: self.reuse(),
        }
    }

    /// Numbers of requests.
    pub fn requests(&self) -> RequestStats {
        let [reads, writes, trims, flushes] = self.counts;
        RequestStats {
            total: self.counts.iter().sum(),
            reads,
            writes,
            trims,
            flushes,
            fua_writes: self.fua_writes,
            write_share: share(writes, reads + writes),
        }
    }

    /// Bytes that requests ask for.
    pub fn bytes(&self) -> ByteStats {
        ByteStats {
            read: self.read_sizes.bytes(),
            written: self.write_sizes.bytes(),
            trimmed: self.trimmed_bytes,
        }
    }

    fn time(&self, first_ns: u64, span_ns: u64) -> TimeStats {
        let span_s = span_ns as f64 / 1e9;
        let rate = |amount: f64| (span_ns > 0).then(|| amount / span_s);
        let ByteStats { read, written, .. } = self.bytes();
        TimeStats {
            first_s: first_ns as f64 / 1e9,
            span_s,
            requests_per_s: rate(self.counts.iter().sum::<u64>() as f64),
            mb_per_s: rate((read + written) as f64 / 1e6),
        }
    }

    fn alignment(&self) -> AlignmentStats {
        let all = self.read_sizes.count() + self.write_sizes.count();
        let [sector, block, page] = self.aligned.map(|count| share(count, all));
        AlignmentStats {
            sector_share: sector,
            block_4k_share: block,
            page_16k_share: page,
            grain_bytes: (all > 0).then(|| 1 << self.place_bits.trailing_zeros().min(63)),
        }
    }

    /// Distinct data of one volume; an estimate is no more than its addresses.
    pub fn footprint(&self, scale: f64) -> FootprintStats {
        let of = |units: [u64; 3], unit_bytes: u64| {
            let most = self.end_bytes.div_ceil(unit_bytes);
            let [read_bytes, written_bytes, total_bytes] =
                units.map(|count| ((count as f64 * scale).round() as u64).min(most) * unit_bytes);
            Footprint { read_bytes, written_bytes, total_bytes }
        };
        FootprintStats {
            sector: of(self.found.sectors, SECTOR_BYTES),
            block_4k: of(self.found.blocks, 4096),
            page_16k: of(self.found.pages, PAGE_BYTES),
            end_bytes: self.end_bytes,
        }
    }

    /// Writes to data written before.
    pub fn updates(&self, timed: bool, scale: f64) -> UpdateStats {
        let touched = &self.touched;
        let updated = touched.intervals.count();
        let scaled = |pages: u64| (pages as f64 * scale).round() as u64;
        UpdateStats {
            pages_written: scaled(touched.pages_written),
            pages_updated: scaled(updated),
            share: share(updated, touched.pages_written),
            share_of_blocks_4k: share(touched.blocks_rewritten, touched.blocks_written),
            share_of_bytes: share(touched.sectors_rewritten, touched.sectors_written),
            share_of_requests: share(touched.writes_updating, touched.writes_seen),
            intervals: self.intervals().filter(|_| timed),
        }
    }

    fn intervals(&self) -> Option<IntervalStats> {
        let intervals = &self.touched.intervals;
        let seconds = |q| intervals.quantile(q).unwrap_or(0) as f64 / 1e9;
        Some(IntervalStats {
            mean_s: intervals.mean()? / 1e9,
            p50_s: seconds(0.5),
            p90_s: seconds(0.9),
            p99_s: seconds(0.99),
            max_s: intervals.max() as f64 / 1e9,
            zone_shares: self.touched.updates.zones(),
            zone_switches: self.zone_switches(),
            histogram_ns: intervals.octaves(),
        })
    }

    fn zone_switches(&self) -> Option<[[f64; ZONES]; ZONES]> {
        let switches = &self.touched.switches;
        let all: u64 = switches.as_flattened().iter().sum();
        let share = |count: u64| count as f64 / all as f64;
        (all > 0).then(|| switches.map(|of_zone| of_zone.map(share)))
    }

    fn lifetimes(&self) -> Option<LifetimeStats> {
        let mut died = self.touched.updates;
        died.merge(&self.touched.trims);
        lifetimes(&died, &self.found.alive)
    }

    fn reuse(&self) -> ReuseStats {
        let Touched { sectors_read, sectors_after_write, sectors_after_read, .. } = self.touched;
        let first = sectors_read - sectors_after_write - sectors_after_read;
        ReuseStats {
            after_write_share: share(sectors_after_write, sectors_read),
            after_read_share: share(sectors_after_read, sectors_read),
            first_touch_share: share(first, sectors_read),
        }
    }
}

fn sequentiality(runs: &Counts, sizes: &Sizes) -> Sequentiality {
    Sequentiality {
        after_last_share: share(runs.after_last.0, sizes.count()),
        after_last_share_of_bytes: share(runs.after_last.1, sizes.bytes()),
        after_recent_share: share(runs.after_recent.0, sizes.count()),
        after_recent_share_of_bytes: share(runs.after_recent.1, sizes.bytes()),
    }
}

/// `part` of `all`; `None` of nothing.
fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}
