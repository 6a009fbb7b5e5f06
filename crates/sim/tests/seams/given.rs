//! Techniques that are given one group of a drive of two kinds of flash, beside one that says which group
//! takes data: each is asked and told of its own dies alone, and the others work as without it.

use crate::common::at;
use crate::dispatcher::{Dispatcher, small_and_large, two_kinds};
use crate::harness::{drive, run_hooks, schedulers};
use crate::two_stages::TwoStages;
use serde_json::{Map, Value};
use wordline_sim::config::{Allocation, Cell, Config, GroupConfig, ProgramStart, ProgramUnit};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{BlockId, DomainId, Ids, PlaneId, StreamId, Unit};
use wordline_sim::metrics::{Counters, RunResult};
use wordline_sim::nand::command::Cause;
use wordline_sim::nand::{Flash, Located, OpTable, READ};
use wordline_sim::technique::{
    Cells, ErasePlan, Hook, Joined, Observer, Open, PageRead, Phase, Place, Placement, Profile,
    Refill, Rounds, Routing, Stack, Technique, Write,
};
use wordline_trace::{Op, Request};

/// Places data of the host in streams of its own, and finds fault with everything that is not of its group.
struct Fenced {
    group: usize,
    streams: Ids<StreamId>,
    asked: u64,
    told: u64,
}

impl Fenced {
    fn on(group: usize, streams: u32) -> Self {
        Self { group, streams: Ids::all(streams), asked: 0, told: 0 }
    }

    fn look(&self, state: &DriveState, block: BlockId) {
        assert_eq!(state.geometry.group_of(block), self.group, "block {block} is not its own");
    }

    fn look_at(&self, state: &DriveState, unit: Unit) {
        self.look(state, state.geometry.locate(unit).0);
    }

    fn look_in(&self, state: &DriveState, domain: DomainId) {
        let planes = state.layout.planes_of_domain(domain);
        assert_eq!(state.geometry.group_of_plane(planes.first()), self.group, "domain {domain}");
    }
}

impl Technique for Fenced {
    fn profile(&self) -> Profile {
        Profile {
            places_fill: true,
            group: Some(self.group),
            streams: self.streams.count(),
            streams_of_gc: self.streams.count(),
            ..Profile::of(&[
                Hook::Placement,
                Hook::VictimCost,
                Hook::Companion,
                Hook::ErasePlan,
                Hook::ReadPlan,
                Hook::Deaths,
            ])
        }
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        let first = u64::from(self.streams.first().0);
        [("asked", self.asked), ("told", self.told), ("first_stream", first)]
            .map(|(name, count)| (name.to_owned(), count.into()))
            .into_iter()
            .collect()
    }

    fn refill(&mut self) -> Option<&mut dyn Refill> {
        Some(self)
    }

    fn rounds(&mut self) -> Option<&mut dyn Rounds> {
        Some(self)
    }

    fn routing(&self) -> Option<&dyn Routing> {
        Some(self)
    }

    fn routing_mut(&mut self) -> Option<&mut dyn Routing> {
        Some(self)
    }
}

impl Placement for Fenced {
    fn place(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        self.asked += 1;
        assert_eq!(state.layout.group_of_scope(write.scope), self.group);
        match write.cause {
            Cause::Host if self.streams.count() > 0 => Place::Stream(self.streams.first()),
            _ => Place::Stream(write.stream),
        }
    }

    fn open(&mut self, state: &DriveState, _: StreamId, plane: PlaneId) -> Open {
        assert_eq!(state.geometry.group_of_plane(plane), self.group);
        Open::Erased(None)
    }

    fn keeps(&mut self, state: &DriveState, block: BlockId) -> bool {
        self.look(state, block);
        false
    }

    fn surrender(&mut self, state: &DriveState, domain: DomainId) -> Option<BlockId> {
        self.look_in(state, domain);
        None
    }

