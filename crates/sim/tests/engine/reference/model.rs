//! The reference: lists and linear scans, everything recounted when it is needed.

mod collector;

use super::counts::Counts;
use super::draws::Draws;
use super::map::MapCache;
use super::shape::Shape;
use super::temperature::Temperature;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wordline_sim::config::Config;
use wordline_trace::{Op, Request};

/// What the kinds of flash of a drive share: what counts, draws or ends for all of it.
pub struct Shared {
    draws: RefCell<Draws>,
    /// Victims until wear is looked at, and between two looks.
    until_look: Cell<usize>,
    look_period: usize,
    /// Changes of full blocks so far.
    changes: Cell<u64>,
    pub read_only: Cell<bool>,
    /// The demand-paged map, if there is one.
    pub map_cache: Option<RefCell<MapCache>>,
}

impl Shared {
    pub fn new(config: &Config, shapes: &[Shape]) -> Self {
        let largest = shapes.iter().map(|shape| shape.domain_planes * shape.blocks_per_plane).max();
        let look_period = (largest.unwrap_or(0) / 256).max(1);
        Self {
            draws: RefCell::new(Draws::new(config.run.seed)),
            until_look: Cell::new(look_period),
            look_period,
            changes: Cell::new(0),
            read_only: Cell::new(false),
            map_cache: (shapes[0].map_pages > 0).then(|| {
                RefCell::new(MapCache::new(config, shapes[0].unit_bytes, shapes[0].logical_units))
            }),
        }
    }

    fn change(&self) -> u64 {
        self.changes.set(self.changes.get() + 1);
        self.changes.get()
    }

    /// A victim was erased: true when wear is looked at.
    fn looks(&self) -> bool {
        let left = self.until_look.get() - 1;
        self.until_look.set(if left == 0 { self.look_period } else { left });
        left == 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Free,
    Open,
    Full,
    Victim,
}

#[derive(Debug, Clone)]
struct Block {
    state: State,
    /// The stream that filled it.
    stream: usize,
    /// The logical unit that is valid at each place.
    units: Vec<Option<usize>>,
    /// Units that have been programmed.
    programmed: usize,
    erases: u64,
    filled_at: u64,
    opened_ns: u64,
    /// How many blocks were opened before it, and itself.
    opening: usize,
    /// When it became full, or its valid count changed since.
    changed_at: u64,
}

impl Block {
    fn valid(&self) -> usize {
        self.units.iter().flatten().count()
    }
}

/// The blocks that are filled side by side, and the program under way in them.
#[derive(Debug, Clone, Default)]
struct Frontier {
    lanes: Vec<usize>,
    row: usize,
    filled: usize,
}

/// The dies of one kind of flash, which is all of most drives. Under a static order what lies in
/// one kind stays there, so that the kinds of a drive know of one another by what they share alone.
pub struct Model {
    pub shape: Shape,
    pub temperature: Temperature,
    /// Block and place of each logical unit; translation pages follow those of the host.
    map: Vec<Option<(usize, usize)>>,
    blocks: Vec<Block>,
    /// Erased blocks of each plane in the order in which they were erased.
    free: Vec<Vec<usize>>,
    frontiers: Vec<Frontier>,
    /// Full blocks of each domain in the order in which draws number them: the last one takes the
    /// number of one that leaves.
    numbered: Vec<Vec<usize>>,
    shared: Rc<Shared>,
    now_ns: u64,
    openings: usize,
    /// The block of each plane at which the search for an erased one begins, where it goes round.
    next_block: Vec<usize>,
    /// The plane of each die at which the search for the most free pages begins.
    first_planes: Vec<usize>,
    /// Writes under dynamic allocation so far.
    dynamic_writes: usize,
    /// Whose turn it is: planes of a scope.
    next_plane: Vec<usize>,
    to_erase: Vec<usize>,
    /// By logical unit of the host, when it was last written.
    written_tick: Vec<u64>,
    pub counts: Counts,
}

/// The grain of time stamps by unit.
const TICK_NS: u64 = 1 << 26;

fn tick(now_ns: u64) -> u64 {
    now_ns / TICK_NS
}

impl Model {
    pub fn new(config: &Config, kind: usize, shared: Rc<Shared>) -> Self {
        let shape = Shape::new(config, kind);
        let block = Block {
            state: State::Free,
            stream: 0,
            units: vec![None; shape.units_per_block],
            programmed: 0,
            erases: 0,
            filled_at: 0,
            opened_ns: 0,
            opening: 0,
            changed_at: 0,
        };
        let per_plane = shape.blocks_per_plane;
        Self {
            temperature: Temperature::new(config, shape.logical_units),
            map: vec![None; shape.logical_units + shape.map_pages],
            blocks: vec![block; shape.planes * per_plane],
            free: (0..shape.planes)
                .map(|plane| (plane * per_plane..(plane + 1) * per_plane).collect())
                .collect(),
            frontiers: vec![Frontier::default(); shape.scopes() * shape.streams],
            numbered: vec![Vec::new(); shape.planes / shape.domain_planes],
            shared,
            now_ns: 0,
            openings: 0,
            next_block: vec![0; shape.planes],
            first_planes: vec![0; shape.dies()],
            dynamic_writes: 0,
            next_plane: vec![0; shape.scopes()],
            to_erase: Vec::new(),
            written_tick: vec![0; shape.logical_units],
            counts: Counts::default(),
            shape,
        }
    }

