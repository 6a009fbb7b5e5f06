//! Drives and settings on which it does not work.

use crate::rig::*;
use wordline_sim::Error;
use wordline_sim::config::{Config, Frontiers, Incomplete, Pattern, ProgramUnit, RunMode};
use wordline_sim::technique::centaur::{Centaur, CentaurConfig, Mode, Steal};

/// What is wrong with a drive, and how to mend it; `None`: it is accepted.
fn refused(config: &Config, own: &CentaurConfig) -> Option<String> {
    match Centaur::new(own.clone(), config) {
        Ok(_) => None,
        Err(Error::Infeasible { what, help }) => Some(format!("{what}; {help}")),
        Err(other) => panic!("{other}"),
    }
}

fn changed(change: impl Fn(&mut Config)) -> Option<String> {
    let mut config = two_kinds();
    change(&mut config);
    refused(&config, &dispatcher())
}

fn expect(refusal: Option<String>, words: &str) {
    let text = refusal.unwrap_or_else(|| panic!("it was to be refused: {words}"));
    assert!(text.contains(words), "{text}");
}

#[test]
fn drives_that_would_make_of_it_something_else_are_refused_with_the_reason() {
    assert_eq!(changed(|_| {}), None);
    expect(changed(|it| it.drive.group.clear()), "two kinds of flash");
    let chip = |name: &'static str, change: fn(&mut wordline_sim::config::ChipConfig)| {
        changed(move |it| change(&mut it.drive.group.get_mut(name).expect("a group").chip))
    };
    expect(chip("a-slc", |it| it.endurance_pec = 0), "group a-slc is measured by its endurance");
    let side_by_side = chip("b-tlc", |it| (it.planes, it.multi_plane) = (2, true));
    expect(side_by_side, "multi_plane to false; for 3D flash");
    expect(chip("a-slc", |it| it.page_kib = 8.0), "ftl.mapping_unit_kib");
    expect(chip("b-tlc", |it| it.program = ProgramUnit::Page), "two kinds of flash");
    expect(changed(|it| it.ftl.frontiers = Frontiers::Shared), "frontiers");
    expect(changed(|it| it.ftl.incomplete = Incomplete::Leave), "set ftl.incomplete to \"pad\"");
    expect(changed(|it| it.precondition.pattern = Pattern::Steady), "precondition.pattern");
}

#[test]
fn drives_of_more_ranges_than_it_numbers_are_refused() {
    let large = changed(|it| {
        it.drive.over_provisioning = 0.0;
        let chip = &mut it.drive.group.get_mut("b-tlc").expect("a group").chip;
        (chip.dies, chip.pages_per_block) = (20, 24 << 20);
    });
    expect(large, "ranges of logical units; at most 4294967294 fit");
}

#[test]
fn stealing_needs_time() {
    let own = CentaurConfig { steal: Steal::AnyIdle, ..dispatcher() };
    let mut config = two_kinds();
    assert_eq!(refused(&config, &own), None);
    config.run.mode = RunMode::Count;
    expect(refused(&config, &own), "technique.centaur.steal");
    assert_eq!(refused(&config, &dispatcher()), None);
    assert_eq!(refused(&config, &CentaurConfig { mode: Mode::Cache, ..own }), None);
}

#[test]
fn a_criterion_stays_within_a_program() {
    let with = |change: fn(&mut CentaurConfig)| {
        let mut own = dispatcher();
        change(&mut own);
        refused(&two_kinds(), &own)
    };
    assert_eq!(with(|it| it.max_bytes = RANGE * UNIT), None);
    expect(with(|it| it.max_bytes = RANGE * UNIT + 1), "49152 bytes");
    expect(with(|it| it.initial_bytes = UNIT - 1), "min_bytes = 4096");
    assert_eq!(with(|it| it.step_bytes = 512), None);
    expect(with(|it| it.step_bytes = 4096 * 4), "pass its bounds");
}

#[test]
fn references_are_of_one_kind() {
    let of = |mode: Mode, config: &Config| refused(config, &CentaurConfig { mode, ..dispatcher() });
    assert_eq!(of(Mode::All3d, &one_kind("b-tlc")), None);
    assert_eq!(of(Mode::All2d, &one_kind("a-slc")), None);
    expect(of(Mode::All2d, &one_kind("b-tlc")), "programmed by pages");
    expect(of(Mode::All3d, &one_kind("a-slc")), "whole word lines");
    expect(of(Mode::All3d, &two_kinds()), "one kind of flash");
}
