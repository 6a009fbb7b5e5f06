//! REO's volumes: mix, mean size and rate; all else is assumed.

use super::common::{Assumed, Skew, hot_and_cold, parse};
use super::{Origin, TwinDecl};
use crate::twin::model::{Clock, Model, VERSION, Writes};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: String,
    #[serde(rename = "assumed_source")]
    _assumed_source: String,
    requests: u64,
    update_pct: f64,
    hot_share: f64,
    hot_updates: f64,
    page_kib: u32,
    assumed: Assumed,
    rows: BTreeMap<String, Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    read_pct: f64,
    request_kib: f64,
    interval_ms: f64,
}

pub(super) fn twins() -> Vec<TwinDecl> {
    let file: File = parse(include_str!("../../../../../presets/workloads/reo.toml"));
    file.rows.iter().map(|(name, row)| file.twin(name, row)).collect()
}

impl File {
    fn twin(&self, volume: &str, row: &Row) -> TwinDecl {
        let name = format!("reo/{volume}");
        TwinDecl {
            summary: format!(
                "{volume}: mix, mean size and rate as in REO's paper, the rest assumed"
            ),
            source: self.source.clone(),
            published: vec![
                ("read_pct", row.read_pct),
                ("request_kib", row.request_kib),
                ("interval_ms", row.interval_ms),
            ],
            calibrated: Vec::new(),
            contradiction: None,
            origin: Origin::Model(Box::new(self.model(&name, row))),
            name,
        }
    }

    fn model(&self, name: &str, row: &Row) -> Model {
        let sizes = self.assumed.sizes(row.request_kib * 1024.0);
        let skew = Skew { hot_share: self.hot_share, hot_updates: self.hot_updates, tilt: 0.0 };
        let class = self.assumed.class(sizes.clone());
        let update = self.update_pct / 100.0;
        Model {
            twin: VERSION,
            name: name.to_owned(),
            source: self.source.clone(),
            requests: self.requests,
            interval_us: row.interval_ms * 1000.0,
            page_bytes: self.page_kib * 1024,
            write_share: 1.0 - row.read_pct / 100.0,
            arrivals: self.assumed.arrivals(),
            write: Some(Writes {
                clock: Clock::Seconds,
                edges: Vec::new(),
                runs: self.assumed.write_runs,
                streams: self.assumed.streams,
                classes: hot_and_cold(&class, 1.0, update, &[1.0], skew).to_vec(),
            }),
            read: Some(self.assumed.reads(self.assumed.read_new, sizes)),
        }
    }
}
