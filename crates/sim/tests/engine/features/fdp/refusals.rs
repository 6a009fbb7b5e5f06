//! What placement identifiers do not go with is refused, with the reason and the remedy.

use super::{drive, to};
use crate::common::{outcome, tiny, write};
use wordline_sim::config::{
    ArrayLevel, Config, Frontiers, HotnessChoice, VictimChoice, WearChoice,
};

type Change = fn(&mut Config);

fn refusal(change: Change) -> String {
    let mut config = drive(40, 3);
    change(&mut config);
    let outcome = outcome(&config, vec![to(0, write(0))]);
    outcome.expect_err("it does not go").to_string()
}

#[test]
fn what_does_not_go_with_identifiers_is_refused() {
    let cases: [(Change, &str, &str); 13] = [
        (|it| it.ftl.superblock_dies = 0, "a superblock of all 2 dies", "superblock_dies to 2"),
        (|it| it.ftl.superblock_dies = 1, "one reclaim group", "superblock_dies to 2"),
        (
            |it| it.ftl.hotness.policy = HotnessChoice::Size,
            "the host says which data belongs together",
            "hotness.policy to \"none\"",
        ),
        (
            |it| it.ftl.wear.policy = WearChoice::Bet,
            "moves data of all handles to one unit",
            "wear.policy to \"dynamic\"",
        ),
        (
            |it| {
                it.technique.insert("slc_cache".into(), toml::Table::new().into());
            },
            "technique.slc_cache",
            "leave the technique out",
        ),
        (
            |it| it.array.level = ArrayLevel::Raid0,
            "an array hands no placement identifiers on",
            "array.level to \"none\"",
        ),
        (
            |it| it.host.fdp.isolation = vec!["initial".into(); 2],
            "isolation has 2 entries, and host.fdp.handles is 3",
            "one for all",
        ),
        (
            |it| it.host.fdp.isolation = vec!["partial".into()],
            "isolation names `partial`",
            "\"initial\" or \"persistent\"",
        ),
        (
            |it| it.host.fdp.placement_handles = vec![0, 3],
            "handle 3, and the handles are 0 to 2",
            "raise host.fdp.handles",
        ),
        (|it| it.host.fdp.placement_handles = vec![1, 1], "handle 1 twice", "each once"),
        (
            |it| (it.host.fdp.shares, it.ftl.frontiers) = (vec![1.0; 2], Frontiers::Shared),
            "2 entries for 3 handles",
            "one for each",
        ),
        (|it| it.host.fdp.shares = vec![1.0; 3], "does not stay with its handle", "persistent"),
        (
            |it| {
                (it.host.fdp.shares, it.ftl.frontiers) = (vec![1.0; 3], Frontiers::Shared);
                it.ftl.gc.policy = VictimChoice::Random;
            },
            "does not choose within a handle",
            "\"greedy\" or \"fifo\"",
        ),
    ];
    for (change, what, help) in cases {
        let message = refusal(change);
        assert!(message.contains(what) && message.contains(help), "{message}");
    }
}

#[test]
fn keys_that_nobody_reads_are_refused() {
    let mut config = tiny();
    config.host.fdp.handles = 2;
    let message = outcome(&config, vec![write(0)]).expect_err("nobody reads it").to_string();
    assert!(message.contains("takes no placement identifiers"), "{message}");
    // An identifier alone is no contradiction: the block interface does not look at it.
    assert!(
        outcome(&tiny(), vec![to(3, write(0))]).expect("a block drive").result.host.fdp.is_none()
    );
}
