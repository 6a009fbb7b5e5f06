//! How many units of each block a fill makes valid.

use crate::util::Rng;

/// Full blocks, and the rest in the last one.
pub(super) fn dense(units: u32, units_per_block: u32) -> Vec<u32> {
    let mut counts = vec![units_per_block; (units / units_per_block) as usize];
    if !units.is_multiple_of(units_per_block) {
        counts.push(units % units_per_block);
    }
    counts
}

/// Rounds so that every partial sum is right to within one half.
pub(super) fn round_to_total(values: impl Iterator<Item = f64>) -> Vec<u32> {
    let (mut sum, mut given) = (0.0, 0.0);
    values
        .map(|value| {
            sum += value;
            let count = (sum - given).round().max(0.0);
            given += count;
            count as u32
        })
        .collect()
}

/// `n` values with the given shares.
pub(super) fn quantiles(share: &[f64], n: u32) -> Vec<u32> {
    let mut values = Vec::with_capacity(n as usize);
    let mut below = 0.0;
    for (value, share) in share.iter().enumerate() {
        below += share;
        let until = (below * f64::from(n)).round() as usize;
        values.resize(until.clamp(values.len(), n as usize), value as u32);
    }
    values.resize(n as usize, share.len() as u32 - 1);
    values
}

pub(super) fn shuffle<T>(values: &mut [T], rng: &mut Rng) {
    for last in (1..values.len()).rev() {
        values.swap(last, rng.below(last as u32 + 1) as usize);
    }
}

/// Brings the sum of `counts` to `total` by single steps spread over all of them.
pub(super) fn settle(counts: &mut [u32], total: u32, max: u32) {
    let mut sum: u64 = counts.iter().map(|&n| u64::from(n)).sum();
    while sum != u64::from(total) {
        for count in counts.iter_mut() {
            if sum < u64::from(total) && *count < max {
                *count += 1;
                sum += 1;
            } else if sum > u64::from(total) && *count > 0 {
                *count -= 1;
                sum -= 1;
            }
        }
    }
}
