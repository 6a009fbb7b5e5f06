//! A trace file as a source of requests.

use std::path::{Path, PathBuf};

use super::cycle::Cycle;
use super::failure::failure;
use super::fields::{BadField, shown, shown_as_hex};
use super::format::{Format, Record, Shape, TimeUnit, Times, is_header};
use super::input;
use super::options::Options;
use super::remarks;
use super::sorting::{Sorted, Sorter};
use super::stream::Stream;
use super::waiting::Waiting;
use crate::{Error, Request, Skipped, Source};

/// Which format other than the one named a line is of, if any.
pub(super) type Stranger = fn(&str, &[u8]) -> Option<&'static str>;

/// The requests of one file of format `F`.
pub(super) struct FileSource<F> {
    path: PathBuf,
    name: String,
    stream: Stream,
    /// The format as it was before the first record.
    fresh: F,
    format: F,
    clock: Clock,
    /// Held back, if the format is to be reordered.
    waiting: Waiting,
    /// Whether requests are put in the order of their time stamps; then all of them, once they were read.
    is_sorted: bool,
    sorted: Option<Sorted>,
    /// What is left of the record that was just taken.
    rest: Option<Rest>,
    /// Requests that were read in parts.
    long: u64,
    requests: u64,
    cycle: Cycle,
    skipped: Vec<Skipped>,
    /// The unit of its times, where it is a guess that naming the format would settle.
    guessed_unit: Option<TimeUnit>,
    stranger: Stranger,
}

/// Bytes of each part but the last of a request that is longer than [`Request`] can hold.
const PART_BYTES: u32 = 1 << 31;

/// What is left of a record: a request that a flush went ahead of, or the end of a long one.
struct Rest {
    /// It, but for its size.
    request: Request,
    bytes: u64,
}

impl Rest {
    fn new(request: Request, upper: u32) -> Self {
        Self { request, bytes: u64::from(upper) << 32 | u64::from(request.size_bytes) }
    }

    /// The next part, and what is left behind it.
    fn split(self) -> (Request, Option<Self>) {
        let size_bytes = u32::try_from(self.bytes).unwrap_or(PART_BYTES);
        let part = Request { size_bytes, ..self.request };
        let left = self.bytes - u64::from(size_bytes);
        let offset_bytes = self.request.offset_bytes + u64::from(size_bytes);
        let rest = Self { request: Request { offset_bytes, ..self.request }, bytes: left };
        (part, (left > 0).then_some(rest))
    }
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

/// A line or record, and whether its end was there.
struct Item<'a> {
    bytes: &'a [u8],
    is_whole: bool,
}

#[inline]
fn next_item(stream: &mut Stream, shape: Shape) -> std::io::Result<Option<Item<'_>>> {
    Ok(match shape {
        Shape::Lines { .. } => {
            stream.next_line()?.map(|line| Item { bytes: line.bytes, is_whole: line.terminated })
        }
        Shape::Records { bytes: size } => {
            stream.next_record(size)?.map(|bytes| Item { bytes, is_whole: bytes.len() == size })
        }
    })
}

impl<F: Format> FileSource<F> {
    /// The requests in `stream`, which come from `path`, and the unit of their times.
    pub fn new(
        mut stream: Stream,
        path: &Path,
        options: &Options,
        stranger: Stranger,
    ) -> Result<(Self, Times), Error> {
        let sample = stream.peek();
        let sample = sample.map_err(|e| failure(&e, path.display().to_string()))?;
        let mut fresh = F::default();
        let mut times = fresh.configure(options, sample)?;
        times.is_inferred |= options.is_unit_guessed;
        let source = Self {
            path: path.to_owned(),
            name: display_name(path),
            stream,
            format: fresh.clone(),
            fresh,
            clock: Clock::default(),
            waiting: Waiting::default(),
            is_sorted: false,
            sorted: None,
            rest: None,
            long: 0,
            requests: 0,
            cycle: Cycle::default(),
            skipped: Vec::new(),
            guessed_unit: options.is_unit_guessed.then_some(times.unit),
            stranger,
        };
        Ok((source, times))
    }

