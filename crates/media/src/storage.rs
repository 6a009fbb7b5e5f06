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
    /// In an image that lies in memory; those of an array are in the images that go with it.
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

    /// Carries it out as far as it had got after so many sectors of 512 bytes; a change of length happens at once.
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

/// Images in memory, one of which is meant. Clones are the same images.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    all: Arc<Mutex<Held>>,
    /// Which of them.
    number: usize,
}

#[derive(Debug, Default)]
struct Held {
    images: Vec<Vec<u8>>,
    /// What was done since that has been of interest, each with the number of its image.
    changes: Option<Vec<(usize, Change)>>,
}

impl Memory {
    /// The first of images that hold these bytes.
    pub fn new(images: Vec<Vec<u8>>) -> Self {
        Self { all: Arc::new(Mutex::new(Held { images, changes: None })), number: 0 }
    }

    /// Another one of these images, which is empty if it is not there.
    pub fn of(&self, number: usize) -> Self {
        Self { all: Arc::clone(&self.all), number }
    }

    /// What the images hold.
    pub fn images(&self) -> Vec<Vec<u8>> {
        self.held().images.clone()
    }

    /// Keeps what is done to all of them from now on.
    pub fn record(&self) {
        self.held().changes = Some(Vec::new());
    }

    /// How much was done since then.
    pub fn recorded(&self) -> usize {
        self.held().changes.as_ref().map_or(0, Vec::len)
    }

    /// What was done since then, which is kept no longer.
    pub fn take_recorded(&self) -> Vec<(usize, Change)> {
        self.held().changes.take().unwrap_or_default()
    }

    /// Bytes are whole after a panic, too.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: Change) {
        let mut held = self.held();
        let images = held.images.len().max(self.number + 1);
        held.images.resize_with(images, Vec::new);
        change.apply(&mut held.images[self.number]);
        if let Some(changes) = &mut held.changes {
            changes.push((self.number, change));
        }
    }
}

impl Storage for Memory {
    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let held = self.held();
        let image = held.images.get(self.number);
        let there = image.and_then(|image| image.get(at as usize..at as usize + bytes.len()));
        bytes.copy_from_slice(there.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.change(Change::Bytes(at, bytes.into()));
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.held().images.get(self.number).map_or(0, Vec::len) as u64)
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.change(Change::Length(length));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Memory, Storage};

    #[test]
    fn a_write_changes_its_bytes_and_leaves_all_others() {
        let mut image = Memory::new(vec![vec![1; 8]]);
        image.write(&[2, 3], 2).expect("memory takes it");
        assert_eq!(image.images(), [[1, 1, 2, 3, 1, 1, 1, 1]]);
        // Beyond the end there are zeroes between.
        image.write(&[4], 9).expect("memory takes it");
        assert_eq!(image.images(), [[1, 1, 2, 3, 1, 1, 1, 1, 0, 4]]);
        assert_eq!(image.length().ok(), Some(10));
    }

    #[test]
    fn a_torn_write_ends_at_a_sector_and_keeps_what_was_behind() {
        let change = Change::Bytes(512, vec![9; 1024].into());
        let mut bytes = vec![1; 2048];
        change.torn(1).expect("it can be torn").apply(&mut bytes);
        let parts = [(0..512, 1), (512..1024, 9), (1024..2048, 1)];
        for (range, value) in parts {
            assert!(bytes[range.clone()].iter().all(|&byte| byte == value), "{range:?}");
        }
        assert_eq!((bytes.len(), change.sectors(), Change::Length(3).torn(1)), (2048, 2, None));
    }
}
