//! Requests and their replies.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

use crate::buffer::{Buffer, HEAD, Pool};
use crate::contexts;
use crate::export::{Error, Export, Extent, Failure, Zeroing};
use crate::extents::{state, stretches};
use crate::handshake::Agreed;
use crate::input::Input;
use crate::reply;
use crate::request::{Kind, Request, flag};
use crate::wire::broken;

/// The most threads of one connection.
const MOST_THREADS: usize = 64;
/// Data of a refused write that are read and forgotten, in bytes. A client that sends more is sent away.
const MOST_SKIPPED: u32 = 64 << 20;
/// Reads below this many bytes are answered in one piece even if they hold holes. Longer ones have a
/// piece for each so many bytes, and two more: each is a call of the system.
const SPARSE: usize = 64 << 10;
const MOST_EXTENTS: usize = 4096;

/// A connection on which an export has been chosen. Its threads take turns at the stream: one waits for
/// the next request, and lets go of the stream before it carries that out.
pub struct Transmission<'a, R, W> {
    agreed: Agreed<'a>,
    pool: &'a Pool,
    stopping: &'a AtomicBool,
    input: Mutex<Input<R>>,
    /// None if a reply was broken off: what followed would have no meaning.
    output: Mutex<Option<W>>,
    /// No further request is read.
    over: AtomicBool,
    first_error: Mutex<Option<io::Error>>,
    threads: AtomicUsize,
    waiting: AtomicUsize,
}

