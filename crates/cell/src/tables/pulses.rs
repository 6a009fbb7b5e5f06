//! How single blocks erase, as curves: what a drive needs to erase each by a scheme of its own.
//!
//! A curve is named, may belong to one pulse of an erase (0: to all), and has points. All times are
//! in ms under pulses, wear and damage too.

use super::{LAST_AGE_H, every_pec, row};
use crate::erase::cycling::{Look, cycle};
use crate::erase::{Erase, Scheme};
use crate::read::worst_page_after_a_year as worst_page;
use crate::{Chip, Conditions};

/// Steps of pulse for which failing bits are told apart: what is above asks for a full pulse.
const STEPS: u32 = 8;
/// Errors are told up to so many times the endurance, the most that the chip's laws reach: the hardest
/// blocks are damaged more than the mean.
const LIVES: [f64; 4] = [2.0, 1.75, 1.5, 1.25];

pub(super) fn curves(chip: &Chip, erase: &Erase, out: &mut String) {
    let mut point = |curve: &str, pulse: u32, at: f64, value: f64| {
        row(out, format_args!("{curve},{pulse},{at:.4},{value:.4}"));
    };
    point("bits", 0, 0.0, chip.levels.bits() as f64);
    point("verify", 0, 0.0, erase.verify_ms);
    point("shallow", 0, 0.0, erase.shallow_ms);
    point("step", 0, 0.0, erase.step_ms);
    for (wear_ms, need_ms) in erase.wear_ms.iter().zip(&erase.need_ms) {
        point("need", 0, *wear_ms, *need_ms);
    }
    for (wear_ms, spread_ms) in erase.spread_wear_ms.iter().zip(&erase.spread_ms) {
        point("need_spread", 0, *wear_ms, *spread_ms);
    }
    for (wear_ms, skew) in erase.skew_wear_ms.iter().zip(&erase.skew) {
        point("need_skew", 0, *wear_ms, *skew);
    }
    point("cycle_wear", 0, 0.0, erase.cycle_wear_ms);
    for steps in 0..=STEPS {
        let left_ms = erase.step_ms * f64::from(steps);
        point("fail_bits", 0, left_ms, erase.fail_bits(left_ms));
    }
    for steps in 0..STEPS {
        let up_to = erase.fail_bits_last + f64::from(steps) * erase.fail_bits_per_step;
        point("asked", 0, up_to, erase.asked_ms(up_to));
    }
    for pulse in 1..=erase.max_pulses {
        point("full", pulse, 0.0, erase.pulse_ms);
        point(
            "margin",
            pulse,
            0.0,
            erase.margin_ms.get(pulse as usize - 1).copied().unwrap_or(0.0),
        );
        for skipped in 0..pulse {
            point("damage", pulse, f64::from(skipped), erase.damage(pulse, skipped, 1.0));
        }
    }
    errors(chip, erase, &mut point);
}

/// Cycles by ISPE by the mean damage that they do; errors of the worst page after a year, per KiB: by
/// damage, and of the blocks that need so many pulses, at the last look at which no other number is
/// as common.
fn errors(chip: &Chip, erase: &Erase, point: &mut impl FnMut(&str, u32, f64, f64)) {
    point("short_errors", 0, 0.0, erase.short_errors_per_ms);
    let most_pec = lives(chip, erase) * erase.endurance_pec;
    let looks = cycle(erase, Scheme::Ispe, most_pec as u32, every_pec(erase));
    for look in &looks {
        point("cycles", 0, look.mean_damage_ms(), f64::from(look.pec));
        point("errors", 0, look.mean_damage_ms(), worst_page(chip, f64::from(look.pec)));
    }
    for pulse in 1..=erase.max_pulses {
        let last = looks.iter().rfind(|look| {
            f64::from(look.pec) <= erase.endurance_pec && commonest(erase, look) == pulse
        });
        let pec = match last {
            Some(look) if pulse < erase.max_pulses => f64::from(look.pec),
            _ => erase.endurance_pec,
        };
        point("errors_of", pulse, 0.0, worst_page(chip, pec));
    }
}

/// Lives of the chip after which its laws still tell the errors of a year.
fn lives(chip: &Chip, erase: &Erase) -> f64 {
    let reaches = |lives: &f64| {
        let worn = Conditions::fresh(lives * erase.endurance_pec);
        worn.aged(LAST_AGE_H, chip.retention.reference_c).check(chip).is_ok()
    };
    LIVES.into_iter().find(reaches).unwrap_or(1.0)
}

/// The number of pulses that most blocks need.
fn commonest(erase: &Erase, look: &Look) -> u32 {
    let needs = |pulse| look.need_ms.iter().filter(|&&ms| erase.pulses(ms) == pulse).count();
    (1..=erase.max_pulses).max_by_key(|&pulse| needs(pulse)).unwrap_or(1)
}
