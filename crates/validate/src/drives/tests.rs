use super::cases;
use super::fit::Log;
use super::published::ROWS;
use super::scaled::{Layout, Scaled, amplification};
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use wordline_items::Status;
use wordline_sim::config::{Frontiers, Pattern};

#[test]
fn every_row_is_checked_once() {
    let checks: Vec<String> =
        cases(false).into_iter().flat_map(|case| case.checks).map(|check| check.id).collect();
    let ids: HashSet<&str> = checks.iter().map(String::as_str).collect();
    let rows: HashSet<&str> = ROWS.iter().map(|row| row.id.as_str()).collect();
    assert_eq!((ids.len(), &ids), (checks.len(), &rows));
}

const UNIFORM: &str = "drives/7450-max/uniform/gib=372.6";

fn uniform(log: Log, space_gib: f64, layout: Layout) -> Scaled {
    Scaled { space_gib, ..Scaled::new(log, 745.212, layout).coarser() }
}

/// A canary: a log that has a fifth less room must not pass.
#[test]
fn a_prediction_holds_and_that_of_a_smaller_log_does_not() {
    let status = |room_gib| {
        let drive = uniform(Log { room_gib, factor: 1.0354 }, 372.606, Layout::greedy(2.0));
        let case = drive.case(UNIFORM, "uniform", Pattern::Sequential, 5.0);
        case.run(&AtomicBool::new(false)).unwrap().remove(0).status
    };
    assert_eq!((status(1079.5), status(864.0)), (Status::Reproduced, Status::Deviates));
}

#[test]
fn the_room_is_what_the_drive_can_really_use() {
    let greedy = Layout::greedy(2.0);
    for layout in [greedy, Layout { frontiers: Frontiers::Shared, ..greedy }] {
        let log = Log { room_gib: 1079.5, factor: 1.0 };
        let setup = uniform(log, 745.212, layout).fill("fill", Vec::new()).setup.unwrap();
        let span_bytes = wordline_sim::logical_bytes(&setup.config).unwrap();
        let source = (setup.workload)(span_bytes).unwrap();
        let outcome = wordline_sim::simulate(&setup.config, source, &mut ()).unwrap();
        let alpha = outcome.result.capacity.alpha;
        assert!((alpha - 1079.5 / 745.212).abs() < 1e-4, "{alpha}");
        assert_eq!(amplification(2.0)(&outcome), 2.0);
    }
}
