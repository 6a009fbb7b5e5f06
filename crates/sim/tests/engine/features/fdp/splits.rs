//! Handles with shares of the reclaim units are logs of their own: what each costs has a closed form.

use super::{drive, to};
use crate::common::{Dice, PAGE, logical_pages, run, write};
use wordline_sim::config::{Frontiers, GcMode, VictimChoice};
use wordline_sim::simulate;
use wordline_sim::theory::{self, Class};
use wordline_trace::{GeneratorContext, from_spec};

/// Pages of a reclaim unit.
const UNIT: f64 = 8.0;

/// Hot and cold data of 8 : 2 in writes and 2 : 8 in space, with these shares of the spare units: the write amplification, and
/// that of two FIFO logs of the sizes that the handles had.
fn amplification(spare: [f64; 2], alpha: f64) -> [f64; 2] {
    let blocks = 960;
    let mut config = drive(blocks, 2);
    config.drive.chip.pages_per_block = UNIT as u64 / 2;
    config.drive.over_provisioning = alpha - 1.0;
    config.ftl.frontiers = Frontiers::Shared;
    config.ftl.gc.policy = VictimChoice::Fifo;
    config.ftl.gc.free_block_threshold = 0.0;
    config.ftl.gc.mode = GcMode::Foreground;
    let pages = logical_pages(&config);
    let hot = pages / 5;
    let data = [hot as f64, (pages - hot) as f64];
    // What is not data is spare, less the unit that is held back.
    let room = (blocks as f64 - 1.0) * UNIT - pages as f64;
    let shares = [0, 1].map(|at| data[at] + spare[at] * room);
    config.host.fdp.shares = shares.to_vec();
    let writes = 24 * pages;
    config.run.measure_from_request = pages + 2 * writes / 3;
    let mut dice = Dice::new(11);
    let random = (0..writes).map(|_| match dice.one_in(5) {
        false => to(0, write(dice.below(hot))),
        true => to(1, write(hot + dice.below(pages - hot))),
    });
    let fill = (0..pages).map(|page| to(u16::from(page >= hot), write(page)));
    let requests = fill.chain(random.collect::<Vec<_>>()).collect();
    let result = run(&config, requests);
    // Half of its last unit is not written yet.
    let log = |at: usize| shares[at] / (shares[0] + shares[1]) * (blocks as f64 - 1.0) - 0.5;
    let logs = [0, 1].map(|at| theory::fifo(log(at) * UNIT / data[at])).into_iter();
    let form = logs.zip([0.8, 0.2]).map(|(log, writes)| log * writes).sum();
    [result.write_amplification.expect("the host wrote"), form]
}

#[test]
fn the_split_of_the_spare_space_decides_what_separation_gains() {
    let alpha = 1.28;
    let classes = [Class { space: 0.2, writes: 0.8 }, Class { space: 0.8, writes: 0.2 }];
    let (_, best) = theory::separate_fifo_optimal(alpha, &classes);
    let [best, in_proportion, by_writes] =
        [[best[0], best[1]], [0.2, 0.8], [0.8, 0.2]].map(|spare| amplification(spare, alpha));
    println!("{best:?} {in_proportion:?} {by_writes:?}");
    for [ours, form] in [best, in_proportion, by_writes] {
        assert!((ours / form - 1.0).abs() < 0.01, "{ours} {form}");
    }
    assert!(best[0] < 0.8 * in_proportion[0], "{best:?} {in_proportion:?}");
}

/// One log under writes that come to each page once before any comes again.
#[test]
fn passes_cost_less_than_draws() {
    let mut config = drive(480, 1);
    config.drive.over_provisioning = 0.2;
    config.ftl.frontiers = Frontiers::Shared;
    config.ftl.gc.policy = VictimChoice::Fifo;
    config.ftl.gc.free_block_threshold = 0.0;
    let pages = logical_pages(&config);
    config.run.measure_from_request = 6 * pages;
    let amplification = |passes: &str| {
        let spec = format!("uniform:size_kib=4,passes={passes},writes={}", 14 * pages);
        let source = from_spec(&spec, &GeneratorContext::on_drive(pages * PAGE, 3));
        let outcome = simulate(&config, source.expect("a generator"), &mut ());
        let result = outcome.expect("the drive works").result;
        (result.capacity.alpha, result.write_amplification.expect("the host wrote"))
    };
    let ((alpha, passes), (_, draws)) = (amplification("on"), amplification("off"));
    let form = theory::fifo_in_passes(alpha);
    assert!((passes / form - 1.0).abs() < 0.01, "{passes} {form}");
    assert!((draws / theory::fifo(alpha) - 1.0).abs() < 0.01, "{draws} {alpha}");
    assert!(passes < 0.96 * draws);
}
