//! What a trace format is: its declaration and how one of its lines is read.

use std::fmt;
use std::path::Path;

use super::fields::BadField;
use super::file_source::FileSource;
use super::lines::Lines;
use crate::{Request, Source};

/// The unit of a format's time stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeUnit {
    /// Its name.
    pub name: &'static str,
    /// Nanoseconds in one.
    pub ns: u64,
}

impl TimeUnit {
    /// Ticks of Windows' file time.
    pub const TICK: Self = Self { name: "100 ns", ns: 100 };
    /// Milliseconds.
    pub const MILLISECOND: Self = Self { name: "ms", ns: 1_000_000 };
    /// Nanoseconds.
    pub const NANOSECOND: Self = Self { name: "ns", ns: 1 };
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A format with one record per line. To add one: a file that implements this, and its line in
/// the table of formats.
pub(super) trait LineFormat: Send + 'static {
    /// The name by which it is chosen.
    const NAME: &'static str;
    /// Other names for the same.
    const ALIASES: &'static [&'static str] = &[];
    /// What it is, in a sentence.
    const SUMMARY: &'static str;
    /// Its columns, in order.
    const COLUMNS: &'static str;
    /// The unit of its time stamps.
    const TIME_UNIT: TimeUnit;
    /// How its header line begins, where it may have one; case does not count.
    const HEADER: Option<&'static str> = None;

    /// Reads one line. The time stamp is absolute, in nanoseconds.
    fn parse(line: &[u8]) -> Result<Request, BadField<'_>>;
}

/// A format's declaration.
#[derive(Debug)]
pub struct FormatDecl {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// Other names for the same.
    pub aliases: &'static [&'static str],
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// Its columns, in order.
    pub columns: &'static str,
    /// The unit of its time stamps.
    pub time_unit: TimeUnit,
    header: Option<&'static str>,
    accepts: fn(&[u8]) -> bool,
    start: fn(Lines, &Path) -> Box<dyn Source>,
}

impl FormatDecl {
    pub(super) const fn of<F: LineFormat>() -> Self {
        Self {
            name: F::NAME,
            aliases: F::ALIASES,
            summary: F::SUMMARY,
            columns: F::COLUMNS,
            time_unit: F::TIME_UNIT,
            header: F::HEADER,
            accepts: |line| F::parse(line).is_ok(),
            start: |lines, path| Box::new(FileSource::<F>::new(lines, path)),
        }
    }

    /// The requests in `lines`, which come from `path`.
    pub(super) fn start(&self, lines: Lines, path: &Path) -> Box<dyn Source> {
        (self.start)(lines, path)
    }

    /// How many lines from the first on are of this format; a header counts as one.
    pub(super) fn leading_fits(&self, sample: &[u8]) -> usize {
        let lines =
            sample.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        lines
            .enumerate()
            .take_while(|&(i, line)| {
                (i == 0 && is_header(self.header, line)) || (self.accepts)(line)
            })
            .count()
    }
}

/// Whether `line` is the header that begins with `header`.
pub(super) fn is_header(header: Option<&str>, line: &[u8]) -> bool {
    let Some(header) = header else { return false };
    line.get(..header.len()).is_some_and(|start| start.eq_ignore_ascii_case(header.as_bytes()))
}
