//! How large a drive may be.

use crate::common::{Dice, Script, at, tiny, tiny_timed};
use wordline_sim::config::{ArrayLevel, Config, HostMode, ServiceOrder, VictimChoice};
use wordline_sim::engine::Count;
use wordline_sim::ftl::Ftl;
use wordline_sim::ids::{Id, Lpn, is_wide, with_wide_tables};
use wordline_sim::nand::{Geometry, MOST_UNITS};
use wordline_sim::technique::Conventional;
use wordline_sim::{Error, check_drives, memory_bytes, simulate};
use wordline_trace::{Op, Request};

/// A drive of so many dies of one plane.
fn drive(dies: u64, blocks: u64, pages: u64) -> Config {
    let mut config = tiny();
    config.drive.chip.dies = dies;
    (config.drive.chip.blocks_per_plane, config.drive.chip.pages_per_block) = (blocks, pages);
    config
}

/// Why a drive is refused, and what to do; `None`: it can be divided so.
fn refused(config: &Config) -> Option<String> {
    told(Geometry::new(config).map(drop))
}

fn told(result: Result<(), Error>) -> Option<String> {
    match result {
        Ok(()) => None,
        Err(Error::Infeasible { what, help }) => Some(format!("{what}; {help}")),
        Err(other) => panic!("{other}"),
    }
}

fn expect(refusal: Option<String>, words: &[&str]) {
    let text = refusal.unwrap_or_else(|| panic!("it was to be refused: {words:?}"));
    assert!(words.iter().all(|words| text.contains(words)), "{text}");
}

#[test]
fn drives_have_as_many_units_as_can_be_numbered_and_no_more() {
    assert_eq!(refused(&drive(32, 1 << 15, 1 << 16)), None);
    assert_eq!(Geometry::new(&drive(32, 1 << 15, 1 << 16)).map_or(0, |it| it.units()), MOST_UNITS);
    let most = "the drive has 70866960384 mapping units; at most 68719476736 fit";
    expect(refused(&drive(33, 1 << 15, 1 << 16)), &[most, "ftl.mapping_unit_kib", "fewer blocks"]);
}

#[test]
fn units_of_the_last_block_are_found() {
    let geometry = Geometry::new(&drive(32, 1 << 15, 1 << 16)).expect("it is as large as can be");
    let block = geometry.blocks().last();
    let first = geometry.first_unit(block);
    assert_eq!(first.number(), MOST_UNITS - (1 << 16));
    for place in [0, 1, (1 << 16) - 1] {
        assert_eq!(geometry.locate(first.plus(place)), (block, place));
    }
}

#[test]
fn planes_have_fewer_units_than_four_bytes_count() {
    // 2 × (2^31 − 1) and 65,537 × 65,535.
    assert_eq!(refused(&drive(1, (1 << 31) - 1, 2)), None);
    let most = "a plane has 4294967295 mapping units; at most 4294967294 fit";
    expect(refused(&drive(1, 65_537, 65_535)), &[most, "lower drive.chip.blocks_per_plane"]);
}

#[test]
fn blocks_side_by_side_have_as_many_units_as_a_division_takes() {
    let four_planes = |pages| {
        let mut config = drive(1, 2, pages);
        config.drive.chip.planes = 4;
        refused(&config)
    };
    assert_eq!(four_planes(1 << 26), None);
    let most = "blocks of all planes of a die have together 268435460 mapping units; at most";
    expect(four_planes((1 << 26) + 1), &[most, "lower drive.chip.pages_per_block"]);
}

#[test]
fn superblocks_have_fewer_units_than_four_bytes_count() {
    let mut config = drive(2, 1 << 15, 1 << 16);
    config.ftl.superblock_dies = 2;
    let most = "the 2 dies of a superblock have 4294967296 mapping units; at most 4294967294 fit";
    expect(told(check_drives(&config)), &[most, "lower ftl.superblock_dies"]);
}

