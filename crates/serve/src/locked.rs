//! What of a served drive one thread at a time may touch.

use crate::recording::Recorder;
use crate::store::Store;
use std::sync::{Mutex, MutexGuard, PoisonError};
use thiserror::Error as ThisError;
use wordline_sim::{Error, Taken};
use wordline_trace::write::TraceWriter;
use wordline_trace::{Op, Request};

/// Why a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum Fault {
    /// The data of a unit cannot be had.
    #[error("the data cannot be read")]
    Unreadable,
    /// The drive takes no more writes.
    #[error("the drive is read-only")]
    ReadOnly,
    /// The simulation came to its end by an error.
    #[error("the simulation has failed")]
    Failed,
}

impl Fault {
    /// Why a drive that works has not done all of a request.
    pub fn of(op: Op) -> Self {
        if op == Op::Read { Self::Unreadable } else { Self::ReadOnly }
    }
}

/// Counters and spare decoders are whole at any time, after a panic too.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where requests are written down.
#[derive(Default)]
pub struct Logs {
    /// The requests, for a replay by the simulator.
    pub requests: Option<TraceWriter>,
    /// What they changed, with its data.
    pub changes: Option<Recorder>,
}

impl Logs {
    /// Gives them their names, or their last bytes.
    fn close(&mut self) -> Result<(), Error> {
        if let Some(log) = self.requests.take()
            && log.requests() > 0
        {
            log.close()?.publish()?;
        }
        self.changes.take().map_or(Ok(()), Recorder::finish)
    }
}

/// The drive, and what belongs to it.
pub struct Core {
    pub store: Box<dyn Store>,
    pub logs: Logs,
    pub requests: u64,
    /// Why the simulation came to its end.
    pub failed: Option<Error>,
}

impl Core {
    /// Hands a request to the simulation.
    pub fn submit(&mut self, request: &Request) -> Result<Taken, Fault> {
        if self.failed.is_some() {
            return Err(Fault::Failed);
        }
        let logged = self.logs.requests.as_mut().map_or(Ok(()), |log| log.write(&[*request]));
        self.requests += 1;
        let taken = logged.map_err(Error::from).and_then(|()| self.store.served().submit(request));
        let taken = self.fail_by(taken)?;
        if let Some(what) = self.store.failed() {
            let help = "make room, or serve it from another place".to_owned();
            return self.fail_by(Err(Error::Infeasible { what, help }));
        }
        Ok(taken)
    }

    /// Writes a change down.
    pub fn record(
        &mut self,
        add: impl FnOnce(&mut Recorder) -> Result<(), Error>,
    ) -> Result<(), Fault> {
        let added = self.logs.changes.as_mut().map_or(Ok(()), add);
        self.fail_by(added)
    }

    /// Closes the logs.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub fn close_logs(&mut self) -> Result<(), Error> {
        self.logs.close()
    }

    /// An error ends the simulation.
    pub fn fail_by<T>(&mut self, result: Result<T, Error>) -> Result<T, Fault> {
        result.map_err(|error| {
            self.failed.get_or_insert(error);
            Fault::Failed
        })
    }

    /// When a request ended, if that is before `now_ns`, or known by then.
    pub fn end_of(&mut self, number: u64, now_ns: u64) -> Option<u64> {
        let advanced = self.store.served().advance(now_ns);
        self.fail_by(advanced).ok()?;
        self.store.served().end_of(number)
    }
}
