//! What the verdict over a steady state is held against.

use super::Facts;
use crate::engine::Scheduler;
use crate::host::Driver;
use crate::metrics::{Comparison, Cycle, SteadyState, verdict};
use crate::schema::{HotnessChoice, MapCacheChoice, Pattern, WearChoice};
use crate::technique::Hooks;
use crate::theory::write_amplification;

/// Fewest full blocks of a domain for which the closed forms, which hold for many, are taken at their
/// word.
const BLOCKS_MIN: u64 = 64;

/// Whether the run of a drive was in a steady state.
pub fn steady_state<T: Hooks, S: Scheduler>(
    driver: &Driver<T, S>,
    facts: &Facts<'_>,
) -> SteadyState {
    let preconditioning = serde_json::to_value(facts.preconditioning).unwrap_or_default();
    let left_out = why_left_out(driver, facts);
    let expected = left_out.is_none().then(|| closed_form(driver)).flatten();
    let closed_form = Comparison { expected, left_out: left_out.map(str::to_owned) };
    verdict(&driver.recorder.series, cycle(driver), closed_form, preconditioning)
}

fn cycle<T: Hooks, S: Scheduler>(driver: &Driver<T, S>) -> Cycle {
    let state = &driver.device.ftl.state;
    let groups = state.geometry.groups.iter().zip(&state.layout.fillings);
    let open = groups.map(|(group, filling)| {
        u64::from(group.units_per_block)
            * u64::from(filling.scopes.count())
            * u64::from(filling.lanes)
    });
    Cycle { host_units: open.sum(), gc_domains: u64::from(state.layout.domains().count()) }
}

/// Write amplification of uniform writes on the drive as it is.
fn closed_form<T: Hooks, S: Scheduler>(driver: &Driver<T, S>) -> Option<f64> {
    let state = &driver.device.ftl.state;
    let alpha = state.log_units() as f64 / state.logical_units as f64;
    let units_per_block = state.geometry.groups[0].units_per_block as usize;
    let cleaning = driver.device.ftl.cleaning()?;
    Some(write_amplification(cleaning, alpha, units_per_block))
}

/// Why no closed form holds for a run; `None` where one does.
fn why_left_out<T: Hooks, S: Scheduler>(
    driver: &Driver<T, S>,
    facts: &Facts<'_>,
) -> Option<&'static str> {
    let (config, recorder, counters) = (facts.config, &driver.recorder, &driver.device.io.counters);
    let state = &driver.device.ftl.state;
    let unit_bytes = state.geometry.unit_bytes;
    let logical_bytes = state.logical_units * unit_bytes;
    let spans_all =
        facts.workload.uniform_span_bytes().is_some_and(|bytes| bytes + unit_bytes > logical_bytes);
    let of_units = driver.addresses.unaligned == 0
        && recorder.bytes[1] == recorder.requests[1] * unit_bytes
        && recorder.requests[2] == 0;
    let ftl = &config.ftl;
    let blocks =
        u64::from(state.geometry.blocks().count()) / u64::from(state.layout.domains().count());
    let reasons = [
        (!spans_all, "the workload does not write all of the drive uniformly"),
        (!of_units, "the workload's writes are not of one mapping unit each, or it trims"),
        (config.precondition.pattern == Pattern::None, "the drive was empty at first"),
        (config.precondition.fill < 1.0, "the drive was not full at first"),
        (driver.device.ftl.cleaning().is_none(), "the choice of victims has no closed form"),
        (driver.device.ftl.technique.claims_any(), "a technique is at work"),
        (driver.data.buffer.is_some(), "a write buffer absorbs writes"),
        (ftl.hotness.policy != HotnessChoice::None, "data is separated by hotness"),
        (ftl.map_cache.policy != MapCacheChoice::Full, "the map is written to flash, too"),
        (
            matches!(ftl.wear.policy, WearChoice::Static | WearChoice::Bet),
            "wear levelling moves data",
        ),
        (ftl.gc.mode.works_in_idle_time(), "GC works in idle time"),
        (state.geometry.is_mixed(), "the drive has several kinds of flash"),
        (counters.padding > 0, "programs were padded"),
        (counters.parity > 0, "superblocks program parity"),
        (ftl.superblock_metadata_factor > 1.0, "superblocks program metadata"),
        (counters.worn_out_blocks > 0, "blocks wore out"),
        (blocks < BLOCKS_MIN, "GC chooses among fewer than 64 blocks"),
    ];
    reasons.into_iter().find_map(|(holds, reason)| holds.then_some(reason))
}
