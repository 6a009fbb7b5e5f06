//! What is done with the mirrors of RAID 1 at the present, and must not meet.

use std::ops::Range;

/// A stretch of rows that is copied to the mirror that is rebuilt, or compared.
#[derive(Debug, Clone)]
pub(super) struct Copy {
    pub rows: Range<u32>,
    /// Requests to drives that are not over.
    pub left: u32,
    pub has_read: bool,
    /// A drive was lost meanwhile: the rebuild that follows begins anew.
    pub is_void: bool,
    /// Writes that wait for its end.
    pub waiting: Vec<u32>,
}

/// The mirrors of an array.
#[derive(Debug, Default)]
pub(super) struct Mirrors {
    /// Where the last read of each ended.
    pub head_bytes: Vec<u64>,
    /// Writes under way: their rows, and the mirrors that have not written them.
    writes: Vec<Option<(Range<u32>, u32)>>,
    spare_writes: Vec<u32>,
    pub copies: Vec<Option<Copy>>,
    pub spare_copies: Vec<u32>,
}

fn meet(a: &Range<u32>, b: &Range<u32>) -> bool {
    a.start < b.end && b.start < a.end
}

pub(super) fn put<T>(list: &mut Vec<Option<T>>, spare: &mut Vec<u32>, item: T) -> u32 {
    let at = spare.pop().unwrap_or_else(|| {
        list.push(None);
        list.len() as u32 - 1
    });
    list[at as usize] = Some(item);
    at
}

impl Mirrors {
    /// Mirrors that nothing is done with.
    pub fn new(drives: usize) -> Self {
        Self { head_bytes: vec![u64::MAX; drives], ..Self::default() }
    }

    /// A write begins; returns its number.
    pub fn begin_write(&mut self, rows: Range<u32>, mirrors: u32) -> u32 {
        put(&mut self.writes, &mut self.spare_writes, (rows, mirrors))
    }

    /// One of the mirrors has written.
    pub fn has_written(&mut self, write: u32) {
        let Some((_, left)) = &mut self.writes[write as usize] else { return };
        *left -= 1;
        if *left == 0 {
            self.writes[write as usize] = None;
            self.spare_writes.push(write);
        }
    }

    /// Nothing comes of the copies under way.
    pub fn void_copies(&mut self) {
        self.copies.iter_mut().flatten().for_each(|copy| copy.is_void = true);
    }

    /// True while one of these rows is written.
    pub fn is_written(&self, rows: &Range<u32>) -> bool {
        self.writes.iter().flatten().any(|(other, _)| meet(rows, other))
    }

    /// The copy that covers one of these rows.
    pub fn copy_over(&mut self, rows: &Range<u32>) -> Option<&mut Copy> {
        self.copies.iter_mut().flatten().find(|copy| meet(rows, &copy.rows))
    }
}

#[cfg(test)]
mod tests {
    use super::Mirrors;

    #[test]
    fn stretches_that_only_touch_do_not_meet() {
        let mut mirrors = Mirrors::new(2);
        let write = mirrors.begin_write(4..8, 2);
        for (rows, meets) in [(0..4, false), (0..5, true), (7..9, true), (8..9, false)] {
            assert_eq!(mirrors.is_written(&rows), meets, "{rows:?}");
        }
        mirrors.has_written(write);
        assert!(mirrors.is_written(&(0..5)), "one of two mirrors has written");
        mirrors.has_written(write);
        assert!(!mirrors.is_written(&(0..5)));
    }
}
