//! The writes of a twin: new places, and old ones again after intervals as the model has them.

use super::ages::Ages;
use super::ground::{Ground, Region};
use super::model::{Class, Clock, Model, Writes};
use super::quota::Quota;
use super::sizes::EvenSizes;
use crate::generate::rng::{Chance, Rng};
use crate::generate::space::Extent;

/// Draws for a kind that can be had, before whatever can be had is taken.
const TRIES: u32 = 6;

/// Ticks in the time that a workload takes: stamps are 32 bits, and bursts may make it longer.
const TICKS: f64 = (1u64 << 30) as f64;

const SECTOR_BYTES: u32 = 512;

/// Places, each 13 bytes, and what is known of when they were last written.
pub(super) struct WriteState {
    classes: Vec<ClassState>,
    /// Requests left, by class.
    left: Quota,
    starts_bytes: Vec<u64>,
    sizes_bytes: Vec<u32>,
    /// How often each place has been written, up to the limit of its class.
    writes: Vec<u8>,
    page_bytes: u32,
    clock: Clock,
    pages: f64,
    tick: f64,
    rng: Rng,
    /// The rest of a place that is written in pieces.
    rest: Extent,
    piece_bytes: u32,
}

struct ClassState {
    /// Requests left: those to new places, then updates by bin.
    left: Quota,
    ages: Ages,
    region: Region,
    sizes: EvenSizes,
    follow: Chance,
    youth: f64,
    limit: u8,
    piece_bytes: u32,
    /// Pages that one write adds to the quota's count: the inverse of a place's mean.
    per_page: f64,
}

impl ClassState {
    fn new(class: &Class, shape: &Shape<'_>, index: usize, seed: u64) -> Self {
        let mean_pages = shape.model.mean_pages(&class.sizes);
        let requests = |share: f64| share * shape.pages / mean_pages;
        let left = std::iter::once(class.new).chain(class.updates.iter().copied());
        let new_pages = class.new * shape.pages;
        Self {
            left: Quota::new(left.map(requests).collect(), class.eager),
            ages: Ages::new(shape.edges.clone()),
            region: Region::new(new_pages, shape.chunk_pages, class.sequential),
            sizes: EvenSizes::new(&class.sizes, index as f64 * 0.37, seed),
            follow: Chance::new(class.follow),
            youth: class.youth,
            limit: class.limit,
            piece_bytes: class.piece_bytes,
            per_page: 1.0 / mean_pages,
        }
    }
}

/// What all classes have in common.
struct Shape<'a> {
    model: &'a Model,
    pages: f64,
    chunk_pages: u32,
    edges: Vec<u32>,
}

impl WriteState {
    pub fn new(model: &Model, writes: &Writes, chunk_pages: u32, seed: u64) -> Self {
        let pages = model.pages_written();
        let span = match writes.clock {
            Clock::Seconds => model.requests as f64 * model.interval_us * 1e-6,
            Clock::Pages => pages,
        };
        let tick = (span / TICKS).max(1e-9);
        let edges = writes.edges.iter().map(|edge| (edge / tick).min(4e9) as u32).collect();
        let shape = Shape { model, pages, chunk_pages, edges };
        let classes: Vec<ClassState> = writes
            .classes
            .iter()
            .enumerate()
            .map(|(index, class)| ClassState::new(class, &shape, index, seed))
            .collect();
        Self {
            left: Quota::new(classes.iter().map(|class| class.left.total()).collect(), 1.0),
            classes,
            starts_bytes: Vec::new(),
            sizes_bytes: Vec::new(),
            writes: Vec::new(),
            page_bytes: model.page_bytes,
            clock: writes.clock,
            pages: 0.0,
            tick,
            rng: Rng::new(seed, "twin write"),
            rest: Extent { offset_bytes: 0, size_bytes: 0 },
            piece_bytes: 0,
        }
    }

    /// Where the write that arrives at `now_ns` goes.
    pub fn next(&mut self, now_ns: u64, ground: &mut Ground) -> Extent {
        if self.rest.size_bytes == 0 {
            self.choose(now_ns, ground);
        }
        let size_bytes = match self.piece_bytes {
            0 => self.rest.size_bytes,
            piece_bytes => piece_bytes.min(self.rest.size_bytes),
        };
        let extent = Extent { size_bytes, ..self.rest };
        self.rest.size_bytes -= size_bytes;
        self.rest.offset_bytes += u64::from(size_bytes);
        extent
    }

    /// Chooses the next place.
    fn choose(&mut self, now_ns: u64, ground: &mut Ground) {
        let elapsed = match self.clock {
            Clock::Seconds => now_ns as f64 * 1e-9,
            Clock::Pages => self.pages,
        };
        let now = (elapsed / self.tick) as u32;
        let (class, bin, place) = self.old_or_new(now, ground);
        let size_bytes = self.sizes_bytes[place as usize];
        let pages = f64::from(size_bytes.div_ceil(self.page_bytes));
        self.pages += pages;
        let state = &mut self.classes[class];
        let spent = state.limit > 0 && {
            let writes = &mut self.writes[place as usize];
            *writes += 1;
            *writes > state.limit
        };
        if !spent {
            state.ages.push(place, now);
        }
        state.left.take(bin, pages * state.per_page);
        self.left.take(class, pages * state.per_page);
        self.piece_bytes = state.piece_bytes;
        self.rest = Extent { offset_bytes: self.starts_bytes[place as usize], size_bytes };
    }

    /// The class, the kind (0 for new, else bin + 1) and the place of the next write.
    fn old_or_new(&mut self, now: u32, ground: &mut Ground) -> (usize, usize, u32) {
        let (mut class, mut kind) = (0, 0);
        for _ in 0..TRIES {
            class = self.left.kind(self.rng.unit());
            let state = &mut self.classes[class];
            kind = state.left.kind(self.rng.unit());
            if kind == 0 {
                return (class, 0, self.create(class, ground));
            }
            state.ages.advance(now);
            if self.rng.happens(state.follow)
                && let Some((place, bin)) = state.ages.take_next()
            {
                return (class, bin + 1, place);
            }
            if state.ages.has(kind - 1) {
                return (class, kind, state.ages.take(kind - 1, state.youth, &mut self.rng));
            }
        }
        self.whatever(class, kind, ground)
    }

    /// A write when no place of the wanted age is there: a new place if some are left to come,
    /// else the place of the nearest age.
    fn whatever(&mut self, class: usize, kind: usize, ground: &mut Ground) -> (usize, usize, u32) {
        let state = &mut self.classes[class];
        let nearest = state.ages.nearest(kind - 1);
        match nearest.filter(|_| !state.left.has(0)) {
            Some(bin) => (class, bin + 1, state.ages.take(bin, state.youth, &mut self.rng)),
            None => (class, 0, self.create(class, ground)),
        }
    }

    fn create(&mut self, class: usize, ground: &mut Ground) -> u32 {
        let state = &mut self.classes[class];
        let size_bytes = state.sizes.next_bytes();
        let pages = size_bytes.div_ceil(self.page_bytes);
        let page = state.region.take_to_write(pages, ground, &mut self.rng);
        let slack_sectors = (pages * self.page_bytes - size_bytes) / SECTOR_BYTES;
        let shift_bytes = self.rng.below(u64::from(slack_sectors) + 1) * u64::from(SECTOR_BYTES);
        self.starts_bytes.push(u64::from(page) * u64::from(self.page_bytes) + shift_bytes);
        self.sizes_bytes.push(size_bytes);
        self.writes.push(0);
        (self.sizes_bytes.len() - 1) as u32
    }
}