/// A request, and whether it can be carried out.
struct Job {
    request: Request,
    verdict: Result<(), Error>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a, R: Read + Send, W: Write + Send> Transmission<'a, R, W> {
    pub fn new(
        agreed: Agreed<'a>,
        (input, output): (Input<R>, W),
        pool: &'a Pool,
        stopping: &'a AtomicBool,
    ) -> Self {
        Self {
            agreed,
            pool,
            stopping,
            input: Mutex::new(input),
            output: Mutex::new(Some(output)),
            over: AtomicBool::new(false),
            first_error: Mutex::new(None),
            threads: AtomicUsize::new(1),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Returns when the client has left, and every request is answered.
    pub fn run(self) -> io::Result<()> {
        thread::scope(|scope| self.work(scope));
        self.first_error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn export(&self) -> &'a dyn Export {
        self.agreed.export.export
    }

    fn work<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let mut buffer = Buffer::new(self.pool);
        let end = loop {
            match self.next(&mut buffer, scope) {
                Ok(Some(job)) => {
                    if let Err(error) = self.carry_out(&job, &mut buffer) {
                        break Err(error);
                    }
                    buffer.release();
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.over.store(true, Ordering::SeqCst);
        if let Err(error) = end {
            lock(&self.first_error).get_or_insert(error);
        }
    }

    /// The next request with its data in `buffer`; none at the end.
    fn next<'scope>(
        &'scope self,
        buffer: &mut Buffer<'_>,
        scope: &'scope Scope<'scope, '_>,
    ) -> io::Result<Option<Job>> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut input = lock(&self.input);
        let others = self.waiting.fetch_sub(1, Ordering::SeqCst) - 1;
        let patient = || !self.over.load(Ordering::SeqCst);
        if !patient() {
            return Ok(None);
        }
        let Some(bytes) = input.begin(patient)? else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let request = Request::parse(&bytes)
            .ok_or_else(|| broken("a request does not begin with its magic number"))?;
        if request.kind == Kind::Disconnect {
            self.over.store(true, Ordering::SeqCst);
            return Ok(None);
        }
        let verdict = self.judge(&request);
        if request.kind == Kind::Write {
            receive(&mut input, &request, verdict.is_ok(), buffer)?;
        }
        if others == 0 {
            self.grow(scope);
        }
        Ok(Some(Job { request, verdict }))
    }

    fn judge(&self, request: &Request) -> Result<(), Error> {
        if self.stopping.load(Ordering::SeqCst) {
            return Err(Error::Shutdown);
        }
        if request.kind == Kind::BlockStatus && !self.agreed.allocation {
            return Err(Error::Invalid);
        }
        request.check(self.export(), self.agreed.structured)
    }

    /// One more thread, if the export can use it: someone must wait for the next request.
    fn grow<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let most = self.export().depth().min(MOST_THREADS);
        if self.threads.load(Ordering::SeqCst) < most {
            let started = thread::Builder::new().spawn_scoped(scope, || self.work(scope));
            // Without it requests wait for each other, and no more.
            self.threads.fetch_add(usize::from(started.is_ok()), Ordering::SeqCst);
        }
    }

    fn carry_out(&self, job: &Job, buffer: &mut Buffer<'_>) -> io::Result<()> {
        let Job { request, verdict } = job;
        if let Err(error) = *verdict {
            return self.refuse(request, error.into());
        }
        match request.kind {
            Kind::Read => self.read(request, buffer),
            Kind::BlockStatus => self.say_status(request),
            _ => match self.change(request, buffer) {
                Ok(()) => self.say(&reply::head(None, request.cookie)),
                Err(failure) => self.refuse(request, failure),
            },
        }
    }

    fn change(&self, request: &Request, buffer: &mut Buffer<'_>) -> Result<(), Failure> {
        let (offset, length) = (request.offset, u64::from(request.length));
        let safe = request.has(flag::FUA);
        let export = self.export();
        match request.kind {
            Kind::Flush => export.flush(),
            _ if length == 0 => Ok(()),
            Kind::Write => {
                export.write(offset, &buffer.room(request.length as usize)[HEAD..], safe)
            }
            Kind::Trim => export.trim(offset, length, safe),
            _ => {
                let may_trim = !request.has(flag::NO_HOLE);
                let fast = request.has(flag::FAST_ZERO);
                export.zero(offset, length, Zeroing { may_trim, fast, safe })
            }
        }
    }

    fn read(&self, request: &Request, buffer: &mut Buffer<'_>) -> io::Result<()> {
        let length = request.length as usize;
        let bytes = buffer.room(length);
        if length > 0
            && let Err(failure) = self.export().read(request.offset, &mut bytes[HEAD..])
        {
            return self.refuse(request, failure);
        }
        let cookie = request.cookie;
        if !self.agreed.structured {
            let begin = HEAD - reply::HEAD;
            bytes[begin..HEAD].copy_from_slice(&reply::head(None, cookie));
            return self.say(&bytes[begin..]);
        }
        if length == 0 {
            return self.say(&reply::nothing(cookie));
        }
        if length < SPARSE || request.has(flag::DONT_FRAGMENT) {
            let begin = HEAD - reply::DATA_HEAD;
            let head = reply::data_head(true, cookie, request.offset, length);
            bytes[begin..HEAD].copy_from_slice(&head);
            return self.say(&bytes[begin..]);
        }
        self.say_pieces(request, bytes)
    }

    /// Data, and holes in place of zeroes.
    fn say_pieces(&self, request: &Request, bytes: &mut [u8]) -> io::Result<()> {
        let zero = |extent: Extent| extent.zero;
        let range = (request.offset, request.length);
        let most = 2 + request.length as usize / SPARSE;
        let mut begin = 0;
        for (length, zero) in stretches(self.export(), range, most, false, zero) {
            self.say_piece(request, bytes, (begin, begin + length as usize), zero)?;
            begin += length as usize;
        }
        if begin < request.length as usize {
            // What the export does not tell apart, or what would be too many pieces.
            self.say_piece(request, bytes, (begin, request.length as usize), false)?;
        }
        Ok(())
    }

    /// The bytes of the request's range from `begin` to `end`. Writes over what is before them.
    fn say_piece(
        &self,
        request: &Request,
        bytes: &mut [u8],
        (begin, end): (usize, usize),
        zero: bool,
    ) -> io::Result<()> {
        let offset = request.offset + begin as u64;
        let done = end == request.length as usize;
        if zero {
            return self.say(&reply::hole(done, request.cookie, offset, (end - begin) as u32));
        }
        let head = reply::data_head(done, request.cookie, offset, end - begin);
        let message = &mut bytes[HEAD + begin - reply::DATA_HEAD..HEAD + end];
        message[..reply::DATA_HEAD].copy_from_slice(&head);
        self.say(message)
    }

    fn say_status(&self, request: &Request) -> io::Result<()> {
        let most = if request.has(flag::ONE_EXTENT) { 1 } else { MOST_EXTENTS };
        let range = (request.offset, request.length);
        let extents = stretches(self.export(), range, most, 0, state);
        self.say(&reply::status(request.cookie, contexts::NUMBER, &extents))
    }

    fn refuse(&self, request: &Request, failure: Failure) -> io::Result<()> {
        if self.agreed.structured {
            self.say(&reply::failure(request, failure))
        } else {
            self.say(&reply::head(Some(failure.error), request.cookie))
        }
    }

    fn say(&self, message: &[u8]) -> io::Result<()> {
        let mut output = lock(&self.output);
        let Some(stream) = output.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let end = stream.write_all(message).and_then(|()| stream.flush());
        if end.is_err() {
            *output = None;
        }
        end
    }
}

/// Reads the data of a write, or reads past them.
fn receive<R: Read>(
    input: &mut Input<R>,
    request: &Request,
    wanted: bool,
    buffer: &mut Buffer<'_>,
) -> io::Result<()> {
    if wanted {
        return input.exact(&mut buffer.room(request.length as usize)[HEAD..]);
    }
    if request.length > MOST_SKIPPED {
        return Err(broken("a write is longer than 64 MiB"));
    }
    input.skip(request.length.into())
}
