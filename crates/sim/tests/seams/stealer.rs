//! Large programs that stand alone, idle dies that take work from busy ones, and data that moves
//! together: what Liu et al., POMACS 4(2):28, 2020, ask of a drive beyond [`crate::dispatcher`]. A
//! part of a request within one aligned range of units is programmed by itself, however little of the
//! program it fills; the fast dies take such parts over when they have nothing to do and the large
//! ones hold the larger share of valid data; otherwise their GC moves what belongs to a range
//! together into one program of the large ones.

use crate::common::{Dice, at};
use crate::dispatcher::two_kinds;
use crate::harness::{everywhere, figure, run, schedulers};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use wordline_sim::config::Allocation;
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{BlockId, Id, Ids, Lpn, PointId, ScopeId, Unit};
use wordline_sim::metrics::Counters;
use wordline_sim::nand::Located;
use wordline_sim::nand::command::Cause;
use wordline_sim::technique::{
    Cells, Ends, Hook, Joined, Observer, Placement, Profile, Route, Routing, Technique, Write,
};
use wordline_trace::{Op, Request};

/// Units of a program of the large dies: six pages of two units, in two planes.
const PROGRAM: u32 = 12;
const UNITS: u64 = PROGRAM as u64;
/// Of those, in one plane.
const LANE: u32 = 6;
/// Parts of at least so many units go to the large dies.
const LARGE: u64 = 6;
const FAST: usize = 0;
const MANY: usize = 1;
/// Instead of a range: units of several ranges, moved within the large dies.
const MIXED: u64 = u64::MAX;

#[derive(Default)]
pub struct Stealer {
    /// True to let the fast dies take over.
    steals: bool,
    /// The part of a request that is being written, by its request and range, and where it goes.
    part: Option<(u64, u64, usize)>,
    /// What the units of each lane's program have in common.
    ranges: BTreeMap<(BlockId, u32), u64>,
    /// What the next unit that is written has in common with others of its program.
    next: u64,
    stolen: u64,
    to_many: u64,
    migrated: u64,
    along: u64,
}

fn share(state: &DriveState, group: usize) -> f64 {
    state.valid_in[group] as f64 / state.geometry.groups[group].units() as f64
}

fn group_of(state: &DriveState, unit: Unit) -> usize {
    state.geometry.group_of(state.geometry.locate(unit).0)
}

/// The write points of the large die that takes a range.
fn scope_of_range(state: &DriveState, range: u64) -> ScopeId {
    let group = &state.geometry.groups[MANY];
    let die = (range % u64::from(group.dies.count())) as u32;
    state.layout.scope_of(group.planes.at(die * group.planes_per_die))
}

/// Another logical unit of the range of `lpn`, which stands in the fast dies.
fn rest(state: &DriveState, lpn: Lpn) -> Option<Lpn> {
    let range = Ids::new(Lpn(lpn.range(PROGRAM) * UNITS), UNITS);
    let others = range.iter().filter(|&other| other != lpn);
    let mut here = others.filter(|&other| state.is_of_host(other) && state.is_mapped(other));
    here.find(|&other| group_of(state, state.unit_of(other)) == FAST)
}

/// The end of the part of a request that holds `lpn`, and its units.
fn part_of(write: &Write<'_>, unit_bytes: u64) -> (u64, u64) {
    let request = write.request.as_ref().expect("the host writes");
    let first = request.request_offset_bytes / unit_bytes;
    let end = first + u64::from(request.request_bytes) / unit_bytes;
    let range = write.lpn.range(PROGRAM) * UNITS;
    let (first, end) = (first.max(range), end.min(range + UNITS));
    (end, end - first)
}

impl Stealer {
    pub fn new(steals: bool) -> Self {
        Self { steals, ..Self::default() }
    }

    fn group_for(&mut self, state: &DriveState, write: &Write<'_>) -> usize {
        let (_, units) = part_of(write, state.geometry.unit_bytes);
        let is_idle = |die| write.load.backlog_ns(die) == 0;
        if units < LARGE {
            return FAST;
        }
        let fast = &state.geometry.groups[FAST];
        let may_take = self.steals && share(state, MANY) > share(state, FAST);
        if may_take && fast.dies.iter().any(is_idle) {
            self.stolen += 1;
            return FAST;
        }
        self.to_many += 1;
        MANY
    }
}

impl Technique for Stealer {
    fn profile(&self) -> Profile {
        Profile::of(&[Hook::Route])
    }

    fn routing(&self) -> Option<&dyn Routing> {
        Some(self)
    }

    fn routing_mut(&mut self) -> Option<&mut dyn Routing> {
        Some(self)
    }

    fn metrics(&self, state: &DriveState, _: &Counters) -> Map<String, Value> {
        let counts = [
            ("stolen", self.stolen),
            ("to_many", self.to_many),
            ("migrated", self.migrated),
            ("along", self.along),
            ("valid_in_fast", state.valid_in[FAST]),
        ];
        counts.map(|(name, count)| (name.to_owned(), count.into())).into_iter().collect()
    }
}

