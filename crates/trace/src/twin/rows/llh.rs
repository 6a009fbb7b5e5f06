//! LLH-FTL's volumes: requests, rate, mix, volume written and the share of it that is hot.

use super::common::{Assumed, GIB, Skew, hot_and_cold, parse};
use super::{Origin, TwinDecl};
use crate::generate;
use crate::twin::model::{Class, Clock, Model, VERSION, Writes};
use crate::twin::sizes::Sizes;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: String,
    #[serde(rename = "assumed_source")]
    _assumed_source: String,
    hot_share: f64,
    hot_updates: f64,
    cold_from_kib: f64,
    /// Share of the written space that small requests of MSR's volumes cover; absent for as much as they
    /// write.
    hot_footprint: Option<f64>,
    msr: Kind,
    fiu: Kind,
    zipf: ZipfKind,
    assumed: Assumed,
    rows: BTreeMap<String, Row>,
    zipf_rows: BTreeMap<String, ZipfRow>,
}

/// What the volumes of one collection have in common.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    summary: String,
    days: f64,
    page_kib: u32,
    /// Every request has this size; 0 where sizes vary.
    request_kib: u32,
    /// Places of small sizes and their weights, in requests.
    #[serde(default)]
    hot_runs: Vec<(u32, f64)>,
    /// The others.
    #[serde(default)]
    cold_runs: Vec<(u32, f64)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ZipfKind {
    summary: String,
    requests: u64,
    drive_gb: f64,
    rate_per_s: f64,
    write_ratio: f64,
    hot_write_ratio: f64,
    written_gib: f64,
    size_kib: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ZipfRow {
    theta: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    kind: String,
    requests_m: f64,
    drive_gb: f64,
    rate_per_s: f64,
    write_ratio: f64,
    hot_write_ratio: f64,
    written_gib: f64,
    update_pct: f64,
    #[serde(rename = "update_source")]
    _update_source: String,
    #[serde(default)]
    calibrated: Calibrated,
}

/// What is set within the rounding of a printed value.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Calibrated {
    rate_per_s: Option<f64>,
}

pub(super) fn twins() -> Vec<TwinDecl> {
    let file: File = parse(include_str!("../../../../../presets/workloads/llh.toml"));
    let rows = file.rows.iter().map(|(name, row)| file.twin(name, row));
    rows.chain(file.zipf_rows.iter().map(|(name, row)| file.zipf_twin(name, row))).collect()
}

impl File {
    fn twin(&self, volume: &str, row: &Row) -> TwinDecl {
        let name = format!("llh/{volume}");
        let kind = if row.kind == "fiu" { &self.fiu } else { &self.msr };
        TwinDecl {
            summary: format!("{} {volume}, as in LLH-FTL's paper", kind.summary),
            source: self.source.clone(),
            published: vec![
                ("requests_m", row.requests_m),
                ("drive_gb", row.drive_gb),
                ("rate_per_s", row.rate_per_s),
                ("write_ratio", row.write_ratio),
                ("hot_write_ratio", row.hot_write_ratio),
                ("written_gib", row.written_gib),
            ],
            calibrated: row
                .calibrated
                .rate_per_s
                .map(|rate| ("rate_per_s", rate))
                .into_iter()
                .collect(),
            contradiction: None,
            origin: Origin::Model(Box::new(self.model(&name, row, kind))),
            name,
        }
    }

    fn zipf_twin(&self, volume: &str, row: &ZipfRow) -> TwinDecl {
        let zipf = &self.zipf;
        let (theta, size_kib) = (row.theta, zipf.size_kib);
        let interval_us = 1e6 / zipf.rate_per_s;
        let pairs =
            format!("theta={theta},scatter=off,size_kib={size_kib},interval_us={interval_us}");
        let decl = generate::find("zipf").expect("one of the generators");
        TwinDecl {
            name: format!("llh/{volume}"),
            summary: format!("{}, θ = {theta}, as in LLH-FTL's paper", zipf.summary),
            source: self.source.clone(),
            published: vec![
                ("requests_m", zipf.requests as f64 / 1e6),
                ("drive_gb", zipf.drive_gb),
                ("rate_per_s", zipf.rate_per_s),
                ("write_ratio", zipf.write_ratio),
                ("hot_write_ratio", zipf.hot_write_ratio),
                ("written_gib", zipf.written_gib),
            ],
            calibrated: Vec::new(),
            contradiction: None,
            origin: Origin::Generator { decl, pairs, requests: zipf.requests },
        }
    }

