//! Readers of trace files: one file per format, compression and format recognised from the data.

mod fields;
mod file_source;
mod format;
mod formats;
mod input;
mod lines;

use std::path::{Path, PathBuf};

use crate::{Error, Source, suggest};

pub use format::{FormatDecl, TimeUnit};
pub use formats::formats;
pub use input::Compression;

use lines::Lines;

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
}

/// Opens a trace file. Its compression is recognised; so is its format, unless `format` names one.
///
/// DiskSim's, SSDSim's and MQSim's traces differ in the unit of time alone: a decimal point among
/// the first lines means milliseconds, whole numbers nanoseconds. [`TraceInfo::time_unit`] tells
/// which was taken; naming the format decides it.
///
/// # Errors
/// A file that cannot be read, a compression or format that is not known, a file without a
/// request.
pub fn open(path: &Path, format: Option<&str>) -> Result<Opened, Error> {
    let chosen = format.map(by_name).transpose()?;
    let (input, compression) = input::open(path)?;
    let mut lines = Lines::new(input);
    let place = path.display().to_string();
    let sample = lines.peek().map_err(|error| input::failure(&error, place.clone()))?;
    if sample.trim_ascii().is_empty() {
        return Err(Error::new("a trace without a request", place, "the file is empty"));
    }
    let format = match chosen {
        Some(format) => format,
        None => detect(sample).ok_or_else(|| unrecognised(sample, place))?,
    };
    let info = TraceInfo {
        path: path.to_owned(),
        format: format.name,
        compression,
        time_unit: format.time_unit,
    };
    Ok(Opened { source: format.start(lines, path), info: Some(info) })
}

/// The format called `name`.
fn by_name(name: &str) -> Result<&'static FormatDecl, Error> {
    let wanted = |format: &&FormatDecl| format.name == name || format.aliases.contains(&name);
    formats().iter().find(wanted).ok_or_else(|| {
        let names: Vec<&str> = formats()
            .iter()
            .flat_map(|f| std::iter::once(f.name).chain(f.aliases.to_vec()))
            .collect();
        Error::new(format!("unknown trace format `{name}`"), "format", suggest::help(name, &names))
    })
}

/// The format that fits the most of the first lines; of equals, the first in the table.
fn detect(sample: &[u8]) -> Option<&'static FormatDecl> {
    let fits = formats().iter().map(|format| (format.leading_fits(sample), format));
    fits.filter(|&(fits, _)| fits > 0)
        .min_by_key(|&(fits, _)| std::cmp::Reverse(fits))
        .map(|(_, format)| format)
}

/// No format fits: shows the line and what could have been there.
fn unrecognised(sample: &[u8], place: String) -> Error {
    let first = sample.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let known: Vec<String> =
        formats().iter().map(|f| format!("{} ({})", f.name, f.columns)).collect();
    Error::new(
        format!("not a trace of a known format; it begins with `{}`", fields::shown(first)),
        place,
        format!("name the format if its first lines are unusual; known: {}", known.join(", ")),
    )
}

#[cfg(test)]
mod tests;
