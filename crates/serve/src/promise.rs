//! What each unit of a drive may hold after a power cut: what it held at the last flush, or anything newer.

use crate::recording::{Asked, OpKind};
use crate::units::parts;
use rustc_hash::FxHasher;
use std::collections::BTreeMap;
use std::hash::Hasher;

/// What was asked of a drive, and what of it is promised.
#[derive(Debug)]
pub struct Promise {
    unit_bytes: u64,
    /// All that was asked, at once and for good.
    plain: Vec<u8>,
    /// Of units that were ever changed: the digest of what was promised, and of each that came after it.
    versions: BTreeMap<u64, Vec<u64>>,
    /// Units with more than one version.
    open: Vec<u64>,
    zeroes: u64,
    /// Whether a trim changes nothing, as in RAID 5.
    keeps_trimmed: bool,
}

impl Promise {
    /// What an empty drive may hold.
    pub fn new(size_bytes: u64, unit_bytes: u64, keeps_trimmed: bool) -> Self {
        Self {
            keeps_trimmed,
            unit_bytes,
            plain: vec![0; size_bytes as usize],
            versions: BTreeMap::new(),
            open: Vec::new(),
            zeroes: digest(&vec![0; unit_bytes as usize]),
        }
    }

    /// A change was asked for: what it writes may be found from now on.
    pub fn ask(&mut self, asked: &Asked) {
        let units: Vec<u64> = match &asked.deed {
            OpKind::Write(data) => {
                let range = asked.offset as usize..asked.offset as usize + data.len();
                self.plain[range].copy_from_slice(data);
                let parts = parts(asked.offset, data.len() as u64, self.unit_bytes);
                parts.map(|part| part.lpn).collect()
            }
            OpKind::Trim(_) if self.keeps_trimmed => return,
            OpKind::Trim(bytes) => {
                let parts = parts(asked.offset, *bytes, self.unit_bytes);
                let whole = parts.filter(|part| part.bytes as u64 == self.unit_bytes);
                let units: Vec<u64> = whole.map(|part| part.lpn).collect();
                units.iter().for_each(|&lpn| self.unit_mut(lpn).fill(0));
                units
            }
            OpKind::Flush => return,
        };
        for lpn in units {
            let found = digest(self.unit_mut(lpn));
            let versions = self.versions.entry(lpn).or_insert_with(|| vec![self.zeroes]);
            versions.push(found);
            self.open.push(lpn);
        }
    }

    /// What was asked for is over: a flush, or what was to be safe, is promised.
    pub fn end(&mut self, asked: &Asked) {
        match asked.deed {
            OpKind::Flush => {
                for lpn in std::mem::take(&mut self.open) {
                    self.keep(lpn);
                }
            }
            OpKind::Write(_) | OpKind::Trim(_) if !asked.safe => {}
            OpKind::Write(ref data) => self.keep_all(asked.offset, data.len() as u64),
            OpKind::Trim(bytes) => self.keep_all(asked.offset, bytes),
        }
    }

    fn keep_all(&mut self, offset: u64, bytes: u64) {
        let of: Vec<u64> = parts(offset, bytes, self.unit_bytes).map(|part| part.lpn).collect();
        of.into_iter().for_each(|lpn| self.keep(lpn));
    }

    fn keep(&mut self, lpn: u64) {
        if let Some(versions) = self.versions.get_mut(&lpn) {
            versions.drain(..versions.len() - 1);
        }
    }

    /// Whether a unit may hold this.
    pub fn allows(&self, lpn: u64, found: &[u8]) -> bool {
        match self.versions.get(&lpn) {
            Some(versions) => versions.contains(&digest(found)),
            None => found.iter().all(|&byte| byte == 0),
        }
    }

    fn unit_mut(&mut self, lpn: u64) -> &mut [u8] {
        let at = lpn * self.unit_bytes;
        &mut self.plain[at as usize..(at + self.unit_bytes) as usize]
    }
}

fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(value: u8, safe: bool) -> Asked {
        Asked { offset: 4096, deed: OpKind::Write(vec![value; 4096].into()), safe }
    }

    #[test]
    fn a_unit_may_hold_what_was_flushed_and_what_came_after_it() {
        let mut promise = Promise::new(16_384, 4096, false);
        let may = |promise: &Promise| {
            (0..4_u8).filter(|&it| promise.allows(1, &[it; 4096])).collect::<Vec<u8>>()
        };
        promise.ask(&write(1, false));
        promise.end(&write(1, false));
        promise.ask(&write(2, false));
        assert_eq!(may(&promise), [0, 1, 2]);
        let flush = Asked { offset: 0, deed: OpKind::Flush, safe: false };
        promise.ask(&flush);
        promise.end(&flush);
        assert_eq!(may(&promise), [2]);
        let beside = Asked { offset: 8192, ..write(1, true) };
        promise.ask(&beside);
        promise.end(&beside);
        promise.ask(&Asked { offset: 4000, deed: OpKind::Trim(8000), safe: false });
        assert_eq!(may(&promise), [0, 2]);
        assert!(!promise.allows(2, &[0; 4096]), "a unit that is trimmed in part stays");
        promise.ask(&write(3, true));
        assert_eq!(may(&promise), [0, 2, 3]);
        promise.end(&write(3, true));
        assert_eq!(may(&promise), [3]);
        assert!(promise.allows(0, &[0; 4096]) && !promise.allows(0, &[1; 4096]));
        let mut of_array = Promise::new(16_384, 4096, true);
        of_array.ask(&write(1, true));
        of_array.end(&write(1, true));
        of_array.ask(&Asked { offset: 4096, deed: OpKind::Trim(4096), safe: true });
        assert_eq!(may(&of_array), [1], "RAID 5 keeps what is trimmed");
    }
}
