//! A drive of the reference: one model for each kind of flash.

use super::counts::Counts;
use super::model::{Model, Shared};
use super::shape::Shape;
use std::rc::Rc;
use wordline_sim::config::Config;
use wordline_trace::{Op, Request};

pub struct Reference {
    pub kinds: Vec<Model>,
    pub shared: Rc<Shared>,
}

/// Kind of flash, block and page.
type Page = (usize, usize, usize);

impl Reference {
    pub fn new(config: &Config) -> Self {
        let kinds = 0..config.drive.kinds().len();
        let shapes: Vec<Shape> = kinds.clone().map(|kind| Shape::new(config, kind)).collect();
        let shared = Rc::new(Shared::new(config, &shapes));
        let kinds = kinds.map(|kind| Model::new(config, kind, Rc::clone(&shared))).collect();
        Self { kinds, shared }
    }

    pub fn serve(&mut self, request: &Request) {
        let unit = self.kinds[0].shape.unit_bytes;
        let end = request.offset_bytes + u64::from(request.size_bytes);
        let units: Vec<usize> =
            (request.offset_bytes / unit..end.div_ceil(unit)).map(|lpn| lpn as usize).collect();
        let is_whole = |lpn: usize| {
            request.offset_bytes <= lpn as u64 * unit && (lpn as u64 + 1) * unit <= end
        };
        let temperatures: Vec<Vec<usize>> =
            self.kinds.iter_mut().map(|kind| kind.hear_of(request, &units)).collect();
        match request.op {
            Op::Write => {
                for (at, &lpn) in units.iter().enumerate() {
                    let kind = self.kind_of(lpn);
                    self.write(kind, lpn, is_whole(lpn), temperatures[kind][at]);
                }
            }
            Op::Read => self.read(&units),
            Op::Trim => {
                for lpn in units.into_iter().filter(|&lpn| is_whole(lpn)) {
                    self.look_up(lpn, true);
                    self.of(lpn).forget(lpn);
                }
            }
            Op::Flush => self.kinds.iter_mut().for_each(Model::end_programs),
        }
    }

    /// The figures once everything is programmed.
    pub fn counts(&mut self) -> Counts {
        Counts::of_all(self.kinds.iter_mut().map(Model::counts))
    }

    /// The host writes a unit, or a part of it.
    fn write(&mut self, kind: usize, lpn: usize, is_whole: bool, temperature: usize) {
        let model = &mut self.kinds[kind];
        if !is_whole && model.is_on_flash(lpn) {
            model.counts.reads_host += model.shape.pages_per_unit as u64;
        }
        if self.shared.read_only.get() {
            model.counts.refused_writes += 1;
            return;
        }
        self.look_up(lpn, true);
        let model = &mut self.kinds[kind];
        let temperature = model.temperature.of_age(model.age_ns(lpn)).unwrap_or(temperature);
        model.stamp(lpn);
        let mut scope = model.scope_of(lpn);
        let plane = scope * model.shape.scope_planes;
        self.collect_before_access(kind, plane);
        let model = &mut self.kinds[kind];
        let mut others = 0..0;
        if model.shape.most_free {
            scope = model.most_free_plane(plane, lpn, temperature);
            others = match model.shape.allocation {
                "dynamic" => 0..model.shape.scopes(),
                _ => model.shape.planes_beside(plane),
            };
        }
        let streams = model.shape.streams;
        self.keep_pages_free(kind, scope * streams + temperature);
        let mut scopes = std::iter::once(scope).chain(others);
        let has_room = |scope: &usize| {
            let point = scope * streams + temperature;
            self.kinds[kind].room(point) > 0 || self.open_after_gc(kind, point)
        };
        let Some(scope) = scopes.find(has_room) else {
            self.shared.read_only.set(true);
            self.kinds[kind].counts.refused_writes += 1;
            return;
        };
        self.kinds[kind].put(scope * streams + temperature, lpn);
        self.kinds[kind].counts.programs_host += 1;
    }

    /// Reclaims blocks of every plane of a die that is low, where an access waits for that.
    fn collect_before_access(&mut self, kind: usize, plane: usize) {
        let shape = &self.kinds[kind].shape;
        if !shape.at_access || self.shared.read_only.get() {
            return;
        }
        let planes = shape.planes_beside(plane);
        for _ in 0..shape.blocks_per_plane {
            let mut progress = false;
            for plane in planes.clone() {
                let domain = self.kinds[kind].shape.domain_of_plane(plane);
                if self.kinds[kind].is_low(domain) {
                    progress |= self.kinds[kind].reclaim(domain);
                    self.rewrite_stale(kind);
                }
            }
            self.kinds[kind].erase();
            if !progress {
                break;
            }
        }
    }

    /// Opens blocks for the host or the map, none of those that only GC may use.
    pub fn open_after_gc(&mut self, kind: usize, point: usize) -> bool {
        if self.shared.read_only.get() {
            return false;
        }
        self.make_room(kind, point);
        let model = &mut self.kinds[kind];
        if model.room(point) > 0 {
            return true;
        }
        model.free_of(point).all(|free| free > model.shape.inner) && model.open(point)
    }

    /// Where pages are counted, reclaims a block of each domain that has too few of them.
    fn keep_pages_free(&mut self, kind: usize, point: usize) {
        for domain in self.kinds[kind].domains_of(point) {
            let model = &mut self.kinds[kind];
            if model.shape.counts_pages && model.has_few_pages(domain) {
                model.reclaim(domain);
                self.rewrite_stale(kind);
            }
        }
        self.kinds[kind].erase();
    }

    /// Reclaims blocks until a block can be opened and the reserve is still there.
    fn make_room(&mut self, kind: usize, point: usize) {
        while self.kinds[kind].lacks_room(point) {
            let mut progress = false;
            for domain in self.kinds[kind].domains_of(point) {
                if self.kinds[kind].is_low(domain) {
                    progress |= self.kinds[kind].reclaim(domain);
                    self.rewrite_stale(kind);
                }
            }
            self.kinds[kind].erase();
            if !progress {
                break;
            }
        }
    }

    /// The kind of flash that holds a unit.
    pub fn of(&mut self, lpn: usize) -> &mut Model {
        let kind = self.kind_of(lpn);
        &mut self.kinds[kind]
    }

    pub fn kind_of(&self, lpn: usize) -> usize {
        self.kinds.iter().position(|kind| kind.is_mine(lpn)).expect("every unit lies somewhere")
    }

    /// Units of one page are read at once, and with multi-plane reads so is the same page of blocks
    /// in several planes of a die; every page counts. Under a demand-paged map each unit is read by
    /// itself, once its entry is there.
    fn read(&mut self, units: &[usize]) {
        let mut together: Vec<Page> = Vec::new();
        let at_access = self.kinds[0].shape.at_access;
        for &lpn in units {
            let kind = self.kind_of(lpn);
            if self.shared.map_cache.is_some() {
                self.look_up(lpn, false);
                together.clear();
            }
            if let Some(plane) = self.kinds[kind].plane_of(lpn).filter(|_| at_access) {
                self.collect_before_access(kind, plane);
                together.clear();
            }
            let model = &mut self.kinds[kind];
            let Some((block, place)) = model.on_flash(lpn) else { continue };
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
