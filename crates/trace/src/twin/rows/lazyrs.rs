//! Filebench's varmail, oltp and webproxy as LazyRS describes them: mix, intensity, lifetimes.

use super::common::{Assumed, Skew, hot_and_cold, parse};
use super::{Origin, TwinDecl};
use crate::twin::model::{Class, Clock, Model, VERSION, Writes};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: String,
    lifetime_edges_days: Vec<f64>,
    hot_share: f64,
    hot_updates: f64,
    page_kib: u32,
    rows: BTreeMap<String, Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    summary: String,
    #[serde(rename = "chosen")]
    _chosen: String,
    requests: u64,
    days: f64,
    read_parts: f64,
    write_parts: f64,
    write_kib: f64,
    read_kib: f64,
    /// Share of the writes whose data lives up to each edge, and the share rewritten after the
    /// last one; the rest is new.
    lifetimes: Vec<f64>,
    /// How many times sooner new data comes than if it were spread over the whole run.
    #[serde(default = "evenly")]
    eager: f64,
    assumed: Assumed,
}

fn evenly() -> f64 {
    1.0
}

pub(super) fn applications() -> Vec<TwinDecl> {
    let file: File = parse(include_str!("../../../../../presets/workloads/lazyrs.toml"));
    file.rows.iter().map(|(name, row)| file.application(name, row)).collect()
}

impl File {
    fn application(&self, name: &str, row: &Row) -> TwinDecl {
        TwinDecl {
            name: name.to_owned(),
            summary: row.summary.clone(),
            source: self.source.clone(),
            published: vec![("read_parts", row.read_parts), ("write_parts", row.write_parts)],
            calibrated: Vec::new(),
            contradiction: None,
            origin: Origin::Model(Box::new(self.model(name, row))),
        }
    }

    fn model(&self, name: &str, row: &Row) -> Model {
        let assumed = &row.assumed;
        let update: f64 = row.lifetimes.iter().sum();
        let zones: Vec<f64> = row.lifetimes.iter().map(|share| share / update).collect();
        let skew = Skew { hot_share: self.hot_share, hot_updates: self.hot_updates, tilt: 0.5 };
        let class = assumed.class(assumed.sizes(row.write_kib * 1024.0));
        let class = Class { eager: row.eager, ..class };
        Model {
            twin: VERSION,
            name: name.to_owned(),
            source: self.source.clone(),
            requests: row.requests,
            interval_us: row.days * 86_400e6 / row.requests as f64,
            page_bytes: self.page_kib * 1024,
            write_share: row.write_parts / (row.read_parts + row.write_parts),
            arrivals: assumed.arrivals(),
            write: Some(Writes {
                clock: Clock::Seconds,
                edges: self.lifetime_edges_days.iter().map(|days| days * 86_400.0).collect(),
                runs: assumed.write_runs,
                streams: assumed.streams,
                classes: hot_and_cold(&class, 1.0, update, &zones, skew).to_vec(),
            }),
            read: Some(assumed.reads(assumed.read_new, assumed.sizes(row.read_kib * 1024.0))),
        }
    }
}
