//! A trace file in the making.

use std::path::{Path, PathBuf};

use super::encoder::Encoder;
use super::fit::{Limits, Losses};
use super::formats::{WriterDecl, by_ending, by_name};
use super::output::{Output, compression_of};
use crate::compact::TraceMeta;
use crate::read::Compression;
use crate::{Error, Request};

/// How a file is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// The format; `None`: that of the name's ending.
    pub format: Option<&'a str>,
    /// Round what the format cannot hold, or leave it out, instead of refusing it.
    pub lossy: bool,
    /// Replace a file that exists.
    pub force: bool,
}

/// Writes a trace file. Nothing stands under its name until [`Closed::publish`]; a writer that is
/// dropped leaves nothing.
pub struct TraceWriter {
    format: &'static WriterDecl,
    compression: Compression,
    lossy: bool,
    meta: TraceMeta,
    /// Made when the first requests come.
    encoder: Option<Box<dyn Encoder>>,
    output: Output,
    bytes: Vec<u8>,
    fitted: Vec<Request>,
    losses: Losses,
    taken: u64,
    last_ns: u64,
    volume_names: Vec<String>,
    notes: Vec<String>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub path: PathBuf,
    /// The name of its format.
    pub format: &'static str,
    /// How it is compressed.
    pub compression: Compression,
    /// Requests in it.
    pub requests: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// What the format could not hold.
    pub losses: Losses,
}

/// A file that is whole but has not got its name yet.
pub struct Closed {
    output: Output,
    written: Written,
}

impl Closed {
    /// Gives the file its name.
    ///
    /// # Errors
    /// A failure of the system.
    pub fn publish(mut self) -> Result<Written, Error> {
        self.output.publish()?;
        Ok(self.written)
    }
}

/// Bytes that are collected before they are written.
const FLUSH_BYTES: usize = 256 * 1024;

impl TraceWriter {
    /// Begins a trace that will be `path`.
    ///
    /// # Errors
    /// No format, or one that is not known; a file that exists already or cannot be written.
    pub fn create(path: &Path, meta: &TraceMeta, options: Options<'_>) -> Result<Self, Error> {
        let (compression, inner) = compression_of(path)?;
        let format = match options.format {
            Some(name) => by_name(name)?,
            None => by_ending(&inner, path)?,
        };
        let output = Output::create(path, compression, options.force)?;
        Ok(Self {
            format,
            compression,
            lossy: options.lossy,
            meta: meta.clone(),
            encoder: None,
            output,
            bytes: Vec::with_capacity(2 * FLUSH_BYTES),
            fitted: Vec::new(),
            losses: Losses::default(),
            taken: 0,
            last_ns: 0,
            volume_names: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// Says when a request with arrival 0 was issued, in nanoseconds since 1970-01-01 UTC: known of
    /// many sources only once they are read, and of use ahead of the first request that is written.
    pub fn starts_at(&mut self, unix_ns: Option<u64>) {
        self.meta.start_unix_ns = unix_ns.or(self.meta.start_unix_ns);
    }

    /// Says what volumes are called, by number, for formats that hold names; some sources know it
    /// at their end only.
    pub fn name_volumes(&mut self, names: &[String]) {
        names.clone_into(&mut self.volume_names);
    }

    /// Says what reading the requests has mended, left out or guessed, for formats that can tell it.
    pub fn note(&mut self, remarks: Vec<String>) {
        self.notes = remarks;
    }

    /// Requests that were appended.
    pub fn requests(&self) -> u64 {
        self.taken
    }

    /// Appends requests, whose arrivals must not run backwards.
    ///
    /// # Errors
    /// A full disk; requests that cannot be: arrivals that run backwards, a size of zero.
    pub fn write(&mut self, requests: &[Request]) -> Result<(), Error> {
        for (number, request) in requests.iter().enumerate() {
            self.check(request, self.taken + number as u64)?;
        }
        self.taken += requests.len() as u64;
        if self.format.limits == Limits::NONE {
            encoder_of(self.format, &self.meta, &mut self.encoder, &mut self.bytes)
                .encode(requests, &mut self.bytes);
        } else {
            self.fitted.clear();
            let (limits, losses) = (&self.format.limits, &mut self.losses);
            self.fitted.extend(requests.iter().filter_map(|&r| limits.fit(r, losses)));
            // What will be refused in the end is counted on, but no longer written.
            if self.lossy || !self.losses.any() {
                encoder_of(self.format, &self.meta, &mut self.encoder, &mut self.bytes)
                    .encode(&self.fitted, &mut self.bytes);
            }
        }
        if self.bytes.len() >= FLUSH_BYTES { self.flush() } else { Ok(()) }
    }

    fn check(&mut self, request: &Request, number: u64) -> Result<(), Error> {
        let place = || format!("request {} of the workload", number + 1);
        if request.arrival_ns < self.last_ns {
            let what = format!("arrives at {} ns, ahead of the one before", request.arrival_ns);
            return Err(Error::new(what, place(), "sort the trace by time"));
        }
        if request.size_bytes == 0 && request.op != crate::Op::Flush {
            return Err(Error::new("has a size of zero", place(), "drop it from the trace"));
        }
        self.last_ns = request.arrival_ns;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.output.write(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// Requests that the format cannot hold, unless lossy; no request at all; a full disk.
    pub fn close(mut self) -> Result<Closed, Error> {
        if self.losses.any() && !self.lossy {
            return Err(self.refusal());
        }
        let requests = self.taken - self.losses.left_out();
        let place = || self.output.target().display().to_string();
        if requests == 0 {
            return Err(Error::new("no request is left to write", place(), ""));
        }
        if let Some(encoder) = &mut self.encoder {
            encoder.end(&self.volume_names, &self.notes, &mut self.bytes);
        }
        self.flush()?;
        let written = Written {
            path: self.output.target().to_owned(),
            format: self.format.name,
            compression: self.compression,
            requests,
            bytes: self.output.close()?,
            losses: self.losses,
        };
        Ok(Closed { output: self.output, written })
    }

    fn refusal(&self) -> Error {
        let told = self.losses.told(&self.format.limits);
        let (name, requests) = (self.format.name, self.taken);
        Error::new(
            format!("of {requests} requests the format {name} cannot hold {told}"),
            self.output.target().display().to_string(),
            "choose the format wordline, which holds everything, or set `lossy=True` to round \
             times, widen to whole sectors and leave the rest out",
        )
    }
}

/// The encoder, which begins the file if it has not begun.
fn encoder_of<'a>(
    format: &WriterDecl,
    meta: &TraceMeta,
    encoder: &'a mut Option<Box<dyn Encoder>>,
    bytes: &mut Vec<u8>,
) -> &'a mut dyn Encoder {
    &mut **encoder.get_or_insert_with(|| {
        let mut encoder = (format.encoder)(meta);
        encoder.begin(bytes);
        encoder
    })
}