    fn model(&self, name: &str, row: &Row, kind: &Kind) -> Model {
        let rate_per_s = row.calibrated.rate_per_s.unwrap_or(row.rate_per_s);
        let requests = (rate_per_s * kind.days * 86_400.0).round();
        let page_bytes = kind.page_kib * 1024;
        let mean_bytes = match kind.request_kib {
            0 => row.written_gib * GIB / (requests * row.write_ratio),
            request_kib => f64::from(request_kib * 1024),
        };
        let parts = match kind.request_kib {
            0 => self.by_size(mean_bytes, row.hot_write_ratio, page_bytes),
            request_kib => self.by_run(kind, request_kib * 1024, row.hot_write_ratio),
        };
        let skew = Skew { hot_share: self.hot_share, hot_updates: self.hot_updates, tilt: 0.0 };
        let update = row.update_pct / 100.0;
        let split = |(class, total): &(Class, f64)| {
            hot_and_cold(class, *total, update, &[1.0], skew).to_vec()
        };
        let read_sizes = match kind.request_kib {
            0 => self.assumed.sizes(mean_bytes),
            request_kib => Sizes(vec![(request_kib * 1024, 1.0)]),
        };
        let model = Model {
            twin: VERSION,
            name: name.to_owned(),
            source: self.source.clone(),
            requests: requests as u64,
            interval_us: 1e6 / rate_per_s,
            page_bytes,
            write_share: row.write_ratio,
            arrivals: self.assumed.arrivals(),
            write: Some(Writes {
                clock: Clock::Seconds,
                edges: Vec::new(),
                classes: parts.iter().flat_map(split).collect(),
                // Where every request is a page, the runs of places are those that the hot share asks for.
                runs: if kind.request_kib == 0 { self.assumed.write_runs } else { 0.0 },
                streams: self.assumed.streams,
            }),
            read: Some(self.assumed.reads(self.assumed.read_new, read_sizes)),
        };
        let footprint = self.hot_footprint.filter(|_| kind.request_kib == 0);
        model.with_hot_footprint(footprint).unwrap_or_else(|what| panic!("{name}: {what}"))
    }

    /// Hot and cold as for MSR: data is cold if its request has 64 KiB or more. The hot share is
    /// of the bytes; both classes with their share of the pages.
    fn by_size(&self, mean_bytes: f64, hot: f64, page_bytes: u32) -> Vec<(Class, f64)> {
        let from = self.cold_from_kib;
        // Large requests that are as small as can be leave the small ones the most room.
        let cold_bytes =
            (1.15 * from * 1024.0).min((1.0 - hot) * mean_bytes / 0.75).max(from * 1024.0);
        let cold_share = (1.0 - hot) * mean_bytes / cold_bytes;
        let hot_bytes = hot * mean_bytes / (1.0 - cold_share);
        let small = self.assumed.class(self.assumed.sizes_within(hot_bytes, 0.0, from));
        let large = self.assumed.class(self.assumed.sizes_within(cold_bytes, from, f64::INFINITY));
        let pages =
            |class: &Class| class.sizes.mean_of(|bytes| f64::from(bytes.div_ceil(page_bytes)));
        let parts =
            [(pages(&small) * (1.0 - cold_share), small), (pages(&large) * cold_share, large)];
        let sum: f64 = parts.iter().map(|part| part.0).sum();
        parts.into_iter().map(|(pages, class)| (class, pages / sum)).collect()
    }

    /// Hot and cold as for FIU: pages are cold from the third of a run on.
    fn by_run(&self, kind: &Kind, page_bytes: u32, hot: f64) -> Vec<(Class, f64)> {
        let class = |runs: &[(u32, f64)]| Class {
            piece_bytes: page_bytes,
            // A run that went on in the next one would be longer than it should be.
            sequential: 0.0,
            follow: 0.0,
            ..self.assumed.class(Sizes(
                runs.iter().map(|&(pages, weight)| (pages * page_bytes, weight)).collect(),
            ))
        };
        // The first two pages of a run count as hot, too: hot = single + (1 - single) × 2 / length.
        let (singles, runs) = (class(&kind.hot_runs), class(&kind.cold_runs));
        let first_two = 2.0 / (runs.sizes.mean_of(f64::from) / f64::from(page_bytes));
        let single = ((hot - first_two) / (1.0 - first_two)).max(0.0);
        vec![(singles, single), (runs, 1.0 - single)]
    }
}
