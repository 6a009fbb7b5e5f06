//! A plan in integers, ready for the kernel.

use crate::density::{BIN, BINS, LOWEST};
use crate::plan::MOST_CLASSES;
use crate::retention::Rest;
use crate::{Chip, Conditions, Error, Plan, Step, WordLine};
use std::sync::LazyLock;
use wordline_stats::normal_quantile;

/// Integers per unit of voltage.
pub(crate) const SCALE: f64 = 256.0;
/// Entries of the table of quantiles.
pub(super) const QUANTILES: usize = 4096;
/// One standard deviation in the table's integers.
pub(crate) const NORMAL_BITS: i32 = 13;
/// Sums of two quantiles beyond 2.9 standard deviations are moved out by 0.034 times the square of what
/// they are beyond it: chosen so that the shares beyond 3 to 5 standard deviations are a normal
/// number's.
pub(super) const STRETCHED_FROM: i32 = 23_756;
pub(super) const STRETCH: i32 = 278;
/// The table of falls has an entry for each 2^-16 of the cells; the last is of those that do not fall.
pub(super) const FALLS: usize = 4096;
/// The widest spread, in units, whose product with a normal number fits an integer.
const MOST_SIGMA: f64 = 190.0;
/// Voltage index of the drift table: half a unit, as the grid of [`crate::Density`].
pub(super) const DRIFT_SHIFT: i32 = 7;
pub(super) const DRIFT_ORIGIN: i32 = -(LOWEST * SCALE) as i32;
/// The verify level of cells that are inhibited.
const INHIBITED: i32 = i32::MIN;

pub(super) type ByClass = [i32; MOST_CLASSES];

/// Half of a standard normal number: the sum of two entries is one.
pub(super) static NORMALS: LazyLock<Box<[i16; QUANTILES]>> = LazyLock::new(|| {
    let n = QUANTILES as f64;
    let quantiles: Vec<f64> =
        (0..QUANTILES).map(|i| normal_quantile((i as f64 + 0.5) / n)).collect();
    // Midpoints lack a little of the variance; the scale gives it back.
    let variance = quantiles.iter().map(|z| z * z).sum::<f64>() / n;
    let scale = f64::from(1 << NORMAL_BITS) / libm::sqrt(2.0 * variance);
    let mut table = Box::new([0; QUANTILES]);
    for (entry, z) in table.iter_mut().zip(quantiles) {
        *entry = libm::round(z * scale) as i16;
    }
    table
});

pub(super) enum Act {
    Program { verify: ByClass, step: i32, reach: Reach, speed: i32, noise: i32 },
    Neighbour { side: usize, rise: ByClass },
    Rest(Box<Resting>),
}

/// Voltage that the last loop reaches.
pub(super) enum Reach {
    /// One voltage for all cells.
    Same(i32),
    /// By the states of the cells above, the next one's lowest.
    ByCellsAbove(Box<ByClass>),
}

pub(super) struct Resting {
    /// Change of voltage by voltage.
    pub drift: [i32; BINS],
    pub sigma: i32,
    /// By the likelihood of falling so far; 256 units at most.
    pub falls: [u16; FALLS],
}

pub(super) struct Compiled {
    pub class_mask: u32,
    pub erased_mean: i32,
    pub erased_sigma: i32,
    pub acts: Vec<Act>,
    /// The references; those that are not there lie above every cell.
    pub references: [i32; MOST_CLASSES - 1],
    /// Bits of each region, four bits a region.
    pub regions: u64,
    /// Bits of each class, likewise.
    pub classes: u64,
}

