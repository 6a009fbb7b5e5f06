//! What of a recording had been asked for by a moment, and what had been promised.

use crate::promise::Promise;
use crate::recording::Recording;

/// What power finds when it fails.
pub struct Found {
    /// The bytes that are there.
    pub bytes: Vec<u8>,
    /// Units that cannot be read.
    pub unreadable: Vec<u64>,
}

/// What becomes of data that is trimmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trims {
    /// It reads as zeroes.
    Zeroed,
    /// It stays as it is.
    Kept,
}

/// The course of a recording up to a moment.
pub struct History<'a> {
    recording: &'a Recording,
    unit_bytes: u64,
    promise: Promise,
    /// Recorded changes that have begun, and that are over.
    begun: usize,
    over: usize,
}

impl<'a> History<'a> {
    /// Nothing was asked yet of a drive that keeps or loses units of so many bytes.
    pub fn new(
        recording: &'a Recording,
        (size_bytes, unit_bytes): (u64, u64),
        trims: Trims,
    ) -> Self {
        let promise = Promise::new(size_bytes, unit_bytes, trims == Trims::Kept);
        Self { recording, unit_bytes, promise, begun: 0, over: 0 }
    }

    /// Time passes until so many changes are over, and the next one is under way.
    pub fn go_on(&mut self, over: usize) {
        let asked = &self.recording.asked;
        while self.over < over {
            self.begin_up_to(self.over + 1);
            self.promise.end(&asked[self.over]);
            self.over += 1;
        }
        self.begin_up_to((self.over + 1).min(asked.len()));
    }

    fn begin_up_to(&mut self, begun: usize) {
        while self.begun < begun {
            self.promise.ask(&self.recording.asked[self.begun]);
            self.begun += 1;
        }
    }

    /// Recorded changes that are over.
    pub fn over(&self) -> usize {
        self.over
    }

    /// How many units hold neither what was promised nor anything newer, and the first of them.
    pub fn missing(&self, found: &Found) -> (u64, Option<u64>) {
        let units = (0..).zip(found.bytes.chunks(self.unit_bytes as usize));
        let wrong = units.filter(|(lpn, unit)| {
            found.unreadable.contains(lpn) || !self.promise.allows(*lpn, unit)
        });
        let mut wrong = wrong.map(|(lpn, _)| lpn).peekable();
        let first = wrong.peek().copied();
        (wrong.count() as u64, first)
    }
}
