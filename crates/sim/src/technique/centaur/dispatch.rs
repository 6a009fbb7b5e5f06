//! Which kind of flash takes a part (Algorithms 1 and 2), and which of its dies.

use super::parts::Part;
use super::{Centaur, Kind, Mode, Steal};
use crate::drive::DriveState;
use crate::engine::Load;
use crate::ids::ScopeId;
use crate::policy::hotness;
use crate::technique::{Wait, Write};

impl Centaur {
    /// Where a part goes that has just arrived (Algorithms 1 and 2).
    fn dispatch(&mut self, state: &DriveState, write: &Write<'_>, bytes: u64) -> Kind {
        let range_bytes = u64::from(self.range_units) * state.geometry.unit_bytes;
        let chosen = match self.mode {
            Mode::All2d => Kind::TwoD,
            Mode::All3d => Kind::ThreeD,
            _ if !self.runs && self.fills_3d => Kind::ThreeD,
            Mode::Cache => Kind::TwoD,
            Mode::CachePartial if bytes >= range_bytes => Kind::ThreeD,
            Mode::CachePartial => Kind::TwoD,
            Mode::SlcMlc => {
                let request = write.request.as_ref().expect("the host writes");
                let is_hot = self.sizes.is_hot(request.request, request.request_bytes);
                let [two, three] = self.wear;
                match is_hot && !three.is_less_spent_than(&two) {
                    true => Kind::TwoD,
                    false => Kind::ThreeD,
                }
            }
            Mode::Centaur if !self.runs => self.criterion.judge(bytes),
            Mode::Centaur => {
                let [two, three] = self.wear;
                self.criterion.dispatch(bytes, || two.is_less_spent_than(&three))
            }
        };
        if !self.runs {
            return chosen;
        }
        self.figures.written_bytes += bytes;
        self.figures.dispatched[chosen as usize] += 1;
        self.figures.dispatched_bytes[chosen as usize] += bytes;
        chosen
    }

    /// The kind of flash of a part, which is dispatched once however long it waits.
    fn kind_of_part(&mut self, state: &DriveState, write: &Write<'_>, of: hotness::Part) -> Kind {
        match !self.queued.is_empty() && self.queued.remove(&of.number) {
            true => Kind::ThreeD,
            false => self.dispatch(state, write, of.bytes),
        }
    }

    /// How long a part waits whose 3D die is at work: idle 2D flash takes it over meanwhile (Algorithm 2).
    pub(super) fn wait_for_die(&mut self, state: &DriveState, write: &Write<'_>) -> Option<Wait> {
        if self.steals == Steal::Never || !self.runs {
            return None;
        }
        let of = write.request.and_then(|request| request.part)?;
        let mut part = Part::of(of, self.kind_of_part(state, write, of));
        let range = write.lpn.range(self.range_units);
        if part.kind == Kind::ThreeD {
            if self.may_steal(state, write.load) {
                self.figures.stolen += 1;
                part.kind = Kind::TwoD;
            } else if let Some(wait_ns) = self.wait_ns(state, range, write.load) {
                self.queued.insert(of.number);
                let (until_ns, holds_up) = (write.now_ns + wait_ns, !state.layout.is_static);
                return Some(Wait { until_ns, holds_up });
            } else {
                part.scope = self.scope_for(state, range, write.load);
            }
        }
        self.part = Some(part);
        None
    }

    /// How long until the 3D die of a range is idle, or any where the address does not fix it, or until 2D flash
    /// is; `None`: the 3D die is.
    fn wait_ns(&self, state: &DriveState, range: u32, load: &dyn Load) -> Option<u64> {
        let [Some(two), Some(three)] = self.groups else { return None };
        let [two, three] = [two, three].map(|group| &state.geometry.groups[group]);
        let for_3d = match state.layout.is_static {
            true => {
                let plane = three.planes.at(range % three.planes.count());
                load.backlog_ns(state.geometry.die_of(plane))
            }
            false => three.dies.into_iter().map(|die| load.backlog_ns(die)).min()?,
        };
        let for_2d =
            two.dies.into_iter().map(|die| load.backlog_ns(die)).filter(|&ns| ns > 0).min();
        (for_3d > 0).then(|| for_2d.map_or(for_3d, |ns| ns.min(for_3d)))
    }

    /// True while idle 2D flash may take a part over that is for the 3D flash.
    fn may_steal(&self, state: &DriveState, load: &dyn Load) -> bool {
        let Some(two) = self.groups[Kind::TwoD as usize] else { return false };
        let mut dies = state.geometry.groups[two].dies.into_iter();
        let is_idle = |die| load.backlog_ns(die) == 0;
        let has_idle = match self.steals {
            Steal::Never => false,
            Steal::AnyIdle => dies.any(is_idle),
            Steal::AllIdle => dies.all(is_idle),
        };
        has_idle && self.is_fuller(state, Kind::ThreeD)
    }

    /// The scope of the 3D die that takes a range: by the range where the address fixes the place, or
    /// else the die that is free first; of equals, dies take turns.
    pub(super) fn scope_for(&mut self, state: &DriveState, range: u32, load: &dyn Load) -> ScopeId {
        let group = self.groups[Kind::ThreeD as usize].expect("there is 3D flash");
        let (planes, dies) =
            (state.geometry.groups[group].planes, state.geometry.groups[group].dies);
        let turn = match state.layout.is_static {
            true => range % planes.count(),
            false => {
                let per_die = state.geometry.groups[group].planes_per_die;
                let from = self.turn;
                let of = |step: u32| (from + step) % planes.count();
                let backlog = |&step: &u32| load.backlog_ns(dies.at(of(step) / per_die));
                let step = (0..planes.count()).min_by_key(backlog).unwrap_or(0);
                self.turn = of(step) + 1;
                of(step)
            }
        };
        state.layout.scope_of(planes.at(turn))
    }

    /// The part to which a write of the host belongs.
    pub(super) fn part_for(&mut self, state: &DriveState, write: &Write<'_>) -> Part {
        let of = write.request.and_then(|request| request.part).expect("the host writes in parts");
        if let Some(part) = self.part.filter(|part| part.of == of) {
            let stream = if part.has_begun { part.stream } else { write.stream };
            self.part = Some(Part { stream, ..part });
            return Part { stream, ..part };
        }
        let kind = self.kind_of_part(state, write, of);
        let mut part = Part { stream: write.stream, ..Part::of(of, kind) };
        if kind == Kind::ThreeD {
            part.scope = self.scope_for(state, write.lpn.range(self.range_units), write.load);
        }
        self.part = Some(part);
        part
    }
}
