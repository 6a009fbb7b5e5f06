//! A file that holds the cells of a drive across runs: what a program leaves in it is there after the process is
//! gone, however that ended.
//!
//! Header: magic, length of a text, the text that identifies the drive, and in its last byte whether everything had come
//! to its end. Then 16 bytes for each block, then the units,
//! block by block, then what was trimmed, appended as it happens. What was never programmed takes no room on file
//! systems with sparse files.

use crate::coding::infeasible;
use crate::storage::{Home, Storage};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use wordline_sim::Error;
use wordline_sim::ids::{BlockId, Id};

const MAGIC: &[u8; 8] = b"WLFLASH1";
const HEADER_BYTES: u64 = 64 << 10;
/// Where the header says whether everything had come to its end.
const RESTS_AT: u64 = HEADER_BYTES - 1;
const ENTRY_BYTES: u64 = 16;
const TRIM_BYTES: usize = 16;
/// Bits of a trim that count units, more of which no drive writes in its life; above them is what the logical unit has
/// beyond four bytes.
const WRITTEN_BITS: u32 = 56;

/// What the file knows of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Entry {
    /// P/E cycles.
    pub erases: u32,
    /// True from its first program to its erase.
    pub is_used: bool,
    /// True once its last page was programmed.
    pub is_full: bool,
    /// True while it is being erased.
    pub is_erasing: bool,
    /// Pages that are being programmed: the first, and how many.
    pub programming: (u32, u32),
}

impl Entry {
    fn to_bytes(self) -> [u8; ENTRY_BYTES as usize] {
        let flags = [self.is_used, self.is_full, self.is_erasing];
        let flags = (0..).zip(flags).map(|(bit, flag)| u32::from(flag) << bit).sum();
        let (page, pages) = self.programming;
        let mut bytes = [0; ENTRY_BYTES as usize];
        for (place, word) in bytes.chunks_exact_mut(4).zip([self.erases, flags, page, pages]) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let mut words = bytes
            .chunks_exact(4)
            .map(|word| word.first_chunk().map_or(0, |&word: &[u8; 4]| u32::from_le_bytes(word)));
        let mut next = || words.next().unwrap_or(0);
        let (erases, flags) = (next(), next());
        let programming = (next(), next());
        let is_set = |bit: u32| flags >> bit & 1 != 0;
        let (is_used, is_full, is_erasing) = (is_set(0), is_set(1), is_set(2));
        Self { erases, is_used, is_full, is_erasing, programming }
    }
}

/// A logical unit was trimmed once so many units had been written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trim {
    /// The logical unit.
    pub lpn: u64,
    /// Units written before.
    pub written: u64,
}

/// Where the units of a drive stand in the file.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Bytes of a unit in the cells.
    pub stored_bytes: usize,
    /// The first unit of each block, counted through the blocks, and behind the last their number.
    pub firsts: Vec<u64>,
}

/// An image of the flash.
#[derive(Debug)]
pub struct ImageFile {
    name: String,
    storage: Box<dyn Storage>,
    plan: Plan,
    entries: Vec<Entry>,
    end: u64,
    /// True while nothing was written since everything had come to its end.
    rests: bool,
    /// The first failure of the system: nothing that was written since counts.
    failed: Option<String>,
}

impl ImageFile {
    /// Opens the image of the drive that `identity` describes, or makes an empty one; returns whether it was there.
    /// None where the flash is to be in no image.
    ///
    /// # Errors
    /// A file of another drive, or that is no image; a failure of the system.
    pub fn open(home: Home<'_>, identity: &str, plan: Plan) -> Result<Option<(Self, bool)>, Error> {
        let (name, storage): (String, Box<dyn Storage>) = match home {
            Home::Process => return Ok(None),
            Home::File(path) => (path.display().to_string(), Box::new(open_file(path)?)),
            Home::Memory(memory) => ("an image in memory".into(), Box::new(memory)),
        };
        let is_new = storage.length().map_err(|error| system(&name, &error))? == 0;
        let blocks = plan.firsts.len() - 1;
        let units_at = HEADER_BYTES + blocks as u64 * ENTRY_BYTES;
        let end = units_at + plan.firsts[blocks] * plan.stored_bytes as u64;
        let entries = vec![Entry::default(); blocks];
        let mut image = Self { name, storage, plan, entries, end, rests: false, failed: None };
        match is_new {
            true => image.begin(identity).map_err(|error| system(&image.name, &error))?,
            false => image.check(identity)?,
        }
        Ok(Some((image, !is_new)))
    }

