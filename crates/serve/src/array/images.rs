//! The images of an array: one of each drive, whose names end in the drive's number.

use std::path::{Path, PathBuf};
use wordline_media::{Home, Memory};
use wordline_sim::Error;
use wordline_sim::config::{ArrayConfig, Config};

/// Where the flash of the drives is.
pub enum Images {
    /// It goes with the process.
    Process,
    /// In files.
    Files(Vec<PathBuf>),
    /// In images that lie in memory.
    Memory(Memory),
}

impl Images {
    /// Those of the array of a configuration.
    ///
    /// # Errors
    /// An array that cannot be in images; some of them are there, and others are not.
    pub fn new(config: &Config, home: Home<'_>) -> Result<Self, Error> {
        let images = match home {
            Home::Process => return Ok(Self::Process),
            Home::File(path) => {
                Self::Files((0..config.array.drives).map(|drive| of_drive(path, drive)).collect())
            }
            Home::Memory(memory) => Self::Memory(memory),
        };
        if config.array.spare || !config.array.fail.is_empty() {
            return Err(infeasible(
                "array.spare or array.fail is set, and an image does not keep which drives an array has lost".into(),
                "leave them out, or serve the array without an image",
            ));
        }
        if let Self::Files(paths) = &images {
            check(paths)?;
        }
        Ok(images)
    }

    /// Where that of a drive is.
    pub fn home(&self, drive: usize) -> Home<'_> {
        match self {
            Self::Process => Home::Process,
            Self::Files(paths) => Home::File(&paths[drive]),
            Self::Memory(memory) => Home::Memory(memory.of(drive)),
        }
    }

    /// Whether the flash outlives its process.
    pub fn are_kept(&self) -> bool {
        !matches!(self, Self::Process)
    }
}

/// What of a drive's configuration its image is known by: its own, and how the array lies on its drives.
pub fn in_array(drive: &Config, array: &ArrayConfig) -> Config {
    Config { array: array.clone(), ..drive.clone() }
}

fn of_drive(path: &Path, drive: u64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{drive}"));
    name.into()
}

/// An array restarts from all of its images or from none.
fn check(paths: &[PathBuf]) -> Result<(), Error> {
    let is_there = |path: &&PathBuf| path.metadata().is_ok_and(|it| it.len() > 0);
    let there = paths.iter().filter(is_there).count();
    let Some(absent) = paths.iter().find(|path| !is_there(path)).filter(|_| there > 0) else {
        return Ok(());
    };
    Err(infeasible(
        format!("{}: it is not there, and {there} of the array's images are", absent.display()),
        "put it back, or name other files",
    ))
}

fn infeasible(what: String, help: &str) -> Error {
    Error::Infeasible { what, help: help.into() }
}
