//! The need of blocks, fitted to those erased by ISPE; damage, to lifetimes.

use super::blocks::{Histogram, published, share_within};
use super::{CHIP, EVERY_PEC, EXPECTED, Findings, Fit, LAST_PEC, chip, gain, loops};
use crate::expected::Goals;
use crate::search::least;
use std::collections::BTreeMap;
use wordline_cell::Error;
use wordline_cell::erase::cycling::{Look, cycle};
use wordline_cell::erase::{Erase, Scheme};
use wordline_cell::read::worst_page_after_a_year;

/// Rounds over the knots, and how far the first one looks, in ms; the later ones look less far.
const ROUNDS: u32 = 16;
const FIRST_LOOK_MS: f64 = 2.0;
const NEXT_LOOK: f64 = 0.75;
/// How far a skew is looked for, beside a need in ms.
const SKEW_LOOK: f64 = 0.3;
/// Weight of the squared gaps between distributions of the need, beside fourth powers of those between
/// shares: large ones count, all in points.
const DISTRIBUTION_WEIGHT: f64 = 0.3;

/// What the need is fitted to.
struct Goal<'a> {
    /// Shares by N_ISPE, by id.
    shares: &'a Goals,
    /// Blocks erased by ISPE by what they need, by cycles.
    needs: BTreeMap<u32, Histogram>,
}

impl Goal<'_> {
    /// How many independent numbers it holds. The shares of an age add up to all blocks, so the last one
    /// follows; where the blocks are known by need, their shares follow from that.
    fn numbers(&self, ages: impl Iterator<Item = u32>, most_pulses: u32) -> usize {
        let of = |pec: u32| match self.needs.get(&pec) {
            Some(blocks) => blocks.len() - 1,
            None if pec == 0 => 0, // new blocks are not fitted here
            None => most_pulses as usize - 1,
        };
        ages.map(of).sum()
    }
}

/// Fits the need to blocks erased by ISPE, and damage to lifetimes.
pub(crate) fn fits() -> Result<Vec<Fit>, Error> {
    let (mut chip, mut erase) = chip()?;
    let (goals, shares) = (Goals::of(EXPECTED), Goals::of(EXPECTED));
    let of = |id: &str| goals.get(&format!("reo/{id}"));
    let (i_ispe, end_of_life) = (of("lifetime/i_ispe"), of("mrber/end_of_life"));
    let needs = published()?.remove("ispe_need").unwrap_or_default();
    let goal = Goal { shares: &shares, needs };
    fit_need(&mut erase, &goal);
    let ages = (0..=LAST_PEC).step_by(EVERY_PEC as usize);
    let numbers = goals.read() + goal.numbers(ages, erase.max_pulses);
    erase.skipped_ratio = least(1.0, 5.0, 14, |ratio| {
        erase.skipped_ratio = ratio;
        (gain(&erase, Scheme::Intelligent) - i_ispe).abs()
    });
    chip.retention.diffusion = least(2.0, 40.0, 16, |diffusion| {
        chip.retention.diffusion = diffusion;
        (worst_page_after_a_year(&chip, erase.endurance_pec) - end_of_life).abs()
    });
    let mut parameters = vec![
        ("retention.diffusion".to_owned(), chip.retention.diffusion),
        ("erase.skipped_ratio".into(), erase.skipped_ratio),
    ];
    let listed = |name: &str, list: &[f64]| -> Vec<(String, f64)> {
        let one = |(k, value): (usize, &f64)| (format!("erase.{name}.{k}"), *value);
        list.iter().enumerate().map(one).collect()
    };
    parameters.extend(listed("need_ms", &erase.need_ms));
    parameters.extend(listed("spread_ms", &erase.spread_ms));
    parameters.extend(listed("skew", &erase.skew));
    let free = parameters.len();
    Ok(vec![Fit::new(CHIP, parameters, free, numbers).told(
        "shares by N_ISPE from 500 to 2,000 P/E cycles (those that the others do not give), blocks by need \
         from 2,500 on (which give the later shares), the lifetime of i-ISPE, and errors at the end of life",
        "golden sections, one parameter after another, on fourth powers of the shares' gaps and squares \
         of the distributions'",
    )])
}

/// A list of knots' values that is searched, how far beside the need, and the least one that makes sense.
struct Searched {
    of: fn(&mut Erase) -> &mut Vec<f64>,
    look: f64,
    least: f64,
}

const SEARCHED: [Searched; 3] = [
    Searched { of: |erase| &mut erase.need_ms, look: 1.0, least: 0.0 },
    Searched { of: |erase| &mut erase.spread_ms, look: 1.0, least: 0.1 },
    Searched { of: |erase| &mut erase.skew, look: SKEW_LOOK, least: f64::NEG_INFINITY },
];

/// Fits the knots one after another, round after round, from straight lines; those without wear stay.
fn fit_need(erase: &mut Erase, goal: &Goal) {
    let (first, last) = (erase.need_ms[0], erase.pulse_ms * f64::from(erase.max_pulses));
    let most = erase.wear_ms[erase.wear_ms.len() - 1];
    for knot in 1..erase.need_ms.len() {
        erase.need_ms[knot] = first + (last - first) * erase.wear_ms[knot] / most;
    }
    erase.spread_ms[1..].fill(1.0);
    erase.skew[1..].fill(0.0);
    let mut look = FIRST_LOOK_MS;
    for _ in 0..ROUNDS {
        for Searched { of, look: share, least: lowest } in &SEARCHED {
            for knot in 1..of(erase).len() {
                let (held, look) = (of(erase)[knot], look * share);
                of(erase)[knot] = least((held - look).max(*lowest), held + look, 6, |value| {
                    of(erase)[knot] = value;
                    misfit(erase, goal)
                });
            }
        }
        look *= NEXT_LOOK;
    }
}

fn misfit(erase: &Erase, goal: &Goal) -> f64 {
    let mut findings = Findings::default();
    let looks = cycle(erase, Scheme::Ispe, LAST_PEC, EVERY_PEC);
    loops(erase, &looks, &mut findings);
    let share = |(id, ours): (&String, &f64)| (ours - goal.shares.get(id)).powi(4);
    let distribution = |look: &Look| {
        let blocks = goal.needs.get(&look.pec)?;
        let gap = |ms: f64| 100.0 * look.share_within(ms) - share_within(blocks, ms);
        let steps = 1..erase.max_pulses * (erase.pulse_ms / erase.step_ms) as u32;
        Some(steps.map(|step| gap(erase.step_ms * f64::from(step)).powi(2)).sum::<f64>())
    };
    let distributions: f64 = looks.iter().filter_map(distribution).sum();
    findings.ours.iter().map(share).sum::<f64>() + DISTRIBUTION_WEIGHT * distributions
}
