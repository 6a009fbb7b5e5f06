//! Power cuts in the midst of what was recorded of a served drive.

use crate::own::Raised;
use crate::run::{Given, to_json};
use crate::watch::PythonWatch;
use pyo3::prelude::*;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use wordline_serve::{Cut, Plan, Recording, cut};
use wordline_sim::Error;

/// Carries `recording` out on the drive of a configuration, or on any that keeps its promises, and cuts its power. What each drive that has come back
/// holds is written to the file `disk`; then `check(number)` says what is wrong with it, or `None`.
#[pyfunction]
#[pyo3(signature = (text, origin, overrides, recording, cuts, after, seed, of_block_layer=false, disk=None, check=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "Python calls it by name")]
pub fn cut_recorded(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
    recording: PathBuf,
    cuts: u64,
    after: u64,
    seed: u64,
    of_block_layer: bool,
    disk: Option<PathBuf>,
    check: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    Given { text, origin, overrides: &overrides }.detached(py, |config| {
        let recording = Recording::read(&recording)?;
        let raised = Raised::default();
        let mut watch = PythonWatch::new(progress, Arc::clone(&raised));
        let mut each = |found: &Cut<'_>| -> Result<Option<String>, Error> {
            if let Some(disk) = &disk {
                write(disk, found.bytes).map_err(|error| Error::Infeasible {
                    what: format!("{}: {error}", disk.display()),
                    help: "make room there, or choose another folder for temporary files".into(),
                })?;
            }
            let Some(check) = &check else { return Ok(None) };
            let told = Python::attach(|py| check.call1(py, (found.number,))?.extract(py));
            told.map_err(|error| {
                raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                Error::Stopped
            })
        };
        let report = cut(
            config,
            &recording,
            Plan { cuts, after, seed, of_block_layer },
            &mut each,
            &mut watch,
        );
        to_json(&watch.explain(report)?)
    })
}

/// Bytes that are left out of a file together where all of them are zeroes.
const PIECE: usize = 64 << 10;

/// Writes a file; stretches of zeroes take no room in it.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.set_len(bytes.len() as u64)?;
    for (at, piece) in (0..).step_by(PIECE).zip(bytes.chunks(PIECE)) {
        if piece.iter().any(|&byte| byte != 0) {
            file.seek(SeekFrom::Start(at))?;
            file.write_all(piece)?;
        }
    }
    Ok(())
}
