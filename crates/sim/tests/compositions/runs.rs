//! Runs.

use crate::common::{Dice, Script};
use crate::tries::{self, Outcome};
use crate::{draw, figures, mending, refusals, requests};
use wordline_sim::config::{Config, RunMode};
use wordline_sim::metrics::RunResult;
use wordline_sim::{Error, simulate};

const TRIES: u64 = 300;
/// Refusals after which a drive is given up.
const MENDED: usize = 8;

/// A drive that works, and what it made of some requests.
pub struct Worked<T> {
    pub config: Config,
    pub result: T,
}

/// Does what the refusals of a drive say until it works; `None`: it never does. Each has to name so many keys.
pub fn worked<T>(
    dice: &mut Dice,
    (mut keys, named): (Vec<String>, usize),
    run: impl Fn(&Config) -> Result<T, Error>,
) -> Option<Worked<T>> {
    for _ in 0..MENDED {
        let config = match draw::configuration(&mut keys) {
            Ok(config) => config,
            Err(error) => {
                assert!(!error.what.is_empty());
                return None;
            }
        };
        if std::env::var("COMPOSITIONS_TELL").is_ok() {
            eprintln!("{}\n", keys.join("\n"));
        }
        tries::is_of(keys.join("\n"));
        match run(&config) {
            Ok(result) => return Some(Worked { config, result }),
            Err(Error::Infeasible { what, help }) => {
                if let Some(lacking) = refusals::lacking(&what, &help, named) {
                    panic!("{lacking}");
                }
                let advice = mending::advice(dice, &config, &help);
                if std::env::var("COMPOSITIONS_TELL").is_ok() {
                    eprintln!("REFUSED {what} ({help}) -> {advice:?}");
                }
                if advice.is_empty() {
                    return None;
                }
                keys.extend(advice);
            }
            // Beyond the drive; or data that lazyFTL did not make last in time, for which its margin is there.
            Err(Error::Workload(_)) => return None,
            Err(Error::Promise(what)) if what.contains("margin_s") => return None,
            Err(error) => panic!("{error}"),
        }
    }
    None
}

/// A result without what the machine has to do with it.
pub fn lasting(result: &RunResult) -> serde_json::Value {
    let mut value = serde_json::to_value(result).expect("it is plain");
    value.as_object_mut().expect("it is a table").remove("simulator");
    value
}

/// Every request is served unless some of its units were refused. None is refused before blocks wear out, or where a
/// technique or a drive without capacitor ran out of room, which the result says with what to change.
fn check_served(config: &Config, result: &RunResult) {
    let served = result.host.read.count + result.host.write.count;
    let asked = result.workload.reads + result.workload.writes;
    let refused = result.host.refused_writes;
    let is_served = (asked - refused.min(asked)..=asked).contains(&served);
    assert!(config.run.mode == RunMode::Count || is_served, "{served} of {asked}");
    let may_refuse = result.wear.worn_out_blocks > 0
        || !config.technique.is_empty()
        || !config.power.protection.bears_all();
    let is_told = result.warnings.iter().any(|it| it.contains("read-only"));
    let is_right = refused == 0 || may_refuse && is_told;
    assert!(is_right, "{refused} writes were refused");
}

fn attempt(number: u64) -> Outcome {
    let mut dice = Dice::new(number);
    let keys = draw::keys(&mut dice);
    let of_requests = Dice::new(number ^ 0x5eed);
    let run = |config: &Config| {
        let requests = requests::draw(&mut of_requests.clone(), config, 3000);
        simulate(config, Script::source(requests), &mut ())
    };
    let Some(Worked { config, result }) = worked(&mut dice, (keys, 2), run) else {
        return Outcome::Refused;
    };
    let result = result.result;
    check_served(&config, &result);
    let impossible = figures::impossible(&result);
    assert!(impossible.is_empty(), "{impossible:#?}");
    let again = run(&config).expect("it worked before").result;
    assert!(lasting(&again) == lasting(&result), "it is not the same again");
    // So many drives of superblocks are among them.
    Outcome::Passed(u64::from(config.ftl.superblock_dies > 0))
}

#[test]
fn drives_are_refused_with_what_to_change_or_work() {
    let passed = tries::all(TRIES, attempt);
    passed.needs(TRIES / 3, 5);
}
