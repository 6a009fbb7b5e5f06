//! The work on a batch of cells, in passes that the compiler turns into vector instructions. The
//! same source is compiled for the machine's wider vectors, and chosen when it runs: integers give
//! the same cells either way.

// Lanes go by number across several arrays, which is what becomes vector instructions.
#![allow(clippy::needless_range_loop)]

use super::Identity;
use super::compiled::{
    Act, Compiled, DRIFT_ORIGIN, DRIFT_SHIFT, FALLS, NORMAL_BITS, NORMALS, QUANTILES, Reach,
    Resting, STRETCH, STRETCHED_FROM,
};
use crate::density::BINS;
use crate::rng::{ROUNDS, key, philox};

/// Cells of a batch: its arrays and the tables stay in the first-level cache.
pub(crate) const BATCH: usize = 128;

type Lanes<T> = [T; BATCH];

/// Wrong bits by page among the first `count` cells from `first` on.
pub(super) fn read(plan: &Compiled, identity: Identity, first: u32, count: usize) -> [u32; 4] {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just been asked.
        return unsafe { read_avx2(plan, identity, first, count) };
    }
    read_portable(plan, identity, first, count)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2")]
fn read_avx2(plan: &Compiled, identity: Identity, first: u32, count: usize) -> [u32; 4] {
    read_portable(plan, identity, first, count)
}

#[inline(always)]
pub(super) fn read_portable(
    plan: &Compiled,
    identity: Identity,
    first: u32,
    count: usize,
) -> [u32; 4] {
    let cells = Cells::new(plan, identity, first);
    cells.wrong(plan, count)
}

/// Classes and voltages of a batch.
pub(super) fn voltages(
    plan: &Compiled,
    identity: Identity,
    first: u32,
) -> (Lanes<u32>, Lanes<i32>) {
    let cells = Cells::new(plan, identity, first);
    (cells.class, cells.voltage)
}

/// How fast the cells of a batch are, in standard deviations.
pub(super) fn speeds(identity: Identity, first: u32) -> Lanes<i32> {
    Draw::new(identity, first, 0).normals(0)
}

struct Cells {
    class: Lanes<u32>,
    voltage: Lanes<i32>,
}

/// Random words of a batch.
struct Draw([Lanes<u32>; 4]);

impl Draw {
    /// Draw `number` of the cells from `first` on.
    #[inline(always)]
    fn new(identity: Identity, first: u32, number: u32) -> Self {
        let Identity { seed, chip, block, word_line } = identity;
        let mut words = [[0; BATCH]; 4];
        let [w0, w1, w2, w3] = &mut words;
        for i in 0..BATCH {
            let counter = [first.wrapping_add(i as u32), word_line, block, chip << 8 | number];
            let found = philox::<ROUNDS>(counter, key(seed));
            (w0[i], w1[i], w2[i], w3[i]) = (found[0], found[1], found[2], found[3]);
        }
        Self(words)
    }

    /// A standard normal number from the low 24 bits of word `word`.
    #[inline(always)]
    fn normals(&self, word: usize) -> Lanes<i32> {
        let table: &[i16; QUANTILES] = &NORMALS;
        let mut out = [0; BATCH];
        for (z, word) in out.iter_mut().zip(&self.0[word]) {
            let (a, b) = (word & 0xfff, word >> 12 & 0xfff);
            *z = stretched(i32::from(table[a as usize]) + i32::from(table[b as usize]));
        }
        out
    }
}

/// A sum of two quantiles, moved out where it is large: two tables of so many quantiles have too few
/// sums there.
#[inline(always)]
pub(super) fn stretched(sum: i32) -> i32 {
    let beyond = (sum.abs() - STRETCHED_FROM).max(0);
    let square = (beyond * beyond) >> NORMAL_BITS;
    let more = (square * STRETCH) >> NORMAL_BITS;
    if sum < 0 { sum - more } else { sum + more }
}

/// `sigma` times standard normal numbers.
#[inline(always)]
fn scaled(sigma: i32, normals: &Lanes<i32>) -> Lanes<i32> {
    let mut out = [0; BATCH];
    for (noise, z) in out.iter_mut().zip(normals) {
        *noise = (sigma * z) >> NORMAL_BITS;
    }
    out
}

