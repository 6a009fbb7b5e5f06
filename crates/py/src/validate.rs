//! The checks against theory and other simulators.

use crate::failure::{Failure, detached};
use crate::run::to_json;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use wordline_sim::config::ConfigError;
use wordline_trace::suggest;
use wordline_validate::{Progress, Suite};

/// Runs a suite of checks and returns its items as JSON; `progress(done, total, id)` is called
/// ten times a second, and what it raises stops the rest.
#[pyfunction]
#[pyo3(signature = (suite, quick, progress=None))]
pub fn validate(
    py: Python<'_>,
    suite: &str,
    quick: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    detached(py, || {
        let suite = find(suite)?;
        let mut raised = None;
        let mut watch = |progress_now: Progress<'_>| match tell(progress.as_ref(), progress_now) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                raised = Some(error);
                ControlFlow::Break(())
            }
        };
        let items = wordline_validate::run(suite, quick, &mut watch);
        match raised {
            Some(error) => Err(Failure::Python(error)),
            None => to_json(&items?),
        }
    })
}

fn tell(callback: Option<&Py<PyAny>>, progress: Progress<'_>) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        if let Some(callback) = callback {
            callback.call1(py, (progress.done, progress.total, progress.id))?;
        }
        Ok(())
    })
}

fn find(name: &str) -> Result<Suite, Failure> {
    let known = Suite::ALL.into_iter().find(|suite| suite.name() == name);
    known.ok_or_else(|| {
        let help = suggest::help(name, Suite::ALL.map(Suite::name));
        ConfigError { what: format!("unknown suite `{name}`"), place: String::new(), help }.into()
    })
}