    fn begin(&mut self, identity: &str) -> io::Result<()> {
        if identity.len() as u64 + 12 > RESTS_AT {
            return Err(io::Error::other("the drive's configuration is longer than 64 KiB"));
        }
        // The magic comes last: a file without it is none.
        self.storage.write(&(identity.len() as u32).to_le_bytes(), 8)?;
        self.storage.write(identity.as_bytes(), 12)?;
        self.storage.set_length(self.end)?;
        self.storage.write(MAGIC, 0)
    }

    fn check(&mut self, identity: &str) -> Result<(), Error> {
        let mut head = [0; 12];
        let read = self.storage.read(&mut head, 0);
        if read.is_err() || head[..8] != MAGIC[..] {
            return Err(infeasible(
                format!("{}: it is no image of a drive", self.name),
                "name a file that is not there yet, or an image",
            ));
        }
        let length = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        let mut known = vec![0; u64::from(length).min(RESTS_AT - 12) as usize];
        let told = |error: io::Error| system(&self.name, &error);
        self.storage.read(&mut known, 12).map_err(told)?;
        if known != identity.as_bytes() {
            let known = String::from_utf8_lossy(&known);
            let differs = known.lines().zip(identity.lines()).find(|(a, b)| a != b);
            let (theirs, ours) = differs.unwrap_or(("fewer keys", "more"));
            return Err(infeasible(
                format!(
                    "{}: it is the image of another drive, with `{theirs}` where this one has `{ours}`",
                    self.name
                ),
                "serve it with its own configuration, or name another file",
            ));
        }
        if self.storage.length().map_err(told)? < self.end {
            return Err(infeasible(
                format!("{}: it is cut short", self.name),
                "what is lacking cannot be had: name another file",
            ));
        }
        let mut bytes = vec![0; self.entries.len() * ENTRY_BYTES as usize];
        self.storage.read(&mut bytes, HEADER_BYTES).map_err(told)?;
        let entries = bytes.chunks_exact(ENTRY_BYTES as usize).map(Entry::from_bytes);
        self.entries = entries.collect();
        let mut rests = [0];
        self.storage.read(&mut rests, RESTS_AT).map_err(told)?;
        self.rests = rests == [1];
        Ok(())
    }

    fn unit_at(&self, block: BlockId, place: u32) -> u64 {
        let units_at = HEADER_BYTES + self.entries.len() as u64 * ENTRY_BYTES;
        let unit = self.plan.firsts[block.index()] + u64::from(place);
        units_at + unit * self.plan.stored_bytes as u64
    }

    /// What is known of a block.
    pub fn entry(&self, block: BlockId) -> Entry {
        self.entries[block.index()]
    }

    /// Changes what is known of a block.
    pub fn change(&mut self, block: BlockId, change: impl FnOnce(&mut Entry)) {
        let entry = &mut self.entries[block.index()];
        change(entry);
        let bytes = entry.to_bytes();
        self.write(&bytes, HEADER_BYTES + block.index() as u64 * ENTRY_BYTES);
    }

    /// The cells of a unit are these from now on.
    pub fn program(&mut self, block: BlockId, place: u32, cells: &[u8]) {
        self.write(cells, self.unit_at(block, place));
    }

    /// Reads the cells of a unit from byte `from` on.
    pub fn read(&mut self, block: BlockId, place: u32, from: usize, cells: &mut [u8]) {
        let at = self.unit_at(block, place) + from as u64;
        let read = self.storage.read(cells, at);
        self.note(read);
    }

    /// A block of `units` units holds nothing any more.
    pub fn erase(&mut self, block: BlockId, units: u32) {
        let zeroes = vec![0; units as usize * self.plan.stored_bytes];
        self.write(&zeroes, self.unit_at(block, 0));
    }

