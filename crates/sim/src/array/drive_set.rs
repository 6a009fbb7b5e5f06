//! A set of the drives of an array, a bit each.

use crate::ids::{DriveId, Id};
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// As many drives as a set can have.
pub(super) const MOST_DRIVES: u32 = u64::BITS;

/// Some of the drives of an array.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DriveSet(u64);

impl DriveSet {
    /// All of so many drives, which are one at least.
    pub fn all(count: u32) -> Self {
        assert!((1..=MOST_DRIVES).contains(&count), "{count} drives");
        Self(u64::MAX >> (MOST_DRIVES - count))
    }

    /// One drive.
    #[inline]
    pub fn of(drive: DriveId) -> Self {
        debug_assert!(drive.number() < MOST_DRIVES);
        Self(1 << (drive.number() % MOST_DRIVES))
    }

    /// Whether it is empty.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are: few, as a rule.
    #[inline]
    pub fn count(self) -> u32 {
        let (mut left, mut count) = (self.0, 0);
        while left != 0 {
            left &= left - 1;
            count += 1;
        }
        count
    }

    /// Whether a drive is among them.
    #[inline]
    pub fn has(self, drive: DriveId) -> bool {
        !(self & Self::of(drive)).is_empty()
    }

    /// Whether one of `other` is among them.
    #[inline]
    pub fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// Each of them, in order.
    #[inline]
    pub fn forwards(mut self) -> impl Iterator<Item = DriveId> {
        std::iter::from_fn(move || {
            let first = (self.0 != 0).then(|| DriveId(self.0.trailing_zeros()));
            self.0 &= self.0.wrapping_sub(1);
            first
        })
    }
}

impl BitAnd for DriveSet {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for DriveSet {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for DriveSet {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl BitAndAssign for DriveSet {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for DriveSet {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::{DriveSet, MOST_DRIVES};
    use crate::ids::DriveId;

    #[test]
    fn a_set_is_its_drives() {
        let of = |drives: &[u32]| {
            drives
                .iter()
                .fold(DriveSet::default(), |set, &drive| set | DriveSet::of(DriveId(drive)))
        };
        let set = of(&[63, 0, 5]);
        assert_eq!(set.forwards().collect::<Vec<_>>(), [DriveId(0), DriveId(5), DriveId(63)]);
        assert_eq!((set.count(), set.has(DriveId(5)), set.has(DriveId(4))), (3, true, false));
        assert!(set.meets(of(&[4, 5])) && !set.meets(of(&[1, 2])) && !set.is_empty());
        assert_eq!(DriveSet::all(3), of(&[0, 1, 2]));
        assert_eq!(DriveSet::all(MOST_DRIVES), !DriveSet::default());
        assert!((set & !set).is_empty());
    }
}
