//! What planes that work together promise, and what a promise that is turned away tells the selector.

use super::entry::{Deadlines, Length, LengthOf, Thresholds};
use super::selector::{Switch, View};
use super::{Cells, LazyFtl, LazyFtlConfig, Observer, WriteMode};
use crate::declare::PerPage;
use crate::drive::{DriveState, Shape};
use crate::engine::Count;
use crate::ftl::Ftl;
use crate::ids::{BlockId, DieId, PlaneId, PointId, ScopeId, StreamId};
use crate::nand::Flash;
use crate::schema::{Cell, Config, ProgramUnit};
use crate::technique::Conventional;

/// A die of two planes that work together: 16 blocks of three word lines in each.
fn two_planes() -> Config {
    let mut config = Config::default();
    (config.drive.channels, config.drive.chips_per_channel) = (1, 1);
    config.drive.over_provisioning = 1.0;
    let chip = &mut config.drive.chip;
    (chip.dies, chip.planes, chip.blocks_per_plane, chip.multi_plane) = (1, 2, 16, true);
    (chip.cell, chip.program, chip.pages_per_block) = (Cell::Tlc, ProgramUnit::OneShot, 9);
    (chip.read_us, chip.program_us) = (PerPage::One(50.0), PerPage::One(900.0));
    config
}

/// The technique, and the empty drive with its operations.
fn on_two_planes(own: LazyFtlConfig) -> (LazyFtl, DriveState) {
    let config = two_planes();
    let mut state =
        Ftl::<_, Count>::new(&config, Conventional).expect("the drive works").into_state();
    let mut technique = LazyFtl::new(own, &config).expect("it works on this drive");
    let rows = state.ops.of_group(0);
    let flash = Flash { group: 0, chip: &config.drive.chip, rows };
    technique.operations(&mut state.ops, &flash);
    (technique, state)
}

/// The first block of each plane.
fn first_blocks(state: &DriveState) -> [BlockId; 2] {
    [0, 1].map(|plane| state.geometry.blocks_of_plane(PlaneId(plane)).first())
}

/// Opens the first block of both planes in M1.
fn open_in_m1(technique: &mut LazyFtl, state: &mut DriveState) -> BlockId {
    let blocks = first_blocks(state);
    let point: PointId = state.point_of(ScopeId(0), StreamId(0));
    let filling = state.layout.of_scope(ScopeId(0));
    let shape = Shape { row: technique.rows.first[WriteMode::M1 as usize], ..filling.shape };
    state.points[point].open(&blocks, shape, 0, &state.geometry);
    blocks.iter().for_each(|&block| state.blocks[block].set_point(point));
    technique.opened(state, blocks[0], point, technique.now_ns);
    blocks[0]
}

#[test]
fn the_most_worn_of_planes_that_work_together_ends_their_promises() {
    for worn in [0, 1] {
        let (mut technique, mut state) = on_two_planes(LazyFtlConfig::default());
        let may = |technique: &mut LazyFtl, state: &DriveState| {
            [0, 1].map(|plane| technique.may_promise(state, PlaneId(plane), WriteMode::M1))
        };
        let block = first_blocks(&state)[worn];
        for (erases, promises) in [(1000, true), (1001, false)] {
            state.blocks[block].erases = erases;
            technique.note_wear(&state, block);
            assert_eq!(may(&mut technique, &state), [promises; 2], "plane {worn}, {erases}");
        }
    }
}

/// The second stages of a block of three word lines begin by what is left of a day then: after what the die has before
/// it, and the margin.
#[test]
fn a_promise_leaves_time_for_what_the_die_has_before_it_and_for_the_margin() {
    let (mut technique, state) = on_two_planes(LazyFtlConfig::default());
    let held_ns = technique.config.retention_ns(WriteMode::M1, 0.0, 0);
    let spare_ns = held_ns - 3 * technique.shared_line_ns;
    technique.now_ns = 1_000;
    for backlog_ns in [0, spare_ns / 3, spare_ns] {
        for (over_ns, promises) in [(0, true), (1, false)] {
            technique.backlog_ns[DieId(0)] = backlog_ns;
            technique.margin_ns = spare_ns - backlog_ns + over_ns;
            let may = technique.may_promise(&state, PlaneId(0), WriteMode::M1);
            assert_eq!(may, promises, "{backlog_ns} ns before it, {over_ns} ns too many");
        }
    }
}

/// Data is in both blocks alike: it holds for as long as that on the more worn one does.
#[test]
fn blocks_side_by_side_hold_as_long_as_the_most_worn_of_them() {
    let own = LazyFtlConfig { deadlines: Deadlines::ByWear, pec_max: 2000, ..Default::default() };
    let held_ns = own.retention_ns(WriteMode::M1, 0.0, 1130);
    assert!(held_ns < own.retention_ns(WriteMode::M1, 0.0, 870) / 3);
    for pecs in [[870, 1130], [1130, 870]] {
        let (mut technique, mut state) = on_two_planes(own.clone());
        for (block, pec) in first_blocks(&state).into_iter().zip(pecs) {
            state.blocks[block].erases = pec;
        }
        technique.now_ns = 17;
        open_in_m1(&mut technique, &mut state);
        let entry = technique.lists.first_due(DieId(0)).expect("they wait");
        assert_eq!((entry.since_ns, entry.until_ns), (17, 17 + held_ns), "{pecs:?}");
        // What is written to them later holds from then on.
        technique.now_ns = 99;
        assert_eq!(technique.held_in_ns(&state, &entry), 99..99 + held_ns, "{pecs:?}");
    }
}

