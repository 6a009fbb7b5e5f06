//! Drives on which ReSSD works, and those that it refuses.

use crate::rig::{layers, tlc};
use wordline_sim::config::{Cell, Config, FrontierScope, GcCounts, HotnessChoice, load};
use wordline_sim::nand::Geometry;
use wordline_sim::simulate;
use wordline_sim::technique::ressd::{ReSsd, ReSsdConfig, ThirdPage, metadata_bytes};

fn check_refused(change: fn(&mut Config), text: &str) {
    let mut config = tlc(4);
    change(&mut config);
    let refused = ReSsd::new(layers(2), &config).err().expect("ReSSD cannot work on this drive");
    let message = refused.to_string();
    assert!(message.contains(text), "{message}");
}

#[test]
fn drives_that_cannot_reprogram_are_refused_with_the_key_to_change() {
    check_refused(|config| config.drive.chip.cell = Cell::Mlc, "eight states of TLC, not mlc");
    check_refused(|config| config.drive.chip.layers_per_block = 0, "drive.chip.layers_per_block");
    check_refused(|config| config.drive.chip.layers_per_block = 3, "24 pages are not whole word");
    check_refused(|config| config.ftl.hotness.policy = HotnessChoice::None, "ftl.hotness.policy");
    check_refused(|config| config.ftl.mapping_unit_kib = 2.0, "ftl.mapping_unit_kib");
    check_refused(|config| config.ftl.frontier_scope = FrontierScope::Die, "ftl.frontier_scope");
}

#[test]
fn a_third_page_is_free_only_where_pages_are_counted() {
    let own = ReSsdConfig { third_page: ThirdPage::Free, ..layers(2) };
    let mut config = tlc(4);
    let message = ReSsd::new(own.clone(), &config).err().expect("nothing counts it").to_string();
    assert!(message.contains("technique.ressd.third_page = \"free\""), "{message}");
    assert!(message.contains("set ftl.gc.counts to \"pages\""), "{message}");
    config.ftl.gc.counts = GcCounts::Pages;
    assert!(ReSsd::new(own, &config).is_ok());
}

#[test]
fn the_configuration_names_it_and_its_parameters() {
    let text = "preset = \"tiny\"\n[technique.ressd]\nlayer = 2\n";
    let message = load(text, "ssd.toml", &[]).unwrap_err().to_string();
    assert!(message.contains("did you mean `layers`"), "{message}");
    let mut config = tlc(4);
    config.technique = toml::toml! { ressd = { layers = 4 } };
    let requests = crate::rig::writes([0; 40], 0, 100);
    let outcome = simulate(&config, crate::common::Script::source(requests), &mut ());
    let result = outcome.expect("the drive works").result;
    assert!(result.technique["ressd"]["word_lines"].as_u64() > Some(0));
    let warned = result.warnings.iter().any(|text| text.contains("super layers of 4 layers"));
    assert!(warned, "{:?}", result.warnings);
}

#[test]
fn the_metadata_takes_what_the_publication_counts() {
    let config = load("preset = \"ressd-576g\"", "ssd.toml", &[]).expect("the preset is right");
    let geometry = Geometry::new(&config).expect("the drive works");
    let bytes = metadata_bytes(&geometry.groups[0], 3);
    let of = |key: &str| bytes[key].as_u64().unwrap_or(0);
    // Gao et al., Section 4.4.1: 384 KB, 36 KB, 432 bytes, 9 MB; in all less than 10 MB.
    assert_eq!(of("time_stamps"), 384 << 10);
    assert_eq!(of("tags"), 36 << 10);
    assert_eq!(of("pointers"), 432);
    assert_eq!(of("word_lines"), 9 << 20);
    assert!(of("total") < 10 << 20);
}
