//! The declaration of a format: what it is called, what fits it, and how it is opened.

use std::path::Path;

use super::file_source::{FileSource, Stranger};
use super::format::{Container, Described, Format, Record, Shape, TimeUnit, Times, is_header};
use super::options::{FormatOption, Options};
use super::stream::Stream;
use crate::{Error, Source};

/// A source and the unit of its times.
type Started = (Box<dyn Source>, Times);
/// Opens a stream whose file is the path.
type Start = fn(Stream, &Path, &Options, Stranger) -> Result<Started, Error>;

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
    first_lines: &'static [&'static str],
    covers: fn(&[u8]) -> usize,
    start: Start,
}

impl FormatDecl {
    /// The declaration of a format of lines or records.
    pub(super) const fn of<F: Format>() -> Self {
        Self::described::<F>(covers::<F>, |stream, path, options, stranger| {
            let (source, times) = FileSource::<F>::new(stream, path, options, stranger)?;
            Ok((Box::new(source), times))
        })
    }

    /// The declaration of a format that reads its files itself.
    pub(super) const fn container<F: Container>() -> Self {
        Self::described::<F>(
            |sample| if sample.starts_with(F::MAGIC) { sample.len() } else { 0 },
            |stream, path, options, _| {
                Ok((F::start(stream, path, options)?, Times::fixed(F::TIME_UNIT)))
            },
        )
    }

    const fn described<F: Described>(covers: fn(&[u8]) -> usize, start: Start) -> Self {
        Self {
            name: F::NAME,
            aliases: F::ALIASES,
            summary: F::SUMMARY,
            columns: F::COLUMNS,
            time_unit: F::TIME_UNIT,
            options: F::OPTIONS,
            yields_to: F::YIELDS_TO,
            first_lines: F::FIRST_LINES,
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

    /// Whether the first line of `sample` says that it is of this format.
    pub(super) fn is_headed(&self, sample: &[u8]) -> bool {
        let first = sample.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
        self.first_lines.iter().any(|line| line.as_bytes() == first)
    }

    /// The requests in `stream`, which come from `path`, and the unit of their times. `stranger`
    /// tells of a line that is none of this format's.
    pub(super) fn start(
        &self,
        stream: Stream,
        path: &Path,
        options: &Options,
        stranger: Stranger,
    ) -> Result<Started, Error> {
        (self.start)(stream, path, options, stranger)
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
    let (mut is_found, mut covered, mut has_header) = (false, 0, false);
    let mut found = |record: Record| is_found |= record != Record::Silent;
    match F::SHAPE {
        Shape::Lines { header } => {
            while covered < sample.len() {
                let rest = &sample[covered..];
                if let Some((record, bytes)) = format.parse_plain(rest) {
                    found(record);
                    covered += bytes;
                    continue;
                }
                let bytes = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
                let text = rest[..bytes].trim_ascii();
                has_header |= covered == 0 && is_header(header, text);
                let is_passed_over = text.is_empty() || (covered == 0 && has_header);
                if !is_passed_over && format.parse(text).map(&mut found).is_err() {
                    break;
                }
                covered += bytes;
            }
        }
        Shape::Records { bytes } => {
            let records = sample.chunks_exact(bytes);
            let fits = |record: &&[u8]| format.parse(record).map(&mut found).is_ok();
            covered = bytes * records.take_while(fits).count();
        }
    }
    if is_found || has_header { covered } else { 0 }
}
