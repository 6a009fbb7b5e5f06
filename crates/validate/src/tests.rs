use super::*;
use crate::case::{Check, Setup};
use std::collections::HashSet;
use wordline_items::Served;
use wordline_sim::config::Config;

#[test]
fn ids_are_unique_and_quick_suites_are_parts() {
    let ids = |quick| -> Vec<String> {
        let cases = Suite::ALL.iter().flat_map(|suite| suite.cases(quick));
        cases.flat_map(|case| case.checks.into_iter().map(|check| check.id)).collect()
    };
    let all = ids(false);
    let unique: HashSet<&String> = all.iter().collect();
    assert_eq!(unique.len(), all.len());
    assert!(ids(true).iter().all(|id| unique.contains(id)));
    for id in ["greedy/op=0.28/b=64", "hot_cold/mixed", "hot_cold/separated"] {
        assert!(unique.contains(&format!("theory/wa/{id}")), "{id}");
    }
    assert!(ids(true).contains(&"theory/wa/hot_cold/mixed".to_owned()));
    // An oracle of what is hot: the fifth that the workload writes most of the time.
    let cases = Suite::Theory.cases(false);
    let separated = cases.iter().find(|case| case.id.ends_with("/separated")).unwrap();
    let hotness = &separated.setup.as_ref().unwrap().config.ftl.hotness;
    assert_eq!(hotness.hot_share, 0.2);
    assert!(separated.checks[0].id.ends_with("/separated"));
}

#[test]
fn a_run_that_cannot_be_made_is_an_item_that_says_so() {
    let mut config = Config::default();
    config.drive.over_provisioning = 0.0; // no room for garbage collection
    let check = |id: &str| Check {
        id: id.to_owned(),
        source: String::new(),
        unit: "",
        tolerance: 0.01,
        served: Served::Nothing,
        reference: Box::new(|_| 1.0),
        ours: Box::new(|_| 1.0),
        note: String::new(),
    };
    let case = |id: &str, setup| Case {
        id: id.to_owned(),
        workload: String::new(),
        setup,
        others: Vec::new(),
        checks: vec![check(id)],
    };
    let stop = AtomicBool::new(false);
    let absent = case("absent", Err((Status::Skipped, "no trace".into()))).run(&stop).unwrap();
    assert_eq!((absent[0].status, absent[0].note.as_str()), (Status::Skipped, "no trace"));
    let workload = generated("uniform:writes=10".to_owned());
    let failed = case("failed", Ok(Setup { config, workload })).run(&stop).unwrap();
    assert_eq!((failed[0].status, failed[0].ours), (Status::Deviates, None));
    assert!(!failed[0].note.is_empty());
}

#[test]
fn a_suite_can_be_stopped() {
    let result = run(Suite::Theory, true, &mut |_| ControlFlow::Break(()));
    assert!(matches!(result, Err(Error::Stopped)));
}

/// A canary: the same run against a wrong reference must not pass.
#[test]
fn published_runs_are_reproduced_and_wrong_figures_are_not() {
    let mut cases = Suite::Disksim.cases(true);
    let case = cases.iter_mut().find(|case| case.id == "disksim/random-write-250k").unwrap();
    let stop = AtomicBool::new(false);
    let items = case.run(&stop).unwrap();
    assert!(items.iter().all(|item| item.status == Status::Reproduced), "{items:#?}");
    case.checks[0].reference = Box::new(|_| 0.35);
    let wrong = &case.run(&stop).unwrap()[0];
    assert_eq!(wrong.status, Status::Deviates);
    assert_eq!((wrong.reference, wrong.ours), (Some(0.35), items[0].ours));
}

#[test]
fn the_same_run_gives_the_same_figures() {
    let run = || run(Suite::Timing, true, &mut |_| ControlFlow::Continue(())).unwrap();
    let items = run();
    assert_eq!(items, run());
    let off: Vec<_> = items.iter().filter(|item| item.status != Status::Reproduced).collect();
    assert!(off.is_empty(), "{off:#?}");
    // Writes that end in the controller's buffer are no faster than the flash, in either order.
    assert_eq!(items.iter().filter(|item| item.id.contains("/buffered/")).count(), 12);
}
