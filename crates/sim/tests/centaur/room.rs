//! Room in either kind of flash while pages of the map, and of trims, need some too.

use crate::common::{Dice, Script};
use crate::rig::*;
use wordline_sim::config::{Config, GcMode, MapCacheChoice, Pattern, Protection};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::centaur::CentaurConfig;
use wordline_sim::{logical_bytes, simulate};
use wordline_trace::{Op, Request};

/// The drive with Centaur as it is published, full of data; its invariants are verified in the end.
fn full(change: fn(&mut Config)) -> Config {
    let mut config = two_kinds();
    config.run.check = true;
    config.precondition.pattern = Pattern::Random;
    config.precondition.fill = 1.0;
    config.drive.over_provisioning = 1.2;
    let own = CentaurConfig { migrate: true, ..dispatcher() };
    let own = toml::Table::try_from(own).expect("it is a table");
    config.technique.insert("centaur".into(), own.into());
    change(&mut config);
    config
}

/// Small writes, and others besides, one of so many operations each.
fn written(config: &Config, seed: u64, others: &[(Op, u64)]) -> RunResult {
    let units = logical_bytes(config).expect("it works") / UNIT;
    let mut dice = Dice::new(seed);
    let requests = (0..4000).map(|n| {
        let other = others.iter().find(|(_, rarity)| dice.one_in(*rarity)).map(|it| it.0);
        let length = dice.between(1, RANGE / 2);
        let mut request = put(n * 500, dice.below(units - length), length as u32);
        request.op = other.unwrap_or(Op::Write);
        if request.op == Op::Flush {
            request = Request { size_bytes: 0, ..request };
        }
        request
    });
    simulate(config, Script::source(requests.collect()), &mut ()).expect("it works").result
}

/// Making room in the 3D flash rewrites pages of the map, for which GC takes blocks of the 2D flash: the victim among
/// them that the room was made for.
#[test]
fn a_victim_that_other_gc_takes_meanwhile_is_given_up() {
    for seed in 1..6 {
        let config = full(|it| {
            it.ftl.map_cache.policy = MapCacheChoice::Dftl;
            it.ftl.map_cache.capacity_kib = 1.0;
        });
        let result = written(&config, seed, &[]);
        assert!(
            result.flash.page_programs.mapping > 1000,
            "{}",
            result.flash.page_programs.mapping
        );
        assert_eq!(result.host.refused_writes, 0);
    }
}

/// A page that tells of trims goes to the 3D flash where the other one has no block to spare, and comes back.
#[test]
fn pages_that_tell_of_trims_may_return_to_the_2d_flash() {
    for seed in 1..6 {
        let config = full(|it| {
            it.power.protection = Protection::NONE;
            // The host takes all but what GC itself needs.
            it.ftl.gc.mode = GcMode::Preemptible;
            it.ftl.gc.hard_threshold = 0.0;
        });
        let result = written(&config, seed, &[(Op::Trim, 5), (Op::Flush, 5)]);
        assert!(result.workload.trims > 500, "{}", result.workload.trims);
        assert_eq!(result.host.refused_writes, 0);
    }
}
