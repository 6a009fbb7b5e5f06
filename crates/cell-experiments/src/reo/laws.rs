//! Whether another law of wear, or other margins, would bring gentle erases to the published latencies.
//! Blocks are followed by their age in cycles of ISPE, whose needs are known, so that nothing is fitted
//! anew: a cycle ages a block by what it wears beside what a cycle of ISPE would.

use super::{EVERY_PEC, EXPECTED, Findings, LAST_PEC};
use crate::expected::published;
use std::collections::BTreeMap;
use wordline_cell::erase::cycling::{Look, cycle};
use wordline_cell::erase::{Erase, Scheme};

/// Cycles of ISPE between looks at its blocks, and cycles that a gentle erase stands for.
const LOOKED_AT_PEC: u32 = 100;
const STRIDE_PEC: u32 = 50;
/// What programs wear that is tried, in ms of pulse, and the wear of a step of voltage.
const PROGRAMS_MS: [f64; 7] = [0.0, 0.25, 0.5, 1.0, 3.0, 6.0, 10.0];
const RATIOS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0, 1.5, 2.5];
/// Margins of one to four pulses that are tried, in ms; the publication's are 1, 1, 1 and 0.5.
const MARGINS_MS: [&[f64]; 4] =
    [&[0.0, 0.3, 0.5, 1.0], &[0.5, 1.0, 2.0], &[0.5, 1.0, 2.0], &[0.0, 0.5, 1.0]];

/// How much a cycle wears.
#[derive(Debug, Clone, Copy)]
struct Law {
    programs_ms: f64,
    /// Of a pulse over that of the one before, at equal duration.
    ratio: f64,
}

impl Law {
    fn all() -> impl Iterator<Item = Self> {
        let with = |ratio| PROGRAMS_MS.map(|programs_ms| Self { programs_ms, ratio });
        RATIOS.into_iter().flat_map(with)
    }

    /// Wear of a cycle whose erase takes `pulse_ms` in all.
    fn wear(&self, erase: &Erase, pulse_ms: f64) -> f64 {
        let (mut left_ms, mut weight, mut sum) = (pulse_ms, 1.0, self.programs_ms);
        while left_ms > 0.0 {
            sum += weight * left_ms.min(erase.pulse_ms);
            left_ms -= erase.pulse_ms;
            weight *= self.ratio;
        }
        sum
    }
}

/// Time under pulses of a gentle erase of a block in need of `need_ms`.
fn time_ms(erase: &Erase, scheme: Scheme, need_ms: f64) -> f64 {
    let last = erase.pulses(need_ms);
    let full_ms = erase.pulse_ms * f64::from(last - 1);
    let before_ms = if last == 1 { erase.shallow_ms } else { full_ms };
    let fail_bits = erase.fail_bits(need_ms - before_ms);
    match scheme {
        _ if need_ms <= before_ms => before_ms,
        Scheme::Aggressive => before_ms + erase.aggressive_ms(last, fail_bits),
        _ => before_ms + erase.predicted_ms(last, fail_bits),
    }
}

/// What block `number` needs after so many cycles of ISPE, in ms.
fn need_ms(by_ispe: &[Look], number: usize, pec: f64) -> f64 {
    let at = (pec / f64::from(LOOKED_AT_PEC)).min((by_ispe.len() - 1) as f64);
    let (low, share) = (at as usize, at - libm::floor(at));
    let high = (low + 1).min(by_ispe.len() - 1);
    let (from, to) = (by_ispe[low].need_ms[number], by_ispe[high].need_ms[number]);
    from + share * (to - from)
}

/// Mean time under pulses of blocks erased by `scheme`, by cycles, in ms.
fn means(erase: &Erase, by_ispe: &[Look], scheme: Scheme, law: Law) -> BTreeMap<u32, f64> {
    let mut ages = vec![0.0; by_ispe[0].need_ms.len()];
    let mut out = BTreeMap::new();
    for pec in (0..=LAST_PEC).step_by(STRIDE_PEC as usize) {
        let mut sum = 0.0;
        for (number, age) in ages.iter_mut().enumerate() {
            let need_ms = need_ms(by_ispe, number, *age);
            let ours_ms = time_ms(erase, scheme, need_ms);
            let ispe_ms = erase.pulse_ms * f64::from(erase.pulses(need_ms));
            let aged = law.wear(erase, ours_ms) / law.wear(erase, ispe_ms);
            *age += f64::from(STRIDE_PEC) * aged;
            sum += ours_ms;
        }
        if pec % EVERY_PEC == 0 {
            out.insert(pec, sum / ages.len() as f64);
        }
    }
    out
}