    /// A request arrives; returns the temperature of each of its units.
    pub fn hear_of(&mut self, request: &Request, units: &[usize]) -> Vec<usize> {
        self.now_ns = request.arrival_ns;
        match request.op {
            Op::Write => self.temperature.of(request, units),
            _ => Vec::new(),
        }
    }

    /// The figures once everything is programmed.
    pub fn counts(&mut self) -> Counts {
        self.end_programs();
        let mut counts = self.counts.clone();
        for block in &self.blocks {
            *counts.wear.entry(block.erases).or_default() += 1;
        }
        let free: usize = self.free.iter().map(Vec::len).sum();
        let rooms: usize = (0..self.frontiers.len()).map(|point| self.room(point)).sum();
        counts.free_units = (free * self.shape.units_per_block + rooms) as u64;
        counts
    }

    /// Kind of flash, block and page: true where they can be sensed with one command.
    pub fn can_sense_together(
        &self,
        pages: &[(usize, usize, usize)],
        page: (usize, usize, usize),
    ) -> bool {
        let plane = |page: (usize, usize, usize)| self.shape.plane_of_block(page.1);
        let die = |page| plane(page) / self.shape.planes_per_die;
        pages.len() < self.shape.sensed_planes
            && pages.iter().all(|&other| {
                (other.0, other.2) == (page.0, page.2)
                    && die(other) == die(page)
                    && plane(other) != plane(page)
            })
    }

    pub fn is_mine(&self, lpn: usize) -> bool {
        self.shape.allocation == "dynamic" || self.shape.static_plane(lpn).is_some()
    }

    /// How long ago the block was opened in which a unit lies.
    pub fn age_ns(&self, lpn: usize) -> Option<u64> {
        let (block, _) = self.map[lpn]?;
        match self.temperature.is_by_unit() {
            true => Some((tick(self.now_ns) - self.written_tick[lpn]) * TICK_NS),
            false => Some(self.now_ns - self.blocks[block].opened_ns),
        }
    }

    /// The host writes a unit now.
    pub fn stamp(&mut self, lpn: usize) {
        self.written_tick[lpn] = tick(self.now_ns);
    }

    /// Where a unit is that is no longer in the merge buffer.
    pub fn on_flash(&self, lpn: usize) -> Option<(usize, usize)> {
        self.map[lpn].filter(|&(block, place)| place < self.blocks[block].programmed)
    }

    /// The plane that holds a unit.
    pub fn plane_of(&self, lpn: usize) -> Option<usize> {
        self.map[lpn].map(|(block, _)| self.shape.plane_of_block(block))
    }

    pub fn is_on_flash(&self, lpn: usize) -> bool {
        self.on_flash(lpn).is_some()
    }

    pub fn scope_of(&mut self, lpn: usize) -> usize {
        if self.shape.allocation != "dynamic" {
            return self.shape.static_plane(lpn).expect("it is mine") / self.shape.scope_planes;
        }
        // All dies are equally loaded: they take turns, and so do the scopes of each.
        let (turn, dies) = (self.dynamic_writes, self.shape.dies());
        let scopes_per_die = self.shape.scopes() / dies;
        self.dynamic_writes += 1;
        turn % dies * scopes_per_die + turn / dies % scopes_per_die
    }

    /// The plane of a die with the most free pages, of those whose block is no older than the one that
    /// holds the unit now, if there are such; the plane after the last choice comes first.
    pub fn most_free_plane(&mut self, home: usize, lpn: usize, stream: usize) -> usize {
        let planes = self.shape.planes_beside(home);
        let first = &self.first_planes[home / self.shape.planes_per_die];
        let old = self.map[lpn].map_or(0, |(block, _)| self.blocks[block].opening);
        let free = |plane: usize| {
            let points = plane * self.shape.streams..(plane + 1) * self.shape.streams;
            let rooms: usize = points.map(|point| self.room(point)).sum();
            self.free[plane].len() * self.shape.units_per_block + rooms
        };
        let mut chosen = home;
        let mut most = None;
        for plane in (planes.start + first..planes.end).chain(planes.start..planes.start + first) {
            let lanes = &self.frontiers[plane * self.shape.streams + stream].lanes;
            let is_older = lanes.iter().any(|&block| self.blocks[block].opening < old);
            if most.is_none_or(|most| (!is_older, free(plane)) > most) {
                (chosen, most) = (plane, Some((!is_older, free(plane))));
            }
        }
        self.first_planes[home / self.shape.planes_per_die] =
            (chosen + 1 - planes.start) % planes.len();
        chosen
    }

