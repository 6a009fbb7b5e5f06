//! A map of the 3D flash by ranges would do where partial programs are merged: all that the 3D flash holds of
//! a range lies in one program.

use crate::common::Script;
use crate::reference::case;
use crate::rig::*;
use serde_json::{Map, Value};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::Lpn;
use wordline_sim::metrics::Counters;
use wordline_sim::technique::centaur::{Centaur, CentaurConfig, Partial};
use wordline_sim::technique::{Cells, Observer, Placement, Stack, Technique};
use wordline_sim::{Own, with_own};

/// Looks, at the end of a run, into how many programs the 3D flash has put the data of each range.
struct Programs;

impl Technique for Programs {
    fn metrics(&self, state: &DriveState, _: &Counters) -> Map<String, Value> {
        let ranges = 0..state.logical_units.div_ceil(RANGE);
        let counts: Vec<usize> = ranges.map(|range| programs_of(state, range)).collect();
        let most = counts.iter().max().copied().unwrap_or(0);
        let held = counts.iter().filter(|&&count| count > 0).count();
        [("most".to_owned(), most.into()), ("held".to_owned(), held.into())].into_iter().collect()
    }
}

impl Placement for Programs {}
impl Cells for Programs {}
impl Observer for Programs {}

/// Programs of the 3D flash that hold valid data of a range.
fn programs_of(state: &DriveState, range: u64) -> usize {
    let units = range * RANGE..((range + 1) * RANGE).min(state.logical_units);
    let of_3d = units.filter_map(|lpn| {
        let unit = state.unit_of(Lpn(lpn));
        let (block, place) = unit.is_some().then(|| state.geometry.locate(unit))?;
        let is_3d = state.geometry.group_of(block) == THREE_D;
        is_3d.then_some((block, u64::from(place) / RANGE))
    });
    of_3d.collect::<std::collections::BTreeSet<_>>().len()
}

/// Programs of each range at most, and ranges that the 3D flash holds, after a run of which GC is a part.
fn most_and_held(seed: u64, partial: Partial, channels: u64) -> Option<(u64, u64)> {
    let (mut config, own, requests) = case(seed);
    config.drive.channels = channels;
    let own = CentaurConfig { partial, ..own };
    let technique = Centaur::new(own, &config).ok()?;
    let layers: Vec<(String, Box<dyn Technique>)> =
        vec![("centaur".into(), Box::new(technique)), ("programs".into(), Box::new(Programs))];
    let hooks = Stack::new(layers).expect("one of them claims nothing");
    let outcome = with_own(&config, hooks, Own::default(), Script::source(requests), &mut ());
    let told = &outcome.ok()?.result.technique["programs"];
    Some((told["most"].as_u64()?, told["held"].as_u64()?))
}

#[test]
fn merged_programs_hold_all_of_their_range_in_the_3d_flash() {
    let (mut looked_at, mut held) = (0, 0);
    for seed in 0..1000 {
        if let Some((most, ranges)) = most_and_held(seed, Partial::Merge, 1 + seed % 2) {
            assert!(most <= 1, "seed {seed}: a range lies in {most} programs");
            (looked_at, held) = (looked_at + 1, held + ranges);
        }
    }
    assert!(looked_at > 200 && held > 5000, "only {looked_at} drives, {held} ranges");
}

/// Padded programs leave what was there before where it is.
#[test]
fn padded_programs_do_not() {
    let most = (0..40).filter_map(|seed| most_and_held(seed, Partial::Pad, 1)).map(|it| it.0).max();
    assert!(most > Some(1), "{most:?}");
}
