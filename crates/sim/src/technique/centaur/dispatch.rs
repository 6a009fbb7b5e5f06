//! Which kind of flash takes a part (Algorithms 1 and 2), and which of its dies.

use super::parts::Part;
use super::{Centaur, Kind, Mode, Steal};
use crate::drive::DriveState;
use crate::ids::ScopeId;
use crate::nand::Load;
use crate::policy::hotness::{self, HostWrite};
use crate::technique::{Asked, Ready, Write};

/// What the 2D flash can do for parts that wait for the 3D flash.
#[derive(Debug, Clone, Copy, Default)]
struct Relief {
    /// Whether it takes them over.
    takes_over: bool,
    /// When the first of its dies that are at work is idle; `None`: none is.
    idle_in_ns: Option<u64>,
}

impl Relief {
    /// How long a part waits whose 3D die is at work for so long.
    fn wait_ns(&self, for_3d_ns: u64) -> u64 {
        self.idle_in_ns.map_or(for_3d_ns, |for_2d_ns| for_2d_ns.min(for_3d_ns))
    }
}

impl Centaur {
    /// Where a part goes that has just arrived (Algorithms 1 and 2).
    fn dispatch(&mut self, state: &DriveState, first: &HostWrite, bytes: u64) -> Kind {
        let range_bytes = u64::from(self.range_units) * state.geometry.unit_bytes;
        let chosen = match self.mode {
            Mode::All2d => Kind::TwoD,
            Mode::All3d => Kind::ThreeD,
            _ if !self.runs && self.fills_3d => Kind::ThreeD,
            Mode::Cache => Kind::TwoD,
            Mode::CachePartial if bytes >= range_bytes => Kind::ThreeD,
            Mode::CachePartial => Kind::TwoD,
            Mode::SlcMlc => {
                let is_hot = self.sizes.is_hot(first.request, first.request_bytes);
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
    #[inline]
    fn kind_of_part(&mut self, state: &DriveState, first: &HostWrite, of: &hotness::Part) -> Kind {
        match of.has_waited {
            true => Kind::ThreeD,
            false => self.dispatch(state, first, of.bytes),
        }
    }

    /// The first part that waits no longer: parts do whose 3D die is at work, and idle 2D flash takes them over
    /// meanwhile (Algorithm 2).
    pub(super) fn first_not_to_wait(&mut self, state: &DriveState, asked: Asked<'_>) -> Ready {
        let Asked { parts, now_ns, load } = asked;
        if self.steals == Steal::Never || !self.runs {
            return Ready::FIRST;
        }
        let (mut relief, mut until_ns) = (None, u64::MAX);
        for (place, first) in parts.enumerate() {
            let ready = Ready { place: Some(place), until_ns };
            let Some(of) = &first.part else { return ready };
            let mut kind = self.kind_of_part(state, first, of);
            let mut scope = ScopeId::default();
            if kind == Kind::ThreeD {
                let range = self.range_number(first.lpn);
                let relief = relief.get_or_insert_with(|| self.relief(state, load));
                let wait_ns = relief.wait_ns(self.backlog_ns(state, range, load));
                if relief.takes_over {
                    self.figures.stolen += 1;
                    kind = Kind::TwoD;
                } else if wait_ns > 0 {
                    until_ns = until_ns.min(now_ns + wait_ns);
                    if state.layout.is_static {
                        continue;
                    }
                    // Those behind it would wait for the same dies.
                    break;
                } else {
                    scope = self.scope_for(state, range, load);
                }
            }
            self.part = Some(Part { scope, ..Part::of(*of, kind) });
            return ready;
        }
        Ready { place: None, until_ns }
    }

    /// Time of what the 3D die of a range has before it or, where the address does not fix it, any of them.
    fn backlog_ns(&self, state: &DriveState, range: u32, load: &dyn Load) -> u64 {
        let Some(group) = self.groups[Kind::ThreeD as usize] else { return 0 };
        let three = &state.geometry.groups[group];
        if state.layout.is_static {
            let plane = three.planes.at(range % three.planes.count());
            return state.busy_ns(load, state.geometry.die_of(plane));
        }
        three.dies.into_iter().map(|die| load.backlog_ns(die)).min().unwrap_or(0)
    }

    /// What the 2D flash can do for parts that wait for the 3D flash.
    fn relief(&self, state: &DriveState, load: &dyn Load) -> Relief {
        let Some(two) = self.groups[Kind::TwoD as usize] else { return Relief::default() };
        let dies = state.flash().groups[two].dies;
        let (mut idle, mut idle_in_ns) = (0, None);
        for die in dies {
            match load.backlog_ns(die) {
                0 => idle += 1,
                ns => idle_in_ns = Some(idle_in_ns.map_or(ns, |least: u64| least.min(ns))),
            }
        }
        let has_idle = match self.steals {
            Steal::Never => false,
            Steal::AnyIdle => idle > 0,
            Steal::AllIdle => idle == dies.count(),
        };
        Relief { takes_over: has_idle && self.is_fuller(state, Kind::ThreeD), idle_in_ns }
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
        let first = write.request.expect("the host writes");
        let of = first.part.expect("it writes in parts");
        if let Some(part) = self.part.filter(|part| part.of == of) {
            let stream = if part.has_begun { part.stream } else { write.stream };
            self.part = Some(Part { stream, ..part });
            return Part { stream, ..part };
        }
        let kind = self.kind_of_part(state, first, &of);
        let mut part = Part { stream: write.stream, ..Part::of(of, kind) };
        if kind == Kind::ThreeD {
            part.scope = self.scope_for(state, self.range_number(write.lpn), write.load);
        }
        self.part = Some(part);
        part
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Centaur, CentaurConfig};
    use crate::declare::PerPage;
    use crate::engine::Count;
    use crate::ftl::Ftl;
    use crate::ids::{DieId, Id};
    use crate::nand::Load;
    use crate::schema::{Cell, Config, GroupConfig, Pattern, ProgramUnit};
    use crate::technique::Conventional;

    /// Dies that have so much before them.
    struct Busy([u64; 4]);

    impl Load for Busy {
        fn backlog_ns(&self, die: DieId) -> u64 {
            self.0[die.index()]
        }
    }

    /// Two dies of SLC, and two of TLC.
    fn two_kinds() -> Config {
        let mut config = Config::default();
        (config.drive.channels, config.ftl.mapping_unit_kib) = (2, 4.0);
        config.precondition.pattern = Pattern::None;
        let chip = &mut config.drive.chip;
        (chip.dies, chip.planes, chip.cell) = (1, 1, Cell::Slc);
        (chip.blocks_per_plane, chip.pages_per_block, chip.page_kib) = (24, 24, 4.0);
        let mut slc = GroupConfig { chip: chip.clone(), ..GroupConfig::default() };
        slc.chip.endurance_pec = 60_000;
        let mut tlc = slc.clone();
        (tlc.chip.cell, tlc.chip.program) = (Cell::Tlc, ProgramUnit::FullSequence);
        (tlc.chip.page_kib, tlc.chip.program_us) = (32.0, PerPage::One(1500.0));
        tlc.chip.endurance_pec = 5000;
        config.drive.group = [("a-slc".into(), slc), ("b-tlc".into(), tlc)].into();
        config
    }

    #[test]
    fn a_part_waits_for_the_die_of_either_kind_that_is_idle_first() {
        let config = two_kinds();
        let centaur = Centaur::new(CentaurConfig::default(), &config).expect("it works");
        let state =
            Ftl::<_, Count>::new(&config, Conventional).expect("the drive works").into_state();
        // Dies of SLC come first; the part is for a die of TLC that is at work for 1620 ns.
        for (of_slc, wait_ns) in
            [([610, 1830], 610), ([1830, 610], 610), ([2000, 1830], 1620), ([0, 1830], 1620)]
        {
            let relief = centaur.relief(&state, &Busy([of_slc[0], of_slc[1], 1620, 1620]));
            assert_eq!(relief.wait_ns(1620), wait_ns, "{of_slc:?}");
        }
    }
}
