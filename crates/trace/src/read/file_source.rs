//! A trace file as a source of requests.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use super::fields::{BadField, shown};
use super::format::{LineFormat, is_header};
use super::input;
use super::lines::{Line, Lines};
use crate::{Error, Request, Source};

/// The requests of one file of format `F`.
pub(super) struct FileSource<F> {
    path: PathBuf,
    name: String,
    lines: Lines,
    clock: Clock,
    requests: u64,
    format: PhantomData<F>,
}

/// Turns absolute time stamps into arrivals that start at zero and never run backwards.
#[derive(Default)]
struct Clock {
    first_ns: Option<u64>,
    now_ns: u64,
    clamped: u64,
}

impl Clock {
    #[inline]
    fn arrival_ns(&mut self, stamp_ns: u64) -> u64 {
        let first_ns = *self.first_ns.get_or_insert(stamp_ns);
        match stamp_ns.checked_sub(first_ns) {
            Some(since_ns) if since_ns >= self.now_ns => self.now_ns = since_ns,
            _ => self.clamped += 1,
        }
        self.now_ns
    }
}

impl<F: LineFormat> FileSource<F> {
    pub fn new(lines: Lines, path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            name: display_name(path),
            lines,
            clock: Clock::default(),
            requests: 0,
            format: PhantomData,
        }
    }

    /// The next request; `None` at the end of the file.
    #[inline]
    fn next(&mut self) -> Result<Option<Request>, Error> {
        loop {
            let line = match self.lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => return self.finish(),
                Err(error) => return Err(self.unreadable(&error)),
            };
            match F::parse(line.bytes) {
                Ok(mut request) => {
                    request.arrival_ns = self.clock.arrival_ns(request.arrival_ns);
                    self.requests += 1;
                    return Ok(Some(request));
                }
                Err(_) if line.bytes.trim_ascii().is_empty() => {}
                Err(_) if self.requests == 0 && is_header(F::HEADER, line.bytes) => {}
                Err(bad) => {
                    let error = malformed::<F>(line, bad, self.requests);
                    return Err(self.located(error));
                }
            }
        }
    }

    /// The end of the file, where a trace without a request is an error.
    fn finish(&self) -> Result<Option<Request>, Error> {
        if self.requests > 0 {
            return Ok(None);
        }
        let help = format!("columns of {}: {}", F::NAME, F::COLUMNS);
        Err(Error::new("a trace without a request", self.path.display().to_string(), help))
    }

    fn unreadable(&self, error: &std::io::Error) -> Error {
        let mut error = input::failure(error, String::new());
        error.what += &format!("; {} records were read", self.requests);
        self.located(error)
    }

    fn located(&self, error: Error) -> Error {
        Error { place: format!("{}:{}", self.path.display(), self.lines.number()), ..error }
    }
}

/// Says what is wrong with a line; the caller adds where.
#[cold]
fn malformed<F: LineFormat>(line: Line<'_>, bad: BadField<'_>, requests: u64) -> Error {
    let found = match bad.found {
        Some(text) => format!("found `{}`", shown(text)),
        None => "but the line ends before it".to_owned(),
    };
    let mut what = format!("column {}: expected {}, {found}", bad.column, bad.expected);
    if !line.terminated {
        what = format!("the trace looks truncated: {requests} records were read, then {what}");
    }
    let help = format!("columns of {}: {}", F::NAME, F::COLUMNS);
    Error::new(what, "", help)
}

impl<F: LineFormat> Source for FileSource<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let room = batch.capacity().max(1);
        while batch.len() < room {
            let Some(request) = self.next()? else { break };
            batch.push(request);
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        let (input, _) = input::open(&self.path)?;
        self.lines = Lines::new(input);
        self.clock = Clock::default();
        self.requests = 0;
        Ok(())
    }

    fn clamped_arrivals(&self) -> u64 {
        self.clock.clamped
    }

    fn is_synthetic(&self) -> bool {
        false
    }
}

/// The file's name without folder and endings.
fn display_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let stem = name.split('.').next().filter(|stem| !stem.is_empty());
    stem.unwrap_or(&name).to_owned()
}
