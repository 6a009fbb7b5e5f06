//! Blocks that take hot data twice before an erase: what that saves, and what the room costs that it
//! reserves.

use super::{Cleaning, bisect, write_amplification};

/// A quarter of a block's pages: what the second round of low pages adds to what a block takes before
/// its erase (Margaglia et al., USENIX FAST 2016, Section 4: N + N / 4).
const AGAIN: f64 = 0.25;
/// The share of a block that its first round takes: the low pages.
const FIRST: f64 = 0.5;
/// Rounds in which the moves of hot data among cold data settle; each halves what is amiss at least.
const ROUNDS: usize = 60;

/// Hot writes whose data is invalid soon after its block is full, and cold ones that are uniform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reuse {
    /// X: share of the host's writes that is hot.
    pub hot: f64,
    /// Share of the low pages that still hold data when their second round comes, and are passed over.
    pub left_out: f64,
    /// α of the cold data on the drive without reuse.
    pub alpha: f64,
    /// α of the cold data while partially used blocks wait for their second round.
    pub alpha_reserved: f64,
    /// Mapping units of a block.
    pub units_per_block: usize,
    /// h: hot units that are still valid when their block has just become full.
    pub live: f64,
}

impl Reuse {
    /// Erases with reuse over those without it.
    ///
    /// A block of hot data is erased once for its N units without reuse, for N + N/4 with it, less what
    /// is passed over. Cold data is erased A times its writes, where the blocks that wait are no
    /// room of its own. What GC moves of hot data, M of the host's writes, dies where it is moved to
    /// (own derivation):
    ///
    /// > (X / (1 + (1 − l)/4) + (1 − X)·A' + M') / (X + (1 − X)·A + M)
    ///
    /// With A' = A = 1, l = 0 and nothing moved this is (5 − X)/5, the publication's expectation.
    ///
    /// M: erased blocks are scarce, so that opening a hot block takes one of GC, whose cheapest victim is
    /// the hot block that has just become full, with h units that are still valid. They are moved to a
    /// block of cold data and die at once: M = X·h/N, and A is that of α·(1 − φ), φ = M/((1 − X)·A + M),
    /// since a share φ of what cold blocks are filled with is dead from the start.
    ///
    /// M': with reuse, two blocks take turns, and only the first round of the first one needs a block of
    /// GC's. Then the other one is free of data, unless a cold block was opened during the second round
    /// of the last, and took it: M' = p·X·h/(2·(N + N/4)), p the blocks of cold data that are opened
    /// meanwhile, at most 1.
    pub fn erases(&self, cleaning: Cleaning) -> f64 {
        let cold = 1.0 - self.hot;
        let without = self.settle(cleaning, self.alpha, |_| self.live * self.of_block(1.0));
        let taken = |written: f64| (written / self.hot * self.second_round()).min(1.0);
        let with_it = self.settle(cleaning, self.alpha_reserved, |written| {
            taken(written) * self.live * self.of_block(2.0 * self.units_of_reused())
        });
        let hot = self.hot / self.units_of_reused();
        (hot + cold * with_it.0 + with_it.1) / (self.hot + cold * without.0 + without.1)
    }

    /// The share of hot writes below which reuse costs erases. Where nothing is moved it is D / (D + g), with
    /// D = A(α') − A(α) and the gain of a hot write g = 1 − 1/(1 + (1 − l)/4), which is 1/5 where nothing is
    /// passed over.
    pub fn least_hot(&self, cleaning: Cleaning) -> f64 {
        bisect(0.0, 1.0, |hot| Self { hot, ..*self }.erases(cleaning) >= 1.0)
    }

    /// Units that a reused block takes before its erase, in blocks.
    fn units_of_reused(&self) -> f64 {
        1.0 + (1.0 - self.left_out) * AGAIN
    }

    /// Those of its second round.
    fn second_round(&self) -> f64 {
        self.units_of_reused() - FIRST
    }

    /// X, by so many blocks' worth of hot data.
    fn of_block(&self, blocks: f64) -> f64 {
        self.hot / (blocks * self.units_per_block as f64)
    }

    /// A of cold data, and M, where `moved` gives M by what cold blocks are filled with for each write of
    /// the host.
    fn settle(&self, cleaning: Cleaning, alpha: f64, moved: impl Fn(f64) -> f64) -> (f64, f64) {
        let cold = 1.0 - self.hot;
        let mut of = (self.of(cleaning, alpha), 0.0);
        for _ in 0..ROUNDS {
            let filled = cold * of.0 + of.1;
            let moves = moved(filled);
            let dead = if moves > 0.0 { moves / (cold * of.0 + moves) } else { 0.0 };
            let next = self.of(cleaning, alpha * (1.0 - dead));
            of = (0.5 * (of.0 + next), moves);
        }
        of
    }

    fn of(&self, cleaning: Cleaning, alpha: f64) -> f64 {
        write_amplification(cleaning, alpha, self.units_per_block)
    }
}

#[cfg(test)]
mod tests {
    use super::Reuse;
    use crate::theory::{Cleaning, write_amplification};

    const PLAIN: Reuse = Reuse {
        hot: 0.5,
        left_out: 0.0,
        alpha: 1.28,
        alpha_reserved: 1.28,
        units_per_block: 1024,
        live: 0.0,
    };

    fn a(alpha: f64) -> f64 {
        write_amplification(Cleaning::Greedy, alpha, 1024)
    }

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
                let gain = 1.0 - 1.0 / (1.0 + (1.0 - left_out) / 4.0);
                let cost = a(alpha_reserved) - a(alpha);
                assert!((hot - cost / (cost + gain)).abs() < 1e-9, "{hot}");
            }
        }
    }

    #[test]
    fn each_side_counts_as_often_as_it_is_written() {
        let reuse = Reuse { hot: 0.4, left_out: 0.5, alpha_reserved: 1.2, ..PLAIN };
        let expected = (0.4 / 1.125 + 0.6 * a(1.2)) / (0.4 + 0.6 * a(1.28));
        assert!((reuse.erases(Cleaning::Greedy) - expected).abs() < 1e-12);
        // No room is left to cold data.
        let none = Reuse { alpha_reserved: 1.0, ..reuse };
        assert_eq!(
            (none.erases(Cleaning::Greedy), none.least_hot(Cleaning::Greedy)),
            (f64::INFINITY, 1.0)
        );
    }

    #[test]
    fn hot_data_that_is_moved_takes_room_from_cold_data() {
        let reuse = Reuse { hot: 0.9, live: 4.0, ..PLAIN };
        // Without reuse M = X·h/N; α shrinks by the share of it among what cold blocks are filled with.
        let moved = 0.9 * 4.0 / 1024.0;
        let mut of = a(1.28);
        for _ in 0..200 {
            of = a(1.28 * (1.0 - moved / (0.1 * of + moved)));
        }
        let without = 0.9 + 0.1 * of + moved;
        // With it, cold blocks are opened at 0.1·A/0.9 of the rate of hot ones, for three quarters of a block.
        let (mut with_it, mut again) = (a(1.28), 0.0);
        for _ in 0..200 {
            let taken: f64 = 0.75 * (0.1 * with_it + again) / 0.9;
            again = taken.min(1.0) * 0.9 * 4.0 / 2560.0;
            with_it = a(1.28 * (1.0 - again / (0.1 * with_it + again)));
        }
        let expected = (0.9 / 1.25 + 0.1 * with_it + again) / without;
        let found = reuse.erases(Cleaning::Greedy);
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        assert!(found < Reuse { live: 0.0, ..reuse }.erases(Cleaning::Greedy));
    }
}
