//! A drive that is served to clients, from its first to the last of them.

use crate::drive::{Counts, Drive, Lag};
use serde::Serialize;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use wordline_nbd::{Address, Limits, Named, Server};

/// A drive that is served.
pub struct Session {
    drive: Arc<Drive>,
    server: Arc<Server>,
    ended: Arc<Ended>,
    begun: Instant,
    thread: Option<JoinHandle<io::Result<()>>>,
}

/// How connections ended.
#[derive(Debug, Default)]
struct Ended {
    well: AtomicU64,
    broken: AtomicU64,
}

/// What a served drive has done so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Seconds since the drive was opened.
    pub elapsed_s: f64,
    /// Simulated seconds.
    pub simulated_s: f64,
    /// Clients that are connected.
    pub connections: u64,
    /// Connections that have ended.
    pub connections_ended: u64,
    /// Of these, the ones that ended by a breach of the protocol.
    pub connections_broken: u64,
    /// Requests that were carried out.
    pub requests: u64,
    /// Units that clients read from the cells.
    pub units_read: u64,
    /// Units that the drive read to move them.
    pub units_moved: u64,
    /// Wrong bits that the code corrected.
    pub corrected_bits: u64,
    /// Reads of a unit again, because its code had failed.
    pub retries: u64,
    /// Units whose data could not be had: each is an I/O error for the client, or was lost on its way.
    pub lost_units: u64,
    /// Pages of an array that came from the other drives because their own had lost them.
    pub repaired_pages: u64,
    /// How much later than they should have come replies were in the mean, as a share of what they should have
    /// taken; `null` where they do not keep to the clock.
    pub mean_lag: Option<f64>,
    /// By how much the latest reply was late, in microseconds; `null` as above.
    pub longest_lag_us: Option<f64>,
    /// Why the drive takes no more requests; `null` while it does.
    pub failure: Option<String>,
}

/// An address at which clients wait for a drive.
pub struct Place(Server);

impl Place {
    /// Listens.
    ///
    /// # Errors
    /// The address is in use, or not to be had.
    pub fn new(address: &Address) -> io::Result<Self> {
        Ok(Self(Server::bind(address, Limits::default())?))
    }
}

impl Session {
    /// Serves `drive` at a place under a name.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start(drive: Arc<Drive>, place: Place, name: &str) -> io::Result<Self> {
        let server = Arc::new(place.0);
        let ended = Arc::new(Ended::default());
        let thread = std::thread::Builder::new().name("wordline-serve".into()).spawn({
            let (drive, server, ended) =
                (Arc::clone(&drive), Arc::clone(&server), Arc::clone(&ended));
            let (name, description) = (name.to_owned(), format!("the simulated drive {name}"));
            move || {
                let exports = [Named { name: &name, description: &description, export: &*drive }];
                server.run(&exports, &|end| {
                    // A client that just goes has done nothing wrong.
                    let is_broken = end.is_err_and(|it| it.kind() == io::ErrorKind::InvalidData);
                    let counter = if is_broken { &ended.broken } else { &ended.well };
                    counter.fetch_add(1, Ordering::Relaxed);
                })
            }
        })?;
        Ok(Self { drive, server, ended, begun: Instant::now(), thread: Some(thread) })
    }

    /// Where clients find it, as a URI.
    ///
    /// # Errors
    /// The system does not say.
    pub fn uri(&self) -> io::Result<String> {
        Ok(match self.server.address()? {
            Address::Unix(path) => format!("nbd+unix:///?socket={}", encoded(&path)),
            Address::Loopback(port) => format!("nbd://127.0.0.1:{port}"),
        })
    }

    /// What it has done so far.
    pub fn summary(&self) -> Summary {
        let Counts { reads, moves, repaired, lag, requests, simulated_ns } = self.drive.counts();
        let broken = self.ended.broken.load(Ordering::Relaxed);
        Summary {
            elapsed_s: self.begun.elapsed().as_secs_f64(),
            simulated_s: simulated_ns as f64 / 1e9,
            connections: self.server.connections() as u64,
            connections_ended: self.ended.well.load(Ordering::Relaxed) + broken,
            connections_broken: broken,
            requests,
            units_read: reads.units,
            units_moved: moves.units,
            corrected_bits: reads.corrected_bits + moves.corrected_bits,
            retries: reads.retries + moves.retries,
            lost_units: reads.lost + moves.lost,
            repaired_pages: repaired,
            mean_lag: lag.map(mean_share),
            longest_lag_us: lag.map(|lag| lag.latest.as_secs_f64() * 1e6),
            failure: self.drive.failure(),
        }
    }

    /// Takes leave of the clients and returns once all of them are gone; the drive is still there.
    ///
    /// # Errors
    /// What the server reports.
    pub fn stop(&mut self) -> io::Result<()> {
        self.server.stop();
        let Some(thread) = self.thread.take() else { return Ok(()) };
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the server panicked")))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // There is nobody to be told.
        let _ = self.stop();
    }
}

fn mean_share(lag: Lag) -> f64 {
    match lag.due {
        Duration::ZERO => 0.0,
        due => lag.late.as_secs_f64() / due.as_secs_f64(),
    }
}

/// A path as part of a URI.
fn encoded(path: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes
        .map(
            |byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") },
        )
        .collect()
}
