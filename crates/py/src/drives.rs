//! Drives that can be bought: their two numbers, and drives with these.

use crate::failure::detached;
use crate::run::to_json;
use pyo3::prelude::*;
use wordline_sim::config::load;
use wordline_validate::drives::{Evidence, Log, Point, configuration};

/// Room of a drive's log in GiB, and what it writes for each unit of data, from the write amplification of
/// fills and of uniform writes over so many GiB: see `wordline_validate::drives::Log::fit`.
#[pyfunction]
#[pyo3(signature = (fills, points, factor=None))]
pub fn fit_log(fills: Vec<f64>, points: Vec<(f64, f64)>, factor: Option<f64>) -> (f64, f64) {
    let point = |&(space_gib, amplification): &(f64, f64)| Point { space_gib, amplification };
    let points: Vec<Point> = points.iter().map(point).collect();
    let log = Log::fit(Evidence { fills: &fills, points: &points }, factor);
    (log.room_gib, log.factor)
}

/// Write amplification in closed form of a log where `space_gib` are written uniformly.
#[pyfunction]
pub fn log_amplification(room_gib: f64, factor: f64, space_gib: f64) -> f64 {
    Log { room_gib, factor }.amplification(space_gib)
}

/// A drive whose log has `units` of room, as a configuration, and the default one: two values of JSON.
#[pyfunction]
pub fn log_drive(
    py: Python<'_>,
    room_gib: f64,
    exported_gib: f64,
    block_gib: f64,
    units: f64,
) -> PyResult<(String, String)> {
    let log = Log { room_gib, factor: 1.0 };
    let config = configuration(log, exported_gib, block_gib, units);
    let defaults = detached(py, || Ok(load("", "the defaults", &[])?))?;
    Ok((to_json(&config)?, to_json(&defaults)?))
}
