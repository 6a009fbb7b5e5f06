//! Centaur below an array, and with erase schemes of each kind of flash.

use crate::common::{Dice, Script};
use crate::rig::*;
use wordline_sim::config::{ArrayLevel, Config, GroupScheme};
use wordline_sim::metrics::RunResult;
use wordline_sim::{logical_bytes, simulate};

/// The drive with Centaur named in its configuration; its invariants are verified in the end.
fn configured() -> Config {
    let mut config = two_kinds();
    config.run.mode = wordline_sim::config::RunMode::Timed;
    config.run.check = true;
    let own = toml::Table::try_from(dispatcher()).expect("it is a table");
    config.technique.insert("centaur".into(), own.into());
    config
}

/// Writes of one to twelve units, most of them to a quarter of the space.
fn written(config: &Config, number: u64) -> RunResult {
    let units = logical_bytes(config).expect("it works") / UNIT;
    let mut dice = Dice::new(3);
    let draw = |n: u64| {
        let span = if dice.one_in(4) { units } else { units / 4 };
        let length = dice.between(1, RANGE);
        put(n * 2000, dice.below(span - length), length as u32)
    };
    let requests = (0..number).map(draw).collect();
    simulate(config, Script::source(requests), &mut ()).expect("it works").result
}

fn of(result: &RunResult, name: &str) -> u64 {
    result.technique["centaur"][name].as_u64().expect("it is a count")
}

/// Parity is written with every small write: an array sends more parts to 2D flash, and no drive breaks a rule.
#[test]
fn drives_of_a_raid_5_dispatch_for_themselves() {
    let alone = written(&configured(), 3000);
    let mut config = configured();
    config.array.level = ArrayLevel::Raid5;
    (config.array.drives, config.array.chunk_kib) = (4, (RANGE * UNIT / 1024) as f64);
    let array = written(&config, 3000);
    let drives = &array.array.as_ref().expect("an array").drives;
    assert_eq!(drives.len(), 4);
    assert!(array.flash.erases > 0 && alone.flash.erases > 0);
    for name in ["dispatched_2d_parts", "dispatched_3d_parts", "programs_3d"] {
        assert!(of(&array, name) > 0, "{name}");
    }
    assert!(of(&array, "dispatched_2d_parts") > 2 * of(&alone, "dispatched_2d_parts"));
}

/// REO or DPES on the TLC dies change how these are erased, and nothing of what is sent where.
#[test]
fn the_tlc_dies_have_an_erase_scheme_of_their_own() {
    let plain = written(&configured(), 6000);
    for scheme in [GroupScheme::Reo, GroupScheme::Dpes] {
        let mut config = configured();
        let tlc = config.drive.group.get_mut("b-tlc").expect("it is there");
        tlc.erase_scheme = scheme;
        let with = written(&config, 6000);
        assert_eq!(of(&with, "dispatched_3d_parts"), of(&plain, "dispatched_3d_parts"));
        assert_eq!(with.flash.erases, plain.flash.erases, "{scheme}");
        assert_ne!(with.flash.erase_time_ms, plain.flash.erase_time_ms, "{scheme}");
        assert!(with.erase.contains_key(&scheme.to_string()), "{:?}", with.erase);
    }
}