    /// A logical unit was trimmed.
    pub fn trim(&mut self, trim: Trim) {
        let mut bytes = [0; TRIM_BYTES];
        bytes[..4].copy_from_slice(&(trim.lpn as u32).to_le_bytes());
        let written = trim.written | trim.lpn >> u32::BITS << WRITTEN_BITS;
        bytes[8..].copy_from_slice(&written.to_le_bytes());
        let own = crc32fast::hash(&[&bytes[..4], &bytes[8..]].concat());
        bytes[4..8].copy_from_slice(&own.to_le_bytes());
        match self.storage.length() {
            Ok(at) => self.write(&bytes, at),
            Err(error) => self.note(Err(error)),
        }
    }

    /// All trims, in their order.
    ///
    /// # Errors
    /// A failure of the system.
    pub fn trims(&self) -> Result<Vec<Trim>, Error> {
        let told = |error: io::Error| system(&self.name, &error);
        let length = self.storage.length().map_err(told)? - self.end;
        let mut bytes = vec![0; length as usize / TRIM_BYTES * TRIM_BYTES];
        self.storage.read(&mut bytes, self.end).map_err(told)?;
        let trim = |bytes: &[u8]| {
            let low = bytes.first_chunk().map(|&it| u32::from_le_bytes(it))?;
            let own = bytes.get(4..)?.first_chunk().map(|&it| u32::from_le_bytes(it))?;
            let written = bytes.get(8..)?.first_chunk().map(|&it| u64::from_le_bytes(it))?;
            let lpn = u64::from(low) | written >> WRITTEN_BITS << u32::BITS;
            let written = written & ((1 << WRITTEN_BITS) - 1);
            let is_whole = own == crc32fast::hash(&[&bytes[..4], &bytes[8..]].concat());
            is_whole.then_some(Trim { lpn, written })
        };
        Ok(bytes.chunks_exact(TRIM_BYTES).filter_map(trim).collect())
    }

    /// Forgets all trims: whoever calls this knows that they are of no use.
    pub fn forget_trims(&mut self) {
        let cut = self.storage.set_length(self.end);
        self.note(cut);
    }

    /// Everything has come to its end: what is found here next was left on purpose.
    pub fn rest(&mut self) {
        self.write(&[1], RESTS_AT);
        self.rests = true;
    }

    /// Whether everything had come to its end, and nothing was written since.
    pub fn rests(&self) -> bool {
        self.rests
    }

    fn write(&mut self, bytes: &[u8], at: u64) {
        if std::mem::take(&mut self.rests) {
            let stirred = self.storage.write(&[0], RESTS_AT);
            self.note(stirred);
        }
        let written = self.storage.write(bytes, at);
        self.note(written);
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            let told = || format!("{}: {error}", self.name);
            self.failed.get_or_insert_with(told);
        }
    }

    /// The first failure of the system, if there was one.
    pub fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }
}

fn open_file(path: &Path) -> Result<File, Error> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|error| system(&path.display().to_string(), &error))?;
    file.try_lock().map_err(|_| {
        infeasible(format!("{}: another process serves it", path.display()), "stop that first")
    })?;
    Ok(file)
}

fn system(name: &str, error: &io::Error) -> Error {
    infeasible(format!("{name}: {error}"), "name another file for the image")
}

#[cfg(test)]
mod tests {
    use super::{ImageFile, Plan, Trim};
    use crate::storage::{Home, Memory};

    #[test]
    fn trims_come_back_whatever_the_number_of_the_unit() {
        let home = Home::Memory(Memory::default());
        let plan = Plan { stored_bytes: 8, firsts: vec![0, 2] };
        let (mut image, _) =
            ImageFile::open(home, "a drive", plan).ok().flatten().expect("memory does not fail");
        let trims = [(7, 3), (u64::from(u32::MAX), 1 << 40), (1 << 36, 5)];
        let trims = trims.map(|(lpn, written)| Trim { lpn, written });
        trims.iter().for_each(|&trim| image.trim(trim));
        assert_eq!(image.trims().ok(), Some(trims.to_vec()));
    }
}
