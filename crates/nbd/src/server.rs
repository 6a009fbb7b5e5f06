//! Many connections at once, each with a thread of its own, until someone says stop.

use std::io;
use std::net::Shutdown;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use crate::address::{Address, Listener, Stream};
use crate::connection::{self, Shared};
use crate::export::{Named, check};

/// What clients may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once; further ones are closed as they come.
    pub connections: usize,
    /// How long a client may take to choose an export.
    pub handshake: Duration,
    /// How long a client may stop in the midst of a request, or not take a reply.
    pub stall: Duration,
    /// How long replies under way are waited for when the server stops.
    pub farewell: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 32,
            handshake: Duration::from_secs(10),
            stall: Duration::from_secs(60),
            farewell: Duration::from_secs(5),
        }
    }
}

/// A server that listens. The socket's file goes with it.
///
/// ```
/// # use wordline_nbd::{Address, Limits, Server};
/// let server = Server::bind(&Address::Loopback(0), Limits::default())?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| server.run(&[/* exports */], &|_| {}));
///     // … until a signal comes …
///     server.stop();
/// });
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Server {
    listener: Listener,
    limits: Limits,
    shared: Shared,
    open: Mutex<Vec<Arc<Stream>>>,
    one_ended: Condvar,
}

impl Server {
    /// Listens; clients that connect wait until [`run`](Self::run) is called.
    ///
    /// # Errors
    /// The address is in use, or not to be had.
    pub fn bind(address: &Address, limits: Limits) -> io::Result<Self> {
        Ok(Self {
            listener: Listener::bind(address)?,
            limits,
            shared: Shared::default(),
            open: Mutex::default(),
            one_ended: Condvar::new(),
        })
    }

    /// Where it listens; the port, if any free one was asked for.
    ///
    /// # Errors
    /// The system does not say.
    pub fn address(&self) -> io::Result<Address> {
        self.listener.address()
    }

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        self.open().len()
    }

    /// Serves the exports until [`stop`](Self::stop) is called, and returns when every connection is
    /// closed and its threads are gone. `ended` is told how each connection ended: an error of kind
    /// `InvalidData` is a client that broke the protocol.
    ///
    /// # Errors
    /// `InvalidInput` if the block sizes of an export are none.
    pub fn run(
        &self,
        exports: &[Named<'_>],
        ended: &(dyn Fn(io::Result<()>) + Sync),
    ) -> io::Result<()> {
        check(exports)?;
        thread::scope(|scope| {
            while !self.stopping() {
                match self.listener.accept() {
                    Ok(stream) => self.admit(stream, exports, ended, scope),
                    // Descriptors or memory are exhausted; connections that end free some.
                    Err(_) => thread::sleep(Duration::from_millis(10)),
                }
            }
            self.say_farewell();
        });
        Ok(())
    }

    /// Has [`run`](Self::run) end: no further connections; requests that have arrived are answered,
    /// those that arrive later get the protocol's error for it. Returns at once.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Fails only if it is closed already.
        let _ = self.listener.close();
    }

    fn stopping(&self) -> bool {
        self.shared.stopping.load(Ordering::SeqCst)
    }

    fn open(&self) -> MutexGuard<'_, Vec<Arc<Stream>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admit<'scope>(
        &'scope self,
        stream: Stream,
        exports: &'scope [Named<'_>],
        ended: &'scope (dyn Fn(io::Result<()>) + Sync),
        scope: &'scope Scope<'scope, '_>,
    ) {
        let mut open = self.open();
        if self.stopping() || open.len() >= self.limits.connections {
            return;
        }
        let stream = Arc::new(stream);
        open.push(Arc::clone(&stream));
        drop(open);
        let guard = Open { server: self, stream };
        // Where no thread is to be had the connection is closed with what it would have taken.
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            let end = self.converse(&guard.stream, exports);
            drop(guard);
            ended(end);
        });
    }

    fn converse(&self, stream: &Stream, exports: &[Named<'_>]) -> io::Result<()> {
        stream.set_write_timeout(self.limits.handshake)?;
        let timed = Timed { stream, end: Some(Instant::now() + self.limits.handshake) };
        let end = connection::serve(timed, stream, exports, &self.shared, |timed| {
            timed.end = None;
            stream.set_write_timeout(self.limits.stall)?;
            stream.set_read_timeout(self.limits.stall)
        });
        // Having been cut short by the server itself is no error of the client's.
        if self.stopping() { Ok(()) } else { end }
    }

    fn say_farewell(&self) {
        let mut open = self.open();
        open.iter().for_each(|stream| stream.shutdown(Shutdown::Read));
        let end = Instant::now() + self.limits.farewell;
        while !open.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                open.iter().for_each(|stream| stream.shutdown(Shutdown::Both));
                return;
            }
            open =
                self.one_ended.wait_timeout(open, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A connection in the server's list, for as long as this lives.
struct Open<'a> {
    server: &'a Server,
    stream: Arc<Stream>,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // The list's handle may still be held elsewhere; the client sees the end now.
        self.stream.shutdown(Shutdown::Both);
        self.server.open().retain(|other| !Arc::ptr_eq(other, &self.stream));
        self.server.one_ended.notify_all();
    }
}

/// A stream that must have said all by `end`, however slowly its bytes drip in.
struct Timed<'a> {
    stream: &'a Stream,
    end: Option<Instant>,
}

impl io::Read for Timed<'_> {
    fn read(&mut self, data: &mut [u8]) -> io::Result<usize> {
        if let Some(end) = self.end {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "the handshake takes too long",
                ));
            }
            self.stream.set_read_timeout(left)?;
        }
        (&mut { self.stream }).read(data)
    }
}
