//! Which kind of flash takes a part (Algorithms 1 and 2), and which of its dies.

use super::parts::Part;
use super::{Centaur, Kind, Mode, Steal};
use crate::drive::DriveState;
use crate::engine::Load;
use crate::ids::ScopeId;
use crate::technique::Write;

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
        if chosen == Kind::ThreeD && self.may_steal(state, write.load) {
            self.figures.stolen += 1;
            return Kind::TwoD;
        }
        chosen
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
            return part;
        }
        let kind = self.dispatch(state, write, of.bytes);
        let mut part = Part { stream: write.stream, ..Part::of(of, kind) };
        if kind == Kind::ThreeD {
            part.scope = self.scope_for(state, write.lpn / self.range_units, write.load);
        }
        self.part = Some(part);
        part
    }
}
