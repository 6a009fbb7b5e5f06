//! The model of a volume: what a twin is generated from, as TOML.

use super::sizes::Sizes;
use crate::Error;
use serde::{Deserialize, Serialize};

/// The version of the format that this code reads and writes.
pub(super) const VERSION: u32 = 1;

/// Pages in which there are runs, at most: in larger ones small places lie side by side.
const RUN_PAGE_BYTES: u32 = 4096;

/// A statistical model of a volume's requests. Shares lie between 0 and 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The version of this format: 1.
    pub twin: u32,
    /// What it is a twin of.
    pub name: String,
    /// Where its numbers come from.
    pub source: String,
    /// Requests in all.
    pub requests: u64,
    /// Mean time between arrivals, in microseconds.
    pub interval_us: f64,
    /// The unit in which data is new or rewritten, in bytes.
    pub page_bytes: u32,
    /// Share of the requests that write.
    pub write_share: f64,
    /// When requests arrive.
    pub arrivals: Arrivals,
    /// What is written; absent where nothing is.
    pub write: Option<Writes>,
    /// What is read; absent where nothing is.
    pub read: Option<Reads>,
}

/// Times between arrivals, as a Markov chain over a few states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// How gaps are spread within a state.
    pub law: GapLaw,
    /// The mean gap of each state in microseconds; scaled together so that the mean over all
    /// is `interval_us`.
    pub gaps_us: Vec<f64>,
    /// The operation that each state asks for; empty where operations are drawn by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<Operation>,
    /// One row a state: the weights with which each state follows it.
    pub next: Vec<Vec<f64>>,
}

/// How gaps are spread about the mean of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapLaw {
    /// Exponentially.
    Exponential,
    /// Evenly from half to one and a half times the mean.
    Uniform,
}

/// An operation of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// A read.
    Read,
    /// A write.
    Write,
}

/// Written data: classes of places, each new once and rewritten after intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Writes {
    /// What intervals are measured in.
    pub clock: Clock,
    /// Edges between the bins of intervals, rising; seconds, or pages written.
    pub edges: Vec<f64>,
    /// Share of the writes that begin where one of `streams` open runs ended.
    #[serde(default, skip_serializing_if = "is_none")]
    pub runs: f64,
    /// Runs that are open side by side.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub streams: u32,
    /// The classes.
    pub classes: Vec<Class>,
}

/// The measure of an update's interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// Seconds since the last write.
    Seconds,
    /// Pages that the volume has written since.
    Pages,
}

/// Places that are rewritten alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Pages that are new, as a share of all pages written.
    pub new: f64,
    /// Pages that are rewritten, by bin of the interval, as shares of all pages written.
    pub updates: Vec<f64>,
    /// Share of the updates that go to what was last written right after the place of the one
    /// before: rewriting in the order of writing.
    pub follow: f64,
    /// Share of the new places that lie right behind the new one before, where there is room.
    pub sequential: f64,
    /// Within a bin, 1 takes any place alike; larger values prefer the one that was written last.
    pub youth: f64,
    /// How many times sooner new places come than if they were spread over the whole run.
    #[serde(default = "evenly")]
    pub eager: f64,
    /// A place is rewritten so many times at most; 0 sets no limit.
    #[serde(default)]
    pub limit: u8,
    /// A place is written in requests of this many bytes, one after the other; 0 writes it whole.
    #[serde(default)]
    pub piece_bytes: u32,
    /// The places' sizes.
    pub sizes: Sizes,
}

