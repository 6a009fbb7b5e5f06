//! Where an image lies: in a file, or in memory for those who cut the power of a drive offline.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the flash of a drive is.
#[derive(Debug)]
pub enum Home<'a> {
    /// In the process alone: it goes with it.
    Process,
    /// In a file, which is made if it is not there.
    File(&'a Path),
    /// In an image that lies in memory.
    Memory(Memory),
}

/// Bytes with places.
pub trait Storage: std::fmt::Debug + Send {
    /// Fills `bytes` from byte `at` on.
    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;

    /// Writes `bytes` at byte `at`, beyond the end as well.
    fn write(&mut self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Bytes up to the end.
    fn length(&self) -> io::Result<u64>;

    /// Cuts it off there, or adds zeroes up to there.
    fn set_length(&mut self, length: u64) -> io::Result<()>;
}

impl Storage for File {
    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.read_exact_at(bytes, at)
    }

    fn write(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.write_all_at(bytes, at)
    }

    fn length(&self) -> io::Result<u64> {
        self.metadata().map(|it| it.len())
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

/// Something that an image was asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// These bytes were written there.
    Bytes(u64, Box<[u8]>),
    /// So long it became.
    Length(u64),
}

impl Change {
    /// Carries it out on bytes.
    pub fn apply(&self, to: &mut Vec<u8>) {
        match self {
            Self::Bytes(at, bytes) => {
                let range = *at as usize..*at as usize + bytes.len();
                to.resize(to.len().max(range.end), 0);
                to[range].copy_from_slice(bytes);
            }
            Self::Length(length) => to.resize(*length as usize, 0),
        }
    }

    /// The same as far as it had got after so many sectors of 512 bytes; a change of length happens at once.
    pub fn torn(&self, sectors: usize) -> Option<Self> {
        match self {
            Self::Bytes(at, bytes) => {
                let part = &bytes[..bytes.len().min(512 * sectors)];
                Some(Self::Bytes(*at, part.into()))
            }
            Self::Length(_) => None,
        }
    }

    /// Sectors of 512 bytes that it writes.
    pub fn sectors(&self) -> usize {
        match self {
            Self::Bytes(_, bytes) => bytes.len().div_ceil(512),
            Self::Length(_) => 0,
        }
    }
}

/// An image in memory. Clones are the same image.
#[derive(Debug, Clone, Default)]
pub struct Memory(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    bytes: Vec<u8>,
    /// What was done since that has been of interest.
    changes: Option<Vec<Change>>,
}

impl Memory {
    /// One that holds `bytes`.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(Held { bytes, changes: None })))
    }

    /// What it holds.
    pub fn bytes(&self) -> Vec<u8> {
        self.held().bytes.clone()
    }

    /// Keeps what is done from now on.
    pub fn record(&self) {
        self.held().changes = Some(Vec::new());
    }

    /// How much was done since then.
    pub fn recorded(&self) -> usize {
        self.held().changes.as_ref().map_or(0, Vec::len)
    }

    /// What was done since then, which is kept no longer.
    pub fn take_recorded(&self) -> Vec<Change> {
        self.held().changes.take().unwrap_or_default()
    }

    /// Bytes are whole after a panic, too.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn change(&mut self, change: Change) {
        change.apply(&mut self.bytes);
        if let Some(changes) = &mut self.changes {
            changes.push(change);
        }
    }
}

impl Storage for Memory {
    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let held = self.held();
        let there = held.bytes.get(at as usize..at as usize + bytes.len());
        bytes.copy_from_slice(there.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.held().change(Change::Bytes(at, bytes.into()));
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.held().bytes.len() as u64)
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.held().change(Change::Length(length));
        Ok(())
    }
}