    /// The next request, with its arrival; `None` at the end of the file.
    #[inline]
    fn next(&mut self) -> Result<Option<Request>, Error> {
        let next = match F::REORDERED {
            _ if self.is_sorted => self.next_sorted()?,
            0 => self.next_in_file()?,
            _ => self.next_in_time()?,
        };
        Ok(next.map(|mut request| {
            request.arrival_ns = self.clock.arrival_ns(request.arrival_ns);
            self.cycle.add(&request);
            request
        }))
    }

    /// The earliest of those held back; `None` at the end of the file.
    fn next_in_time(&mut self) -> Result<Option<Request>, Error> {
        while self.waiting.len() < F::REORDERED {
            let Some(request) = self.next_in_file()? else { break };
            self.waiting.push(request);
        }
        Ok(self.waiting.pop())
    }

    /// The next by time stamp; `None` at the end. The first reads the whole file.
    #[inline(never)]
    fn next_sorted(&mut self) -> Result<Option<Request>, Error> {
        if self.sorted.is_none() {
            let mut sorter = Sorter::default();
            while let Some(request) = self.next_in_file()? {
                sorter.push(request)?;
            }
            self.sorted = Some(sorter.finish()?);
        }
        self.sorted.as_mut().map_or(Ok(None), Sorted::next)
    }

    /// The next request as it stands in the file, with its time stamp.
    #[inline]
    fn next_in_file(&mut self) -> Result<Option<Request>, Error> {
        if self.rest.is_some() {
            return Ok(self.take_part());
        }
        loop {
            let format = &mut self.format;
            let record = match self.stream.next_line_by(|text| format.parse_plain(text)) {
                Some(record) => record,
                None => match self.next_record()? {
                    Some(record) => record,
                    None => return Ok(None),
                },
            };
            match record {
                Record::Request(request) => {
                    self.requests += 1;
                    return Ok(Some(request));
                }
                Record::Long(request, upper) => {
                    self.long += 1;
                    self.rest = Some(Rest::new(request, upper));
                    return Ok(self.take_part());
                }
                Record::AfterFlush(request, upper) => {
                    self.requests += 1;
                    self.long += u64::from(upper > 0);
                    self.rest = Some(Rest::new(request, upper));
                    return Ok(Some(Request::flush(request.arrival_ns, request.stream)));
                }
                Record::Skipped(reason) => Skipped::count_in(&mut self.skipped, reason, true),
                Record::Noted(reason) => Skipped::count_in(&mut self.skipped, reason, false),
                Record::Silent => {}
            }
        }
    }

    /// The next part of what is left of a record.
    #[cold]
    fn take_part(&mut self) -> Option<Request> {
        let (part, rest) = self.rest.take()?.split();
        self.requests += 1;
        self.rest = rest;
        Some(part)
    }

    /// The next record, whatever its line looks like; `None` at the end of the file.
    #[inline(never)]
    fn next_record(&mut self) -> Result<Option<Record>, Error> {
        loop {
            let item = match next_item(&mut self.stream, F::SHAPE) {
                Ok(Some(item)) => item,
                Ok(None) => return self.finish(),
                Err(error) => return Err(self.unreadable(&error)),
            };
            let parsed = match F::SHAPE {
                Shape::Records { .. } if !item.is_whole => Err(cut_off(item.bytes)),
                _ => self.format.parse(item.bytes),
            };
            match parsed {
                Ok(record) => return Ok(Some(record)),
                Err(_) if is_passed_over::<F>(self.requests, item.bytes) => {}
                Err(bad) => {
                    let what = malformed::<F>(&item, bad, self.requests);
                    let help = match (self.stranger)(F::NAME, item.bytes) {
                        Some(name) if item.is_whole && self.requests > 0 => {
                            format!("the line is one of format {name}: are two traces joined?")
                        }
                        _ => columns_help::<F>(),
                    };
                    return Err(Error::new(what, self.place(), help));
                }
            }
        }
    }

