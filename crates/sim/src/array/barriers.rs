//! What is done with the mirrors of RAID 1 at the present, and must not meet.

use crate::ids::{ById, DriveId, Ids, StripeId, TaskId};

/// A stretch of stripes that is copied to the mirror that is rebuilt, or compared.
#[derive(Debug, Clone)]
pub(super) struct Copy {
    pub stripes: Ids<StripeId>,
    /// Requests to drives that are not over.
    pub left: u32,
    pub has_read: bool,
    /// A drive was lost meanwhile: the rebuild that follows begins anew.
    pub is_void: bool,
    /// Writes that wait for its end.
    pub waiting: Vec<TaskId>,
}

/// The mirrors of an array.
#[derive(Debug, Default)]
pub(super) struct Mirrors {
    /// Where the last read of each ended.
    pub head_bytes: ById<DriveId, u64>,
    /// Writes under way: their stripes, and the mirrors that have not written them.
    writes: Vec<Option<(Ids<StripeId>, u32)>>,
    spare_writes: Vec<u32>,
    pub copies: Vec<Option<Copy>>,
    pub spare_copies: Vec<u32>,
}

fn meet(a: Ids<StripeId>, b: Ids<StripeId>) -> bool {
    a.first() < b.end() && b.first() < a.end()
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
    pub fn new(drives: u32) -> Self {
        Self { head_bytes: ById::filled(u64::MAX, drives), ..Self::default() }
    }

    /// A write begins; returns its number.
    pub fn begin_write(&mut self, stripes: Ids<StripeId>, mirrors: u32) -> u32 {
        put(&mut self.writes, &mut self.spare_writes, (stripes, mirrors))
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

    /// True while one of these stripes is written.
    pub fn is_written(&self, stripes: Ids<StripeId>) -> bool {
        self.writes.iter().flatten().any(|(other, _)| meet(stripes, *other))
    }

    /// The copy that covers one of these stripes.
    pub fn copy_over(&mut self, stripes: Ids<StripeId>) -> Option<&mut Copy> {
        self.copies.iter_mut().flatten().find(|copy| meet(stripes, copy.stripes))
    }
}

#[cfg(test)]
mod tests {
    use super::Mirrors;
    use crate::ids::{Ids, StripeId};

    #[test]
    fn stretches_that_only_touch_do_not_meet() {
        let mut mirrors = Mirrors::new(2);
        let stripes = |from: u32, to: u32| Ids::between(StripeId(from), StripeId(to - 1));
        let write = mirrors.begin_write(stripes(4, 8), 2);
        for (from, to, meets) in [(0, 4, false), (0, 5, true), (7, 9, true), (8, 9, false)] {
            assert_eq!(mirrors.is_written(stripes(from, to)), meets, "{from} to {to}");
        }
        mirrors.has_written(write);
        assert!(mirrors.is_written(stripes(0, 5)), "one of two mirrors has written");
        mirrors.has_written(write);
        assert!(!mirrors.is_written(stripes(0, 5)));
    }
}
