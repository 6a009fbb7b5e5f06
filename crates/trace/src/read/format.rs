//! What a trace format is: its declaration, and how one of its records is read.

use std::fmt;
use std::path::Path;

use super::fields::BadField;
use super::file_source::FileSource;
use super::options::Options;
use super::stream::Stream;
use crate::{Error, Request, Source};

/// The unit of a format's time stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeUnit {
    /// Its name.
    pub name: &'static str,
    /// Nanoseconds in one; 0 where a trace has no times.
    pub ns: u64,
}

impl TimeUnit {
    /// Seconds.
    pub const SECOND: Self = Self { name: "s", ns: 1_000_000_000 };
    /// Milliseconds.
    pub const MILLISECOND: Self = Self { name: "ms", ns: 1_000_000 };
    /// Microseconds.
    pub const MICROSECOND: Self = Self { name: "us", ns: 1000 };
    /// Ticks of Windows' file time.
    pub const TICK: Self = Self { name: "100 ns", ns: 100 };
    /// Nanoseconds.
    pub const NANOSECOND: Self = Self { name: "ns", ns: 1 };
    /// The trace has no times: every request arrives at once.
    pub const NONE: Self = Self { name: "none", ns: 0 };
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The unit of a trace's times, and whether the data told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    /// The unit.
    pub unit: TimeUnit,
    /// Whether it was inferred from the data, where the format leaves it open.
    pub is_inferred: bool,
}

impl Times {
    /// A unit that the format fixes, or the user named.
    pub const fn fixed(unit: TimeUnit) -> Self {
        Self { unit, is_inferred: false }
    }
}

/// An option of a format, given as `NAME:key=value,key=value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatOption {
    /// Its key.
    pub key: &'static str,
    /// What it does, and what it may hold.
    pub help: &'static str,
}

/// What a line or a binary record turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record {
    /// A request; its time stamp is absolute, in nanoseconds.
    Request(Request),
    /// No request for data: passed over, and counted under this reason.
    Skipped(&'static str),
    /// The format's own bookkeeping, such as the name of a file: not counted.
    Silent,
}

/// How a format's records stand in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One a line.
    Lines {
        /// How the header line begins, where there may be one; case does not count.
        header: Option<&'static str>,
    },
    /// Binary records of one size.
    Records {
        /// That size.
        bytes: usize,
    },
}

/// How a format is called and described.
pub(super) trait Described {
    /// The name by which it is chosen.
    const NAME: &'static str;
    /// Other names for the same.
    const ALIASES: &'static [&'static str] = &[];
    /// What it is, in a sentence.
    const SUMMARY: &'static str;
    /// Its columns or fields, in order.
    const COLUMNS: &'static str;
    /// The unit of its time stamps, unless the data or an option says otherwise.
    const TIME_UNIT: TimeUnit;
    /// What may stand behind its name.
    const OPTIONS: &'static [FormatOption] = &[];
    /// Formats that differ from this one in the unit of time alone, and count where both fit.
    const YIELDS_TO: &'static [&'static str] = &[];
}

/// A format with a record per line, or with binary records of one size. To add one: a file that
/// implements this, and its line in the table of formats.
pub(super) trait Format: Described + Clone + Default + Send + 'static {
    /// How its records stand in a file.
    const SHAPE: Shape;
    /// Requests that are held back to be put in the order of their times, where files have another.
    const REORDERED: usize = 0;

    /// The time stamp of 1970-01-01 UTC in nanoseconds, where the format says when its time began.
    const UNIX_EPOCH_NS: Option<u64> = None;

    /// Takes up the options, and what the beginning of the trace tells.
    ///
    /// # Errors
    /// An option that cannot be, or one that is needed and missing.
    fn configure(&mut self, options: &Options, sample: &[u8]) -> Result<Times, Error> {
        let _ = (options, sample);
        Ok(Times::fixed(Self::TIME_UNIT))
    }

    /// The parser by which a file that begins with `sample` is recognised; `None` where it is not
    /// of this format, or the format cannot be recognised without options.
    fn detector(sample: &[u8]) -> Option<Self> {
        let mut format = Self::default();
        format.configure(&Options::none(Self::NAME), sample).ok().map(|_| format)
    }

    /// Reads one record, in the order of the file.
    fn parse<'a>(&mut self, record: &'a [u8]) -> Result<Record, BadField<'a>>;

    /// The names of the streams so far, by number, where the format has names for them.
    fn stream_names(&self) -> &[String] {
        &[]
    }
}

