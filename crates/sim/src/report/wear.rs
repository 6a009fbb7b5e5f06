//! How worn a drive is.

use super::{erases_per_host_gib, gib};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::host::{Before, Driver};
use crate::ids::{BlockId, ById};
use crate::metrics::{GroupWear, WearSummary};
use crate::nand::{Block, BlockState, Group};
use crate::schema::Config;
use crate::technique::Hooks;
use std::collections::BTreeMap;

pub fn of_drive<T: Hooks, S: Scheduler>(driver: &Driver<T, S>, config: &Config) -> WearSummary {
    let counters = &driver.device.io.counters;
    let state = &driver.device.ftl.state;
    let blocks = &state.blocks;
    let at_once = |block: BlockId| u64::from(state.blocks_at_once(block));
    let is_bad = |block: &BlockId| blocks[*block].state == BlockState::Bad;
    let bad: u64 = blocks.ids().into_iter().filter(is_bad).map(at_once).sum();
    let cycles = cycles(blocks, driver.baseline.before.as_ref());
    let mut histogram: BTreeMap<u64, u64> = BTreeMap::new();
    for block in cycles.ids() {
        *histogram.entry(u64::from(cycles[block])).or_default() += at_once(block);
    }
    let spread = Spread::of(cycles.as_slice());
    let groups: Vec<GroupWear> = config
        .drive
        .kinds()
        .iter()
        .zip(&state.geometry.groups)
        .map(|(kind, group)| group_wear(state, group, &cycles, kind.chip.endurance_pec))
        .collect();
    let spent = groups.iter().filter_map(|group| group.spent_lifetime);
    WearSummary {
        erases_min: spread.min,
        erases_mean: spread.mean,
        erases_max: spread.max,
        erases_stddev: spread.stddev,
        page_writes_per_erase: match counters.erases {
            0 => 0.0,
            erases => counters.host_units as f64 / erases as f64,
        },
        erases_per_host_gib: erases_per_host_gib(counters, driver.recorder.bytes[1]),
        spent_lifetime: spent.max_by(f64::total_cmp),
        bad_blocks: bad - counters.worn_out_blocks,
        worn_out_blocks: counters.worn_out_blocks,
        read_only_at_s: driver.lifetime.read_only_at.map(|(at_ns, ..)| at_ns as f64 / 1e9),
        read_only_after_writes: driver.lifetime.read_only_at.map(|(_, writes, _)| writes),
        life_gib: driver.lifetime.read_only_at.map(|(.., lived_bytes)| gib(lived_bytes, 1)),
        histogram: histogram.into_iter().map(|(erases, blocks)| [erases, blocks]).collect(),
        groups: if state.geometry.is_mixed() { groups } else { Vec::new() },
    }
}

/// P/E cycles of each block, or those of the part of the run that counts.
fn cycles(blocks: &ById<BlockId, Block>, before: Option<&Before>) -> ById<BlockId, u32> {
    let now = blocks.iter().map(|block| block.erases);
    match before {
        Some(before) => now.zip(before.erases.iter()).map(|(now, before)| now - before).collect(),
        None => now.collect(),
    }
}

fn group_wear(
    state: &DriveState,
    group: &Group,
    cycles: &ById<BlockId, u32>,
    endurance_pec: u64,
) -> GroupWear {
    let blocks = state.blocks.of(group.blocks);
    let spread = Spread::of(cycles.of(group.blocks));
    let spent =
        blocks.iter().map(|block| f64::from(block.erases)).sum::<f64>() / blocks.len() as f64;
    let valid: u64 = blocks.iter().map(|block| u64::from(block.valid)).sum();
    GroupWear {
        name: group.name.clone(),
        blocks: blocks.len() as u64,
        erases_min: spread.min,
        erases_mean: spread.mean,
        erases_max: spread.max,
        erases_stddev: spread.stddev,
        spent_lifetime: (endurance_pec > 0).then(|| spent / endurance_pec as f64),
        unusable_blocks: blocks.iter().filter(|block| block.state == BlockState::Bad).count()
            as u64,
        pages: group.units(),
        valid_pages: valid,
    }
}

/// How P/E cycles are spread over blocks.
struct Spread {
    min: u64,
    mean: f64,
    max: u64,
    stddev: f64,
}

impl Spread {
    fn of(cycles: &[u32]) -> Self {
        let erases = || cycles.iter().copied();
        let n = cycles.len() as f64;
        let mean = erases().map(f64::from).sum::<f64>() / n;
        let variance = erases().map(|erases| (f64::from(erases) - mean).powi(2)).sum::<f64>() / n;
        Self {
            min: u64::from(erases().min().unwrap_or(0)),
            mean,
            max: u64::from(erases().max().unwrap_or(0)),
            stddev: variance.sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn wear_is_spread_over_all_blocks() {
        let spread = Spread::of(&[2, 4, 4, 10]);
        assert_eq!((spread.min, spread.mean, spread.max), (2, 5.0, 10));
        // Deviations of 3, 1, 1 and 5: 36 / 4.
        assert_eq!(spread.stddev, 3.0);
    }
}
