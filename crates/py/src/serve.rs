//! A drive that is served to clients of NBD.

use crate::failure::{Failure, detached};
use crate::own::Raised;
use crate::run::{Given, Run, run_of, to_json};
use crate::watch::PythonWatch;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use wordline_nbd::Address;
use wordline_serve::{Drive, Home, Logs, Pace, Place, Recorder, Session};
use wordline_trace::write::{Options, TraceMeta, TraceWriter};

/// A drive that is served until it is told to stop.
#[pyclass(frozen, module = "wordline._native")]
pub struct Server {
    drive: Arc<Drive>,
    session: Mutex<Session>,
    config: String,
    /// Where clients find it.
    #[pyo3(get)]
    uri: String,
    /// Bytes that they can address.
    #[pyo3(get)]
    size_bytes: u64,
}

/// Serves the drive of a configuration at a socket's path or a port of 127.0.0.1 (0: any free one). With
/// `slower` replies keep to the clock, so many seconds of it to a simulated one. The flash is in the file `image`,
/// if one is named; every request is written to the trace file `log`, and what it changes, with its data, to `recording`.
#[pyfunction]
#[pyo3(signature = (text, origin, overrides, name, socket=None, port=None, slower=None, image=None, log=None, recording=None, force=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "Python calls it by name")]
pub fn serve(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
    name: &str,
    socket: Option<PathBuf>,
    port: Option<u16>,
    slower: Option<f64>,
    image: Option<PathBuf>,
    log: Option<PathBuf>,
    recording: Option<PathBuf>,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Server> {
    let given = Given { text, origin, overrides: &overrides };
    let address = match socket {
        Some(path) => Address::Unix(path),
        None => Address::Loopback(port.unwrap_or_default()),
    };
    let pace = slower.map_or(Pace::Virtual, |slower| Pace::Clock { slower });
    given.detached(py, |config| {
        // Before anything is written: an address that cannot be had leaves nothing behind.
        let place = Place::new(&address).map_err(cannot_serve)?;
        let logs = Logs {
            requests: log.map(|path| log_at(&path, name, force)).transpose()?,
            changes: recording.map(|path| Recorder::create(&path, force)).transpose()?,
        };
        let home = image.as_deref().map_or(Home::Process, Home::File);
        let mut watch = PythonWatch::new(progress, Raised::default());
        let drive = Drive::new(config, pace, home, logs, &mut watch);
        let drive = Arc::new(watch.explain(drive)?);
        let session = Session::start(Arc::clone(&drive), place, name).map_err(cannot_serve)?;
        let uri = session.uri().map_err(of_system)?;
        let size_bytes = drive.size_bytes();
        let config = drive.config().to_toml();
        Ok(Server { drive, session: Mutex::new(session), config, uri, size_bytes })
    })
}

fn log_at(path: &Path, name: &str, force: bool) -> Result<TraceWriter, Failure> {
    let meta = TraceMeta {
        name: name.to_owned(),
        source: format!("clients of the served drive {name}"),
        synthetic: false,
        start_unix_ns: None,
    };
    Ok(TraceWriter::create(path, &meta, Options { force, ..Options::default() })?)
}

fn cannot_serve(error: std::io::Error) -> Failure {
    Failure::Run {
        what: format!("the drive cannot be served: {error}"),
        help: "choose another socket or port".into(),
    }
}

/// The drive could be served: whatever ends it since then is no mistake of the configuration.
fn of_service(error: wordline_sim::Error) -> Failure {
    match error.into() {
        Failure::Infeasible { what, help } => Failure::Run { what, help },
        Failure::Workload(error) => Failure::System(error),
        other => other,
    }
}

fn of_system(error: std::io::Error) -> Failure {
    Failure::Run { what: error.to_string(), help: String::new() }
}

#[pymethods]
impl Server {
    /// What it has done so far, as JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || to_json(&self.session().summary()))
    }

    /// Takes leave of the clients, lets the drive come to rest, and gives the run that this was. The log gets its
    /// name.
    fn stop(&self, py: Python<'_>) -> PyResult<Run> {
        let outcome = detached(py, || {
            self.session().stop().map_err(of_system)?;
            self.drive.finish().map_err(of_service)
        })?;
        run_of(py, outcome, self.config.clone())
    }
}

impl Server {
    fn session(&self) -> std::sync::MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