#[test]
fn arrays_have_fewer_pages_on_a_drive_than_four_bytes_count() {
    let mut config = drive(3, 1 << 15, 1 << 16);
    config.drive.over_provisioning = 0.4;
    config.array.level = ArrayLevel::Raid0;
    config.array.drives = 2;
    config.array.page_kib = 4.0;
    let most =
        "each drive has 4601750656 pages of 4096 bytes for the array; at most 4294967294 fit";
    expect(told(memory_bytes(&config).map(drop)), &[most, "array.page_kib"]);
    config.array.page_kib = 8.0;
    config.array.chunk_kib = 64.0;
    assert_eq!(told(memory_bytes(&config).map(drop)), None);
}

#[test]
fn the_fifth_byte_of_an_entry_is_counted_where_there_is_one() {
    let of = |config: &Config| memory_bytes(config).expect("the drive works");
    let config = drive(1, 1000, 1000);
    let (units, logical) = (1_000_000, 625_000);
    let entries = units + logical + logical / 32;
    assert_eq!(with_wide_tables(|| of(&config)) - of(&config), entries);
    // A block more of the same size, beyond what four bytes tell apart.
    let large = |blocks| of(&drive(64, blocks, 65_536));
    let (narrow, wide) = (large(1023), large(1025));
    assert!(!is_wide(64 * 1023 * 65_536) && is_wide(64 * 1025 * 65_536));
    assert!(wide - narrow > 64 * 1025 * 65_536, "{narrow} {wide}");
}

/// Planes of the drive of 16 TiB, and the blocks and pages of each.
const SHAPE: (u64, u64, u64) = (4100, 256, 4096);

/// Random writes of a few units of one plane, whose logical units are `step` apart, and reads among them.
fn on_one_plane(first: u64, step: u64) -> Vec<Request> {
    let mut dice = Dice::new(3);
    let request = |_| {
        let op = if dice.one_in(8) { Op::Read } else { Op::Write };
        at(0, op, first + step * dice.below(10_000), 1)
    };
    (0..1_500_000).map(request).collect()
}

/// What became of a plane: erases, and units that GC moved.
fn collected(config: &Config, requests: Vec<Request>) -> (u64, u64) {
    let result =
        simulate(config, Script::source(requests), &mut ()).expect("the drive works").result;
    (result.flash.erases, result.gc.pages_moved)
}

/// A drive of 16.02 TiB, of whose last plane, whose units need five bytes, as much is written as of a drive of that
/// plane alone.
#[test]
#[ignore = "reserves 22 GiB of addresses, which a system with less memory refuses"]
fn a_plane_beyond_four_bytes_is_written_and_collected_like_one_alone() {
    let (planes, blocks, pages) = SHAPE;
    let setting = |config: &Config| {
        let mut config = config.clone();
        config.drive.over_provisioning = 99.0;
        config.ftl.gc.policy = VictimChoice::Random;
        config.host.mode = HostMode::Closed;
        config.run.check = true;
        config
    };
    let large = setting(&drive(planes, blocks, pages));
    let alone = setting(&drive(1, blocks, pages));
    let first = {
        let ftl = Ftl::<_, Count>::new(&large, Conventional).expect("the drive works");
        let (geometry, layout) = (&ftl.state.geometry, &ftl.state.layout);
        let last = geometry.planes().last();
        let first = geometry.first_unit(geometry.blocks_of_plane(last).first());
        assert!(first.number() > u64::from(u32::MAX), "{first}");
        (0..planes).find(|&lpn| layout.static_plane(Lpn(lpn)) == last).expect("it has a turn")
    };
    let timed = tiny_timed().run.mode;
    let modes = [
        (large.run.mode, ServiceOrder::InOrder),
        (timed, ServiceOrder::InOrder),
        (timed, ServiceOrder::ReadsFirst),
    ];
    for (mode, order) in modes {
        let of = |config: &Config, requests| {
            let mut config = config.clone();
            config.run.mode = mode;
            config.drive.scheduling.order = order;
            collected(&config, requests)
        };
        let expected = of(&alone, on_one_plane(0, 1));
        assert!(expected.0 > 0 && expected.1 > 0, "{expected:?}");
        assert_eq!(of(&large, on_one_plane(first, planes)), expected, "{mode:?} {order:?}");
    }
}
