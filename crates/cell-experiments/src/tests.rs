//! Every experiment runs, and what its chips hold is what its fits give.

use super::*;
use toml::Value;
use wordline_cell::chip::{NAMES, info};

/// Within this share, or as much in units, files hold what the fits give: they are rounded.
const ROUNDING: f64 = 0.006;

/// Chips that have as many parameters as numbers: that these agree says nothing.
const SATURATED: [&str; 3] = ["llh-a27", "llh-b16", "llh-b29"];

#[test]
fn chips_hold_what_was_fitted() {
    for experiment in ALL {
        let fits = (experiment.fits)().unwrap();
        let sum = |of: fn(&Fit) -> usize| -> usize { fits.iter().map(of).sum() };
        let is_fitted = !fits.is_empty();
        assert!(!is_fitted || sum(|fit| fit.free) < sum(|fit| fit.numbers), "{}", experiment.name);
        for fit in fits {
            assert!(NAMES.contains(&fit.chip.as_str()));
            assert!(fit.free <= fit.numbers, "{}: {}", experiment.name, fit.method);
            assert_eq!(fit.saturated, SATURATED.contains(&fit.chip.as_str()), "{}", fit.chip);
            for (path, fitted) in &fit.parameters {
                let held = held(&fit.chip, path);
                let within = ROUNDING * (1.0 + fitted.abs());
                assert!(
                    (held - fitted).abs() <= within,
                    "{} {path}: {held}, fitted {fitted}",
                    fit.chip
                );
            }
        }
    }
}

/// The value of a chip's file at a dotted path, whose last part may be a place in a list.
fn held(chip: &str, path: &str) -> f64 {
    let number = |value: &Value| match value {
        Value::Integer(n) => *n as f64,
        value => value.as_float().unwrap_or(f64::NAN),
    };
    let values = info(chip).unwrap();
    if let Some(found) = values.iter().find(|value| value.key == path) {
        return number(&found.value);
    }
    let (list, place) = path.rsplit_once('.').unwrap();
    let found = values.iter().find(|value| value.key == list).unwrap_or_else(|| panic!("{path}"));
    number(&found.value.as_array().unwrap()[place.parse::<usize>().unwrap()])
}

#[test]
fn every_experiment_gives_every_value() {
    let check = |experiment: &Experiment| {
        let report =
            run(experiment.name).unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
        assert!(!report.items.is_empty() && !report.plots.is_empty());
        let odd = |item: &&Item| item.status == Status::Deviates && item.note.is_empty();
        let unexplained: Vec<&Item> = report.items.iter().filter(odd).collect();
        assert!(unexplained.is_empty(), "{}: {unexplained:#?}", experiment.name);
    };
    std::thread::scope(|scope| {
        ALL.iter().for_each(|experiment| drop(scope.spawn(|| check(experiment))));
    });
    assert!(run("resd").unwrap_err().help.contains("planar-tlc"));
}
