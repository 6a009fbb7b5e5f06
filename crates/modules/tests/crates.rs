//! The modules of no crate form a circle.

use std::fs::read_dir;
use std::path::Path;
use wordline_modules::circles_of;

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
