//! A file that is written whole or not at all, compressed as its name says.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::partial::Partial;
use crate::Error;
use crate::read::Compression;

/// The compression that the ending of `path` stands for, and the path without that ending.
///
/// # Errors
/// The ending of a compression that is read but not written.
pub(super) fn compression_of(path: &Path) -> Result<(Compression, PathBuf), Error> {
    match path.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "gz" => Ok((Compression::Gzip, path.with_extension(""))),
        "zst" => Ok((Compression::Zstd, path.with_extension(""))),
        ending @ ("bz2" | "xz" | "lz4" | "zip" | "7z") => {
            let what = format!("`.{ending}` is not written");
            Err(Error::new(what, path.display().to_string(), "end it in .gz or .zst"))
        }
        _ => Ok((Compression::None, path.to_owned())),
    }
}

/// zstd's level: twice as fast as its default on traces, and some per cent larger.
const ZSTD_LEVEL: i32 = 3;

/// The file, behind its compressor.
enum Sink {
    Plain(BufWriter<File>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
}

/// A file under a name of its own beside its target, until it is whole.
pub(super) struct Output {
    target: PathBuf,
    partial: Partial,
    sink: Option<Sink>,
}

impl Output {
    /// Begins a file that will be `target`.
    ///
    /// # Errors
    /// `target` exists and `force` is not set, is a folder, or cannot be written.
    pub fn create(target: &Path, compression: Compression, force: bool) -> Result<Self, Error> {
        let place = || target.display().to_string();
        if target.is_dir() {
            return Err(Error::new("is a folder", place(), "name a file"));
        }
        if target.exists() && !force {
            return Err(Error::new("exists already", place(), "set `force=True` to replace it"));
        }
        if target.exists() && !target.is_file() {
            return Err(Error::new("is a pipe or a device", place(), "name a file"));
        }
        let partial = Partial::begin(target).map_err(|error| failure(&error, target))?;
        let file = partial.file().map_err(|error| failure(&error, target))?;
        let file = BufWriter::with_capacity(256 * 1024, file);
        let sink = match compression {
            Compression::None => Sink::Plain(file),
            Compression::Gzip => {
                Sink::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default()))
            }
            _ => Sink::Zstd(zstd_encoder(file).map_err(|e| failure(&e, target))?),
        };
        Ok(Self { target: target.to_owned(), partial, sink: Some(sink) })
    }

    /// The file that this will be.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Appends `bytes`.
    ///
    /// # Errors
    /// A full disk, or another failure of the system.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = match &mut self.sink {
            Some(Sink::Plain(sink)) => sink.write_all(bytes),
            Some(Sink::Gzip(sink)) => sink.write_all(bytes),
            Some(Sink::Zstd(sink)) => sink.write_all(bytes),
            None => Ok(()),
        };
        written.map_err(|error| failure(&error, &self.target))
    }

    /// Brings everything to the disk; returns the size of the file in bytes.
    ///
    /// # Errors
    /// A full disk, or another failure of the system.
    pub fn close(&mut self) -> Result<u64, Error> {
        let Some(sink) = self.sink.take() else { return Ok(0) };
        close_sink(sink).map_err(|error| failure(&error, &self.target))
    }

    /// Gives a closed file its name.
    ///
    /// # Errors
    /// A failure of the system.
    pub fn publish(&mut self) -> Result<(), Error> {
        self.partial.publish(&self.target).map_err(|error| failure(&error, &self.target))
    }
}

fn zstd_encoder(file: BufWriter<File>) -> io::Result<zstd::Encoder<'static, BufWriter<File>>> {
    let mut encoder = zstd::Encoder::new(file, ZSTD_LEVEL)?;
    encoder.include_checksum(true)?;
    Ok(encoder)
}

fn close_sink(sink: Sink) -> io::Result<u64> {
    let buffered = match sink {
        Sink::Plain(file) => file,
        Sink::Gzip(encoder) => encoder.finish()?,
        Sink::Zstd(encoder) => encoder.finish()?,
    };
    let file = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

fn failure(error: &io::Error, target: &Path) -> Error {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let is_of_system = matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    );
    let help = match error.kind() {
        _ if is_of_system => "free some space, or name another disk".to_owned(),
        _ if !folder.exists() => format!("create the folder `{}` first", folder.display()),
        _ => format!("the system creates nothing in `{}`: name a file elsewhere", folder.display()),
    };
    let what = format!("cannot be written: {error}");
    Error { is_of_system, ..Error::new(what, target.display().to_string(), help) }
}
