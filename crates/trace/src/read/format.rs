//! What a trace format is: how it is described, and how one of its records is read.

use std::fmt;
use std::path::Path;

use super::fields::BadField;
use super::options::{FormatOption, Options};
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

/// What a line or a binary record turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record {
    /// A request; its time stamp is absolute, in nanoseconds.
    Request(Request),
    /// A request of 4 GiB or more, which holds the lower 32 bits of its size, with the upper ones: it is replayed in
    /// parts.
    Long(Request, u32),
    /// A request of any size with the upper bits of its size, which asks for a flush ahead of it.
    AfterFlush(Request, u32),
    /// No request for data: passed over, and counted under this reason.
    Skipped(&'static str),
    /// Nothing that a workload lacks without it, such as an event of a request that is read elsewhere: passed over,
    /// and counted under this reason.
    Noted(&'static str),
    /// The format's own bookkeeping, such as the name of a file: not counted.
    Silent,
}

impl Record {
    /// The record with the upper 32 bits of its size.
    pub fn with_upper(self, upper: u32) -> Self {
        match self {
            Self::Request(request) if upper > 0 => Self::Long(request, upper),
            Self::AfterFlush(request, _) => Self::AfterFlush(request, upper),
            other => other,
        }
    }
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
    /// First lines that no other file has.
    const FIRST_LINES: &'static [&'static str] = &[];
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

    /// The record of the line that `text` begins with, and the bytes of that line with its end, where
    /// that is quicker to read as a line that is like all others; what [`Format::parse`] gives of
    /// it is the same. `None` leaves the line to it, and the format as it was.
    #[inline(always)]
    fn parse_plain(&mut self, text: &[u8]) -> Option<(Record, usize)> {
        let _ = text;
        None
    }

    /// What had to be mended or inferred so far that other formats know nothing of.
    fn remarks(&self) -> Option<String> {
        None
    }

    /// Whether the user said that the sizes are in bytes.
    fn has_sizes_in_bytes(&self) -> bool {
        false
    }

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

/// Whether `line` is the header that begins with `header`.
pub(super) fn is_header(header: Option<&str>, line: &[u8]) -> bool {
    let Some(header) = header else { return false };
    line.get(..header.len()).is_some_and(|start| start.eq_ignore_ascii_case(header.as_bytes()))
}

/// How a format of fixed columns reads a line: `columns` asks for them, whoever cuts the line.
macro_rules! read_by_columns {
    ($separator:expr) => {
        fn parse<'a>(
            &mut self,
            line: &'a [u8],
        ) -> Result<crate::read::format::Record, crate::read::fields::BadField<'a>> {
            let mut fields = crate::read::fields::Fields::by(line, $separator);
            let record = self.columns(&mut fields)?;
            Ok(record.with_upper(fields.upper()))
        }

        #[inline(always)]
        fn parse_plain(&mut self, text: &[u8]) -> Option<(crate::read::format::Record, usize)> {
            let mut columns = crate::read::plain::Plain::new(text, $separator);
            let record = self.columns(&mut columns).ok()?;
            Some((record, columns.line_bytes()?))
        }
    };
}
pub(super) use read_by_columns;