/// The largest deviation from the published means, in %.
fn largest_gap(means: &BTreeMap<u32, f64>, scheme: Scheme, table: &BTreeMap<String, f64>) -> f64 {
    let gap = |(pec, ours): (&u32, &f64)| {
        let id = format!("reo/pulse_time/{}/pec={pec}", scheme.name());
        100.0 * (ours / table.get(&id).copied().unwrap_or(f64::NAN) - 1.0).abs()
    };
    means.iter().map(gap).fold(0.0, f64::max)
}

/// Every choice of margins.
fn margins() -> Vec<Vec<f64>> {
    let mut all = vec![Vec::new()];
    for tried in MARGINS_MS {
        let with = |begun: &Vec<f64>| {
            let of = |margin: &f64| [begun.as_slice(), &[*margin]].concat();
            tried.iter().map(of).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// The nearest that any law comes to conservative erases, and any law with any margins to aggressive
/// ones.
pub(super) fn nearest(erase: &Erase, findings: &mut Findings) {
    let table = published(EXPECTED);
    let by_ispe = cycle(erase, Scheme::Ispe, LAST_PEC, LOOKED_AT_PEC);
    let gap = |erase: &Erase, scheme: Scheme, law: Law| {
        largest_gap(&means(erase, &by_ispe, scheme, law), scheme, &table)
    };
    let mut least = (f64::INFINITY, Law { programs_ms: 0.0, ratio: 0.0 });
    for law in Law::all() {
        let found = gap(erase, Scheme::Conservative, law);
        if found < least.0 {
            least = (found, law);
        }
    }
    findings.set("reo/any_law/conservative/largest_gap", least.0);
    findings.set("reo/any_law/conservative/programs", least.1.programs_ms);
    findings.set("reo/any_law/conservative/step_of_voltage", least.1.ratio);
    let own = Law { programs_ms: erase.cycle_wear_ms, ratio: 1.0 };
    let mut aggressive = f64::INFINITY;
    for mut margin_ms in margins() {
        margin_ms.extend(erase.margin_ms.get(margin_ms.len()..).unwrap_or_default());
        let other = Erase { margin_ms, ..erase.clone() };
        for law in [own, least.1] {
            aggressive = aggressive.min(gap(&other, Scheme::Aggressive, law));
        }
    }
    findings.set("reo/any_law/aggressive/largest_gap", aggressive);
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_cell::Chip;

    #[test]
    fn ages_in_cycles_of_ispe_give_what_wear_does() {
        let erase = Chip::preset("reo-tlc").unwrap().erase.unwrap();
        let by_ispe = cycle(&erase, Scheme::Ispe, LAST_PEC, LOOKED_AT_PEC);
        let own = Law { programs_ms: erase.cycle_wear_ms, ratio: 1.0 };
        for scheme in [Scheme::Conservative, Scheme::Aggressive] {
            let by_age = means(&erase, &by_ispe, scheme, own);
            for look in cycle(&erase, scheme, LAST_PEC, EVERY_PEC) {
                let ratio = by_age[&look.pec] / look.mean_pulse_ms();
                assert!((ratio - 1.0).abs() < 0.015, "{} {}: {ratio}", scheme.name(), look.pec);
            }
        }
    }

    #[test]
    fn every_margin_is_tried_once() {
        let all = margins();
        assert_eq!(all.len(), MARGINS_MS.iter().map(|tried| tried.len()).product::<usize>());
        assert!(all.iter().all(|margins| margins.len() == MARGINS_MS.len()));
        assert!(all.contains(&vec![1.0, 1.0, 1.0, 0.5]));
    }
}
