//! A drive of the reference: one model for each kind of flash.

use super::counts::Counts;
use super::model::{Model, Shared};
use super::shape::Shape;
use std::rc::Rc;
use wordline_sim::config::Config;
use wordline_trace::{Op, Request};

pub struct Reference(Vec<Model>);

/// Kind of flash, block and page.
type Page = (usize, usize, usize);

impl Reference {
    pub fn new(config: &Config) -> Self {
        let kinds = 0..config.drive.kinds().len();
        let shapes: Vec<Shape> = kinds.clone().map(|kind| Shape::new(config, kind)).collect();
        let shared = Rc::new(Shared::new(config, &shapes));
        Self(kinds.map(|kind| Model::new(config, kind, Rc::clone(&shared))).collect())
    }

    pub fn serve(&mut self, request: &Request) {
        let unit = self.0[0].shape.unit_bytes;
        let end = request.offset_bytes + u64::from(request.size_bytes);
        let units: Vec<usize> =
            (request.offset_bytes / unit..end.div_ceil(unit)).map(|lpn| lpn as usize).collect();
        let is_whole = |lpn: usize| {
            request.offset_bytes <= lpn as u64 * unit && (lpn as u64 + 1) * unit <= end
        };
        let temperatures: Vec<Vec<usize>> =
            self.0.iter_mut().map(|kind| kind.hear_of(request, &units)).collect();
        match request.op {
            Op::Write => {
                for (at, &lpn) in units.iter().enumerate() {
                    let kind = self.kind_of(lpn);
                    self.0[kind].write(lpn, is_whole(lpn), temperatures[kind][at]);
                }
            }
            Op::Read => self.read(&units),
            Op::Trim => {
                for lpn in units.into_iter().filter(|&lpn| is_whole(lpn)) {
                    let kind = self.kind_of(lpn);
                    self.0[kind].trim(lpn);
                }
            }
            Op::Flush => self.0.iter_mut().for_each(Model::end_programs),
        }
    }

    /// The figures once everything is programmed.
    pub fn counts(&mut self) -> Counts {
        Counts::of_all(self.0.iter_mut().map(Model::counts))
    }

    fn kind_of(&self, lpn: usize) -> usize {
        self.0.iter().position(|kind| kind.is_mine(lpn)).expect("every unit lies somewhere")
    }

    /// Units of one page are read at once, and with multi-plane reads so is the same page of blocks
    /// in several planes of a die; every page counts. Under a demand-paged map each unit is read by
    /// itself, once its entry is there.
    fn read(&mut self, units: &[usize]) {
        let mut together: Vec<Page> = Vec::new();
        for &lpn in units {
            let kind = self.kind_of(lpn);
            let model = &mut self.0[kind];
            if model.shape.map_pages > 0 {
                model.look_up(lpn, false);
                together.clear();
            }
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