    /// The end of the file, where a trace without a request is an error.
    fn finish(&self) -> Result<Option<Record>, Error> {
        if self.requests > 0 {
            return Ok(None);
        }
        let mut what = "a trace without a request".to_owned();
        for skipped in &self.skipped {
            what += &format!("; {} passed over: {}", skipped.count, skipped.reason);
        }
        let mut help = columns_help::<F>();
        for option in F::OPTIONS {
            help += &format!("; {}: {}", option.key, option.help);
        }
        Err(Error::new(what, self.path.display().to_string(), help))
    }

    fn unreadable(&self, error: &std::io::Error) -> Error {
        let error = failure(error, String::new());
        let what = format!("{}; {} requests were read", error.what, self.requests);
        Error { place: self.place(), what, ..error }
    }

    /// File and line, or file, record and byte.
    fn place(&self) -> String {
        let (path, number) = (self.path.display(), self.stream.number());
        match F::SHAPE {
            Shape::Lines { .. } => format!("{path}:{number}"),
            Shape::Records { .. } => {
                format!("{path}: record {number}, up to byte {}", self.stream.consumed_bytes())
            }
        }
    }
}

/// A record that the file's end cuts off.
fn cut_off(bytes: &[u8]) -> BadField<'_> {
    BadField { column: "record", expected: "all of its bytes", found: Some(bytes) }
}

/// Whether a line that is no record may stand there all the same: an empty one, or a header.
fn is_passed_over<F: Format>(requests: u64, line: &[u8]) -> bool {
    let Shape::Lines { header } = F::SHAPE else { return false };
    line.trim_ascii().is_empty() || (requests == 0 && is_header(header, line))
}

fn columns_help<F: Format>() -> String {
    format!("columns of {}: {}", F::NAME, F::COLUMNS)
}

/// Says what is wrong with a record.
#[cold]
fn malformed<F: Format>(item: &Item<'_>, bad: BadField<'_>, requests: u64) -> String {
    let found = match (F::SHAPE, bad.found) {
        (Shape::Lines { .. }, Some(text)) => format!("found `{}`", shown(text)),
        (Shape::Records { .. }, Some(bytes)) => format!("found bytes {}", shown_as_hex(bytes)),
        (_, None) => "but it ends before that".to_owned(),
    };
    let what = format!("column {}: expected {}, {found}", bad.column, bad.expected);
    if item.is_whole {
        return what;
    }
    format!("the trace looks truncated: {requests} requests were read, then {what}")
}

impl<F: Format> Source for FileSource<F> {
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
        self.clock = Clock::default();
        self.cycle = Cycle::default();
        if let Some(sorted) = &mut self.sorted {
            return sorted.rewind();
        }
        let (input, _) = input::open(&self.path)?;
        self.stream = Stream::new(input);
        self.format = self.fresh.clone();
        self.waiting = Waiting::default();
        self.rest = None;
        self.long = 0;
        self.requests = 0;
        self.skipped.clear();
        Ok(())
    }

    fn clamped_arrivals(&self) -> u64 {
        self.clock.clamped
    }

    fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    fn remarks(&self) -> Vec<String> {
        let guessed = self.guessed_unit.map(remarks::guessed_unit);
        let clamped = remarks::clamped(self.clock.clamped, self.requests);
        let skipped = remarks::skipped(&self.skipped);
        let long = remarks::long(self.long);
        let all = [guessed, clamped, skipped, long, self.format.remarks(), self.cycle.remark()];
        all.into_iter().flatten().collect()
    }

    fn has_sizes_in_bytes(&self) -> bool {
        self.format.has_sizes_in_bytes()
    }

    fn sort_by_time(&mut self) {
        self.is_sorted = true;
    }

    fn start_unix_ns(&self) -> Option<u64> {
        self.clock.first_ns?.checked_sub(F::UNIX_EPOCH_NS?)
    }

    fn stream_names(&self) -> &[String] {
        self.format.stream_names()
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
