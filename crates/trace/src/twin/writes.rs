//! The writes of a twin: new places, and old ones again after intervals as the model has them.

use super::ages::Ages;
use super::ground::{Ground, Region};
use super::model::{Class, Clock, Model, Writes};
use super::quota::Quota;
use super::sizes::EvenSizes;
use crate::generate::rng::{Chance, Rng};
use crate::generate::space::Extent;
use rustc_hash::FxHashMap;

/// Draws for a kind that can be had, before whatever can be had is taken.
const TRIES: u32 = 6;

/// Ticks in the time that a workload takes: stamps are 32 bits, and bursts may make it longer.
const TICKS: f64 = (1u64 << 30) as f64;

const SECTOR_BYTES: u32 = 512;

/// No place, or no place in a list.
const NOWHERE: u32 = u32::MAX;

/// Writes by which runs may lag behind their share before every write is to follow one.
const LAG_WRITES: f64 = 16.0;
/// Writes of mean size by which runs may make the volume more or less than it should be.
const SURPLUS_WRITES: f64 = 64.0;

/// Places, each 17 bytes, 22 where there are runs, and what is known of when they were last written.
pub(super) struct WriteState {
    classes: Vec<ClassState>,
    /// Requests left, by class.
    left: Quota,
    starts_bytes: Vec<u64>,
    sizes_bytes: Vec<u32>,
    /// Where each place stands in the ages of its class.
    positions: Vec<u32>,
    /// Absent where writes make no runs of their own.
    runs: Option<Runs>,
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

/// Writes that begin where one of a few open runs ended.
struct Runs {
    share: f64,
    streams: usize,
    /// The places that were written last, the newest at the end, where open runs end, each with the place right
    /// behind it.
    open: Vec<(u32, u32)>,
    /// The place right behind each, and the class of each.
    next: Vec<u32>,
    class_of: Vec<u8>,
    /// Places with nothing behind them, by where they end.
    fronts: FxHashMap<u64, u32>,
    /// Writes so far, and those that followed a run.
    writes: f64,
    followed: f64,
    /// Pages written so far, and those of a write on the average.
    pages: f64,
    mean_pages: f64,
    rng: Rng,
}

impl Runs {
    fn new(writes: &Writes, mean_pages: f64, seed: u64) -> Self {
        Self {
            share: writes.runs,
            streams: writes.streams as usize,
            open: Vec::new(),
            next: Vec::new(),
            class_of: Vec::new(),
            fronts: FxHashMap::default(),
            writes: 0.0,
            followed: 0.0,
            pages: 0.0,
            mean_pages,
            rng: Rng::new(seed, "twin runs"),
        }
    }

    /// Whether the next write should follow a run: by chance, more often where writes that do lag behind
    /// their share, and less where they are ahead of it.
    fn is_due(&mut self) -> bool {
        let lag = self.share * (self.writes + 1.0) - self.followed;
        self.rng.unit() < self.share + lag / LAG_WRITES
    }

    /// A place was laid: it may lie right behind another.
    fn laid(&mut self, place: u32, class: usize, start_bytes: u64, end_bytes: u64) {
        self.class_of.push(class as u8);
        self.next.push(NOWHERE);
        if let Some(below) = self.fronts.remove(&start_bytes) {
            self.next[below as usize] = place;
            for (end, behind) in &mut self.open {
                if *end == below {
                    *behind = place;
                }
            }
        }
        self.fronts.insert(end_bytes, place);
    }

    /// Whether a write of so many pages keeps the volume near what it should be by now: what lies behind
    /// others is not of every size alike.
    fn suits(&self, pages: f64) -> bool {
        let surplus = self.pages - self.writes * self.mean_pages;
        let (most, larger) = (SURPLUS_WRITES * self.mean_pages, pages > self.mean_pages);
        if larger { surplus < most } else { surplus > -most }
    }

    /// A place of so many pages was written: a run ends there now.
    fn wrote(&mut self, place: u32, pages: f64) {
        self.pages += pages;
        self.writes += 1.0;
        // Whether by intent or by chance.
        if let Some(at) = self.open.iter().position(|&(_, behind)| behind == place) {
            self.open.remove(at);
            self.followed += 1.0;
        }
        self.open.push((place, self.next[place as usize]));
        if self.open.len() > self.streams {
            self.open.remove(0);
        }
    }
}

struct ClassState {
    /// Requests left: those to new places, then updates by bin.
    left: Quota,
    ages: Ages,
    region: Region,
    sizes: EvenSizes,
    /// A size that was drawn and found no room.
    held_bytes: Option<u32>,
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
            held_bytes: None,
            follow: Chance::new(class.follow),
            youth: class.youth,
            limit: class.limit,
            piece_bytes: class.piece_bytes,
            per_page: 1.0 / mean_pages,
        }
    }
}

