//! Experiments: what publications measured, beside what the model gives, with what was fitted.
//!
//! A publication's figures stand in `experiments/<paper>/expected.csv`, with their sources; an
//! experiment gives a value for each id. What each served for is marked there
//! ([`wordline_items::Served`]): what a parameter was fitted to counts as calibrated, what one was chosen
//! by as selected, what follows from either as implied; only the rest counts as reproduced. A fit is
//! handed the rows that are marked for fits and no others, and counts what it reads.

mod centaur;
mod erase_cells;
mod expected;
mod lazyrs;
mod llh;
mod planar;
mod reo;
mod ressd;
mod ressd_pages;
mod search;

use serde::Serialize;
use std::collections::BTreeMap;
use wordline_cell::Error;
pub use wordline_items::{Item, Status};

/// An experiment's name, and what it shows.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// Its name in commands.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub summary: &'static str,
    expected: &'static str,
    run: fn() -> Result<Findings, Error>,
    /// What was fitted, recomputed.
    pub fits: fn() -> Result<Vec<Fit>, Error>,
}

macro_rules! experiment {
    ($name:literal, $folder:literal, $module:ident, $summary:literal) => {
        Experiment {
            name: $name,
            summary: $summary,
            expected: include_str!(concat!("../../../experiments/", $folder, "/expected.csv")),
            run: $module::run,
            fits: $module::fits,
        }
    };
}

/// All experiments.
pub const ALL: &[Experiment] = &[
    experiment!(
        "planar-tlc",
        "planar-tlc",
        planar,
        "threshold voltages of planar TLC against retention, and the errors that follow"
    ),
    experiment!(
        "ressd",
        "ressd",
        ressd,
        "reprograms of 3D TLC: every sequence, and page errors by layers, wear and age"
    ),
    experiment!(
        "lazyrs",
        "lazyrs",
        lazyrs,
        "programs in two stages: latency against retention, and what an idle interval between them gains"
    ),
    experiment!(
        "llh",
        "llh_ftl",
        llh,
        "MLC pages programmed twice: states that are reached, errors, lives, and energy"
    ),
    experiment!(
        "reo",
        "reo",
        reo,
        "erases by pulses: loops, fail bits, latencies by scheme, damage, errors and lifetimes"
    ),
    experiment!(
        "erase-cells",
        "erase_cells",
        erase_cells,
        "the cells under erase pulses: fail bits against time, and gate voltages of word lines"
    ),
    experiment!(
        "centaur",
        "centaur",
        centaur,
        "a drive's 2D SLC and 3D TLC chips: latencies, errors by wear and age, lives"
    ),
];

/// What an experiment found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Our value for each id.
    pub ours: BTreeMap<String, f64>,
    /// Notes on ids that begin with the first part.
    pub notes: Vec<(String, String)>,
    /// Curves.
    pub plots: Vec<Plot>,
}

impl Findings {
    /// Sets our value for an id.
    pub fn set(&mut self, id: impl Into<String>, value: f64) {
        self.ours.insert(id.into(), value);
    }

    /// Explains all ids that begin with `ids`.
    pub fn note(&mut self, ids: impl Into<String>, why: impl Into<String>) {
        self.notes.push((ids.into(), why.into()));
    }
}

/// Curves that share their axes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// Horizontal axis with its unit.
    pub x: String,
    /// Vertical axis with its unit.
    pub y: String,
    /// True when the vertical axis is logarithmic.
    pub log_y: bool,
    /// The curves.
    pub series: Vec<Series>,
}

/// A curve.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Curve"))]
pub struct Series {
    /// What it stands for.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// What was fitted: parameters of a chip, to published numbers.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fit {
    /// The chip whose parameters they are.
    pub chip: String,
    /// Path and fitted value of each parameter, as its file should hold it.
    pub parameters: Vec<(String, f64)>,
    /// How many of them are free: a list that moves as one counts once.
    pub free: usize,
    /// The numbers that it was fitted to: ids of `expected.csv`, or what else and where from.
    pub to: String,
    /// How many independent ones those are: what the fit has read.
    pub numbers: usize,
    /// Whether they are no more than the free parameters: that they agree then says nothing.
    pub saturated: bool,
    /// How.
    pub method: String,
}

impl Fit {
    /// A fit of a chip's parameters, to so many numbers.
    fn new(chip: &str, parameters: Vec<(String, f64)>, free: usize, numbers: usize) -> Self {
        let (to, method) = (String::new(), String::new());
        Self {
            chip: chip.into(),
            parameters,
            free,
            to,
            numbers,
            saturated: free >= numbers,
            method,
        }
    }

    /// Says what the numbers are, and how they were fitted to.
    fn told(self, to: impl Into<String>, method: impl Into<String>) -> Self {
        Self { to: to.into(), method: method.into(), ..self }
    }
}

/// An experiment's outcome.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExperimentReport"))]
pub struct Report {
    /// The experiment.
    pub name: &'static str,
    /// What it shows.
    pub summary: &'static str,
    /// The comparison, in the order of `expected.csv`.
    pub items: Vec<Item>,
    /// What was fitted.
    pub fits: Vec<Fit>,
    /// Curves.
    pub plots: Vec<Plot>,
}

/// Runs the experiment of this name.
///
/// # Errors
/// An unknown name.
pub fn run(name: &str) -> Result<Report, Error> {
    let found = ALL.iter().find(|experiment| experiment.name == name).ok_or_else(|| {
        let names: Vec<_> = ALL.iter().map(|experiment| experiment.name).collect();
        let what = format!("unknown experiment `{}`", name.escape_debug());
        Error::new(what, format!("valid: {}", names.join(", ")))
    })?;
    let findings = (found.run)()?;
    let items = expected::judge(found.expected, &findings)?;
    let fits = (found.fits)()?;
    Ok(Report { name: found.name, summary: found.summary, items, fits, plots: findings.plots })
}

#[cfg(test)]
mod tests;