impl Routing for Stealer {
    fn route(&mut self, state: &DriveState, write: &Write<'_>) -> Option<Route> {
        let (stream, range) = (write.stream, write.lpn.range(PROGRAM));
        if let Some(request) = &write.request {
            let part = (request.request, range);
            let group = match self.part {
                Some((request, range, group)) if (request, range) == part => group,
                _ => self.group_for(state, write),
            };
            self.part = Some((part.0, part.1, group));
            return Some(match group {
                FAST => Route::Group { group, stream },
                _ => Route::Scope { scope: scope_of_range(state, range), stream },
            });
        }
        let moves = group_of(state, write.old) == FAST && share(state, FAST) > share(state, MANY);
        moves.then(|| Route::Scope { scope: scope_of_range(state, range), stream })
    }

    fn ends(&mut self, state: &DriveState, write: &Write<'_>, point: PointId) -> Ends {
        let scope = state.layout.scope_of_point(point);
        if !state.layout.fillings[MANY].scopes.contains(scope) {
            return Ends::default();
        }
        let range = write.lpn.range(PROGRAM);
        let (common, after) = match write.request {
            Some(_) => {
                (range, part_of(write, state.geometry.unit_bytes).0 == write.lpn.number() + 1)
            }
            None if group_of(state, write.old) == FAST => (range, true),
            None => (MIXED, false),
        };
        self.next = common;
        let open = &state.points[point];
        let before = open.filled() > 0 && {
            let first = open.lanes()[0].first_unit.plus(open.place() + open.shape().offset);
            let (block, place) = state.geometry.locate(first);
            self.ranges.get(&(block, place / LANE)) != Some(&common)
        };
        Ends { before, after }
    }

    fn rest_of_range(&mut self, state: &DriveState, joined: &Joined) -> Option<Lpn> {
        let is_migrated = joined.cause == Cause::Gc
            && self.next != MIXED
            && group_of(state, state.unit_of(joined.lpn)) == MANY;
        let along = is_migrated.then(|| rest(state, joined.lpn)).flatten();
        self.along += u64::from(along.is_some());
        along
    }
}

impl Placement for Stealer {}

impl Cells for Stealer {}

impl Observer for Stealer {
    fn written(&mut self, state: &DriveState, at: &Located, cause: Cause, _: u64) {
        let &Located { unit, block, place } = at;
        if group_of(state, unit) == FAST {
            return;
        }
        self.migrated += u64::from(cause != Cause::Host && self.next != MIXED);
        let common = *self.ranges.entry((block, place / LANE)).or_insert(self.next);
        assert_eq!(common, self.next, "unit {unit} shares a program with others");
    }

    fn erased(&mut self, _: &DriveState, block: BlockId) {
        self.ranges.retain(|&(of, _), _| of != block);
    }
}

#[test]
fn a_part_of_a_request_is_programmed_by_itself() {
    // 12 units fill a program; the last request covers half of each of two ranges.
    let [full, half, another, both] = [
        at(0, Op::Write, 0, 12),
        at(10_000, Op::Write, 12, 6),
        at(20_000, Op::Write, 36, 6),
        at(30_000, Op::Write, 54, 12),
    ];
    let cases = [
        (vec![full], 1, 0),
        (vec![half], 1, 6),
        (vec![half, another], 2, 12),
        (vec![full, half, another, both], 5, 24),
    ];
    for (requests, programs, padding) in cases {
        for result in everywhere(&two_kinds(Allocation::Cwdp), || Stealer::new(false), &requests) {
            let flash = &result.flash;
            assert_eq!((flash.program_operations, flash.padding), (programs, padding));
            if result.host.write.count > 0 {
                // Nobody waits for a program to fill: its transfer, and the array. The two halves of
                // the last request go to two dies, on a channel each.
                assert_eq!(result.host.write.max_us, 12.0 * 10.0 + 1500.0);
            }
        }
    }
}

#[test]
fn idle_dies_take_work_from_others() {
    // Both fast dies are busy at first, and the large ones get all; much later the first part finds
    // the fast dies idle, the next one busy with what they took.
    let mut requests = vec![at(0, Op::Write, 0, 1), at(0, Op::Write, 1, 1)];
    requests.extend((1..21).map(|range| at(0, Op::Write, range * 12, 12)));
    requests.extend([21, 22].map(|range| at(200_000, Op::Write, range * 12, 12)));
    requests.push(at(400_000, Op::Write, 23 * 12, 12));
    let [count, timed @ ..] = schedulers(&two_kinds(Allocation::Cwdp));
    for config in timed {
        let result = run(&config, Stealer::new(true), requests.clone());
        assert_eq!((figure(&result, "stolen"), figure(&result, "to_many")), (2, 21));
        assert_eq!(figure(&result, "valid_in_fast"), 2 + 24);
    }
    // Without time dies are always idle: the share of valid data alone decides.
    let result = run(&count, Stealer::new(true), requests);
    assert!(figure(&result, "stolen") > 2);
}

#[test]
fn what_belongs_together_moves_together() {
    // Single units of eight ranges fill the fast dies, whose GC then moves them on.
    let mut dice = Dice::new(5);
    let mut requests: Vec<Request> =
        (0..4000).map(|_| at(0, Op::Write, dice.below(96), 1)).collect();
    requests.extend((8..16).map(|range| at(0, Op::Write, range * 12, 12)));
    for result in everywhere(&two_kinds(Allocation::Cwdp), || Stealer::new(false), &requests) {
        let of = |name| figure(&result, name);
        assert!(of("along") > 0 && of("migrated") > of("along"), "{:?}", result.technique);
        let programs = &result.flash.page_programs;
        assert_eq!((programs.gc, programs.technique), (result.gc.pages_moved, of("along")));
        assert_eq!(programs.host, 4000 + 96);
    }
}