    pub fn forget(&mut self, lpn: usize) {
        let Some((block, place)) = self.map[lpn].take() else { return };
        self.blocks[block].units[place] = None;
        if self.blocks[block].state == State::Full {
            self.blocks[block].changed_at = self.shared.change();
        }
    }

    /// Units that fit into the open blocks of a frontier.
    pub fn room(&self, point: usize) -> usize {
        let frontier = &self.frontiers[point];
        let left = self.shape.units_per_block - frontier.row;
        left * frontier.lanes.len() - frontier.filled
    }

    /// Pages of the lanes take turns.
    pub fn put(&mut self, point: usize, lpn: usize) {
        self.forget(lpn);
        let (per_page, lanes) = (self.shape.units_per_page, self.shape.lanes);
        let frontier = &mut self.frontiers[point];
        let (page, within) = (frontier.filled / per_page, frontier.filled % per_page);
        let block = frontier.lanes[page % lanes];
        let place = frontier.row + page / lanes * per_page + within;
        frontier.filled += 1;
        let is_full = frontier.filled == self.shape.program_units();
        self.map[lpn] = Some((block, place));
        self.blocks[block].units[place] = Some(lpn);
        if is_full {
            self.program(point);
        }
    }

    fn program(&mut self, point: usize) {
        self.counts.program_operations += 1;
        let frontier = &mut self.frontiers[point];
        self.counts.padding += (self.shape.program_units() - frontier.filled) as u64;
        frontier.row += self.shape.lane_units;
        frontier.filled = 0;
        let row = frontier.row;
        for block in frontier.lanes.clone() {
            self.blocks[block].programmed = row;
            if row == self.shape.units_per_block {
                self.become_full(block);
            }
        }
    }

    pub fn end_programs(&mut self) {
        for point in 0..self.frontiers.len() {
            if self.frontiers[point].filled > 0 {
                self.program(point);
            }
        }
    }

    fn become_full(&mut self, block: usize) {
        let now = self.shared.change();
        let domain = self.shape.domain_of_plane(self.shape.plane_of_block(block));
        self.numbered[domain].push(block);
        let block = &mut self.blocks[block];
        block.state = State::Full;
        (block.filled_at, block.changed_at) = (now, now);
    }

    pub fn free_in(&self, domain: usize) -> usize {
        let planes = domain * self.shape.domain_planes..(domain + 1) * self.shape.domain_planes;
        planes.map(|plane| self.free[plane].len()).sum()
    }

    /// True when GC runs before the host opens another block.
    pub fn is_low(&self, domain: usize) -> bool {
        let (erased, shape) = (self.free_in(domain), &self.shape);
        match shape.counts_pages {
            true => erased <= shape.inner || self.has_few_pages(domain),
            false => erased <= shape.reserve,
        }
    }

    /// True when a domain has no more free pages than its reserve has.
    pub fn has_few_pages(&self, domain: usize) -> bool {
        let (erased, shape) = (self.free_in(domain), &self.shape);
        let is_of = |point: &usize| self.domains_of(*point).contains(&domain);
        let open =
            (0..self.frontiers.len()).filter(is_of).map(|point| self.room(point) / shape.lanes);
        erased * shape.units_per_block + open.sum::<usize>()
            <= shape.reserve * shape.units_per_block
    }

    /// Whether a frontier is full, or GC has less than it needs.
    pub fn lacks_room(&self, point: usize) -> bool {
        self.room(point) == 0 || self.free_of(point).any(|free| free < self.shape.inner)
    }

    /// The domain of each lane.
    pub fn domains_of(&self, point: usize) -> Vec<usize> {
        let planes = self.shape.lane_planes(point / self.shape.streams);
        planes.map(|plane| self.shape.domain_of_plane(plane)).collect()
    }

    /// Erased blocks in the domain of each lane.
    pub fn free_of(&self, point: usize) -> impl Iterator<Item = usize> + '_ {
        self.domains_of(point).into_iter().map(|domain| self.free_in(domain))
    }

    pub fn open(&mut self, point: usize) -> bool {
        let scope = point / self.shape.streams;
        let mut planes: Vec<usize> = self.shape.lane_planes(scope).collect();
        if self.shape.lanes == 1 {
            planes[0] += self.next_plane[scope];
            self.next_plane[scope] = (self.next_plane[scope] + 1) % self.shape.scope_planes;
        }
        let chosen: Option<Vec<usize>> = planes.iter().map(|&plane| self.source(plane)).collect();
        let Some(sources) = chosen else { return false };
        let stream = point % self.shape.streams;
        let is_cold = self.shape.levelling.is_some_and(|(_, cold)| cold == stream);
        let lanes: Vec<usize> =
            sources.into_iter().map(|plane| self.take_free(plane, is_cold)).collect();
        for &block in &lanes {
            self.openings += 1;
            self.blocks[block].opening = self.openings;
            self.blocks[block].state = State::Open;
            self.blocks[block].stream = stream;
            self.blocks[block].opened_ns = self.now_ns;
        }
        self.frontiers[point] = Frontier { lanes, row: 0, filled: 0 };
        true
    }
}
