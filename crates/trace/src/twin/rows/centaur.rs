//! Centaur's volumes: requests, volumes and coverage of reads and of writes.

use super::common::{Assumed, GIB, Skew, hot_and_cold, parse};
use super::{Origin, TwinDecl};
use crate::twin::model::{Clock, Model, VERSION, Writes};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Sizes and places are multiples of this, so that coverage by bytes and by pages is the same.
const PAGE_BYTES: u32 = 4096;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: String,
    #[serde(rename = "assumed_source")]
    _assumed_source: String,
    hot_share: f64,
    hot_updates: f64,
    days: f64,
    assumed: Assumed,
    rows: BTreeMap<String, Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    reads_m: f64,
    writes_m: f64,
    read_gib: f64,
    written_gib: f64,
    read_coverage_gib: f64,
    write_coverage_gib: f64,
    contradiction: Option<String>,
}

pub(super) fn twins() -> Vec<TwinDecl> {
    let file: File = parse(include_str!("../../../../../presets/workloads/centaur.toml"));
    file.rows.iter().map(|(name, row)| file.twin(name, row)).collect()
}

impl File {
    fn twin(&self, volume: &str, row: &Row) -> TwinDecl {
        let name = format!("centaur/{volume}");
        TwinDecl {
            summary: format!("MSR Cambridge {volume}, one week, as in Centaur's paper"),
            source: self.source.clone(),
            published: vec![
                ("reads_m", row.reads_m),
                ("writes_m", row.writes_m),
                ("read_gib", row.read_gib),
                ("written_gib", row.written_gib),
                ("read_coverage_gib", row.read_coverage_gib),
                ("write_coverage_gib", row.write_coverage_gib),
            ],
            calibrated: Vec::new(),
            contradiction: row.contradiction.clone(),
            origin: Origin::Model(Box::new(self.model(&name, row))),
            name,
        }
    }

    fn model(&self, name: &str, row: &Row) -> Model {
        let (reads, writes) = (row.reads_m * 1e6, row.writes_m * 1e6);
        let new = (row.write_coverage_gib / row.written_gib).min(1.0);
        let skew = Skew { hot_share: self.hot_share, hot_updates: self.hot_updates, tilt: 0.0 };
        let class = self.assumed.class(self.assumed.sizes(row.written_gib * GIB / writes));
        let read_new = (row.read_coverage_gib / row.read_gib).min(1.0);
        Model {
            twin: VERSION,
            name: name.to_owned(),
            source: self.source.clone(),
            requests: (reads + writes).round() as u64,
            interval_us: self.days * 86_400e6 / (reads + writes),
            page_bytes: PAGE_BYTES,
            write_share: writes / (reads + writes),
            arrivals: self.assumed.arrivals(),
            write: Some(Writes {
                clock: Clock::Seconds,
                edges: Vec::new(),
                runs: self.assumed.write_runs,
                streams: self.assumed.streams,
                classes: hot_and_cold(&class, 1.0, 1.0 - new, &[1.0], skew).to_vec(),
            }),
            read: Some(
                self.assumed.reads(read_new, self.assumed.sizes(row.read_gib * GIB / reads)),
            ),
        }
    }
}