fn evenly() -> f64 {
    1.0
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_one(streams: &u32) -> bool {
    *streams == 1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_none(share: &f64) -> bool {
    *share == 0.0
}

/// Data that is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reads {
    /// Share of the pages read that had not been read before.
    pub new: f64,
    /// Share of the places read that are also written.
    pub overlap: f64,
    /// Share of the requests that begin where the last one ended.
    pub sequential: f64,
    /// Share of repeated reads that go to the fifth of the places that is read most.
    pub skew: f64,
    /// The requests' sizes.
    pub sizes: Sizes,
}

impl Model {
    /// Reads a model; `place` names the file.
    ///
    /// # Errors
    /// What is not a model, or one that no workload can follow.
    pub fn from_toml(text: &str, place: &str) -> Result<Self, Error> {
        let model: Self = toml::from_str(text).map_err(|error| {
            Error::of_toml(&error, text, place, "`wordline trace fit` writes such a file")
        })?;
        model.check().map_err(|what| Error::new(what, place, "correct it, or fit it anew"))?;
        Ok(model)
    }

    /// The model as TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a model has nothing that TOML cannot say")
    }

    /// Mean pages of a place of `class`.
    pub(super) fn mean_pages(&self, sizes: &Sizes) -> f64 {
        sizes.mean_of(|bytes| f64::from(bytes.div_ceil(self.page_bytes)))
    }

    /// Whether runs can be told from other writes.
    pub(super) fn check_runs(&self) -> Result<(), String> {
        let runs = self.write.as_ref().map_or(0.0, |write| write.runs);
        if runs > 0.0 && self.page_bytes > RUN_PAGE_BYTES {
            return Err(format!(
                "its places share pages of {} KiB, and runs need pages of 4 KiB",
                self.page_bytes / 1024
            ));
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        if self.twin != VERSION {
            return Err(format!("twin = {}: this program reads version {VERSION}", self.twin));
        }
        if self.requests == 0 || self.requests > 1 << 53 {
            return Err(format!("requests = {}: expected 1 to 2^53", self.requests));
        }
        if !(0.0..=1e12).contains(&self.interval_us) {
            return Err(format!("interval_us = {}: expected 0 to 1e12", self.interval_us));
        }
        if !self.page_bytes.is_power_of_two() || !(512..=1 << 20).contains(&self.page_bytes) {
            return Err(format!("page_bytes = {}: expected a power of two", self.page_bytes));
        }
        share("write_share", self.write_share)?;
        self.check_runs()?;
        self.arrivals.check()?;
        if self.write_share > 0.0 && self.write.is_none() {
            return Err("write_share is above 0, but there is no table [write]".into());
        }
        if self.write_share < 1.0 && self.read.is_none() {
            return Err("write_share is below 1, but there is no table [read]".into());
        }
        self.write.as_ref().map_or(Ok(()), Writes::check)?;
        self.read.as_ref().map_or(Ok(()), Reads::check)
    }
}

impl Arrivals {
    fn check(&self) -> Result<(), String> {
        let n = self.gaps_us.len();
        if n == 0 || n > 64 || self.next.len() != n || self.next.iter().any(|row| row.len() != n) {
            return Err(format!("arrivals: {n} gaps need as many rows of as many weights in next"));
        }
        if !self.operations.is_empty() && self.operations.len() != n {
            return Err(format!("arrivals: {n} gaps need as many operations, or none"));
        }
        if !self.gaps_us.iter().chain(self.next.iter().flatten()).all(|&x| sound(x)) {
            return Err("arrivals: gaps and weights must be numbers from 0 to 1e15".into());
        }
        if self.next.iter().any(|row| row.iter().sum::<f64>() <= 0.0) {
            return Err("arrivals: a row of next has no weight".into());
        }
        Ok(())
    }
}

impl Writes {
    fn check(&self) -> Result<(), String> {
        share("write.runs", self.runs)?;
        if !(1..=256).contains(&self.streams) {
            return Err(format!("write.streams = {}: expected 1 to 256", self.streams));
        }
        let rising = self.edges.windows(2).all(|pair| pair[0] < pair[1]);
        if !rising || !self.edges.iter().all(|&edge| sound(edge)) || self.edges.len() > 64 {
            return Err("write.edges must rise from 0, 64 at most".into());
        }
        if self.classes.is_empty() || self.classes.len() > 32 {
            return Err("write.classes: expected 1 to 32".into());
        }
        for class in &self.classes {
            class.check(self.edges.len() + 1)?;
        }
        let total: f64 = self.classes.iter().map(Class::total).sum();
        if (total - 1.0).abs() > 0.01 {
            return Err(format!("write.classes: new and updates add up to {total}, not to 1"));
        }
        Ok(())
    }
}

impl Class {
    /// Its share of all pages written.
    pub(super) fn total(&self) -> f64 {
        self.new + self.updates.iter().sum::<f64>()
    }

    fn check(&self, bins: usize) -> Result<(), String> {
        share("write.classes.new", self.new)?;
        share("write.classes.follow", self.follow)?;
        share("write.classes.sequential", self.sequential)?;
        for &update in &self.updates {
            share("write.classes.updates", update)?;
        }
        if self.updates.len() != bins {
            return Err(format!("write.classes.updates: expected {bins}, one more than edges"));
        }
        if self.new == 0.0 && self.updates.iter().any(|&update| update > 0.0) {
            return Err("write.classes: a class without new pages has none to rewrite".into());
        }
        if !(1.0..=1000.0).contains(&self.youth) {
            return Err(format!("write.classes.youth = {}: expected 1 to 1000", self.youth));
        }
        if !(1.0..=1e6).contains(&self.eager) {
            return Err(format!("write.classes.eager = {}: expected 1 to 1e6", self.eager));
        }
        self.sizes.check("write.classes.sizes")
    }
}

impl Reads {
    fn check(&self) -> Result<(), String> {
        share("read.new", self.new)?;
        share("read.overlap", self.overlap)?;
        share("read.sequential", self.sequential)?;
        share("read.skew", self.skew)?;
        self.sizes.check("read.sizes")
    }
}

fn share(key: &str, value: f64) -> Result<(), String> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(format!("{key} = {value}: expected a share from 0 to 1"))
}

fn sound(value: f64) -> bool {
    (0.0..=1e15).contains(&value)
}