/// A format that reads its files itself.
pub(super) trait Container: Described {
    /// The bytes that its files begin with.
    const MAGIC: &'static [u8];

    /// The requests of `stream`, whose file is `path`.
    ///
    /// # Errors
    /// A header that cannot be.
    fn start(stream: Stream, path: &Path, options: &Options) -> Result<Box<dyn Source>, Error>;
}

/// A source and the unit of its times.
pub(super) type Started = (Box<dyn Source>, Times);

/// A format's declaration.
#[derive(Debug)]
pub struct FormatDecl {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// Other names for the same.
    pub aliases: &'static [&'static str],
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// Its columns or fields, in order.
    pub columns: &'static str,
    /// The unit of its time stamps, unless the data or an option says otherwise.
    pub time_unit: TimeUnit,
    /// What may stand behind its name.
    pub options: &'static [FormatOption],
    yields_to: &'static [&'static str],
    covers: fn(&[u8]) -> usize,
    start: fn(Stream, &Path, &Options) -> Result<Started, Error>,
}

impl FormatDecl {
    /// The declaration of a format of lines or records.
    pub(super) const fn of<F: Format>() -> Self {
        Self::described::<F>(covers::<F>, |stream, path, options| {
            let (source, times) = FileSource::<F>::new(stream, path, options)?;
            Ok((Box::new(source), times))
        })
    }

    /// The declaration of a format that reads its files itself.
    pub(super) const fn container<F: Container>() -> Self {
        Self::described::<F>(
            |sample| if sample.starts_with(F::MAGIC) { sample.len() } else { 0 },
            |stream, path, options| {
                Ok((F::start(stream, path, options)?, Times::fixed(F::TIME_UNIT)))
            },
        )
    }

    const fn described<F: Described>(
        covers: fn(&[u8]) -> usize,
        start: fn(Stream, &Path, &Options) -> Result<Started, Error>,
    ) -> Self {
        Self {
            name: F::NAME,
            aliases: F::ALIASES,
            summary: F::SUMMARY,
            columns: F::COLUMNS,
            time_unit: F::TIME_UNIT,
            options: F::OPTIONS,
            yields_to: F::YIELDS_TO,
            covers,
            start,
        }
    }

    /// Whether it is called `name`.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Whether `other` counts where both fit a file equally well.
    pub(super) fn yields_to(&self, other: &Self) -> bool {
        self.yields_to.contains(&other.name)
    }

    /// Whether other formats differ from this one in the unit of time alone.
    pub(super) fn has_open_unit(&self) -> bool {
        !self.yields_to.is_empty() || super::formats().iter().any(|other| other.yields_to(self))
    }

    /// The requests in `stream`, which come from `path`, and the unit of their times.
    pub(super) fn start(
        &self,
        stream: Stream,
        path: &Path,
        options: &Options,
    ) -> Result<Started, Error> {
        (self.start)(stream, path, options)
    }

    /// How many bytes of `sample`, from the first on, are of this format.
    pub(super) fn covers(&self, sample: &[u8]) -> usize {
        (self.covers)(sample)
    }
}

/// Bytes of `sample` up to the first record that is not of format `F`; none without a record or
/// a header among them. A record that the sample's end cuts off does not count.
fn covers<F: Format>(sample: &[u8]) -> usize {
    let Some(mut format) = F::detector(sample) else { return 0 };
    let mut is_found = false;
    let mut fits = |record: &[u8]| match format.parse(record) {
        Ok(record) => {
            is_found |= record != Record::Silent;
            true
        }
        Err(_) => false,
    };
    let (mut covered, mut has_header) = (0, false);
    match F::SHAPE {
        Shape::Lines { header } => {
            for (i, line) in sample.split_inclusive(|&byte| byte == b'\n').enumerate() {
                let text = line.trim_ascii();
                has_header |= i == 0 && is_header(header, text);
                let is_passed_over = text.is_empty() || (i == 0 && has_header);
                if !is_passed_over && !fits(text) {
                    break;
                }
                covered += line.len();
            }
        }
        Shape::Records { bytes } => {
            covered = bytes * sample.chunks_exact(bytes).take_while(|record| fits(record)).count();
        }
    }
    if is_found || has_header { covered } else { 0 }
}

/// Whether `line` is the header that begins with `header`.
pub(super) fn is_header(header: Option<&str>, line: &[u8]) -> bool {
    let Some(header) = header else { return false };
    line.get(..header.len()).is_some_and(|start| start.eq_ignore_ascii_case(header.as_bytes()))
}
