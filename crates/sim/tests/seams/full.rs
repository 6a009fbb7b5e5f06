//! Places and groups that are full: a technique that wants them all the same is asked for another place, or for
//! another group, and goes on there.

use crate::common::write;
use crate::dispatcher::two_kinds;
use crate::harness::{drive, everywhere, figure, logical_units};
use serde_json::{Map, Value};
use wordline_sim::config::{Acknowledge, Allocation, Cell, Config};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::ScopeId;
use wordline_sim::metrics::{Counters, RunResult};
use wordline_sim::nand::command::Cause;
use wordline_sim::technique::{
    Cells, Hook, Observer, Place, Placement, Profile, Route, Routing, SetAside, Technique, Write,
};
use wordline_trace::Request;

/// Wants the first scope, or the first group, for all data of the host, and the second once that is full.
struct Filler {
    claims: &'static [Hook],
    /// Whether it has another answer.
    goes_on: bool,
    asked_again: std::cell::Cell<u64>,
}

impl Filler {
    fn of(claims: &'static [Hook], goes_on: bool) -> Self {
        Self { claims, goes_on, asked_again: Default::default() }
    }

    /// Whether it says where data goes in a group.
    fn places(&self) -> bool {
        self.claims.contains(&Hook::Placement)
    }

    /// True for what it places elsewhere once it is asked again.
    fn goes_on(&self, write: &Write<'_>) -> bool {
        let is_asked = write.cause == Cause::Host;
        self.asked_again.set(self.asked_again.get() + u64::from(is_asked));
        is_asked && self.goes_on
    }
}

impl Technique for Filler {
    fn profile(&self) -> Profile {
        Profile { places_fill: true, ..Profile::of(self.claims) }
    }

    fn routing(&self) -> Option<&dyn Routing> {
        Some(self)
    }

    fn routing_mut(&mut self) -> Option<&mut dyn Routing> {
        Some(self)
    }

    fn set_aside(&self) -> Option<&dyn SetAside> {
        Some(self)
    }

    fn metrics(&self, state: &DriveState, _: &Counters) -> Map<String, Value> {
        let planes = match state.geometry.is_mixed() {
            true => state.geometry.groups[1].planes,
            false => state.layout.planes_of_scope(ScopeId(1)),
        };
        let blocks = planes.iter().flat_map(|plane| state.geometry.blocks_of_plane(plane));
        let elsewhere: u64 = blocks.map(|block| u64::from(state.blocks[block].valid)).sum();
        [("asked_again", self.asked_again.get()), ("elsewhere", elsewhere)]
            .map(|(name, count)| (name.to_owned(), count.into()))
            .into_iter()
            .collect()
    }
}

impl Routing for Filler {
    fn route(&mut self, _: &DriveState, write: &Write<'_>) -> Option<Route> {
        let stream = write.stream;
        (write.cause == Cause::Host).then_some(Route::Group { group: 0, stream })
    }

    fn route_again(&mut self, _: &DriveState, write: &Write<'_>) -> Option<Route> {
        let stream = write.stream;
        self.goes_on(write).then_some(Route::Group { group: 1, stream })
    }
}

impl Placement for Filler {
    fn place(&mut self, _: &DriveState, write: &Write<'_>) -> Place {
        match write.cause {
            Cause::Host if self.places() => {
                Place::Scope { scope: ScopeId(0), stream: write.stream }
            }
            _ => Place::Stream(write.stream),
        }
    }
}

impl SetAside for Filler {
    fn place_again(&self, _: &DriveState, write: &Write<'_>) -> Option<Place> {
        let stream = write.stream;
        (self.places() && self.goes_on(write)).then_some(Place::Scope { scope: ScopeId(1), stream })
    }
}

impl Cells for Filler {}

impl Observer for Filler {}

/// Each unit of a drive written once, under each scheduler.
fn filled(config: &Config, claims: &'static [Hook], goes_on: bool) -> [RunResult; 3] {
    let requests: Vec<Request> = (0..logical_units(config)).map(write).collect();
    everywhere(config, || Filler::of(claims, goes_on), &requests)
}

/// All data stands somewhere, that beyond the first place in the second, and only where there is one.
fn goes_on_where_it_may(config: &Config, claims: &'static [Hook]) {
    for result in filled(config, claims, true) {
        assert_eq!((result.host.refused_writes, result.flash.erases), (0, 0));
        let elsewhere = figure(&result, "elsewhere");
        assert_eq!(figure(&result, "asked_again"), elsewhere);
        assert!(elsewhere > 0 && elsewhere < logical_units(config), "{elsewhere}");
    }
    for result in filled(config, claims, false) {
        assert_eq!((figure(&result, "asked_again"), figure(&result, "elsewhere")), (1, 0));
        assert!(result.host.refused_writes > 0 && result.wear.read_only_at_s.is_some());
    }
}

#[test]
fn a_place_that_is_full_is_asked_for_again() {
    let mut config = drive(Cell::Slc, 8, &[600.0]);
    config.drive.chip.planes = 2;
    goes_on_where_it_may(&config, &[Hook::Placement]);
}

#[test]
fn a_group_that_is_full_sends_data_on() {
    let mut config = two_kinds(Allocation::Cwdp);
    // Nobody waits for a program, so that none is padded.
    config.ftl.acknowledge = Acknowledge::Buffer;
    goes_on_where_it_may(&config, &[Hook::Route]);
}
