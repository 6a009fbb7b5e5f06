//! Progress for Python, and Ctrl-C.

use crate::failure::Failure;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use wordline_sim::{Progress, Watch};

/// Python is asked this often: signals are noticed at once, and the lock costs nothing.
const PERIOD: Duration = Duration::from_millis(100);

/// Passes progress on to a callable and stops the run when it raises or a signal has come.
pub struct PythonWatch {
    callback: Option<Py<PyAny>>,
    last: Instant,
    raised: Option<PyErr>,
}

impl PythonWatch {
    /// Watches for signals, and for `callback(phase, done, total, simulated_ns)` where given.
    pub fn new(callback: Option<Py<PyAny>>) -> Self {
        Self { callback, last: Instant::now(), raised: None }
    }

    /// What stopped the run: the exception that Python raised, or else `error`.
    pub fn explain(self, error: wordline_sim::Error) -> Failure {
        self.raised.map_or_else(|| error.into(), Failure::Python)
    }

    fn tell(&self, progress: Progress) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            if let Some(callback) = &self.callback {
                let Progress { phase, done, total, simulated_ns } = progress;
                callback.call1(py, (phase, done, total, simulated_ns))?;
            }
            Ok(())
        })
    }
}

impl Watch for PythonWatch {
    fn progress(&mut self, progress: Progress) -> ControlFlow<()> {
        if self.last.elapsed() < PERIOD {
            return ControlFlow::Continue(());
        }
        self.last = Instant::now();
        match self.tell(progress) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}
