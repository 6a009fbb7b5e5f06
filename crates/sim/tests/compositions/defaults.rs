//! Superblocks that nobody asked for: a drive that works without them works with those that it has by default.

use crate::common::{Dice, Script};
use crate::runs::{Worked, worked};
use crate::tries::{self, Outcome};
use crate::{draw, figures, requests};
use wordline_sim::config::{Config, GcMode, load};
use wordline_sim::{Error, simulate};

const TRIES: u64 = 150;

/// The configuration whose superblocks, and foreground GC, are left to the defaults.
fn unsaid(config: &Config) -> Config {
    let mut table: toml::Table = config.to_toml().parse().expect("it is TOML");
    let ftl = table["ftl"].as_table_mut().expect("a table");
    ftl.remove("superblock_dies");
    if config.ftl.gc.mode == GcMode::Foreground {
        ftl["gc"].as_table_mut().expect("a table").remove("mode");
    }
    load(&table.to_string(), "without superblocks", &[]).expect("it was read before")
}

fn attempt(number: u64) -> Outcome {
    let mut dice = Dice::new(number ^ 0xdefa);
    let mut keys = draw::keys(&mut dice);
    keys.retain(|key| !key.starts_with("ftl.superblock"));
    keys.push("ftl.superblock_dies=0".into());
    let of_requests = Dice::new(number ^ 0x5eed);
    let run = |config: &Config| {
        let requests = requests::draw(&mut of_requests.clone(), config, 1500);
        simulate(config, Script::source(requests), &mut ())
    };
    let Some(Worked { config, .. }) = worked(&mut dice, (keys, 1), run) else {
        return Outcome::Refused;
    };
    if config.ftl.superblock_dies > 0 {
        // It does not work without.
        return Outcome::Refused;
    }
    let config = unsaid(&config);
    match run(&config) {
        Ok(outcome) => {
            let impossible = figures::impossible(&outcome.result);
            assert!(impossible.is_empty(), "{impossible:#?}");
        }
        // Other blocks are collected at other times, and with them the data of which lazyFTL promises something.
        Err(Error::Promise(what)) if what.contains("margin_s") => {}
        Err(error) => panic!("with superblocks of {} dies: {error}", config.ftl.superblock_dies),
    }
    Outcome::Passed(u64::from(config.ftl.superblock_dies > 0))
}

#[test]
fn a_drive_that_works_without_superblocks_works_by_default() {
    let passed = tries::all(TRIES, attempt);
    passed.needs(TRIES / 3, TRIES / 20);
}
