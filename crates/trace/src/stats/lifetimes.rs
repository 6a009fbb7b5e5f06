//! Times from the writing of a page to its end, in classes.

use super::report::LifetimeStats;

const SECOND_NS: u64 = 1_000_000_000;
const MINUTE_NS: u64 = 60 * SECOND_NS;
const DAY_NS: u64 = 24 * 60 * MINUTE_NS;

/// Limits of the classes: those of ReSSD's zones, and those that lifetimes are told by.
const LIMITS_NS: [u64; 7] =
    [MINUTE_NS, 30 * MINUTE_NS, 60 * MINUTE_NS, 120 * MINUTE_NS, DAY_NS, 7 * DAY_NS, 30 * DAY_NS];

/// ReSSD's zones: less than 30 minutes, 30 to 60, 60 to 120, and more.
pub(super) const ZONES: usize = 4;

/// The zone of an update interval.
#[inline]
pub(super) fn zone_of(interval_ns: u64) -> usize {
    LIMITS_NS[1..ZONES].iter().filter(|&&limit| interval_ns >= limit).count()
}

/// Counts of times by class.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Classes([u64; LIMITS_NS.len() + 1]);

impl Classes {
    /// Counts a time.
    #[inline]
    pub fn add(&mut self, time_ns: u64) {
        let class: usize = LIMITS_NS.iter().map(|&limit| usize::from(time_ns >= limit)).sum();
        self.0[class] += 1;
    }

    /// Counts what `other` counted.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(ours, theirs)| *ours += theirs);
    }

    /// Shares of the zones.
    pub fn zones(&self) -> [f64; ZONES] {
        let [minute, first, second, third, day, week, month, longer] = self.0;
        let all = self.count() as f64;
        [minute + first, second, third, day + week + month + longer].map(|n| n as f64 / all)
    }

    fn count(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// The lifetimes of pages of which `died` ended and `alive` are ages; `None` of none.
pub(super) fn lifetimes(died: &Classes, alive: &Classes) -> Option<LifetimeStats> {
    let all = died.count() + alive.count();
    if all == 0 {
        return None;
    }
    let shares = |classes: &Classes| classes.0.map(|count| count as f64 / all as f64);
    let (died_shares, alive_shares) = (shares(died), shares(alive));
    let mut longer_than_shares = [(0.0, 0.0); LIMITS_NS.len()];
    for (limit, bounds) in longer_than_shares.iter_mut().enumerate() {
        let known: u64 = died.0[limit + 1..].iter().chain(&alive.0[limit + 1..]).sum();
        let open: u64 = alive.0[..=limit].iter().sum();
        *bounds = (known as f64 / all as f64, (known + open) as f64 / all as f64);
    }
    Some(LifetimeStats {
        limits_s: LIMITS_NS.map(|limit| limit as f64 / SECOND_NS as f64),
        died_shares,
        alive_shares,
        longer_than_shares,
    })
}
