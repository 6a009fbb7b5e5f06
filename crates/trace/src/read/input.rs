//! A file as a stream of plain bytes, whatever compressed it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::compression::Compression;
use super::failure::failure;
use super::members::Members;
use crate::{Error, suggest};

/// Containers that are recognised only to say how to unpack them: magic bytes, name, command.
const FOREIGN: &[(&[u8], &str, &str)] = &[
    (b"\xfd7zXZ", "xz", "unxz"),
    (b"\x04\x22\x4d\x18", "lz4", "unlz4"),
    (b"PK\x03\x04", "zip", "unzip"),
    (b"7z\xbc\xaf", "7-Zip", "7z x"),
];

/// Names of a folder's files that an error shows.
const NAMES_SHOWN: usize = 5;

/// The text of the file at `path`.
///
/// # Errors
/// No such file, a folder, a pipe, or what is not UTF-8.
pub(crate) fn text(path: &Path) -> Result<String, Error> {
    check_is_file(path)?;
    std::fs::read_to_string(path).map_err(|error| {
        let what = match error.kind() {
            io::ErrorKind::InvalidData => "is not UTF-8 text".to_owned(),
            _ => format!("cannot be read: {error}"),
        };
        Error::new(what, path.display().to_string(), "")
    })
}

/// Refuses what is no file, without opening it, which would wait for whoever writes a pipe.
fn check_is_file(path: &Path) -> Result<(), Error> {
    let place = || path.display().to_string();
    let data = path.metadata().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::new("no such file", place(), neighbours(path)),
        _ => failure(&error, place()),
    })?;
    if data.is_dir() {
        return Err(Error::new("a folder, not a trace", place(), "name a file in it"));
    }
    if !data.is_file() {
        let what = "a pipe or a device, which cannot be read from its beginning again";
        return Err(Error::new(what, place(), "write the trace to a file, compressed or not"));
    }
    Ok(())
}

/// Opens `path` and undoes its compression, which its first bytes tell.
pub(super) fn open(path: &Path) -> Result<(Box<dyn Read + Send>, Compression), Error> {
    let place = || path.display().to_string();
    let failed = |error: io::Error| failure(&error, place());
    check_is_file(path)?;
    let mut file = File::open(path).map_err(failed)?;
    let mut magic = Vec::with_capacity(8);
    file.by_ref().take(8).read_to_end(&mut magic).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    if let Some((_, name, command)) = FOREIGN.iter().find(|(bytes, ..)| magic.starts_with(bytes)) {
        let what = format!("compressed with {name}, which is not read");
        return Err(Error::new(what, place(), format!("unpack it first with `{command}`")));
    }
    Ok(match Compression::of(&magic) {
        Compression::None => (Box::new(file), Compression::None),
        found => (Box::new(Members::new(file, found).map_err(failed)?), found),
    })
}

/// Help for a missing file: the file beside it with the nearest name.
fn neighbours(path: &Path) -> String {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(folder) else {
        return format!("there is no folder {}", folder.display());
    };
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let wanted = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match suggest::nearest(wanted, names.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{}`?", folder.join(name).display()),
        None => contents(folder, &names),
    }
}

/// What can be seen in a folder, in a few words.
fn contents(folder: &Path, names: &[String]) -> String {
    let visible: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| !name.starts_with('.')).collect();
    let (shown, rest) = visible.split_at(visible.len().min(NAMES_SHOWN));
    match (shown.is_empty(), rest.len()) {
        (true, _) => format!("the folder {} is empty", folder.display()),
        (_, 0) => format!("the folder {} holds {}", folder.display(), shown.join(", ")),
        (_, more) => {
            format!("the folder {} holds {} and {more} more", folder.display(), shown.join(", "))
        }
    }
}
