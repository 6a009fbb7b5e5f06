//! A naive model of a drive with placement identifiers: plain lists, and a look at every unit for every choice.

use crate::common::{PAGE, logical_pages};
use std::collections::VecDeque;
use wordline_sim::config::{Config, Frontiers};
use wordline_sim::metrics::{FdpSummary, HandleSummary, UnitsSummary};
use wordline_trace::{Op, PlacementId, Request};

/// Pages of a reclaim unit.
const PAGES: usize = 16;

/// Who fills a reclaim unit: the host for a handle, GC for a handle, or GC for all.
#[derive(Clone, Copy, PartialEq)]
enum Filler {
    Host(usize),
    Gc(usize),
    Controller,
}

#[derive(Clone)]
struct Unit {
    filler: Filler,
    /// The page that each place was written with.
    pages: Vec<u64>,
    /// When it became full.
    full: Option<u64>,
}

pub struct Model {
    persistent: Vec<bool>,
    frontiers: Frontiers,
    units: Vec<Option<Unit>>,
    free: VecDeque<usize>,
    /// Where each logical page lies.
    map: Vec<Option<(usize, usize)>>,
    /// The unit that a filler fills.
    open: Vec<(Filler, usize)>,
    filled: u64,
    summary: FdpSummary,
}

impl Model {
    pub fn run(config: &Config, requests: &[Request]) -> FdpSummary {
        let fdp = &config.host.fdp;
        let handles = fdp.handles as usize;
        let blocks = config.drive.chip.blocks_per_plane as usize;
        let isolation = |handle: usize| &fdp.isolation[handle % fdp.isolation.len()];
        let handle = |handle| HandleSummary { handle, ..HandleSummary::default() };
        let mut model = Self {
            persistent: (0..handles).map(|it| isolation(it) == "persistent").collect(),
            frontiers: config.ftl.frontiers,
            units: vec![None; blocks],
            free: (0..blocks).collect(),
            map: vec![None; logical_pages(config) as usize],
            open: Vec::new(),
            filled: 0,
            summary: FdpSummary {
                handles: (0..handles as u32).map(handle).collect(),
                reclaim_unit_bytes: PAGES as u64 * PAGE,
                ..FdpSummary::default()
            },
        };
        let list = &fdp.placement_handles;
        for request in requests {
            let page = (request.offset_bytes / PAGE) as usize;
            let id = request.placement.map_or(0, |PlacementId(id)| usize::from(id));
            match request.op {
                Op::Trim => model.map[page] = None,
                _ => model.write(page as u64, *list.get(id).unwrap_or(&list[0]) as usize),
            }
            model.summary.events.invalid_identifier += u64::from(id >= list.len());
        }
        model.told()
    }

    /// What is valid of a unit.
    fn valid(&self, unit: usize) -> Vec<u64> {
        let pages = self.units[unit].iter().flat_map(|it| it.pages.iter().enumerate());
        let holds =
            |&(place, &page): &(usize, &u64)| self.map[page as usize] == Some((unit, place));
        pages.filter(holds).map(|(_, &page)| page).collect()
    }

    fn write(&mut self, page: u64, handle: usize) {
        let own = &mut self.summary.handles[handle];
        own.host_bytes += PAGE;
        own.host_units += 1;
        self.summary.host_bytes += PAGE;
        let filler = Filler::Host(handle);
        if self.opened(filler).is_none() {
            // Two units are held back.
            while self.free.len() <= 2 && (self.opened(filler).is_none() || self.free.is_empty()) {
                if !self.collect() {
                    break;
                }
            }
            assert!(self.opened(filler).is_some() || self.free.len() > 1, "the drive is full");
        }
        self.put(page, filler);
    }

    /// The unit that is being filled, and not full.
    fn opened(&self, filler: Filler) -> Option<usize> {
        self.open.iter().find(|(of, _)| *of == filler).map(|&(_, unit)| unit)
    }

    fn put(&mut self, page: u64, filler: Filler) {
        self.summary.media_bytes += PAGE;
        let unit = self.opened(filler).unwrap_or_else(|| {
            let unit = self.free.pop_front().expect("a free unit");
            self.units[unit] = Some(Unit { filler, pages: Vec::new(), full: None });
            self.open.push((filler, unit));
            unit
        });
        let it = self.units[unit].as_mut().expect("it is open");
        self.map[page as usize] = Some((unit, it.pages.len()));
        it.pages.push(page);
        if it.pages.len() == PAGES {
            it.full = Some(self.filled);
            self.filled += 1;
            self.open.retain(|&(_, other)| other != unit);
        }
    }

    /// Moves what is valid in the unit with the fewest valid pages, of several the oldest; false where none gains.
    fn collect(&mut self) -> bool {
        let full = (0..self.units.len()).filter_map(|unit| {
            let full = self.units[unit].as_ref()?.full?;
            Some((self.valid(unit).len(), full, unit))
        });
        let Some((valid, _, victim)) = full.min() else { return false };
        if valid == PAGES {
            return false;
        }
        let from = self.units[victim].as_ref().expect("it is full").filler;
        let to = self.filler_of_moves(from);
        let pages = self.valid(victim);
        pages.iter().for_each(|&page| self.put(page, to));
        let moved = pages.len() as u64;
        let out = self.owned(from);
        out.moved_out += moved;
        out.reclaimed += 1;
        self.owned(to).moved_in += moved;
        self.summary.events.media_reallocated += u64::from(moved > 0);
        self.summary.erased_bytes += PAGES as u64 * PAGE;
        self.units[victim] = None;
        self.free.push_back(victim);
        true
    }

    fn filler_of_moves(&self, from: Filler) -> Filler {
        let Filler::Host(handle) = from else { return from };
        match (self.frontiers, self.persistent[handle]) {
            (Frontiers::Separate, true) => Filler::Gc(handle),
            (Frontiers::Separate, false) => Filler::Controller,
            (Frontiers::Coldest, false) => Filler::Host(self.persistent.len() - 1),
            (Frontiers::Shared | Frontiers::Coldest, _) => from,
        }
    }

    fn owned(&mut self, filler: Filler) -> &mut UnitsSummary {
        match filler {
            Filler::Host(handle) | Filler::Gc(handle) => &mut self.summary.handles[handle].units,
            Filler::Controller => &mut self.summary.controller,
        }
    }

    fn told(mut self) -> FdpSummary {
        let fillers: Vec<Filler> = self.units.iter().flatten().map(|unit| unit.filler).collect();
        fillers.into_iter().for_each(|filler| self.owned(filler).reclaim_units += 1);
        self.summary
    }
}
