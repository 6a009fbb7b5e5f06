//! Trims that a power cut takes, because no page in the cells tells of them yet.

use crate::image::Trim;
use rustc_hash::FxHashMap;
use wordline_sim::config::Config;
use wordline_sim::drive::DriveState;
use wordline_sim::ftl::{trim_pages, units_per_trim_page};
use wordline_sim::ids::{Ids, Lpn};

/// What the controller knows of trims, and the cells do not.
#[derive(Debug)]
pub struct Untold {
    /// The pages that tell of trims; none where trims are forgotten.
    pages: Ids<Lpn>,
    /// Logical units of which one page tells.
    per_page: u32,
    trims: FxHashMap<Lpn, Vec<Trim>>,
}

impl Untold {
    /// Of a drive that was trimmed nowhere.
    pub fn of(config: &Config, state: &DriveState) -> Self {
        let per_page = units_per_trim_page(state.geometry.unit_bytes);
        Self { pages: trim_pages(config, state), per_page, trims: FxHashMap::default() }
    }

    /// A logical unit was trimmed.
    pub fn add(&mut self, trim: Trim) {
        let page = trim.lpn / u64::from(self.per_page);
        if page < self.pages.count() {
            self.trims.entry(self.pages.at(page)).or_default().push(trim);
        }
    }

    /// The trims of which a page tells that is written now.
    pub fn take(&mut self, page: Lpn) -> Vec<Trim> {
        self.trims.remove(&page).unwrap_or_default()
    }
}
