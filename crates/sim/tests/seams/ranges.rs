//! Units that belong together: requests are cut at the borders of their ranges, and what the host's buffer
//! holds of a range leaves it together. Both are held to a model of sets.

use crate::common::{Dice, PAGE, at};
use crate::harness::{drive, everywhere};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use wordline_sim::config::{Beyond, Cell, Config};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{Id, Lpn};
use wordline_sim::metrics::Counters;
use wordline_sim::policy::hotness::Part;
use wordline_sim::technique::{
    Cells, Hook, Observer, Phase, Placement, Profile, Route, Routing, Technique, Write,
};
use wordline_trace::{Op, Request};

/// Units of a range.
const RANGE: u64 = 3;
/// Units of the buffer.
const ROOM: usize = 7;
const SECTOR: u64 = 512;

/// Writes down which units came with which part.
#[derive(Default)]
struct Scribe {
    range_units: u32,
    runs: bool,
    parts: Vec<(Part, Vec<Lpn>)>,
}

impl Technique for Scribe {
    fn profile(&self) -> Profile {
        Profile { range_units: self.range_units, ..Profile::of(&[Hook::Route]) }
    }

    fn routing(&self) -> Option<&dyn Routing> {
        Some(self)
    }

    fn routing_mut(&mut self) -> Option<&mut dyn Routing> {
        Some(self)
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        let told = |(part, lpns): &(Part, Vec<Lpn>)| {
            let lpns: Vec<u64> = lpns.iter().map(|lpn| lpn.number()).collect();
            json!([part.bytes, part.last.number(), lpns])
        };
        let parts: Vec<Value> = self.parts.iter().map(told).collect();
        [("parts".to_owned(), parts.into())].into_iter().collect()
    }
}

impl Routing for Scribe {
    fn route(&mut self, _: &DriveState, write: &Write<'_>) -> Option<Route> {
        if let Some(part) = write.request.and_then(|request| request.part)
            && self.runs
        {
            match self.parts.last_mut().filter(|(last, _)| *last == part) {
                Some((_, lpns)) => lpns.push(write.lpn),
                None => self.parts.push((part, vec![write.lpn])),
            }
        }
        None
    }
}

impl Placement for Scribe {}

impl Cells for Scribe {}

impl Observer for Scribe {
    fn begin(&mut self, _: &DriveState, phase: Phase) {
        self.runs |= phase == Phase::Run;
    }
}

fn scribe(range_units: u64) -> Scribe {
    Scribe { range_units: range_units as u32, ..Scribe::default() }
}

/// Sectors that a request writes.
fn sectors(us: u64, sector: u64, count: u64) -> Request {
    let (offset_bytes, size_bytes) = (sector * SECTOR, (count * SECTOR) as u32);
    Request { offset_bytes, size_bytes, ..at(us, Op::Write, 0, 1) }
}

fn config(room: usize) -> Config {
    let mut config = drive(Cell::Slc, 8, &[600.0]);
    config.host.write_buffer_mib = (room as u64 * PAGE) as f64 / f64::from(1 << 20);
    config
}

/// The parts that the technique sees, as bytes, last unit and units.
fn parts(config: &Config, requests: &[Request]) -> Vec<Value> {
    let [result, ..] = everywhere(config, || scribe(RANGE), requests);
    result.technique["parts"].as_array().expect("a list of parts").clone()
}

#[test]
fn requests_are_cut_at_the_borders_of_ranges() {
    let eighth = PAGE / SECTOR;
    let requests = [
        at(0, Op::Write, 1, 5),
        at(1, Op::Write, 2, 2),
        // Half a unit, the unit at the border, and an eighth of the next.
        sectors(2, RANGE * eighth - 12, 13),
        at(3, Op::Write, 4, 1),
        at(3, Op::Write, 4, 1),
    ];
    let told = [
        json!([2 * PAGE, 2, [1, 2]]),
        json!([3 * PAGE, 5, [3, 4, 5]]),
        json!([PAGE, 2, [2]]),
        json!([PAGE, 3, [3]]),
        json!([12 * SECTOR, 2, [1, 2]]),
        json!([SECTOR, 3, [3]]),
        json!([PAGE, 4, [4]]),
        json!([PAGE, 4, [4]]),
    ];
    assert_eq!(parts(&config(0), &requests), told);
}

