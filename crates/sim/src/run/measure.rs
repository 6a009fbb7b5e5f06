//! From where on a result counts: `run.measure_from_s`, `_request` and `_repeat`.

use crate::error::Error;
use crate::metrics::{Columns, Recorder};
use crate::nand::infeasible;
use crate::schema::{Config, HostMode, RunMode};

/// Where the part of a run begins that counts.
pub(super) struct Measure {
    from_s: f64,
    requests: u64,
    pass: u64,
}

impl Measure {
    /// The part that a configuration measures; `None` where all of the run counts.
    ///
    /// # Errors
    /// A part that cannot begin, or one of a run that is told in windows.
    pub fn of(config: &Config) -> Result<Option<Self>, Error> {
        let run = &config.run;
        let from = Self {
            from_s: run.measure_from_s,
            requests: run.measure_from_request,
            pass: run.measure_from_repeat,
        };
        if from.from_s == 0.0 && from.requests == 0 && from.pass == 1 {
            return Ok(None);
        }
        if run.window_drive_writes > 0.0 {
            return Err(infeasible(
                "run.window_drive_writes tells each window of a life by itself, from the beginning of the run",
                "leave out run.measure_from_s, run.measure_from_request and run.measure_from_repeat",
            ));
        }
        if from.pass > config.workload.repeat {
            return Err(infeasible(
                format!(
                    "run.measure_from_repeat = {}, but workload.repeat = {}: nothing would be counted",
                    from.pass, config.workload.repeat
                ),
                "raise workload.repeat, or lower run.measure_from_repeat",
            ));
        }
        let has_time = run.mode == RunMode::Timed || config.host.mode == HostMode::Open;
        if from.from_s > 0.0 && !has_time {
            return Err(infeasible(
                format!(
                    "run.measure_from_s = {}, but no time passes with run.mode = \"count\" and host.mode = \"closed\"",
                    from.from_s
                ),
                "set run.measure_from_request or run.measure_from_repeat instead",
            ));
        }
        Ok(Some(from))
    }

    /// Repetition `pass` begins after `fed` requests.
    pub fn pass(&self, pass: u64, fed: u64, recorder: &mut Recorder) {
        if pass == self.pass {
            recorder.measure_from(self.requests.max(fed), (self.from_s * 1e9).round() as u64);
        }
    }
}

/// Verifies that the part of a run that counts has begun.
///
/// # Errors
/// The run was over before.
pub(super) fn check(config: &Config, recorder: &Recorder) -> Result<(), Error> {
    if Measure::of(config)?.is_none() || recorder.measured.is_some() {
        return Ok(());
    }
    Err(infeasible(
        format!(
            "nothing was counted: the run ended after {} requests, the last of which arrived at {} s, before run.measure_from_s = {} and run.measure_from_request = {} were reached",
            recorder.taken(),
            recorder.last_arrival_ns as f64 / 1e9,
            config.run.measure_from_s,
            config.run.measure_from_request
        ),
        "lower them, or replay more (workload.repeat)",
    ))
}

/// The time series of a run, if it was asked for.
pub(super) fn series(config: &Config, recorder: &Recorder) -> Columns {
    match config.run.series_points {
        0 => Columns::default(),
        _ => recorder.series.columns(),
    }
}