    fn unwritten(&self, state: &DriveState, domain: DomainId) -> u64 {
        self.look_in(state, domain);
        0
    }
}

impl Routing for Fenced {
    fn victim_cost(&self, state: &DriveState, block: BlockId) -> u32 {
        self.look(state, block);
        state.blocks[block].valid
    }
}

impl Cells for Fenced {
    fn operations(&mut self, _: &mut OpTable, flash: &Flash<'_>) {
        assert_eq!(flash.group, self.group);
    }

    fn read_plan(&self, state: &DriveState, &Located { unit, .. }: &Located) -> PageRead {
        self.look_at(state, unit);
        PageRead::of(READ)
    }

    fn cycles(&mut self, state: &DriveState, block: BlockId, cycles: u32) -> u32 {
        self.look(state, block);
        cycles
    }
}

impl Refill for Fenced {
    fn companion(&mut self, state: &DriveState, joined: &Joined) -> Option<Unit> {
        assert_eq!(state.layout.group_of_scope(joined.scope), self.group);
        None
    }
}

impl Rounds for Fenced {
    fn erase_plan(&mut self, state: &DriveState, block: BlockId, plan: ErasePlan) -> ErasePlan {
        self.look(state, block);
        plan
    }
}

impl Observer for Fenced {
    fn begin(&mut self, _: &DriveState, phase: Phase) {
        if let Phase::Drive(first) = phase {
            self.streams = Ids::new(first, self.streams.count());
        }
    }

    fn preset(&mut self, state: &DriveState, block: BlockId) {
        self.look(state, block);
    }

    fn written(&mut self, state: &DriveState, &Located { unit, .. }: &Located, _: Cause, _: u64) {
        self.told += 1;
        self.look_at(state, unit);
    }

    fn invalidated(&mut self, state: &DriveState, &Located { unit, .. }: &Located) {
        self.look_at(state, unit);
    }

    fn read(&mut self, state: &DriveState, &Located { unit, .. }: &Located, _: u64) {
        self.look_at(state, unit);
    }

    fn chosen(&mut self, state: &DriveState, block: BlockId, _: Cause) {
        self.look(state, block);
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        self.look(state, block);
    }
}

const FAST: usize = 0;
const LARGE: usize = 1;

/// Writes of both sizes, a read after each fourth.
fn requests() -> Vec<Request> {
    let mut all = small_and_large(6000);
    for (request, n) in all.iter_mut().zip(0u64..) {
        if n % 4 == 3 {
            *request = at(0, Op::Read, n % 200, 1);
        }
        request.arrival_ns = n * 400_000;
    }
    all
}

fn stack(techniques: Vec<(&str, Box<dyn Technique>)>) -> Stack {
    let named = techniques.into_iter().map(|(name, it)| (name.to_owned(), it));
    Stack::new(named.collect()).expect("no hook of a group is claimed twice")
}

fn routed() -> (&'static str, Box<dyn Technique>) {
    ("routed", Box::new(Dispatcher::new(false)))
}

fn fenced(name: &str, group: usize, streams: u32) -> (&str, Box<dyn Technique>) {
    (name, Box::new(Fenced::on(group, streams)))
}

fn count(result: &RunResult, of: &str, name: &str) -> u64 {
    result.technique[of][name].as_u64().expect("it is a count")
}

#[test]
fn a_technique_is_asked_and_told_of_its_own_group_alone() {
    for allocation in [Allocation::Cwdp, Allocation::Dynamic] {
        let mut config = two_kinds(allocation);
        config.drive.over_provisioning = 3.0;
        for config in schedulers(&config) {
            for streams in [0, 2] {
                let both =
                    vec![fenced("fast", FAST, streams), fenced("large", LARGE, streams), routed()];
                let result = run_hooks(&config, stack(both), requests());
                let of = |group, name| count(&result, group, name);
                let written = of("fast", "told") + of("large", "told");
                assert_eq!(written, result.flash.page_programs.total());
                assert!(of("fast", "asked") > 1000 && of("large", "asked") > 1000);
                // Their streams have the same numbers, each in its own group.
                assert_eq!(of("fast", "first_stream"), of("large", "first_stream"));
            }
        }
    }
}