impl Compiled {
    pub fn new(
        chip: &Chip,
        plan: &Plan,
        conditions: &Conditions,
        line: &WordLine,
        references: &[f64],
    ) -> Result<Self, Error> {
        conditions.check(chip)?;
        let mut elapsed_h = 0.0;
        let mut acts: Vec<Act> = Vec::new();
        for step in &plan.steps {
            acts.push(act(chip, step, conditions.pec, line, elapsed_h)?);
            if let Step::Rest { hours } = step {
                elapsed_h += hours;
            }
        }
        let last = Rest::new(chip, conditions, line, elapsed_h);
        acts.push(Act::Rest(Box::new(Resting::new(&last)?)));
        let mut levels = [i32::MAX; MOST_CLASSES - 1];
        for (level, reference) in levels.iter_mut().zip(references) {
            *level = integer(*reference);
        }
        let packed = |bits: &mut dyn Iterator<Item = u8>| {
            bits.enumerate().fold(0, |all, (i, bits)| all | u64::from(bits) << (4 * i))
        };
        Ok(Self {
            class_mask: plan.classes.len() as u32 - 1,
            erased_mean: integer(chip.erased.mean_at(conditions.pec)),
            erased_sigma: spread("erased.sigma", chip.erased.sigma)?,
            acts,
            references: levels,
            regions: packed(&mut plan.regions.iter().copied()),
            classes: packed(&mut plan.classes.iter().map(|class| class.bits)),
        })
    }
}

fn act(chip: &Chip, step: &Step, pec: f64, line: &WordLine, elapsed_h: f64) -> Result<Act, Error> {
    Ok(match step {
        Step::Program { verify, step, back_pattern } => {
            let level = |v: Option<f64>| v.map_or(INHIBITED, |v| integer(v + line.shift));
            Act::Program {
                verify: by_class(verify.iter().map(|v| level(*v)), INHIBITED),
                step: integer(*step),
                reach: Reach::new(chip.program.reach() + line.shift + line.reach, back_pattern),
                speed: spread("program.speed_sigma", chip.program.speed_sigma)?,
                noise: spread("program noise", line.spread * chip.program.noise_at(pec))?,
            }
        }
        Step::Neighbour { side, rise } => {
            Act::Neighbour { side: *side, rise: by_class(rise.iter().map(|r| integer(*r)), 0) }
        }
        Step::Rest { hours } => {
            let rest = Conditions::fresh(pec).aged(*hours, chip.retention.reference_c);
            Act::Rest(Box::new(Resting::new(&Rest::new(chip, &rest, line, elapsed_h))?))
        }
    })
}

impl Reach {
    fn new(free: f64, back_pattern: &[f64]) -> Self {
        if back_pattern.is_empty() {
            return Self::Same(integer(free));
        }
        // Each amount as often as it fits: numbers of them are powers of two.
        let taken = back_pattern.iter().cycle().take(MOST_CLASSES);
        let mut all = [0; MOST_CLASSES];
        for (entry, taken) in all.iter_mut().zip(taken) {
            *entry = integer(free - taken);
        }
        Self::ByCellsAbove(Box::new(all))
    }
}

impl Resting {
    fn new(rest: &Rest) -> Result<Self, Error> {
        let mut drift = [0; BINS];
        for (i, by) in drift.iter_mut().enumerate() {
            let voltage = LOWEST + (i as f64 + 0.5) * BIN;
            *by = integer(rest.mean_after(voltage) - voltage);
        }
        let mut falls = [0; FALLS];
        let share = rest.fast_share * 65536.0;
        if !(0.0..=(FALLS - 1) as f64).contains(&share) {
            let what = format!("retention.fast_share is {}", rest.fast_share);
            return Err(Error::new(what, "Monte Carlo draws less than 1/16 of the cells"));
        }
        for (i, fall) in falls.iter_mut().enumerate() {
            let fraction = (i as f64 + 0.5) / share;
            if share > 0.0 && fraction < 1.0 {
                let most = i32::from(u16::MAX);
                *fall = integer(-libm::log(fraction) * rest.fast_scale).min(most) as u16;
            }
        }
        Ok(Self { drift, sigma: spread("retention's spread", rest.sigma)?, falls })
    }
}

fn by_class(values: impl Iterator<Item = i32>, absent: i32) -> ByClass {
    let mut all = [absent; MOST_CLASSES];
    for (entry, value) in all.iter_mut().zip(values) {
        *entry = value;
    }
    all
}

/// A standard deviation in integers.
fn spread(name: &str, units: f64) -> Result<i32, Error> {
    if !(0.0..=MOST_SIGMA).contains(&units) {
        let help = format!("Monte Carlo draws cells that spread by 0 to {MOST_SIGMA} units");
        return Err(Error::new(format!("{name} is {units} units"), help));
    }
    Ok(integer(units))
}

fn integer(units: f64) -> i32 {
    libm::round(units * SCALE) as i32
}
