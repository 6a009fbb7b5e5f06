//! A file under a name of its own until it is whole.
//!
//! Names and locks are those of `wordline.persistence.files` in Python, so that each side sweeps what
//! a killed process of the other has left, and nothing that a live one writes.

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// How the names of files begin that are not whole yet.
const PREFIX: &str = ".wordline-partial-";
/// Hexadecimal digits of randomness behind the target's name.
const TOKEN_DIGITS: usize = 8;

/// The file; removed when it is dropped unless it was published.
pub(super) struct Partial {
    path: PathBuf,
    /// Holds the lock, for as long as the file may have to be told from a dead process's.
    locked: File,
    published: bool,
}

impl Partial {
    /// An empty file beside `target`. What killed processes left of `target` is removed.
    ///
    /// # Errors
    /// The system creates no file there.
    pub fn begin(target: &Path) -> io::Result<Self> {
        let mut prefix = OsString::from(PREFIX);
        prefix.push(target.file_name().unwrap_or_default());
        prefix.push("-");
        sweep(target, &prefix);
        loop {
            let mut name = prefix.clone();
            name.push(format!("{:08x}", random()));
            let path = target.with_file_name(name);
            let locked = match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            // Another process that sweeps at this very moment may hold it, or have removed it.
            let is_ours = !matches!(locked.try_lock(), Err(TryLockError::WouldBlock));
            if is_ours && path.exists() {
                return Ok(Self { path, locked, published: false });
            }
        }
    }

    /// The file, to write into.
    ///
    /// # Errors
    /// The system has no further handle.
    pub fn file(&self) -> io::Result<File> {
        self.locked.try_clone()
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// A failure of the system.
    pub fn publish(&mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.published = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.published {
            // Nothing can be done, or said, about a file that is gone already.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes the partial files of `target` whose processes are dead.
fn sweep(target: &Path, prefix: &OsString) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    // What is in the way shows when the file is made.
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else { return };
    let prefix = prefix.as_encoded_bytes();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_partial = name.starts_with(prefix) && name.len() == prefix.len() + TOKEN_DIGITS;
        if is_partial && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_if_dead(&entry.path());
        }
    }
}

/// Removes a file unless a process holds it, or nobody can say.
fn remove_if_dead(path: &Path) {
    let opened = OpenOptions::new().write(true).open(path);
    if opened.is_ok_and(|file| file.try_lock().is_ok()) {
        let _ = fs::remove_file(path);
    }
}

/// A number that no other process draws, as far as chance allows.
fn random() -> u32 {
    let bits = RandomState::new().build_hasher().finish();
    (bits >> 32) as u32
}
