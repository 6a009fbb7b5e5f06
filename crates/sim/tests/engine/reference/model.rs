//! The reference: lists and linear scans, everything recounted when it is needed.

mod collector;

use super::counts::Counts;
use super::draws::Draws;
use super::shape::Shape;
use super::temperature::Temperature;
use wordline_sim::config::Config;
use wordline_trace::{Op, Request};

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

/// A drive: one model for each kind of flash.
pub struct Reference(Vec<Model>);

impl Reference {
    pub fn new(config: &Config) -> Self {
        let kinds = 0..config.drive.kinds().len();
        Self(kinds.map(|kind| Model::new(config, kind)).collect())
    }

    pub fn serve(&mut self, request: &Request) {
        if request.op == Op::Read {
            return self.read(&self.0[0].units_of(request));
        }
        self.0.iter_mut().for_each(|kind| kind.serve(request));
    }

    /// The figures once everything is programmed.
    pub fn counts(&mut self) -> Counts {
        Counts::of_all(self.0.iter_mut().map(Model::counts))
    }

    /// Units of one page are read at once, and with multi-plane reads so is the same page of blocks
    /// in several planes of a die; every page counts.
    fn read(&mut self, units: &[usize]) {
        let mut together: Vec<Page> = Vec::new();
        for &lpn in units {
            let Some(kind) = (0..self.0.len()).find(|&kind| self.0[kind].is_on_flash(lpn)) else {
                continue;
            };
            let model = &mut self.0[kind];
            let (block, place) = model.map[lpn].expect("it is on flash");
            let page = (kind, block, model.shape.page_of(place));
            if together.contains(&page) {
                continue;
            }
            if !model.can_sense_together(&together, page) {
                together.clear();
            }
            together.push(page);
            model.counts.reads_host += model.shape.pages_per_unit as u64;
        }
    }
}

/// Kind of flash, block and page.
type Page = (usize, usize, usize);

/// The dies of one kind of flash, which is all of most drives. Under a static order what lies in
/// one kind stays there, so that the kinds of a drive need not know of one another.
struct Model {
    shape: Shape,
    temperature: Temperature,
    /// Block and place of each logical unit.
    map: Vec<Option<(usize, usize)>>,
    blocks: Vec<Block>,
    /// Erased blocks of each plane in the order in which they were erased.
    free: Vec<Vec<usize>>,
    frontiers: Vec<Frontier>,
    /// Full blocks of each domain in the order in which draws number them: the last one takes the
    /// number of one that leaves.
    numbered: Vec<Vec<usize>>,
    draws: Draws,
    now_ns: u64,
    /// Victims until wear is looked at, and between two looks.
    until_look: usize,
    look_period: usize,
    /// Changes of full blocks so far.
    changes: u64,
    /// Writes under dynamic allocation so far.
    dynamic_writes: usize,
    /// Whose turn it is: planes of a scope.
    next_plane: Vec<usize>,
    to_erase: Vec<usize>,
    read_only: bool,
    counts: Counts,
}

impl Model {
    fn new(config: &Config, kind: usize) -> Self {
        let shape = Shape::new(config, kind);
        let block = Block {
            state: State::Free,
            stream: 0,
            units: vec![None; shape.units_per_block],
            programmed: 0,
            erases: 0,
            filled_at: 0,
            opened_ns: 0,
            changed_at: 0,
        };
        let per_plane = shape.blocks_per_plane;
        let look_period = (shape.domain_planes * per_plane / 256).max(1);
        Self {
            temperature: Temperature::new(config, shape.logical_units),
            map: vec![None; shape.logical_units],
            blocks: vec![block; shape.planes * per_plane],
            free: (0..shape.planes)
                .map(|plane| (plane * per_plane..(plane + 1) * per_plane).collect())
                .collect(),
            frontiers: vec![Frontier::default(); shape.scopes() * shape.streams],
            numbered: vec![Vec::new(); shape.planes / shape.domain_planes],
            draws: Draws::new(config.run.seed),
            now_ns: 0,
            until_look: look_period,
            look_period,
            changes: 0,
            dynamic_writes: 0,
            next_plane: vec![0; shape.scopes()],
            to_erase: Vec::new(),
            read_only: false,
            counts: Counts::default(),
            shape,
        }
    }

    fn units_of(&self, request: &Request) -> Vec<usize> {
        let unit = self.shape.unit_bytes;
        let end = request.offset_bytes + u64::from(request.size_bytes);
        (request.offset_bytes / unit..end.div_ceil(unit)).map(|lpn| lpn as usize).collect()
    }

    fn serve(&mut self, request: &Request) {
        self.now_ns = request.arrival_ns;
        let unit = self.shape.unit_bytes;
        let end = request.offset_bytes + u64::from(request.size_bytes);
        let units = self.units_of(request);
        let is_whole = |lpn: usize| {
            request.offset_bytes <= lpn as u64 * unit && (lpn as u64 + 1) * unit <= end
        };
        match request.op {
            Op::Write => {
                let temperatures = self.temperature.of(request, &units);
                for (lpn, temperature) in units.into_iter().zip(temperatures) {
                    if !self.is_mine(lpn) {
                        continue;
                    }
                    if !is_whole(lpn) && self.is_on_flash(lpn) {
                        self.counts.reads_host += self.shape.pages_per_unit as u64;
                    }
                    let age_ns =
                        self.map[lpn].map(|(block, _)| self.now_ns - self.blocks[block].opened_ns);
                    self.write(lpn, self.temperature.of_age(age_ns).unwrap_or(temperature));
                }
            }
            // A request's units are read together, whatever they lie in: see `Reference`.
            Op::Read => {}
            Op::Trim => units.into_iter().filter(|&lpn| is_whole(lpn)).for_each(|lpn| {
                self.forget(lpn);
            }),
            Op::Flush => self.end_programs(),
        }
    }

