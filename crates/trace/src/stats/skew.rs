//! How unevenly accesses fall on pages.

use super::report::Skew;
use rustc_hash::FxHashMap;

/// Shares of the pages at which the curve is told.
const POINTS: [f64; 13] =
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0];
/// The share of the pages that is told by itself.
const HOTTEST: f64 = 0.2;

/// Numbers of pages by their number of accesses.
#[derive(Debug, Default)]
pub(super) struct Popularity(FxHashMap<u32, u64>);

impl Popularity {
    /// Counts a page with `accesses`.
    #[inline]
    pub fn add(&mut self, accesses: u32) {
        *self.0.entry(accesses).or_default() += 1;
    }

    /// Counts what `other` counted.
    pub fn merge(&mut self, other: &Self) {
        for (&accesses, &pages) in &other.0 {
            *self.0.entry(accesses).or_default() += pages;
        }
    }

    /// The skew; `None` where no page was accessed.
    pub fn skew(&self) -> Option<Skew> {
        let mut groups: Vec<(u32, u64)> =
            self.0.iter().map(|(&key, &pages)| (key, pages)).collect();
        groups.sort_unstable_by(|a, b| b.cmp(a));
        let pages: u64 = groups.iter().map(|&(_, pages)| pages).sum();
        let accesses: u128 = groups.iter().map(|&(a, p)| u128::from(a) * u128::from(p)).sum();
        if accesses == 0 {
            return None;
        }
        let share = |of_pages: f64| share(&groups, of_pages * pages as f64) / accesses as f64;
        let curve = POINTS.map(|of_pages| (of_pages, share(of_pages))).to_vec();
        Some(Skew { on_hottest_20_percent: share(HOTTEST), curve })
    }
}

/// Accesses to the first `room` pages of `groups`; a part of a page counts in part.
fn share(groups: &[(u32, u64)], mut room: f64) -> f64 {
    let mut found = 0.0;
    for &(accesses, pages) in groups {
        let taken = room.min(pages as f64);
        found += taken * f64::from(accesses);
        room -= taken;
        if room <= 0.0 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_accesses_are_not_skewed() {
        let mut even = Popularity::default();
        (0..1000).for_each(|_| even.add(7));
        let skew = even.skew().expect("accesses");
        assert!(skew.curve.iter().all(|&(pages, share)| (pages - share).abs() < 1e-12));
    }

    #[test]
    fn a_fifth_that_takes_all_is_told_so() {
        let mut all = Popularity::default();
        (0..20).for_each(|_| all.add(3));
        (0..80).for_each(|_| all.add(0));
        assert_eq!(all.skew().expect("accesses").on_hottest_20_percent, 1.0);
        assert_eq!(Popularity::default().skew(), None);
    }
}
