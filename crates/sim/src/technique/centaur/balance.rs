//! What both kinds of flash have spent of their lives (Equations 1 and 3), and how full they are
//! (Equation 2). Comparisons are of whole numbers, so that equal is equal.

use crate::drive::DriveState;

/// What one kind of flash has been through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wear {
    /// P/E cycles of all of its blocks.
    pub cycles: u64,
    /// Its blocks.
    pub blocks: u64,
    /// P/E cycles that each block can take.
    pub endurance_pec: u64,
}

impl Wear {
    /// The share of its life that is spent (Equation 1).
    pub fn spent(&self) -> f64 {
        self.cycles as f64 / self.life() as f64
    }

    /// Whether it has spent less than another.
    pub fn is_less_spent_than(&self, other: &Self) -> bool {
        u128::from(self.cycles) * other.life() < u128::from(other.cycles) * self.life()
    }

    fn life(&self) -> u128 {
        u128::from(self.blocks) * u128::from(self.endurance_pec)
    }
}

/// Whether valid data takes a larger share of a group of dies than of another (Equation 2).
pub fn is_fuller(state: &DriveState, group: usize, other: usize) -> bool {
    // Products of units need not fit in 64 bits.
    let units = |group: usize| u128::from(state.geometry.groups[group].units());
    let valid = |group: usize| u128::from(state.valid_in[group]);
    valid(group) * units(other) > valid(other) * units(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_erase_decides() {
        // A cycle of 10 blocks of 60 is as much as one of 20 blocks of 30.
        let of = |cycles, blocks, endurance_pec| Wear { cycles, blocks, endurance_pec };
        assert!(!of(7, 10, 60).is_less_spent_than(&of(7, 20, 30)));
        assert!(of(6, 10, 60).is_less_spent_than(&of(7, 20, 30)));
        assert!(!of(8, 10, 60).is_less_spent_than(&of(7, 20, 30)));
        assert_eq!(of(60, 10, 60).spent(), 0.1);
    }
}