#[test]
fn without_a_route_the_drive_allocates_as_ever() {
    for config in schedulers(&two_kinds(Allocation::Cwdp)) {
        let none = run_hooks(&config, stack(Vec::new()), requests());
        let one = run_hooks(&config, stack(vec![fenced("large", LARGE, 0)]), requests());
        assert!(count(&one, "large", "asked") > 1000);
        assert_eq!(one.flash.page_programs.total(), none.flash.page_programs.total());
        assert_eq!(one.flash.erases, none.flash.erases);
        assert_eq!(one.host.write.mean_us, none.host.write.mean_us);
    }
}

/// Two dies of TLC, of which the second one has fewer blocks.
fn two_groups() -> Config {
    let mut config = drive(Cell::Tlc, 12, &[500.0, 600.0, 900.0]);
    config.drive.channels = 2;
    config.drive.over_provisioning = 1.0;
    config.drive.chip.program = ProgramUnit::OneShot;
    // What is padded depends on arrivals alone.
    config.ftl.program_start = ProgramStart::AfterTimeout;
    let usual = GroupConfig { chip: config.drive.chip.clone(), ..GroupConfig::default() };
    let mut fewer = GroupConfig { first_channel: 1, ..usual.clone() };
    fewer.chip.blocks_per_plane = 12;
    config.drive.group = [("a".into(), usual), ("b".into(), fewer)].into();
    config
}

/// Two stages change when things are done, not where: all that is counted besides them stays as it is.
#[test]
fn a_technique_of_one_group_goes_on_from_the_route_of_another() {
    for config in schedulers(&two_groups()) {
        let alone = run_hooks(&config, stack(vec![routed()]), requests());
        for group in [FAST, LARGE] {
            let given = TwoStages::given(group, 20_000);
            let both = stack(vec![routed(), ("staged", Box::new(given))]);
            let result = run_hooks(&config, both, requests());
            assert!(count(&result, "staged", "first_stages") > 100);
            assert!(result.flash.reprograms > 0);
            assert_eq!(result.technique["routed"], alone.technique["routed"]);
            assert_eq!(result.flash.page_programs.total(), alone.flash.page_programs.total());
            assert_eq!(result.flash.erases, alone.flash.erases);
        }
    }
}

#[test]
fn of_one_group_a_hook_is_claimed_once() {
    let two = |a: usize, b: usize| {
        let layers = [fenced("one", a, 0), fenced("two", b, 0)];
        Stack::new(layers.map(|(name, it)| (name.to_owned(), it)).into()).err()
    };
    assert!(two(FAST, LARGE).is_none() && two(LARGE, FAST).is_none());
    let message = two(LARGE, LARGE).expect("both place data there").to_string();
    assert!(message.contains("one and two both claim the hook Placement"), "{message}");
    // What must be done by its time belongs to the whole drive.
    let timed: Vec<(String, Box<dyn Technique>)> = vec![
        ("one".into(), Box::new(Dispatcher::new(true))),
        ("two".into(), Box::new(TwoStages::given(LARGE, 20_000))),
    ];
    let message = Stack::new(timed).err().expect("both have work to do by a time").to_string();
    assert!(message.contains("one and two both claim the hook Promises"), "{message}");
    // One that has the whole drive claims every group.
    let whole: Vec<(String, Box<dyn Technique>)> = vec![
        ("whole".into(), Box::new(TwoStages::new(20_000))),
        ("given".into(), Box::new(Fenced::on(LARGE, 0))),
    ];
    let message = Stack::new(whole).err().expect("both place data there").to_string();
    assert!(message.contains("whole and given both claim the hook Placement"), "{message}");
}
