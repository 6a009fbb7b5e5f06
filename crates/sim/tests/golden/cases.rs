//! The runs: a base drive, what differs, and a workload.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use wordline_sim::config::{Config, load};
use wordline_sim::{Outcome, logical_bytes, simulate};
use wordline_trace::shape::{Layout, Shape};
use wordline_trace::{GeneratorContext, from_spec};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    base: BTreeMap<String, String>,
    case: Vec<Case>,
}

/// A run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    /// The base drive; its text is in `drive` once the list was read.
    base: String,
    #[serde(skip)]
    drive: String,
    /// Keys in which it differs from the base, as `--set` takes them.
    #[serde(default)]
    pub set: Vec<String>,
    /// A generator.
    pub workload: String,
}

impl Case {
    /// What `--set` and the base make of it.
    pub fn config(&self) -> Config {
        load(&self.drive, &self.base, &self.set)
            .unwrap_or_else(|error| panic!("case {}: {error}", self.name))
    }

    /// The base drive's name.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Carries it out.
    ///
    /// # Errors
    /// A drive that cannot work, a workload that does not fit it.
    pub fn run(&self) -> Result<Outcome, wordline_sim::Error> {
        self.run_with(&self.config())
    }

    /// Carries its workload out on another drive.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_with(&self, config: &Config) -> Result<Outcome, wordline_sim::Error> {
        let context = GeneratorContext::on_drive(logical_bytes(config)?, config.run.seed);
        let placement = config.workload.shape().placement;
        let shape = Shape { placement, layout: Layout::Together, ..Shape::default() };
        simulate(config, shape.apply(vec![from_spec(&self.workload, &context)?])?, &mut ())
    }
}

/// The runs of `cases.toml`.
pub fn all() -> Vec<Case> {
    let list: List = toml::from_str(include_str!("cases.toml")).expect("cases.toml is TOML");
    let mut names = BTreeSet::new();
    let with_drive = |case: Case| {
        assert!(names.insert(case.name.clone()), "two cases have the name {}", case.name);
        let drive = list.base.get(&case.base).unwrap_or_else(|| {
            panic!("case {}: there is no base {}", case.name, case.base);
        });
        Case { drive: drive.clone(), ..case }
    };
    list.case.into_iter().map(with_drive).collect()
}