impl Cells {
    #[inline(always)]
    fn new(plan: &Compiled, identity: Identity, first: u32) -> Self {
        let latent = Draw::new(identity, first, 0);
        let fixed = latent.normals(0);
        let mut cells = Self { class: [0; BATCH], voltage: scaled(plan.erased_sigma, &fixed) };
        for i in 0..BATCH {
            cells.class[i] = latent.0[0][i] >> 24 & plan.class_mask;
            cells.voltage[i] += plan.erased_mean;
        }
        let (mut draws, mut is_first) = (0, true);
        let last = plan.acts.len() - 1;
        for (number, act) in plan.acts.iter().enumerate() {
            match act {
                Act::Neighbour { side, rise } => {
                    cells.rise(&latent, *side, plan.class_mask, rise);
                }
                // The first program and the last rest use the first draw, which most plans need
                // alone.
                Act::Program { .. } if is_first => {
                    is_first = false;
                    cells.program(act, &fixed, &latent, &latent);
                }
                Act::Rest(rest) if number == last => cells.rest(rest, &latent),
                _ => {
                    draws += 1;
                    let draw = Draw::new(identity, first, draws);
                    match act {
                        Act::Rest(rest) => cells.rest(rest, &draw),
                        _ => cells.program(act, &fixed, &draw, &latent),
                    }
                }
            }
        }
        cells
    }

    #[inline(always)]
    fn program(&mut self, act: &Act, speeds: &Lanes<i32>, draw: &Draw, latent: &Draw) {
        let Act::Program { verify, step, reach, speed, noise } = act else { return };
        let noise = scaled(*noise, &draw.normals(1));
        let mut reached = scaled(*speed, speeds);
        match reach {
            Reach::Same(reach) => reached.iter_mut().for_each(|reached| *reached += reach),
            Reach::ByCellsAbove(by) => {
                for i in 0..BATCH {
                    reached[i] += by[(latent.0[0][i] >> 28) as usize];
                }
            }
        }
        for i in 0..BATCH {
            let level = verify[self.class[i] as usize & 15];
            let before = self.voltage[i];
            let overshoot = ((draw.0[3][i] & 0xffff) as i32 * (step >> 4)) >> 12;
            let goal = level.wrapping_add(overshoot).min(reached[i]);
            let after = before.max(goal) + noise[i];
            self.voltage[i] = if before < level { after } else { before };
        }
    }

    #[inline(always)]
    fn rise(&mut self, latent: &Draw, side: usize, mask: u32, rise: &[i32; 16]) {
        let (words, bits) = if side == 0 { (&latent.0[0], 28) } else { (&latent.0[3], 16) };
        for i in 0..BATCH {
            self.voltage[i] += rise[(words[i] >> bits & mask & 15) as usize];
        }
    }

    #[inline(always)]
    fn rest(&mut self, rest: &Resting, draw: &Draw) {
        let spread = scaled(rest.sigma, &draw.normals(2));
        for i in 0..BATCH {
            let at = (self.voltage[i] + DRIFT_ORIGIN) >> DRIFT_SHIFT;
            let drift = rest.drift[at.clamp(0, BINS as i32 - 1) as usize];
            let chance = draw.0[1][i] >> 24 | (draw.0[2][i] >> 24) << 8;
            let fall = rest.falls[(chance as usize).min(FALLS - 1)];
            self.voltage[i] += drift + spread[i] - i32::from(fall);
        }
    }

    #[inline(always)]
    fn wrong(&self, plan: &Compiled, count: usize) -> [u32; 4] {
        let mut region = [0u32; BATCH];
        for reference in &plan.references {
            if *reference == i32::MAX {
                break;
            }
            for (region, voltage) in region.iter_mut().zip(&self.voltage) {
                *region += u32::from(voltage >= reference);
            }
        }
        let mut errors = [0; 4];
        for i in 0..BATCH {
            let read = plan.regions >> (4 * region[i]);
            let wrote = plan.classes >> (4 * self.class[i]);
            let wrong = if i < count { (read ^ wrote) as u32 & 15 } else { 0 };
            for (page, errors) in errors.iter_mut().enumerate() {
                *errors += wrong >> page & 1;
            }
        }
        errors
    }
}