#[test]
fn addresses_beyond_the_drive_make_parts_too() {
    let mut config = config(0);
    config.workload.beyond = Beyond::Wrap;
    let units = crate::harness::logical_units(&config);
    let requests = [at(0, Op::Write, 5 * units - 1, 2)];
    let last = units - 1;
    assert_eq!(parts(&config, &requests), [json!([PAGE, last, [last]]), json!([PAGE, 0, [0]])]);
}

/// A buffer of sets: ranges in order of last use, of each the units, and their sectors.
#[derive(Default)]
struct Model {
    ranges: Vec<(u64, BTreeMap<u64, BTreeSet<u64>>)>,
    left: Vec<Value>,
    hits: u64,
}

impl Model {
    fn write(&mut self, sector: u64, count: u64) {
        let per_unit = PAGE / SECTOR;
        for unit in sector / per_unit..=(sector + count - 1) / per_unit {
            let range = unit / RANGE;
            let at = self.ranges.iter().position(|(of, _)| *of == range);
            let mut line = at.map_or((range, BTreeMap::new()), |at| self.ranges.remove(at));
            self.hits += u64::from(line.1.contains_key(&unit));
            let own = (unit * per_unit).max(sector)..((unit + 1) * per_unit).min(sector + count);
            line.1.entry(unit).or_default().extend(own);
            self.ranges.push(line);
            while self.ranges.iter().map(|(_, units)| units.len()).sum::<usize>() > ROOM {
                self.leave();
            }
        }
    }

    fn leave(&mut self) {
        let (_, units) = self.ranges.remove(0);
        let count: usize = units.values().map(BTreeSet::len).sum();
        let lpns: Vec<u64> = units.keys().copied().collect();
        self.left.push(json!([count as u64 * SECTOR, lpns.last(), lpns]));
    }

    fn trim(&mut self, unit: u64) {
        self.ranges.iter_mut().for_each(|(_, units)| {
            units.remove(&unit);
        });
        self.ranges.retain(|(_, units)| !units.is_empty());
    }

    fn holds(&self, unit: u64) -> bool {
        self.ranges.iter().any(|(_, units)| units.contains_key(&unit))
    }
}

#[test]
fn what_belongs_together_leaves_the_buffer_together() {
    for seed in 0..20 {
        let (mut dice, mut model) = (Dice::new(seed), Model::default());
        let (mut requests, mut reads) = (Vec::new(), 0);
        for n in 0..400 {
            let unit = dice.below(30);
            match dice.below(12) {
                0 => {
                    reads += u64::from(model.holds(unit));
                    requests.push(at(n, Op::Read, unit, 1));
                }
                1 => {
                    model.trim(unit);
                    requests.push(at(n, Op::Trim, unit, 1));
                }
                2 => {
                    while !model.ranges.is_empty() {
                        model.leave();
                    }
                    requests.push(Request { size_bytes: 0, ..at(n, Op::Flush, 0, 1) });
                }
                _ => {
                    let (sector, count) = (dice.below(240), 1 + dice.below(30));
                    model.write(sector, count);
                    requests.push(sectors(n, sector, count));
                }
            }
        }
        let [result, ..] = everywhere(&config(ROOM), || scribe(RANGE), &requests);
        assert_eq!(result.technique["parts"], Value::from(model.left), "seed {seed}");
        assert_eq!(
            (result.host.buffer_write_hits, result.host.buffer_read_hits),
            (model.hits, reads)
        );
    }
}

#[test]
fn ranges_of_a_unit_leave_as_without_ranges() {
    let mut dice = Dice::new(1);
    let requests: Vec<_> = (0..500)
        .map(|n| at(n * 100, Op::Write, dice.below(30), 1 + dice.below(3) as u32))
        .collect();
    let [with, without] =
        [1, 0].map(|units| everywhere(&config(ROOM), || scribe(units), &requests));
    for (with, without) in with.iter().zip(&without) {
        assert_eq!(with.flash.page_programs.total(), without.flash.page_programs.total());
        assert_eq!(with.host.write.mean_us, without.host.write.mean_us);
        assert_eq!(with.host.buffer_write_hits, without.host.buffer_write_hits);
    }
}
