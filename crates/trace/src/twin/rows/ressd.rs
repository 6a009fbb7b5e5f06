//! ReSSD's volumes: mix, sizes, volumes, update ratio, and the intervals of updates by zone.

use super::common::{Assumed, GIB, Skew, hot_and_cold, parse};
use super::{Origin, TwinDecl};
use crate::twin::model::{Clock, Model, VERSION, Writes};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: String,
    #[serde(rename = "interval_source")]
    _interval_source: String,
    #[serde(rename = "assumed_source")]
    _assumed_source: String,
    page_kib: u32,
    zone_edges_min: Vec<f64>,
    hot_share: f64,
    hot_updates: f64,
    assumed: Assumed,
    rows: BTreeMap<String, Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    write_pct: f64,
    update_pct: f64,
    write_kib: f64,
    read_kib: f64,
    written_gib: f64,
    read_gib: f64,
    zones_pct: Vec<f64>,
    interval_ms: f64,
    #[serde(default)]
    calibrated: Calibrated,
}

/// What is set so that the measured twin meets the row.
#[derive(Deserialize, Default, Clone, Copy, Debug)]
#[serde(deny_unknown_fields)]
pub(in crate::twin) struct Calibrated {
    pub update_pct: Option<f64>,
    pub hot_updates: Option<f64>,
    pub tilt: Option<f64>,
    pub youth: Option<f64>,
    pub eager: Option<f64>,
    pub limit: Option<u8>,
    pub follow: Option<f64>,
}

impl Calibrated {
    /// Those that are set, by name.
    fn values(&self) -> Vec<(&'static str, f64)> {
        let all = [
            ("update_pct", self.update_pct),
            ("hot_updates", self.hot_updates),
            ("tilt", self.tilt),
            ("youth", self.youth),
            ("eager", self.eager),
            ("limit", self.limit.map(f64::from)),
            ("follow", self.follow),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

pub(super) fn twins() -> Vec<TwinDecl> {
    let file: File = parse(include_str!("../../../../../presets/workloads/ressd.toml"));
    file.rows.iter().map(|(name, row)| file.twin(name, row)).collect()
}

/// The model of `volume` with other calibrated values than those of the file.
#[cfg(test)]
pub(in crate::twin) fn with(volume: &str, calibrated: Calibrated) -> Model {
    let mut file: File = parse(include_str!("../../../../../presets/workloads/ressd.toml"));
    let mut row = file.rows.remove(volume).expect("a row");
    row.calibrated = calibrated;
    file.model(volume, &row)
}

impl File {
    fn twin(&self, volume: &str, row: &Row) -> TwinDecl {
        let mut published = vec![
            ("write_pct", row.write_pct),
            ("update_pct", row.update_pct),
            ("write_kib", row.write_kib),
            ("read_kib", row.read_kib),
            ("written_gib", row.written_gib),
            ("read_gib", row.read_gib),
            ("interval_ms", row.interval_ms),
            ("hot_updates_pct", 100.0 * self.hot_updates),
        ];
        let zones = ["zone1_pct", "zone2_pct", "zone3_pct", "zone4_pct"];
        published.extend(zones.into_iter().zip(row.zones_pct.iter().copied()));
        let name = format!("ressd/{volume}");
        TwinDecl {
            summary: format!("MSR Cambridge {volume}, first million requests, as in ReSSD's paper"),
            source: self.source.clone(),
            published,
            calibrated: row.calibrated.values(),
            contradiction: None,
            origin: Origin::Model(Box::new(self.model(&name, row))),
            name,
        }
    }

    fn model(&self, name: &str, row: &Row) -> Model {
        let writes = (row.written_gib * GIB / (row.write_kib * 1024.0)).round();
        let reads = (row.read_gib * GIB / (row.read_kib * 1024.0)).round();
        let update = row.calibrated.update_pct.unwrap_or(row.update_pct) / 100.0;
        let skew = Skew {
            hot_share: self.hot_share,
            hot_updates: row.calibrated.hot_updates.unwrap_or(self.hot_updates),
            tilt: row.calibrated.tilt.unwrap_or(0.0),
        };
        let sum: f64 = row.zones_pct.iter().sum();
        let zones: Vec<f64> = row.zones_pct.iter().map(|zone| zone / sum).collect();
        let mut class = self.assumed.class(self.assumed.sizes(row.write_kib * 1024.0));
        class.youth = row.calibrated.youth.unwrap_or(1.0);
        class.eager = row.calibrated.eager.unwrap_or(1.0);
        class.follow = row.calibrated.follow.unwrap_or(class.follow);
        class.limit = row.calibrated.limit.unwrap_or(0);
        Model {
            twin: VERSION,
            name: name.to_owned(),
            source: self.source.clone(),
            requests: (writes + reads) as u64,
            interval_us: row.interval_ms * 1000.0,
            page_bytes: self.page_kib * 1024,
            write_share: writes / (writes + reads),
            arrivals: self.assumed.arrivals(),
            write: Some(Writes {
                clock: Clock::Seconds,
                edges: self.zone_edges_min.iter().map(|edge| edge * 60.0).collect(),
                runs: self.assumed.write_runs,
                streams: self.assumed.streams,
                classes: hot_and_cold(&class, 1.0, update, &zones, skew).to_vec(),
            }),
            read: Some(
                self.assumed
                    .reads(self.assumed.read_new, self.assumed.sizes(row.read_kib * 1024.0)),
            ),
        }
    }
}
