//! The drive of a configuration, whose power fails at any write to the image of its flash, and which restarts from
//! there. The drives of an array have an image each, and fail at the same moment.

use super::history::{Found, History, Trims};
use super::{Subject, infeasible};
use crate::drive::Drive;
use crate::locked::{Fault, Logs};
use crate::pace::Pace;
use crate::recording::{Asked, OpKind, Recording};
use wordline_media::{Change, Home, Memory};
use wordline_sim::config::{ArrayLevel, Config};
use wordline_sim::{Error, Watch};

/// Bytes that are read at a time, about.
const PIECE: usize = 1 << 20;

/// What the images were asked to do while a recording was carried out.
struct Course {
    /// The images of the drives that nothing was asked of yet.
    start: Vec<Vec<u8>>,
    /// Each with the number of its image.
    changes: Vec<(usize, Change)>,
    /// How many of them had been made when each recorded change was over.
    ends: Vec<usize>,
    size_bytes: u64,
    unit_bytes: u64,
}

impl Course {
    fn new(config: &Config, recording: &Recording, watch: &mut dyn Watch) -> Result<Self, Error> {
        let memory = Memory::default();
        let drive = open_for(recording, config, &memory, watch)?;
        let size_bytes = drive.size_bytes();
        let start = memory.images();
        memory.record();
        let mut ends = Vec::with_capacity(recording.asked.len());
        for (number, asked) in recording.asked.iter().enumerate() {
            carry_out(&drive, asked).map_err(|fault| failed(&drive, number, fault))?;
            ends.push(memory.recorded());
        }
        let unit_bytes = drive.unit_bytes();
        Ok(Self { start, changes: memory.take_recorded(), ends, size_bytes, unit_bytes })
    }
}

/// The drive of a configuration, on which a recording can be carried out.
///
/// # Errors
/// It is too small, or cannot be opened; `watch` said stop.
pub fn open_for(
    recording: &Recording,
    config: &Config,
    memory: &Memory,
    watch: &mut dyn Watch,
) -> Result<Drive, Error> {
    let drive = open(config, memory, watch)?;
    let size_bytes = drive.size_bytes();
    if size_bytes < recording.size_bytes {
        return Err(infeasible(
            format!(
                "the recording is of a drive of {} bytes, and this one has {size_bytes}",
                recording.size_bytes
            ),
            "choose a larger drive, or record a smaller one",
        ));
    }
    Ok(drive)
}

fn open(config: &Config, memory: &Memory, watch: &mut dyn Watch) -> Result<Drive, Error> {
    let home = Home::Memory(memory.clone());
    Drive::new(config, Pace::Virtual, home, Logs::default(), watch)
}

fn carry_out(drive: &Drive, asked: &Asked) -> Result<(), Fault> {
    match &asked.deed {
        OpKind::Write(data) => drive.write(asked.offset, data, asked.safe),
        OpKind::Trim(bytes) => drive.trim(asked.offset, *bytes, asked.safe),
        OpKind::Flush => drive.flush(),
    }
}

/// Why the drive did not take a change.
fn failed(drive: &Drive, number: usize, fault: Fault) -> Error {
    match (fault, drive.finish()) {
        (Fault::Failed, Err(error)) => error,
        _ => infeasible(
            format!("change {number} of the recording failed: {fault}"),
            "choose a drive that takes it",
        ),
    }
}

/// The drive and its images at a moment, which is a number of writes to these.
pub struct Simulated<'a> {
    config: &'a Config,
    course: Course,
    history: History<'a>,
    images: Vec<Vec<u8>>,
    moment: usize,
}

impl<'a> Simulated<'a> {
    /// Carries a recording out, once.
    ///
    /// # Errors
    /// A drive that is too small or does not take it; `watch` said stop.
    pub fn new(
        config: &'a Config,
        recording: &'a Recording,
        watch: &mut dyn Watch,
    ) -> Result<Self, Error> {
        let course = Course::new(config, recording, watch)?;
        let trims = match config.array.level {
            ArrayLevel::Raid5 => Trims::Kept,
            ArrayLevel::None | ArrayLevel::Raid0 | ArrayLevel::Raid1 => Trims::Zeroed,
        };
        let sizes = (course.size_bytes, course.unit_bytes);
        let history = History::new(recording, sizes, trims);
        let images = course.start.clone();
        Ok(Self { config, course, history, images, moment: 0 })
    }
}

impl Subject for Simulated<'_> {
    fn last(&self) -> usize {
        self.course.changes.len()
    }

    fn after(&self, changes: usize) -> Option<usize> {
        [0].iter().chain(&self.course.ends).nth(changes).copied()
    }

    fn go_to(&mut self, moment: usize) {
        for (image, change) in &self.course.changes[self.moment..moment] {
            change.apply(&mut self.images[*image]);
        }
        self.moment = moment;
        self.history.go_on(self.course.ends.partition_point(|&end| end <= moment));
    }

    /// Power fails in the midst of the next write to the image, and the drive restarts.
    fn cut(&self, draw: u64, watch: &mut dyn Watch) -> Result<Found, Error> {
        let mut images = self.images.clone();
        if let Some((image, next)) = self.course.changes.get(self.moment) {
            let sectors = draw as usize % next.sectors().max(1);
            next.torn(sectors).iter().for_each(|torn| torn.apply(&mut images[*image]));
        }
        let drive = open(self.config, &Memory::new(images), watch)?;
        let mut bytes = vec![0; self.course.size_bytes as usize];
        let mut unreadable = Vec::new();
        let unit_bytes = self.course.unit_bytes as usize;
        let whole = unit_bytes * (PIECE / unit_bytes).max(1);
        for (at, piece) in (0..).step_by(whole).zip(bytes.chunks_mut(whole)) {
            if drive.read(at, piece).is_ok() {
                continue;
            }
            for (within, unit) in (0..).step_by(unit_bytes).zip(piece.chunks_mut(unit_bytes)) {
                if drive.read(at + within, unit).is_err() {
                    unreadable.push((at + within) / self.course.unit_bytes);
                }
            }
        }
        Ok(Found { bytes, unreadable })
    }

    fn history(&self) -> &History<'_> {
        &self.history
    }
}
