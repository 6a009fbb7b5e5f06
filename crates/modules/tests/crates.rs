//! The modules of no crate form a circle, and those of the simulator stand on the floors that the map shows.

use std::fs::{read_dir, read_to_string};
use std::path::Path;
use wordline_modules::{circles_of, climbs_of};

#[test]
fn the_modules_of_no_crate_form_a_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = read_dir(crates).expect("the folder of the crates");
    let mut looked_at = 0;
    let mut found = String::new();
    for folder in folders {
        let src = folder.expect("a crate's folder").path().join("src");
        let roots = ["lib.rs", "main.rs"].map(|name| src.join(name));
        for root in roots.iter().filter(|root| root.is_file()) {
            looked_at += 1;
            let circles = circles_of(root);
            if !circles.is_empty() {
                found += &format!("{}\n{circles}", root.display());
            }
        }
    }
    assert!(looked_at > 10, "{looked_at} crates");
    assert!(found.is_empty(), "{found}");
}

#[test]
fn the_simulator_stands_on_the_floors_of_the_map() {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let map = read_to_string(house.join("ARCHITECTURE.md")).expect("the map");
    let (_, floors) =
        map.split_once("Inside `sim` dependencies point one way, too: `").expect("the floors");
    let (floors, _) = floors.split_once('`').expect("the end of the floors");
    let floors = floors.split('←').map(|floor| floor.split(',').map(str::trim).collect());
    let floors: Vec<Vec<&str>> = floors.collect();
    let climbs = climbs_of(&house.join("crates/sim/src/lib.rs"), &floors);
    assert!(climbs.is_empty(), "arrows that do not lead down:\n{climbs}");
}
