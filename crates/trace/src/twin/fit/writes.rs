//! Writes: pages by how often they are written, and after how many other pages each time.

use super::sizes::SizeMeter;
use super::{Pages, pages_of, rounded};
use crate::Request;
use crate::twin::model::{Class, Clock, Writes};

/// Classes by the number of writes of a page: up to these, and more.
const UPTO_WRITES: [u32; 6] = [1, 2, 4, 16, 64, 256];
const CLASSES: usize = UPTO_WRITES.len() + 1;

/// Intervals are told apart by half octaves, from this many pages on.
const FIRST_EDGE_PAGES: f64 = 8.0;
const BINS: usize = 48;

/// An update follows the one before if its data was written at most this many pages later.
const FOLLOW_PAGES: u64 = 256;

#[derive(Clone)]
struct ClassMeter {
    new: u64,
    updates: [u64; BINS],
    /// Requests whose first page is of this class: those that update, and those of them that follow
    /// the one before.
    update_requests: u64,
    followers: u64,
    new_requests: u64,
    adjoining: u64,
    /// The stamp of the last page of the last updating request.
    last_stamp: u64,
    /// Where the last new request ended.
    last_end: Option<(u16, u64)>,
    sizes: SizeMeter,
}

impl Default for ClassMeter {
    fn default() -> Self {
        Self {
            new: 0,
            updates: [0; BINS],
            update_requests: 0,
            followers: 0,
            new_requests: 0,
            adjoining: 0,
            last_stamp: u64::MAX,
            last_end: None,
            sizes: SizeMeter::default(),
        }
    }
}

#[derive(Default)]
pub(super) struct Meter {
    pub requests: u64,
    pages: u64,
    classes: [ClassMeter; CLASSES],
}

fn class_of(writes: u32) -> usize {
    UPTO_WRITES.iter().position(|&upto| writes <= upto).unwrap_or(CLASSES - 1)
}

fn edge_pages(bin: usize) -> f64 {
    FIRST_EDGE_PAGES * libm::exp2(bin as f64 / 2.0)
}

fn bin_of(age_pages: u64) -> usize {
    (0..BINS - 1).position(|bin| (age_pages as f64) < edge_pages(bin)).unwrap_or(BINS - 1)
}

impl Meter {
    pub fn add(&mut self, request: &Request, pages: &mut Pages) {
        self.requests += 1;
        let touched = pages_of(request);
        let weight = 1.0 / (touched.end - touched.start) as f64;
        let (begin, end) = (touched.start, touched.end);
        for at in touched {
            let page = pages.at(request.stream, at);
            let class = &mut self.classes[class_of(page.writes)];
            match page.stamp {
                0 => class.new += 1,
                stamp => class.updates[bin_of(self.pages + 1 - stamp)] += 1,
            }
            class.sizes.add(request.size_bytes, weight);
            if at == begin {
                class.begin(page.stamp, (request.stream, request.offset_bytes));
            }
            if at + 1 == end {
                class.end(page.stamp, request);
            }
            self.pages += 1;
            page.stamp = self.pages;
        }
    }

    pub fn finish(self) -> Option<Writes> {
        if self.requests == 0 {
            return None;
        }
        let used = (0..BINS).filter(|&b| self.classes.iter().any(|class| class.updates[b] > 0));
        let bins = used.max().map_or(1, |last| last + 1);
        let classes = self.classes.iter().enumerate().filter(|(_, class)| class.new > 0);
        Some(Writes {
            clock: Clock::Pages,
            edges: (0..bins - 1).map(edge_pages).map(rounded).collect(),
            classes: classes.map(|(index, class)| class.finish(index, bins, self.pages)).collect(),
        })
    }
}

impl ClassMeter {
    fn begin(&mut self, stamp: u64, begin: (u16, u64)) {
        if stamp == 0 {
            self.new_requests += 1;
            self.adjoining += u64::from(self.last_end == Some(begin));
        } else {
            self.update_requests += 1;
            let later = stamp.wrapping_sub(self.last_stamp);
            self.followers += u64::from((1..=FOLLOW_PAGES).contains(&later));
        }
    }

    fn end(&mut self, stamp: u64, request: &Request) {
        if stamp == 0 {
            let end = request.offset_bytes + u64::from(request.size_bytes);
            self.last_end = Some((request.stream, end));
        } else {
            self.last_stamp = stamp;
        }
    }

    fn finish(&self, index: usize, bins: usize, pages: u64) -> Class {
        let share = |part: u64, whole: u64| match whole {
            0 => 0.0,
            _ => rounded(part as f64 / whole as f64),
        };
        Class {
            new: share(self.new, pages),
            updates: self.updates[..bins].iter().map(|&count| share(count, pages)).collect(),
            follow: share(self.followers, self.update_requests),
            sequential: share(self.adjoining, self.new_requests),
            youth: 1.0,
            eager: 1.0,
            limit: UPTO_WRITES.get(index).map_or(0, |&upto| u8::try_from(upto - 1).unwrap_or(0)),
            piece_bytes: 0,
            sizes: self.sizes.clone().finish(),
        }
    }
}
