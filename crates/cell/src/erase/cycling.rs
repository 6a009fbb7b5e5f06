//! Blocks of a kind through their lives.

use super::{Block, Erase, Scheme, population};

/// Blocks that stand for all.
const BLOCKS: u32 = 60;

/// Cycles that are taken as one: 1, 2 or 5 times a power of ten, and a hundredth of a life at most.
pub fn stride_pec(erase: &Erase) -> u32 {
    let most = (erase.endurance_pec / 100.0) as u32;
    let rounds = |power: u32| [1, 2, 5].map(|digit| digit * 10u32.pow(power));
    (0..4).flat_map(rounds).filter(|&round| round <= most).max().unwrap_or(1)
}

/// The blocks of a kind after some cycles.
#[derive(Debug, Clone)]
pub struct Look {
    /// P/E cycles.
    pub pec: u32,
    /// The blocks, the softest first.
    pub blocks: Vec<Block>,
    /// What each needs, in ms.
    pub need_ms: Vec<f64>,
    /// Time under pulses of the scheme's next erase of each, in ms.
    pub pulse_ms: Vec<f64>,
}

impl Look {
    fn new(erase: &Erase, scheme: Scheme, pec: u32, blocks: &[Block]) -> Self {
        let next = |block: &Block| erase.erase(&mut { *block }, scheme).pulse_ms;
        Self {
            pec,
            need_ms: blocks.iter().map(|block| erase.need_ms(block)).collect(),
            pulse_ms: blocks.iter().map(next).collect(),
            blocks: blocks.to_vec(),
        }
    }

    /// Mean time under pulses, in ms.
    pub fn mean_pulse_ms(&self) -> f64 {
        mean(self.pulse_ms.iter().copied())
    }

    /// Mean damage so far, in ms at the voltage of the first pulse.
    pub fn mean_damage_ms(&self) -> f64 {
        mean(self.blocks.iter().map(|block| block.damage_ms))
    }

    /// Share of blocks that need at most `ms`. Each block stands for its neighbours, whose needs
    /// lie between its own and the next one's.
    pub fn share_within(&self, ms: f64) -> f64 {
        let mut needs = self.need_ms.clone();
        needs.sort_by(f64::total_cmp);
        let last = needs.len() - 1;
        let one = |i: usize| {
            let low = if i == 0 { needs[0] } else { 0.5 * (needs[i - 1] + needs[i]) };
            let high = if i == last { needs[last] } else { 0.5 * (needs[i] + needs[i + 1]) };
            if high > low {
                ((ms - low) / (high - low)).clamp(0.0, 1.0)
            } else {
                f64::from(needs[i] <= ms)
            }
        };
        mean((0..needs.len()).map(one))
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Cycles blocks by one scheme up to `until_pec`, and looks at them every `every_pec` cycles, a
/// multiple of [`stride_pec`].
pub fn cycle(erase: &Erase, scheme: Scheme, until_pec: u32, every_pec: u32) -> Vec<Look> {
    let mut blocks = population(BLOCKS);
    let mut looks = Vec::new();
    let stride_pec = stride_pec(erase);
    for pec in (0..=until_pec).step_by(stride_pec as usize) {
        if pec % every_pec == 0 {
            looks.push(Look::new(erase, scheme, pec, &blocks));
        }
        for block in &mut blocks {
            let before = *block;
            erase.erase(block, scheme);
            // The other cycles up to the next look wear it as much as this one.
            let times = |after: f64, before: f64| before + f64::from(stride_pec) * (after - before);
            block.wear_ms = times(block.wear_ms, before.wear_ms);
            block.damage_ms = times(block.damage_ms, before.damage_ms);
        }
    }
    looks
}

/// Cycles that blocks last by `scheme`: until their mean damage is what ISPE does to them in
/// `erase.endurance_pec` cycles. At most three times those.
pub fn lifetime_pec(erase: &Erase, scheme: Scheme) -> f64 {
    let damage = |scheme, until: f64| {
        let looks = cycle(erase, scheme, until as u32, stride_pec(erase));
        looks.iter().map(|look| (f64::from(look.pec), look.mean_damage_ms())).collect::<Vec<_>>()
    };
    let ispe = damage(Scheme::Ispe, erase.endurance_pec);
    let (_, most) = ispe[ispe.len() - 1];
    let ours = damage(scheme, 3.0 * erase.endurance_pec);
    ours.windows(2).find(|pair| pair[1].1 >= most).map_or(3.0 * erase.endurance_pec, |pair| {
        let share = (most - pair[0].1) / (pair[1].1 - pair[0].1);
        pair[0].0 + share * (pair[1].0 - pair[0].0)
    })
}

/// Cycles by ISPE that do as much damage on average as `damage_ms`.
pub fn equivalent_pec(erase: &Erase, damage_ms: f64) -> f64 {
    let looks = cycle(erase, Scheme::Ispe, (1.2 * erase.endurance_pec) as u32, stride_pec(erase));
    let points: Vec<(f64, f64)> =
        looks.iter().map(|look| (f64::from(look.pec), look.mean_damage_ms())).collect();
    let after =
        points.iter().position(|point| point.1 >= damage_ms).unwrap_or(points.len() - 1).max(1);
    let (low, high) = (points[after - 1], points[after]);
    low.0 + (damage_ms - low.1) / (high.1 - low.1) * (high.0 - low.0)
}
