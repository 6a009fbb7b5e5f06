//! What must hold between any two requests, and that the check of it can fail.

use crate::common::{Dice, at, tiny_timed};
use wordline_sim::config::{
    Cell, Config, GcMode, HotnessChoice, MapCacheChoice, ProgramUnit, WearChoice,
};
use wordline_sim::engine::{Count, InOrder, Scheduler};
use wordline_sim::ftl::Ftl;
use wordline_sim::host::Driver;
use wordline_sim::ids::{DomainId, Lpn, Unit};
use wordline_sim::technique::Conventional;
use wordline_trace::Op;

fn driver<S: Scheduler>(config: &Config, sched: S) -> Driver<Conventional, S> {
    let ftl: Ftl<Conventional, Count> = Ftl::new(config, Conventional).expect("the drive works");
    Driver::new(config, ftl.under(), sched)
}

fn in_order(config: &Config) -> Driver<Conventional, InOrder> {
    let geometry = wordline_sim::nand::Geometry::new(config).expect("a valid geometry");
    driver(config, InOrder::new(config, &geometry))
}

/// Features that change what the state goes through.
fn variants() -> Vec<Config> {
    let mut variants = vec![tiny_timed(); 9];
    variants[1].ftl.gc.mode = GcMode::Preemptible;
    variants[1].ftl.gc.free_block_threshold = 0.2;
    variants[2].ftl.gc.mode = GcMode::Background;
    variants[3].ftl.map_cache.policy = MapCacheChoice::Dftl;
    variants[3].ftl.map_cache.capacity_kib = 1.0;
    variants[4].drive.chip.cell = Cell::Mlc;
    variants[4].drive.chip.program = ProgramUnit::OneShot;
    variants[4].ftl.mapping_unit_kib = 2.0;
    variants[5].drive.chip.planes = 2;
    variants[5].drive.chip.multi_plane = true;
    variants[6].ftl.wear.policy = WearChoice::Static;
    variants[6].ftl.wear.threshold = 2;
    variants[7].drive.chip.endurance_pec = 6;
    variants[7].drive.chip.endurance_sigma = 0.3;
    variants[8].drive.chip.bad_blocks = 0.05;
    variants[8].ftl.hotness.policy = HotnessChoice::Oracle;
    for variant in &mut variants {
        variant.drive.chip.blocks_per_plane = 24;
        variant.ftl.gc.idle_us = 10.0;
    }
    variants
}

#[test]
fn hold_after_every_request() {
    for (variant, config) in variants().iter().enumerate() {
        let mut driver = in_order(config);
        let mut dice = Dice::new(variant as u64);
        let pages = crate::common::logical_pages(config);
        let mut now_us = 0;
        for number in 0..2000 {
            now_us += dice.pick(&[0, 10, 700, 10_000]);
            let op = dice.pick(&[Op::Write, Op::Write, Op::Write, Op::Read, Op::Trim]);
            let count = dice.between(1, 4);
            let request = at(now_us, op, dice.below(pages - count), count as u32);
            driver.feed(&[request], 0).expect("the address is valid");
            if let Err(error) = driver.device.ftl.check() {
                panic!("{error} after request {number} of variant {variant}");
            }
        }
        assert!(driver.device.io.counters.erases > 20, "variant {variant} never reclaims anything");
    }
}

/// Ways to break a drive, each of which the check must find.
#[test]
fn broken_state_is_found() {
    type Damage = fn(&mut Ftl<Conventional, InOrder>);
    let damages: [(&str, Damage); 5] = [
        ("a map entry that points elsewhere", |ftl| {
            let other = ftl.state.map.at(Lpn(4));
            ftl.state.map.set(Lpn(3), other);
        }),
        ("a lost map entry", |ftl| ftl.state.map.set(Lpn(3), Unit::NONE)),
        ("a wrong reverse entry", |ftl| {
            let unit = ftl.state.map.at(Lpn(3));
            ftl.state.reverse.set(unit, Lpn(7));
        }),
        ("a wrong count", |ftl| {
            let (block, _) = ftl.state.geometry.locate(ftl.state.map.at(Lpn(3)));
            ftl.state.blocks[block].valid += 1;
        }),
        ("a free block that is not listed", |ftl| ftl.state.free_in[DomainId(0)] -= 1),
    ];
    for (what, damage) in damages {
        let mut driver = in_order(&tiny_timed());
        for page in 0..20 {
            driver.feed(&[at(0, Op::Write, page, 1)], 0).expect("the address is valid");
        }
        driver.device.ftl.check().expect("nothing is broken yet");
        damage(&mut driver.device.ftl);
        assert!(driver.device.ftl.check().is_err(), "{what} goes unnoticed");
    }
}
