//! Parameters of policies beside other policies.

use super::super::{VictimChoice, load};

/// A parameter that the chosen policy does not have is named with the policies that have it.
#[test]
fn parameters_of_other_policies_are_refused() {
    let fifo = "[ftl.gc]\npolicy = \"fifo\"\nd = 5\n";
    assert_eq!(
        load(fifo, "ssd.toml", &[]).unwrap_err().to_string(),
        "ssd.toml:3: `ftl.gc.d`: ftl.gc.policy = \"fifo\" has no such parameter \
         (d_choices has; leave it out, or choose that)"
    );
    let refused = |text: &str, given: &[&str]| {
        let given: Vec<String> = given.iter().map(|&text| text.to_owned()).collect();
        load(text, "ssd.toml", &given).expect_err("refused").to_string()
    };
    // Nobody chose a policy: the default has none of these.
    for (key, chosen, owners) in [
        ("ftl.gc.window=8", "ftl.gc.policy = \"greedy\"", "windowed_greedy has"),
        ("ftl.hotness.size_kib=8", "ftl.hotness.policy = \"none\"", "size has"),
        ("ftl.hotness.intervals_min=8", "policy = \"none\"", "interval and page_interval have"),
        ("ftl.wear.threshold=9", "ftl.wear.policy = \"none\"", "static and bet have"),
        ("ftl.map_cache.capacity_kib=9", "ftl.map_cache.policy = \"full\"", "dftl has"),
        ("erase.aero.mode=aggressive", "erase.scheme = \"fixed\"", "aero has"),
    ] {
        let error = refused("", &[key]);
        assert!(error.starts_with(&format!("override `{key}`")), "{error}");
        assert!(error.contains(chosen) && error.contains(owners), "{error}");
    }
    // An override is somebody's wish even where it says what the default does; the order is none.
    assert!(refused("", &["ftl.gc.d=2"]).contains("d_choices has"));
    assert!(refused("", &["ftl.gc.d=3", "ftl.gc.policy=fifo"]).contains("\"fifo\""));
    let text =
        "[ftl.gc]\npolicy = \"d_choices\"\n[array.drive.1.ftl.gc]\npolicy = \"fifo\"\nd = 4\n";
    let error = refused(text, &[]);
    assert!(error.contains("`array.drive.1.ftl.gc.d`: ftl.gc.policy = \"fifo\""), "{error}");
}

#[test]
fn parameters_of_replaced_policies_are_left_out() {
    // What a lower layer says of its own policy goes with that policy.
    let text = "[ftl.gc]\npolicy = \"d_choices\"\nd = 5\n[erase]\nscheme = \"reo\"\n[erase.reo]\nlazy = true\n";
    let given = ["ftl.gc.policy=fifo".to_owned(), "erase.scheme=ispe".to_owned()];
    let config = load(text, "ssd.toml", &given).expect("a configuration");
    assert_eq!((config.ftl.gc.policy, config.ftl.gc.d), (VictimChoice::Fifo, 2));
    assert_eq!(config.erase.schemes["reo"]["lazy"].as_bool(), Some(false));
    // So does what an override says, where a later one chooses another policy.
    let given = ["ftl.gc.policy=d_choices", "ftl.gc.d=5", "ftl.gc.policy=fifo"].map(str::to_owned);
    let config = load("", "ssd.toml", &given).expect("a configuration");
    assert_eq!((config.ftl.gc.policy, config.ftl.gc.d), (VictimChoice::Fifo, 2));
    let own = load(text, "ssd.toml", &[]).expect("a configuration");
    assert_eq!(own.ftl.gc.d, 5);
    // What all drives share may be for one of them.
    let array = "ftl.gc.d = 5\n[array.drive.1.ftl.gc]\npolicy = \"d_choices\"\n";
    assert_eq!(load(array, "ssd.toml", &[]).expect("a configuration").ftl.gc.d, 5);
    let preset = load("preset = \"mqsim-default\"", "a", &["ftl.gc.policy=greedy".to_owned()]);
    assert_eq!(preset.expect("a configuration").ftl.gc.d, 2);
}
