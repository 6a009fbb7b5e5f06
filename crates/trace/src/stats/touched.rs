//! What is counted page by page.

use super::histogram::Histogram;
use super::lifetimes::{Classes, ZONES, zone_of};
use super::locality::Successive;
use super::pages::{NEVER, Page, blocks_4k};
use super::skew::Popularity;

/// What is counted page by page while requests pass.
#[derive(Debug, Default)]
pub(super) struct Touched {
    pub pages_written: u64,
    pub intervals: Histogram,
    pub updates: Classes,
    /// Updates by the zone of the page's update before, and their own.
    pub switches: [[u64; ZONES]; ZONES],
    pub successive: Successive,
    pub trims: Classes,
    pub sectors_written: u64,
    pub sectors_rewritten: u64,
    pub blocks_written: u64,
    pub blocks_rewritten: u64,
    pub sectors_read: u64,
    pub sectors_after_write: u64,
    pub sectors_after_read: u64,
    /// Writes that touched a page that was looked at, and those that updated one.
    pub writes_seen: u64,
    pub writes_updating: u64,
}

/// What the pages tell at the end.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub sectors: [u64; 3],
    pub blocks: [u64; 3],
    pub pages: [u64; 3],
    pub alive: Classes,
    pub updates: Popularity,
    pub reads: Popularity,
}

impl Touched {
    /// `sectors` of a page are read.
    #[inline]
    pub fn read(&mut self, page: &mut Page, sectors: u32) {
        self.sectors_read += u64::from(sectors.count_ones());
        self.sectors_after_write += u64::from((sectors & page.written).count_ones());
        let after_read = sectors & page.read & !page.written;
        self.sectors_after_read += u64::from(after_read.count_ones());
        page.read |= sectors;
        page.reads = page.reads.saturating_add(1);
    }

    /// `sectors` of a page are written at `now_ns`; returns whether that updates it.
    #[inline]
    pub fn write(&mut self, page: &mut Page, sectors: u32, now_ns: u64) -> bool {
        self.pages_written += 1;
        self.sectors_written += u64::from(sectors.count_ones());
        self.sectors_rewritten += u64::from((sectors & page.written).count_ones());
        let blocks = blocks_4k(sectors);
        self.blocks_written += u64::from(blocks.count_ones());
        self.blocks_rewritten += u64::from((blocks & blocks_4k(page.written)).count_ones());
        let updates = page.written_ns != NEVER;
        if updates {
            let interval_ns = now_ns - page.written_ns;
            self.intervals.add(interval_ns);
            self.updates.add(interval_ns);
            let zone = zone_of(interval_ns);
            let octave = u64::from(interval_ns.checked_ilog2().unwrap_or(0));
            if let Some((before, octave_before)) = page.update(zone, octave) {
                self.switches[before][zone] += 1;
                self.successive.add(octave_before, octave);
            }
        }
        page.written_ns = now_ns;
        page.written |= sectors;
        updates
    }

    /// A page is trimmed as a whole at `now_ns`: its data dies.
    #[inline]
    pub fn trim(&mut self, page: &mut Page, now_ns: u64) {
        if page.written_ns != NEVER {
            self.trims.add(now_ns - page.written_ns);
            page.written_ns = NEVER;
        }
    }

    /// A write request has passed, of which a page was looked at.
    #[inline]
    pub fn write_request(&mut self, updating: bool) {
        self.writes_seen += 1;
        self.writes_updating += u64::from(updating);
    }

    /// Adds another volume's.
    pub fn merge(&mut self, other: &Self) {
        self.pages_written += other.pages_written;
        self.intervals.merge(&other.intervals);
        self.updates.merge(&other.updates);
        for (ours, theirs) in self.switches.iter_mut().flatten().zip(other.switches.as_flattened())
        {
            *ours += theirs;
        }
        self.successive.merge(&other.successive);
        self.trims.merge(&other.trims);
        self.sectors_written += other.sectors_written;
        self.sectors_rewritten += other.sectors_rewritten;
        self.blocks_written += other.blocks_written;
        self.blocks_rewritten += other.blocks_rewritten;
        self.sectors_read += other.sectors_read;
        self.sectors_after_write += other.sectors_after_write;
        self.sectors_after_read += other.sectors_after_read;
        self.writes_seen += other.writes_seen;
        self.writes_updating += other.writes_updating;
    }
}

impl Found {
    /// Counts a page; the workload ended at `end_ns`.
    pub fn add(&mut self, page: &Page, end_ns: u64) {
        for (place, sectors) in
            [page.read, page.written, page.read | page.written].into_iter().enumerate()
        {
            self.sectors[place] += u64::from(sectors.count_ones());
            self.blocks[place] += u64::from(blocks_4k(sectors).count_ones());
            self.pages[place] += u64::from(sectors != 0);
        }
        if page.written_ns != NEVER {
            self.alive.add(end_ns - page.written_ns);
        }
        if page.written != 0 {
            self.updates.add(page.updates());
        }
        if page.read != 0 {
            self.reads.add(page.reads);
        }
    }

    /// Adds another volume's.
    pub fn merge(&mut self, other: &Self) {
        for place in 0..3 {
            self.sectors[place] += other.sectors[place];
            self.blocks[place] += other.blocks[place];
            self.pages[place] += other.pages[place];
        }
        self.alive.merge(&other.alive);
        self.updates.merge(&other.updates);
        self.reads.merge(&other.reads);
    }
}
