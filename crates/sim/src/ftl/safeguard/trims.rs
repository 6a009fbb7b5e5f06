//! What was trimmed, written down: pages beyond those of the map say of each logical unit when it was trimmed
//! last, so that a restart does not take data for valid that was dead.

use super::Io;
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::ftl::origin::{Origin, Room};
use crate::ftl::{Allocator, Eraser};
use crate::ids::{Ids, Lpn, PointId, Unit};
use crate::nand::Geometry;
use crate::nand::command::Cause;
use crate::schema::Config;
use crate::technique::Hooks;
use std::collections::BTreeSet;

/// Bytes by which a page tells when a logical unit was trimmed: a sequence number.
const BYTES: u64 = 8;

/// Logical units of which one page tells.
pub fn units_per_trim_page(unit_bytes: u64) -> u32 {
    (unit_bytes / BYTES) as u32
}

/// Pages that tell what was trimmed.
pub fn trim_units(config: &Config, geometry: &Geometry, logical_units: u64) -> u64 {
    let is_kept = !config.power.protection.bears_all() && config.power.remembers_trims;
    if is_kept {
        logical_units.div_ceil(units_per_trim_page(geometry.unit_bytes).into())
    } else {
        0
    }
}

/// Pages that tell what was trimmed, on a drive that is built: the last ones that its map knows.
pub fn trim_pages(config: &Config, state: &DriveState) -> Ids<Lpn> {
    let pages = trim_units(config, &state.geometry, state.logical_units);
    Ids::new(Lpn(state.map.count() - pages), pages)
}

/// What the host trimmed, until a page tells of it.
#[derive(Debug)]
pub(super) struct Trims {
    /// Units that a trim invalidated since trims were last written down, and the pages that are to say so.
    pub units: Vec<(Unit, Lpn)>,
    /// Of these, the ones of which the page tells that is being written.
    pub told: Option<Vec<Unit>>,
    stale_pages: BTreeSet<u32>,
    pub first_page: Lpn,
    /// True while GC makes room for those pages.
    makes_room: bool,
}

impl Trims {
    pub fn new(first_page: Lpn) -> Self {
        let stale_pages = BTreeSet::new();
        Self { units: Vec::new(), told: None, stale_pages, first_page, makes_room: false }
    }
}

impl<T: Hooks, S: Scheduler> Eraser<T, S> {
    /// The host trimmed a logical unit, whose data was in `old`.
    pub(in crate::ftl) fn note_trim(&mut self, lpn: Lpn, old: Unit) {
        let per_page = units_per_trim_page(self.state.geometry.unit_bytes);
        let Some(safeguard) = self.safeguard.as_mut().filter(|it| it.rules.remembers_trims) else {
            return;
        };
        safeguard.trims.units.extend(old.known().map(|old| (old, lpn)));
        safeguard.trims.stale_pages.insert(lpn.range(per_page) as u32);
    }

    /// A page that does not tell yet of all that it should.
    fn first_stale_trim_page(&self) -> Option<(u32, Lpn)> {
        let safeguard = self.safeguard.as_ref()?;
        let page = *safeguard.trims.stale_pages.first()?;
        Some((page, safeguard.trims.first_page.plus(page)))
    }

    /// The trimmed units of which a page tells are superseded by whatever is placed next: that page.
    fn gather_trimmed(&mut self, page: u32) {
        let per_page = units_per_trim_page(self.state.geometry.unit_bytes);
        let Some(safeguard) = &mut self.safeguard else { return };
        let is_told = |&mut (_, lpn): &mut (Unit, Lpn)| lpn.range(per_page) == u64::from(page);
        let told = safeguard.trims.units.extract_if(.., is_told);
        safeguard.trims.told = Some(told.map(|(unit, _)| unit).collect());
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Writes down what was trimmed since that was last done.
    pub(super) fn write_trims(&mut self, io: &mut Io<S>) {
        while let Some((page, lpn)) = self.first_stale_trim_page() {
            let layout = &self.state.layout;
            let (scope, stream) = (layout.scope_of(layout.static_plane(lpn)), layout.map_stream);
            // What is placed next supersedes what is gathered, and GC would be that.
            self.make_room_for_trims(io, layout.point_of(scope, stream));
            if !self.safeguard.as_mut().is_some_and(|it| it.trims.stale_pages.remove(&page)) {
                continue;
            }
            self.gather_trimmed(page);
            let none = S::Join::default();
            let origin = Origin { room: Room::HeldBack, ..Origin::controller(&none) };
            if !self.write_unit(io, lpn, Cause::Mapping, stream, scope, &origin) {
                self.lack_room_for("a page that tells what was trimmed");
                return;
            }
        }
    }

    /// GC makes room for a page. Before it erases what it has emptied, the pages are written down: they then take the room
    /// that there is.
    fn make_room_for_trims(&mut self, io: &mut Io<S>, point: PointId) {
        let Some(safeguard) = &mut self.safeguard else { return };
        if std::mem::replace(&mut safeguard.trims.makes_room, true) {
            return;
        }
        self.keep_room_for_gc(io, point);
        if let Some(safeguard) = &mut self.safeguard {
            safeguard.trims.makes_room = false;
        }
    }
}
