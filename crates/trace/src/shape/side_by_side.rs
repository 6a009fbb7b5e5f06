//! Volumes in ranges of their own.

use super::{BATCH_REQUESTS, Placed, as_inside};
use crate::{Error, Position, Request, Source};

/// Ranges begin at multiples of this, so that what is aligned in its volume is aligned in the
/// drive.
const ALIGN_BYTES: u64 = 1 << 20;
/// Where the last range must end.
const END_BYTES: u64 = 1 << 63;

/// Lays volumes side by side in the order in which they are met first.
///
/// The first one lies at 0, wherever the others go: so a workload of one volume is read once. Only
/// when a second volume is met, everything is read ahead to learn how long each is, and then read
/// on from where it stood.
pub(super) struct SideBySide {
    inside: Box<dyn Source>,
    only: Option<u32>,
    placed: Vec<Placed>,
    /// The first byte of each volume, by its number; empty while there is one volume.
    bases: Vec<u64>,
    taken: u64,
}

impl SideBySide {
    pub fn new(inside: Box<dyn Source>) -> Self {
        Self { inside, only: None, placed: Vec::new(), bases: Vec::new(), taken: 0 }
    }

    /// Whether `batch` begins a second volume.
    fn meets_another(&mut self, batch: &[Request]) -> bool {
        let Some(first) = batch.first() else { return false };
        let only = *self.only.get_or_insert(first.stream);
        batch.iter().any(|request| request.stream != only)
    }

    /// Reads everything to learn how long each volume is, then goes on behind the requests that
    /// were handed out and those of `batch`.
    fn survey(&mut self, batch: &[Request]) -> Result<(), Error> {
        self.inside.rewind()?;
        let mut ends: Vec<(u32, u64)> = Vec::new();
        let mut place_of: Vec<usize> = Vec::new();
        let mut ahead = Vec::with_capacity(BATCH_REQUESTS);
        loop {
            self.inside.next_batch(&mut ahead)?;
            if ahead.is_empty() {
                break;
            }
            for request in &ahead {
                let volume = request.stream as usize;
                if volume >= place_of.len() {
                    place_of.resize(volume + 1, usize::MAX);
                }
                let place = &mut place_of[volume];
                if *place == usize::MAX {
                    *place = ends.len();
                    ends.push((request.stream, 0));
                }
                let end = request.offset_bytes.saturating_add(u64::from(request.size_bytes));
                ends[*place].1 = ends[*place].1.max(end);
            }
        }
        self.lay_out(&ends)?;
        self.inside.rewind()?;
        self.pass_over(self.taken + batch.len() as u64)
    }

    fn lay_out(&mut self, ends: &[(u32, u64)]) -> Result<(), Error> {
        let largest = ends.iter().map(|&(stream, _)| stream as usize).max().unwrap_or(0);
        self.bases = vec![0; largest + 1];
        let mut next = 0u64;
        for &(stream, bytes) in ends {
            self.bases[stream as usize] = next;
            self.placed.push(Placed { stream, first_byte: next, bytes });
            let end = next.checked_add(bytes).filter(|&end| end <= END_BYTES - ALIGN_BYTES);
            let Some(end) = end else {
                let what = format!("{} volumes side by side take more than 2^63 bytes", ends.len());
                let help = "choose volumes, or set the layout to \"together\"";
                return Err(Error::new(what, self.name(), help));
            };
            next = end.next_multiple_of(ALIGN_BYTES);
        }
        Ok(())
    }

    fn pass_over(&mut self, count: u64) -> Result<(), Error> {
        if count == 0 || self.inside.seek(Position::Request(count))? {
            return Ok(());
        }
        let mut left = count;
        while left > 0 {
            let room = left.min(BATCH_REQUESTS as u64) as usize;
            // The capacity is the most that a source hands out.
            let mut ahead = Vec::with_capacity(room);
            self.inside.next_batch(&mut ahead)?;
            let rest = left.checked_sub(ahead.len() as u64).filter(|_| !ahead.is_empty());
            left = rest.ok_or_else(|| {
                let what = "it was not the same when it was read again";
                Error::new(what, self.name(), "leave the file alone meanwhile")
            })?;
        }
        Ok(())
    }
}

impl Source for SideBySide {
    as_inside!();

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        self.inside.next_batch(batch)?;
        if self.bases.is_empty() && self.meets_another(batch) {
            self.survey(batch)?;
        }
        if !self.bases.is_empty() {
            for request in batch.iter_mut() {
                request.offset_bytes += self.bases[request.stream as usize];
            }
        }
        self.taken += batch.len() as u64;
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.taken = 0;
        self.inside.rewind()
    }

    fn start_unix_ns(&self) -> Option<u64> {
        self.inside.start_unix_ns()
    }

    fn len_hint(&self) -> Option<u64> {
        self.inside.len_hint()
    }

    fn placed(&self) -> &[Placed] {
        &self.placed
    }
}
