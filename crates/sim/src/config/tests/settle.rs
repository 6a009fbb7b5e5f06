//! Keys whose defaults depend on others.

use super::overrides;
use crate::config::{Config, GcMode, load, load_beside_own};

/// Superblocks and GC of a configuration without a preset.
fn settled(given: &[&str]) -> (u64, GcMode) {
    let config = load("", "ssd.toml", &overrides(given)).expect("a configuration");
    (config.ftl.superblock_dies, config.ftl.gc.mode)
}

#[test]
fn a_drive_has_superblocks_of_all_dies_and_cleans_in_idle_time() {
    assert_eq!(settled(&[]), (16, GcMode::Background));
    assert_eq!(settled(&["drive.channels=3", "drive.chip.dies=2"]), (12, GcMode::Background));
    assert_eq!(settled(&["run.mode=count"]), (16, GcMode::Paced), "nothing takes time");
    let multi_plane = ["drive.chip.program=one_shot", "drive.chip.pages_per_block=96"];
    assert_eq!(settled(&multi_plane), (16, GcMode::Background));
    for technique in ["slc_cache", "lazy_ftl", "llh_ftl"] {
        assert_eq!(settled(&[&format!("technique.{technique}={{}}"), multi_plane[1]]).0, 16);
    }
}

#[test]
fn what_is_given_stays() {
    assert_eq!(settled(&["ftl.superblock_dies=0"]), (0, GcMode::Paced));
    assert_eq!(settled(&["ftl.superblock_dies=4"]), (4, GcMode::Background));
    assert_eq!(settled(&["ftl.gc.mode=foreground"]), (16, GcMode::Foreground));
    assert_eq!(
        settled(&["ftl.superblock_dies=0", "ftl.gc.mode=foreground"]),
        (0, GcMode::Foreground)
    );
    let config = load("", "ssd.toml", &[]).expect("a configuration");
    assert_eq!(load(&config.to_toml(), "result", &[]).expect("its own TOML"), config);
}

#[test]
fn keys_that_superblocks_do_not_go_with_leave_blocks_alone() {
    for given in [
        "power.protection=none",
        "power.protection=1000",
        "drive.chip.bad_blocks=0.01",
        "drive.chip.copy_back=true",
        "drive.group.one={}",
        "ftl.allocation=dynamic",
        "ftl.plane_allocation=most_free",
        "ftl.frontier_scope=die",
        "ftl.incomplete=leave",
        "ftl.gc.scope=die",
        "ftl.gc.scope=drive",
        // Blocks of 128 pages are no whole word lines of three, which techniques need.
        "technique.slc_cache={}",
        // More dies than a default should join.
        "drive.channels=1024",
    ] {
        let dies = "drive.chips_per_channel=8";
        assert_eq!(settled(&[dies, given]), (0, GcMode::Paced), "{given}");
    }
    // More mapping units than a superblock can have.
    let large = ["drive.chip.planes=64", "drive.chip.pages_per_block=65536"];
    assert_eq!(settled(&[large[0], large[1], "ftl.mapping_unit_kib=0.5"]).0, 0);
}

#[test]
fn drives_of_an_array_have_superblocks_if_each_can() {
    let array = ["array.level=raid5", "array.drives=3"];
    let with = |given: &[&str]| settled(&[&array[..], given].concat()).0;
    assert_eq!(with(&[]), 16);
    assert_eq!(with(&["array.drive.1.ftl.gc.policy=fifo"]), 16);
    assert_eq!(with(&["array.drive.1.drive.chip.bad_blocks=0.02"]), 0);
    assert_eq!(with(&["array.drive.1.drive.chip.dies=2"]), 0);
    let own = ["array.drive.1.drive.chip.dies=2", "array.drive.1.ftl.superblock_dies=32"];
    assert_eq!(with(&own), 16);
}

#[test]
fn drives_beside_parts_of_the_callers_own_have_none() {
    let given = |text, keys: &[&str]| -> Config {
        load_beside_own(text, "ssd.toml", &overrides(keys)).expect("a configuration")
    };
    assert_eq!(given("", &["ftl.gc.mode=foreground"]), Config::default());
    assert_eq!(given("", &["ftl.superblock_dies=4"]).ftl.superblock_dies, 4);
}
