//! What clients changed on a drive, with its bytes: a file that can be replayed on any drive as large.
//!
//! Eight bytes of magic and the size of the drive, then one change after the other: its kind, whether it was to be
//! safe, its offset and its length, and the data of a write. Numbers are little-endian.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use wordline_sim::Error;

const MAGIC: &[u8; 8] = b"WLBYTES1";
/// No write is longer: the protocol allows 32 MiB.
const LONGEST: u64 = 64 << 20;

/// Something that a client changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpKind {
    /// Bytes were written.
    Write(Box<[u8]>),
    /// So many bytes were given up: the whole units among them read as zeroes.
    Trim(u64),
    /// Whatever was over before is safe.
    Flush,
}

/// A change, from which byte of the drive on, and whether a power cut must not take it once it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The first byte.
    pub offset: u64,
    /// What was done.
    pub deed: OpKind,
    /// It is safe when it is over.
    pub safe: bool,
}

/// Writes a recording.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Recorder {
    /// A new file for a drive; one that is there is replaced only by `force`.
    ///
    /// # Errors
    /// It is there, or cannot be written.
    pub fn create(path: &Path, force: bool) -> Result<Self, Error> {
        let mut options = OpenOptions::new();
        options.write(true).truncate(true).create(true).create_new(!force);
        let file = options.open(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::Infeasible {
                what: format!("{}: it is there already", path.display()),
                help: "name another file, or replace it by --force (force=True)".into(),
            },
            _ => of_file(path, &error),
        })?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }

    /// The drive's size comes first.
    ///
    /// # Errors
    /// The system's.
    pub fn begin(&mut self, size_bytes: u64) -> Result<(), Error> {
        let head = [&MAGIC[..], &size_bytes.to_le_bytes()].concat();
        self.file.write_all(&head).map_err(|error| of_file(&self.path, &error))
    }

    /// Adds a write.
    ///
    /// # Errors
    /// The system's.
    pub fn write(&mut self, offset: u64, data: &[u8], safe: bool) -> Result<(), Error> {
        self.add((1, safe), offset, data.len() as u64, data)
    }

    /// Adds a trim.
    ///
    /// # Errors
    /// The system's.
    pub fn trim(&mut self, offset: u64, bytes: u64, safe: bool) -> Result<(), Error> {
        self.add((2, safe), offset, bytes, &[])
    }

    /// Adds a flush: the file holds all up to here, whatever becomes of the process.
    ///
    /// # Errors
    /// The system's.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.add((3, false), 0, 0, &[])?;
        self.file.flush().map_err(|error| of_file(&self.path, &error))
    }

    /// All of it is in the file.
    ///
    /// # Errors
    /// The system's.
    pub fn finish(mut self) -> Result<(), Error> {
        self.file.flush().map_err(|error| of_file(&self.path, &error))
    }

    fn add(
        &mut self,
        (kind, safe): (u8, bool),
        offset: u64,
        bytes: u64,
        data: &[u8],
    ) -> Result<(), Error> {
        let mut head = [0; 18];
        (head[0], head[1]) = (kind, u8::from(safe));
        head[2..10].copy_from_slice(&offset.to_le_bytes());
        head[10..].copy_from_slice(&bytes.to_le_bytes());
        let written = self.file.write_all(&head).and_then(|()| self.file.write_all(data));
        written.map_err(|error| of_file(&self.path, &error))
    }
}

/// What a recording holds.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Bytes of the drive that was recorded.
    pub size_bytes: u64,
    /// The changes, in their order.
    pub asked: Vec<Asked>,
}

impl Recording {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, is no recording, or ends in the midst of a change.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|error| of_file(path, &error))?;
        let mut file = BufReader::new(file);
        let is_none = |_| Error::Infeasible {
            what: format!("{}: it is no recording of a served drive", path.display()),
            help: "make one by wordline serve --recording FILE".into(),
        };
        let mut head = [0; 16];
        file.read_exact(&mut head).map_err(is_none)?;
        let (magic, size) = head.split_at(8);
        if magic != MAGIC {
            return Err(is_none(io::Error::from(ErrorKind::InvalidData)));
        }
        let mut asked = Vec::new();
        loop {
            match next(&mut file) {
                Ok(Some(one)) => asked.push(one),
                Ok(None) => return Ok(Self { size_bytes: number(size), asked }),
                Err(error) => {
                    let told = format!("{}, change {}: {error}", path.display(), asked.len());
                    let help = "record it anew, and stop the drive before the file is read";
                    return Err(Error::Infeasible { what: told, help: help.into() });
                }
            }
        }
    }
}

fn next(file: &mut impl Read) -> io::Result<Option<Asked>> {
    let mut head = [0; 18];
    match file.read(&mut head[..1])? {
        0 => return Ok(None),
        _ => file.read_exact(&mut head[1..])?,
    }
    let (offset, bytes) = (number(&head[2..10]), number(&head[10..]));
    let deed = match head[0] {
        1 if bytes <= LONGEST => {
            let mut data = vec![0; bytes as usize].into_boxed_slice();
            file.read_exact(&mut data)?;
            OpKind::Write(data)
        }
        2 => OpKind::Trim(bytes),
        3 => OpKind::Flush,
        kind => {
            let told = format!("a change of kind {kind} with {bytes} bytes");
            return Err(io::Error::new(ErrorKind::InvalidData, told));
        }
    };
    Ok(Some(Asked { offset, deed, safe: head[1] != 0 }))
}

fn number(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes))
}

fn of_file(path: &Path, error: &io::Error) -> Error {
    Error::Infeasible {
        what: format!("{}: {error}", path.display()),
        help: "name another file for the recording".into(),
    }
}