    /// The figures once everything is programmed.
    fn counts(&mut self) -> Counts {
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

    fn can_sense_together(&self, pages: &[Page], page: Page) -> bool {
        let plane = |page: Page| self.shape.plane_of_block(page.1);
        let die = |page| plane(page) / self.shape.planes_per_die;
        self.shape.multi_plane
            && pages.iter().all(|&other| {
                (other.0, other.2) == (page.0, page.2)
                    && die(other) == die(page)
                    && plane(other) != plane(page)
            })
    }

    fn is_mine(&self, lpn: usize) -> bool {
        self.shape.allocation == "dynamic" || self.shape.static_plane(lpn).is_some()
    }

    fn is_on_flash(&self, lpn: usize) -> bool {
        self.map[lpn].is_some_and(|(block, place)| place < self.blocks[block].programmed)
    }

    fn write(&mut self, lpn: usize, temperature: usize) {
        let scope = if self.shape.allocation == "dynamic" {
            // All dies are equally loaded: they take turns, and so do the scopes of each.
            let (turn, dies) = (self.dynamic_writes, self.shape.dies());
            let scopes_per_die = self.shape.scopes() / dies;
            self.dynamic_writes += 1;
            turn % dies * scopes_per_die + turn / dies % scopes_per_die
        } else {
            self.shape.static_plane(lpn).expect("it is mine") / self.shape.scope_planes
        };
        let point = scope * self.shape.streams + temperature;
        if self.room(point) == 0 && !self.open_for_host(point) {
            self.counts.refused_writes += 1;
            return;
        }
        self.put(point, lpn);
        self.counts.programs_host += 1;
    }

    fn forget(&mut self, lpn: usize) {
        let Some((block, place)) = self.map[lpn].take() else { return };
        self.blocks[block].units[place] = None;
        if self.blocks[block].state == State::Full {
            self.changes += 1;
            self.blocks[block].changed_at = self.changes;
        }
    }

    /// Units that fit into the open blocks of a frontier.
    fn room(&self, point: usize) -> usize {
        let frontier = &self.frontiers[point];
        let left = self.shape.units_per_block - frontier.row;
        left * frontier.lanes.len() - frontier.filled
    }

    /// Pages of the lanes take turns.
    fn put(&mut self, point: usize, lpn: usize) {
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

    fn end_programs(&mut self) {
        for point in 0..self.frontiers.len() {
            if self.frontiers[point].filled > 0 {
                self.program(point);
            }
        }
    }

    fn become_full(&mut self, block: usize) {
        self.changes += 1;
        let domain = self.shape.domain_of_plane(self.shape.plane_of_block(block));
        self.numbered[domain].push(block);
        let block = &mut self.blocks[block];
        block.state = State::Full;
        (block.filled_at, block.changed_at) = (self.changes, self.changes);
    }

    fn free_in(&self, domain: usize) -> usize {
        let planes = domain * self.shape.domain_planes..(domain + 1) * self.shape.domain_planes;
        planes.map(|plane| self.free[plane].len()).sum()
    }

    /// Erased blocks in the domain of each lane.
    fn free_of(&self, point: usize) -> impl Iterator<Item = usize> + '_ {
        let planes = self.shape.lane_planes(point / self.shape.streams);
        planes.map(|plane| self.free_in(self.shape.domain_of_plane(plane)))
    }

    fn open_for_host(&mut self, point: usize) -> bool {
        if self.read_only {
            return false;
        }
        self.make_room(point);
        if self.room(point) > 0 {
            return true;
        }
        let is_out_of_blocks = self.free_of(point).any(|free| free <= self.shape.inner);
        self.read_only = is_out_of_blocks;
        !self.read_only && self.open(point)
    }

    /// Reclaims blocks until a block can be opened and the reserve is still there.
    fn make_room(&mut self, point: usize) {
        let inner = self.shape.inner;
        while self.room(point) == 0 || self.free_of(point).any(|free| free < inner) {
            let mut progress = false;
            for plane in self.shape.lane_planes(point / self.shape.streams) {
                let domain = self.shape.domain_of_plane(plane);
                if self.free_in(domain) <= self.shape.reserve {
                    progress |= self.reclaim(domain);
                }
            }
            self.erase();
            if !progress {
                break;
            }
        }
    }

    fn open(&mut self, point: usize) -> bool {
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
            self.blocks[block].state = State::Open;
            self.blocks[block].stream = stream;
            self.blocks[block].opened_ns = self.now_ns;
        }
        self.frontiers[point] = Frontier { lanes, row: 0, filled: 0 };
        true
    }
}