impl ClassState {
    /// The size of the next new place.
    fn size_bytes(&mut self) -> u32 {
        self.held_bytes.take().unwrap_or_else(|| self.sizes.next_bytes())
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
            positions: Vec::new(),
            runs: (writes.runs > 0.0).then(|| Runs::new(writes, pages / model.writes(), seed)),
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
        let (class, bin, place) =
            self.run_on(now, ground).unwrap_or_else(|| self.old_or_new(now, ground));
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
            state.ages.push(place, now, &mut self.positions);
        } else {
            self.positions[place as usize] = NOWHERE;
        }
        if let Some(runs) = &mut self.runs {
            runs.wrote(place, pages);
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
            if kind == 0 && self.runs.is_some() && !state.left.has(0) {
                // Runs have used up what was to come: no new data makes up for it.
                return self.whatever(class, 1, ground);
            }
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

    /// A write that begins where an open run ended: to the place there, or to a new one where there is
    /// none. `None` where runs have their share, or where what is left to come has none of that kind.
    fn run_on(&mut self, now: u32, ground: &mut Ground) -> Option<(usize, usize, u32)> {
        let runs = self.runs.as_mut()?;
        if !runs.is_due() {
            return None;
        }
        let streams = runs.open.len();
        let first = self.rng.below(streams as u64) as usize;
        for at in (first..streams).chain(0..first) {
            let (place, next) = self.runs.as_ref()?.open[at];
            let found = if next == NOWHERE {
                self.go_on(place as usize, ground).map(|place| (place, 0))
            } else {
                self.again(next, now).map(|bin| (next, bin + 1))
            };
            if let Some((place, kind)) = found {
                let class = self.runs.as_ref()?.class_of[place as usize];
                return Some((usize::from(class), kind, place));
            }
        }
        None
    }

    /// Takes a place again where its class has updates of that age left; the bin of its age.
    fn again(&mut self, place: u32, now: u32) -> Option<usize> {
        let runs = self.runs.as_ref()?;
        let pages = self.sizes_bytes[place as usize].div_ceil(self.page_bytes);
        if !runs.suits(f64::from(pages)) {
            return None;
        }
        let state = &mut self.classes[usize::from(runs.class_of[place as usize])];
        let at = self.positions[place as usize];
        state.ages.advance(now);
        let bin = (at != NOWHERE).then(|| state.ages.bin_at(at as usize))?;
        state.left.has(bin + 1).then(|| state.ages.take_at(at as usize, bin))?;
        Some(bin)
    }

    /// A new place right behind `place`, of its class, if that has new ones left and there is room.
    fn go_on(&mut self, place: usize, ground: &mut Ground) -> Option<u32> {
        let class = usize::from(self.runs.as_ref()?.class_of[place]);
        let state = &mut self.classes[class];
        let end = self.starts_bytes[place] + u64::from(self.sizes_bytes[place]);
        let page_bytes = u64::from(self.page_bytes);
        if !state.left.has(0) || !end.is_multiple_of(page_bytes) {
            return None;
        }
        let size_bytes = state.size_bytes();
        let pages = size_bytes.div_ceil(self.page_bytes);
        let page = (end / page_bytes) as u32;
        if !state.region.take_behind(page, pages, ground.chunk_pages()) {
            state.held_bytes = Some(size_bytes);
            return None;
        }
        Some(self.lay(class, end, size_bytes))
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
        let size_bytes = state.size_bytes();
        let pages = size_bytes.div_ceil(self.page_bytes);
        // What continues no run lies a page behind what is below, or it would.
        let gap = u32::from(self.runs.is_some());
        let page = state.region.take_to_write(pages + gap, ground, &mut self.rng) + gap;
        let slack_sectors = (pages * self.page_bytes - size_bytes) / SECTOR_BYTES;
        let shift_bytes = self.rng.below(u64::from(slack_sectors) + 1) * u64::from(SECTOR_BYTES);
        let start_bytes = u64::from(page) * u64::from(self.page_bytes) + shift_bytes;
        self.lay(class, start_bytes, size_bytes)
    }

    /// A new place.
    fn lay(&mut self, class: usize, start_bytes: u64, size_bytes: u32) -> u32 {
        let place = self.sizes_bytes.len() as u32;
        self.starts_bytes.push(start_bytes);
        self.sizes_bytes.push(size_bytes);
        self.positions.push(NOWHERE);
        self.writes.push(0);
        if let Some(runs) = &mut self.runs {
            runs.laid(place, class, start_bytes, start_bytes + u64::from(size_bytes));
        }
        place
    }
}
