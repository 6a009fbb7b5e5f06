//! A naive reference FTL and the engine must count the same, whatever the configuration.

mod cases;
mod counts;
mod draws;
mod drive;
mod map;
mod model;
mod shape;
mod temperature;

use cases::Case;
use counts::Counts;
use drive::Reference;
use wordline_sim::Error;
use wordline_sim::config::VictimChoice;

/// Configurations that are compared; each has a workload of its own.
const CASES: u64 = 1200;

/// Counts of the engine and of the reference; `None` for a drive that is refused.
fn both(case: &Case) -> Option<(Counts, Counts)> {
    let result = match crate::common::outcome(&case.config, case.requests.clone()) {
        Ok(outcome) => outcome.result,
        Err(Error::Infeasible { .. }) => return None,
        Err(error) => panic!("{error}\n{}", case.replay()),
    };
    Some((Counts::of_result(&result), reference(case)))
}

/// Counts of the reference.
fn reference(case: &Case) -> Counts {
    let mut drive = Reference::new(&case.config);
    case.requests.iter().for_each(|request| drive.serve(request));
    drive.counts()
}

#[test]
fn agrees_with_the_reference() {
    let only = std::env::var("REFERENCE_SEED").ok().and_then(|seed| seed.parse().ok());
    let (mut compared, mut seed) = (0, only.unwrap_or(0));
    let (mut reclaimed, mut levelled, mut drawn, mut paged, mut paged_mixed) = (0, 0, 0, 0, 0);
    while compared < if only.is_some() { 1 } else { CASES } {
        let case = Case::random(seed);
        if let Some((engine, reference)) = both(&case) {
            assert!(
                engine == reference,
                "engine    {engine:?}\nreference {reference:?}\n{}",
                case.replay()
            );
            compared += 1;
            reclaimed += u64::from(engine.gc_count > 0);
            levelled += u64::from(engine.programs_wear > 0);
            drawn += u64::from(engine.gc_count > 0 && case.draws_victims());
            let is_paged = engine.gc_count > 0 && engine.programs_mapping > 0;
            paged += u64::from(is_paged);
            paged_mixed += u64::from(is_paged && !case.config.drive.group.is_empty());
        }
        assert!(seed < 10 * CASES, "most drives were refused; only {compared} were compared");
        seed += 1;
    }
    let covered = [
        (reclaimed, CASES / 2),
        (levelled, CASES / 20),
        (drawn, CASES / 6),
        (paged, CASES / 8),
        (paged_mixed, CASES / 40),
    ];
    assert!(
        only.is_some() || covered.iter().all(|(cases, least)| cases > least),
        "GC ran in {reclaimed} cases, drew victims in {drawn}, met a paged map in {paged} ({paged_mixed} with two kinds of flash); wear was levelled in {levelled}"
    );
}

/// A reference for another policy must be found out, or the comparison proves nothing.
#[test]
fn a_wrong_reference_is_found_out() {
    let mut found = 0;
    for seed in 0..60 {
        let mut case = Case::random(seed);
        case.config.ftl.gc.policy = VictimChoice::Greedy;
        let Some((engine, _)) = both(&case) else { continue };
        case.config.ftl.gc.policy = VictimChoice::Fifo;
        found += u32::from(reference(&case) != engine);
    }
    assert!(found > 10, "only {found} wrong references were found out");
}
