//! Any drive that keeps its promises, and no more: what was flushed is there. Of what came after it some changes are,
//! and each of these may have been torn at a border of 512 bytes.

use super::history::{Found, History, Trims};
use super::{Draws, Subject, infeasible};
use crate::recording::{Asked, OpKind, Recording};
use std::ops::Range;
use wordline_sim::{Error, Watch};

/// Bytes that a drive writes as a whole.
const SECTOR: usize = 512;

/// A change that no flush has made safe.
struct Open {
    /// Its number in the recording.
    number: usize,
    /// Where its first sector begins.
    at: usize,
    /// Its sectors as they were when it was over.
    sectors: Box<[u8]>,
}

/// Such a drive at a moment, which is a number of changes that are over.
pub struct BlockLayer<'a> {
    recording: &'a Recording,
    history: History<'a>,
    /// False where flushes do nothing.
    flushes: bool,
    /// What was flushed.
    safe: Vec<u8>,
    /// All that was asked.
    plain: Vec<u8>,
    /// What came after the last flush, the change that is under way included.
    open: Vec<Open>,
    moment: usize,
}

impl<'a> BlockLayer<'a> {
    /// One that is empty, before the first change of a recording; flushes do something, or nothing.
    ///
    /// # Errors
    /// A change that is none of this drive.
    pub fn new(recording: &'a Recording, flushes: bool) -> Result<Self, Error> {
        let size_bytes = recording.size_bytes;
        if let Some(number) = recording.asked.iter().position(|it| !lies_within(it, size_bytes)) {
            return Err(infeasible(
                format!("change {number} of the recording goes beyond its {size_bytes} bytes"),
                "record it anew",
            ));
        }
        let empty = vec![0; size_bytes as usize];
        let mut drive = Self {
            recording,
            history: History::new(recording, (size_bytes, SECTOR as u64), Trims::Zeroed),
            flushes,
            safe: empty.clone(),
            plain: empty,
            open: Vec::new(),
            moment: 0,
        };
        drive.begin(0);
        drive.history.go_on(0);
        Ok(drive)
    }

    /// A change is under way, if there is one of this number.
    fn begin(&mut self, number: usize) {
        let Some(asked) = self.recording.asked.get(number) else { return };
        let offset = asked.offset as usize;
        let sectors = match &asked.deed {
            OpKind::Write(data) => {
                let range = offset..offset + data.len();
                self.plain[range.clone()].copy_from_slice(data);
                range.start / SECTOR * SECTOR..range.end.next_multiple_of(SECTOR)
            }
            OpKind::Trim(bytes) => {
                let range = whole_sectors(offset..offset + *bytes as usize);
                self.plain[range.clone()].fill(0);
                range
            }
            OpKind::Flush => return,
        };
        let end = sectors.end.min(self.plain.len());
        let (at, sectors) = (sectors.start, self.plain[sectors.start..end].into());
        self.open.push(Open { number, at, sectors });
    }

    /// A change is over: after a flush, so is whatever came before it, for good.
    fn end(&mut self, number: usize) {
        if self.recording.asked[number].deed == OpKind::Flush && self.flushes {
            for open in self.open.drain(..) {
                write(&mut self.safe, &open, open.sectors.len());
            }
        }
    }

    /// How much of a change that was not flushed is there: all of it, none, or some.
    fn kept(&self, open: &Open, draws: &mut Draws) -> usize {
        let all = open.sectors.len();
        let is_safe = self.recording.asked[open.number].safe && open.number < self.moment;
        match draws.below(4) {
            _ if is_safe => all,
            0 | 1 => 0,
            2 => SECTOR * draws.below(all.div_ceil(SECTOR) as u64) as usize,
            _ => all,
        }
    }
}

fn lies_within(asked: &Asked, size_bytes: u64) -> bool {
    let bytes = match &asked.deed {
        OpKind::Write(data) => data.len() as u64,
        OpKind::Trim(bytes) => *bytes,
        OpKind::Flush => 0,
    };
    asked.offset.checked_add(bytes).is_some_and(|end| end <= size_bytes)
}

fn write(to: &mut [u8], open: &Open, bytes: usize) {
    to[open.at..open.at + bytes].copy_from_slice(&open.sectors[..bytes]);
}

fn whole_sectors(range: Range<usize>) -> Range<usize> {
    let start = range.start.next_multiple_of(SECTOR);
    start..(range.end / SECTOR * SECTOR).max(start)
}

impl Subject for BlockLayer<'_> {
    fn last(&self) -> usize {
        self.recording.asked.len()
    }

    fn after(&self, changes: usize) -> Option<usize> {
        (changes <= self.last()).then_some(changes)
    }

    fn go_to(&mut self, moment: usize) {
        for number in self.moment..moment {
            self.end(number);
            self.begin(number + 1);
        }
        self.moment = moment;
        self.history.go_on(moment);
    }

    fn cut(&self, draw: u64, _: &mut dyn Watch) -> Result<Found, Error> {
        let mut draws = Draws(draw);
        let mut bytes = self.safe.clone();
        for open in &self.open {
            write(&mut bytes, open, self.kept(open, &mut draws));
        }
        Ok(Found { bytes, unreadable: Vec::new() })
    }

    fn history(&self) -> &History<'_> {
        &self.history
    }
}