/// Two of 32 blocks wait, a sixteenth. Adaptive thresholds fall below that once 925 blocks of three word lines were
/// turned away: exp(-3 · 924 / 1000) is more than a sixteenth, exp(-3 · 925 / 1000) is less.
#[test]
fn blocks_that_are_turned_away_lower_the_adaptive_thresholds() {
    let own = LazyFtlConfig {
        thresholds: Thresholds::Adaptive,
        length: Length::All,
        length_of: LengthOf::Drive,
        ..Default::default()
    };
    let mode_after = |turned_away: u64| {
        let (mut technique, mut state) = on_two_planes(own.clone());
        open_in_m1(&mut technique, &mut state);
        technique.backlog_ns[DieId(0)] = u64::MAX / 4;
        for _ in 0..turned_away {
            assert!(!technique.may_promise(&state, PlaneId(0), WriteMode::M1), "no time is left");
        }
        assert_eq!(technique.figures.turned_away, turned_away);
        // The last refusal counts as a full list, once.
        assert_eq!(next_mode(&mut technique, &state), Some(WriteMode::M7));
        next_mode(&mut technique, &state)
    };
    assert_eq!([924, 925].map(mode_after), [None, Some(WriteMode::M7)]);
}

/// The mode that the selector asks for.
fn next_mode(technique: &mut LazyFtl, state: &DriveState) -> Option<WriteMode> {
    let view = View { dies: technique.dies, now_ns: technique.now_ns };
    technique.selector.look(state, &technique.lists, view).map(|switch| switch.mode)
}

/// Two of 32 blocks wait: second stages of three word lines in both planes at once.
#[test]
fn a_faster_mode_is_taken_where_the_die_could_hold_twice_as_much_in_it() {
    let line_ns = on_two_planes(LazyFtlConfig::default()).0.shared_line_ns;
    for (spare_ns, mode) in [(100, WriteMode::M1), (-100, WriteMode::M7)] {
        let day_s = (6 * line_ns).saturating_add_signed(spare_ns) as f64 / 1e9;
        let own = LazyFtlConfig { day_s, margin_s: 0.0, ..Default::default() };
        let (mut technique, mut state) = on_two_planes(own);
        technique.selector.switch(Switch { at_ns: 0, share: 1.0, mode: WriteMode::M7 });
        let block = open_in_m1(&mut technique, &mut state);
        state.blocks[block].valid = 1;
        technique.select(&state, PlaneId(0));
        assert_eq!(technique.selector.mode(), mode, "{spare_ns}");
        // What is older than a day was secured by then, had it been written in M1.
        technique.now_ns = (day_s * 1e9) as u64 + 1;
        technique.looked_at = 0;
        technique.select(&state, PlaneId(0));
        assert_eq!(technique.selector.mode(), WriteMode::M1, "{spare_ns}");
    }
}

#[test]
fn survivors_are_counted_as_a_share_of_what_was_written_in_waiting_blocks() {
    let own = LazyFtlConfig { length: Length::Surviving, ..Default::default() };
    // Of twelve units in both blocks 3, 7 and 8 are valid: a quarter, between the thresholds, two thirds.
    for (valid, next) in
        [([1, 2], Some(WriteMode::M1)), ([1, 6], None), ([4, 4], Some(WriteMode::M30))]
    {
        let (mut technique, mut state) = on_two_planes(own.clone());
        technique.selector.switch(Switch { at_ns: 0, share: 1.0, mode: WriteMode::M7 });
        open_in_m1(&mut technique, &mut state);
        for (block, valid) in first_blocks(&state).into_iter().zip(valid) {
            (state.blocks[block].next, state.blocks[block].valid) = (6, valid);
        }
        assert_eq!(next_mode(&mut technique, &state), next, "{valid:?}");
    }
    let (mut technique, state) = on_two_planes(own);
    technique.selector.switch(Switch { at_ns: 0, share: 1.0, mode: WriteMode::M7 });
    assert_eq!(next_mode(&mut technique, &state), Some(WriteMode::M1), "nothing waits");
}

/// The first word line of a block has its second stage since 40, the next one its first stage since 17.
#[test]
fn a_block_is_read_by_the_stage_of_each_word_line_until_it_is_erased() {
    let (mut technique, mut state) = on_two_planes(LazyFtlConfig::default());
    technique.now_ns = 17;
    let block = open_in_m1(&mut technique, &mut state);
    let read = |technique: &LazyFtl, place: u32| {
        let at = state.geometry.located(state.geometry.first_unit(block).plus(place));
        technique.read_plan(&state, &at).data.map(|data| (data.mode, data.since_ns.unwrap_or(0)))
    };
    assert_eq!(read(&technique, 0), Some(("m1", 17)));
    technique.secured[block] = Some((WriteMode::M1, 40));
    technique.lists.finish_line(block);
    let units = technique.units_per_line;
    let read_both = |technique: &LazyFtl| [0, units].map(|place| read(technique, place));
    assert_eq!(read_both(&technique), [Some(("secured_m1", 40)), Some(("m1", 17))]);
    let entry = technique.lists.first_due(DieId(0)).expect("it waits");
    technique.lists.remove(DieId(0), entry);
    assert_eq!(read_both(&technique), [Some(("secured_m1", 40)); 2]);
    technique.erased(&state, block);
    assert_eq!(read_both(&technique), [None; 2]);
}
