//! Readers of trace files: one file per format, compression and format recognised from the data.

mod columns;
mod compression;
mod cycle;
mod declaration;
mod detect;
mod digits;
mod failure;
mod fields;
mod file_source;
mod foreign;
mod format;
mod formats;
mod input;
mod members;
mod names;
mod options;
mod plain;
mod remarks;
mod sorting;
mod stream;
mod waiting;

use std::path::{Path, PathBuf};

use crate::{Error, Source, suggest};

pub use compression::Compression;
pub use declaration::FormatDecl;
pub use format::TimeUnit;
pub(crate) use formats::UNIX_EPOCH_TICKS;
pub use formats::formats;
pub(crate) use input::text;
pub use options::FormatOption;

use failure::failure;
use options::Options;
use stream::Stream;

/// A workload, ready to be read.
pub struct Opened {
    /// Its requests.
    pub source: Box<dyn Source>,
    /// What the file turned out to be; `None` for a generated workload.
    pub info: Option<TraceInfo>,
}

/// What a trace file turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceInfo {
    /// The file.
    pub path: PathBuf,
    /// The name of its format.
    pub format: &'static str,
    /// How it is compressed.
    pub compression: Compression,
    /// The unit of its time stamps.
    pub time_unit: TimeUnit,
    /// Whether that was inferred from the data, where the format leaves it open.
    pub is_time_unit_inferred: bool,
}

/// Opens a trace file. Its compression is recognised; so is its format, unless `format` names one,
/// with its options behind a colon: `NAME:key=value,key=value`.
///
/// DiskSim's, SSDSim's and MQSim's traces differ in the unit of time alone: a decimal point among
/// the first lines means milliseconds, whole numbers nanoseconds. [`TraceInfo::time_unit`] tells
/// which was taken; naming the format decides it.
///
/// # Errors
/// A file that cannot be read, a compression, format or option that is not known, a file without
/// a request.
pub fn open(path: &Path, format: Option<&str>) -> Result<Opened, Error> {
    let chosen = format.map(by_name).transpose()?;
    let (input, compression) = input::open(path)?;
    let mut stream = Stream::new(input);
    let place = path.display().to_string();
    let sample = stream.peek().map_err(|error| failure(&error, place.clone()))?;
    if sample.trim_ascii().is_empty() {
        return Err(Error::new("a trace without a request", place, "the file is empty"));
    }
    if sample.get(257..262) == Some(b"ustar") {
        let help = "unpack it with `tar xf`, then name a file that was in it";
        return Err(Error::new("a tar archive, not a trace", place, help));
    }
    let is_detected = chosen.is_none();
    let (format, options) = match chosen {
        Some(chosen) => chosen,
        None => {
            let found = detect::detect(sample, place)?;
            let mut options = Options::none(found.name);
            options.is_unit_guessed = detect::has_open_unit(found);
            (found, options)
        }
    };
    let started = format.start(stream, path, &options, detect::stranger);
    // Of options that nobody gave, the file is the place.
    let (source, times) = started.map_err(|error| match is_detected {
        true => Error { place: path.display().to_string(), ..error },
        false => error,
    })?;
    let info = TraceInfo {
        path: path.to_owned(),
        format: format.name,
        compression,
        time_unit: times.unit,
        is_time_unit_inferred: times.is_inferred,
    };
    Ok(Opened { source, info: Some(info) })
}

/// The format and the options that `text` names.
fn by_name(text: &str) -> Result<(&'static FormatDecl, Options), Error> {
    let (name, pairs) = text.split_once(':').unwrap_or((text, ""));
    let Some(format) = formats().iter().find(|format| format.is_called(name)) else {
        let names: Vec<&str> = formats()
            .iter()
            .flat_map(|f| std::iter::once(f.name).chain(f.aliases.to_vec()))
            .collect();
        let what = format!("unknown trace format `{name}`");
        let help = suggest::help_or_list(name, &names, "wordline list formats");
        return Err(Error::new(what, "format", help));
    };
    Ok((format, Options::parse(text, pairs, format.options)?))
}

#[cfg(test)]
mod tests;
