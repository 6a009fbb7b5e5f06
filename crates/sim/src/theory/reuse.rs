//! Blocks that take hot data twice before an erase: what that saves, and what the room costs that it
//! reserves.

use super::{Cleaning, write_amplification};

/// A quarter of a block's pages: what the second round of low pages adds to what a block takes before
/// its erase (Margaglia et al., USENIX FAST 2016, Section 4: N + N / 4).
const AGAIN: f64 = 0.25;

/// Hot writes whose data is invalid when its block is needed again, and cold ones that are uniform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reuse {
    /// X: share of the host's writes that is hot.
    pub hot: f64,
    /// Share of the low pages that still hold data when their second round comes, and are passed over.
    pub left_out: f64,
    /// α of the cold data on the drive without reuse.
    pub alpha: f64,
    /// The same while partially used blocks wait for their second round.
    pub alpha_reserved: f64,
    /// Mapping units of a block.
    pub units_per_block: usize,
}

impl Reuse {
    /// Erases with reuse over those without it.
    ///
    /// A block of hot data is erased once for its N units without reuse, for N + N/4 with it, less what
    /// is passed over. Cold data is erased A times its writes, where the blocks that wait are no
    /// room of its own (own derivation):
    ///
    /// > (X / (1 + (1 − l)/4) + (1 − X)·A(α')) / (X + (1 − X)·A(α))
    ///
    /// With A(α') = A(α) = 1 and l = 0 this is (5 − X)/5, the publication's expectation.
    pub fn erases(&self, cleaning: Cleaning) -> f64 {
        let cold = 1.0 - self.hot;
        let with_it =
            self.hot / self.units_of_reused() + cold * self.of(cleaning, self.alpha_reserved);
        with_it / (self.hot + cold * self.of(cleaning, self.alpha))
    }

    /// The share of hot writes below which reuse costs erases: with D = A(α') − A(α) and the gain of a
    /// hot write g = 1 − 1/(1 + (1 − l)/4), which is 1/5 where nothing is passed over, D / (D + g).
    pub fn least_hot(&self, cleaning: Cleaning) -> f64 {
        let cost = self.of(cleaning, self.alpha_reserved) - self.of(cleaning, self.alpha);
        let gain = 1.0 - 1.0 / self.units_of_reused();
        if cost.is_infinite() { 1.0 } else { cost / (cost + gain) }
    }

    /// Units that a reused block takes before its erase, in blocks.
    fn units_of_reused(&self) -> f64 {
        1.0 + (1.0 - self.left_out) * AGAIN
    }

    fn of(&self, cleaning: Cleaning, alpha: f64) -> f64 {
        write_amplification(cleaning, alpha, self.units_per_block)
    }
}

#[cfg(test)]
mod tests {
    use super::Reuse;
    use crate::theory::{Cleaning, write_amplification};

    const PLAIN: Reuse =
        Reuse { hot: 0.5, left_out: 0.0, alpha: 1.28, alpha_reserved: 1.28, units_per_block: 1024 };

    #[test]
    fn where_room_costs_nothing_a_fifth_of_the_hot_erases_is_saved() {
        // So much room that cold data is never moved.
        let roomy = Reuse { alpha: 1e6, alpha_reserved: 1e6, ..PLAIN };
        for hot in [0.0, 0.14, 0.5, 0.95, 1.0] {
            let erases = Reuse { hot, ..roomy }.erases(Cleaning::Greedy);
            assert!((erases - (5.0 - hot) / 5.0).abs() < 1e-5, "{hot} {erases}");
        }
        assert!(roomy.least_hot(Cleaning::Greedy) < 1e-4);
    }

    #[test]
    fn at_the_least_share_of_hot_writes_nothing_is_gained_or_lost() {
        for left_out in [0.0, 0.3] {
            for (alpha, alpha_reserved) in [(1.28, 1.14), (1.28, 1.25), (1.07, 1.035), (2.0, 1.5)] {
                let reuse = Reuse { left_out, alpha, alpha_reserved, ..PLAIN };
                let hot = reuse.least_hot(Cleaning::Greedy);
                let at = |hot| Reuse { hot, ..reuse }.erases(Cleaning::Greedy);
                assert!((at(hot) - 1.0).abs() < 1e-9, "{hot}");
                assert!(at(hot + 0.01) < 1.0 && at(hot - 0.01) > 1.0);
            }
        }
    }

    #[test]
    fn each_side_counts_as_often_as_it_is_written() {
        let reuse = Reuse { hot: 0.4, left_out: 0.5, alpha_reserved: 1.2, ..PLAIN };
        let a = |alpha| write_amplification(Cleaning::Greedy, alpha, 1024);
        let expected = (0.4 / 1.125 + 0.6 * a(1.2)) / (0.4 + 0.6 * a(1.28));
        assert!((reuse.erases(Cleaning::Greedy) - expected).abs() < 1e-12);
        // No room is left to cold data.
        let none = Reuse { alpha_reserved: 1.0, ..reuse };
        assert_eq!(
            (none.erases(Cleaning::Greedy), none.least_hot(Cleaning::Greedy)),
            (f64::INFINITY, 1.0)
        );
    }
}
