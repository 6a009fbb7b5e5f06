//! The result of a run of an array.

use super::sums::summed;
use super::{
    Facts, amplification, counted, energy, erases_per_host_gib, gc, host, simulator, workload,
};
use super::{reads, streams};
use crate::array::{Counts, Layout, PURPOSES, Phases, Purpose, State, SyncRun, UnitsWritten};
use crate::host::AddressMap;
use crate::ids::{Id, MemberId};
use crate::metrics::{
    ArraySummary, ByPurpose, CapacitySummary, Comparison, Counters, Cycle, DriveSummary,
    FlashSummary, Latencies, ParitySummary, PhaseSummary, Recorder, RunResult, SteadyState,
    StripeSummary, SyncSummary, VERSION, WearSummary, verdict,
};
use crate::schema::SchemeChoice;
use crate::warnings::{array_warnings, warnings};
use serde_json::Value;
use std::collections::BTreeMap;

/// Of the units written, those whose share of the updates is reported.
const HOTTEST: f64 = 0.2;

/// What the host of an array saw, and what the array counted.
pub struct ArrayFacts<'a> {
    /// Totals of all drives.
    pub counters: Counters,
    /// What was recorded of the host's requests.
    pub recorder: &'a Recorder,
    /// Where they landed.
    pub addresses: &'a AddressMap,
    /// Latencies of reads and of writes by what the array was doing.
    pub phases: Phases,
    /// The array's own figures.
    pub counts: &'a Counts,
    /// How its data is spread.
    pub layout: &'a Layout,
    /// The end of the run.
    pub now_ns: u64,
}

/// What a drive of an array reports.
pub struct DriveReport {
    /// What it is to the array at the end.
    pub state: &'static str,
    /// Names of its techniques.
    pub techniques: Vec<String>,
    /// Its erase scheme.
    pub erase_scheme: SchemeChoice,
    /// The result that it would give alone.
    pub result: RunResult,
    /// What its technique and its erase scheme warn of.
    pub warnings: Vec<String>,
}

/// The result of a run of an array: what its host saw, sums over its drives, and each drive.
pub fn array_result(
    seen: &ArrayFacts<'_>,
    facts: &Facts<'_>,
    drives: Vec<DriveReport>,
) -> RunResult {
    let counters = &seen.counters;
    let all: Vec<&RunResult> = drives.iter().map(|drive| &drive.result).collect();
    let hits = all.iter().fold((0, 0), |(write, read), result| {
        (write + result.host.buffer_write_hits, read + result.host.buffer_read_hits)
    });
    let mut result = RunResult {
        wordline: VERSION,
        seed: facts.config.run.seed,
        config: serde_json::to_value(facts.config).unwrap_or_default(),
        measured: seen.recorder.measured,
        workload: workload(seen.recorder, seen.addresses, facts),
        host: host(seen.recorder, hits, counters),
        breakdown: None,
        array: None,
        flash: flash(counters, &all),
        gc: gc(counters),
        write_amplification: counters.write_amplification(),
        write_amplification_by_cause: amplification(counters),
        wear: wear(counters, seen.recorder.bytes[1], &all),
        life: facts.life.clone(),
        capacity: capacity(seen, &all),
        energy_mj: energy(counters),
        steady_state: steady_state(seen.recorder, &all),
        technique: summed(all.iter().map(|result| &result.technique)),
        erase: summed(all.iter().map(|result| &result.erase)),
        reads: reads::of_array(&all),
        warnings: Vec::new(),
        simulator: simulator(counters, facts.wall),
    };
    result.host.streams = streams::of_run(seen.recorder, facts.config, facts.workload);
    let backlog = seen.recorder.backlog;
    result.warnings = warnings(facts.config, None, &result, counters, facts.workload, backlog);
    for (number, drive) in drives.iter().enumerate() {
        result.warnings.extend(drive.warnings.iter().map(|text| format!("drive {number}: {text}")));
    }
    let summary = array(seen, facts, drives);
    result.warnings.extend(array_warnings(&facts.config.array, &summary, &seen.counts.syncs));
    result.array = Some(summary);
    result
}

/// Over the units that drives were asked to write, and a cycle of all that were.
fn steady_state(recorder: &Recorder, all: &[&RunResult]) -> SteadyState {
    let drives = || all.iter().map(|result| &result.steady_state);
    let written = all.iter().filter(|result| result.write_amplification.is_some());
    let cycle = written.fold(Cycle::default(), |sum, result| {
        let Cycle { host_units, gc_domains } = result.steady_state.cycle;
        Cycle { host_units: sum.host_units + host_units, gc_domains: sum.gc_domains + gc_domains }
    });
    let preconditioning: Vec<Value> = drives().map(|drive| drive.preconditioning.clone()).collect();
    let closed_form =
        Comparison { expected: None, left_out: Some("the drives are those of an array".into()) };
    verdict(&recorder.series, cycle, closed_form, preconditioning.into())
}

fn flash(counters: &Counters, all: &[&RunResult]) -> FlashSummary {
    let mut flash = counted(counters);
    for drive in all.iter().map(|result| &result.flash) {
        flash.suspensions += drive.suspensions;
        flash.erase_time_repeated_ms += drive.erase_time_repeated_ms;
        flash.channel_utilisation.extend(&drive.channel_utilisation);
        flash.die_utilisation.extend(&drive.die_utilisation);
    }
    flash
}

/// Wear of all blocks; `host_bytes` are those that the host of the array wrote.
fn wear(counters: &Counters, host_bytes: u64, all: &[&RunResult]) -> WearSummary {
    let wears = || all.iter().map(|result| &result.wear);
    let mut histogram: BTreeMap<u64, u64> = BTreeMap::new();
    for [erases, blocks] in wears().flat_map(|wear| &wear.histogram) {
        *histogram.entry(*erases).or_default() += blocks;
    }
    let blocks = histogram.values().sum::<u64>() as f64;
    let sum = |of: &dyn Fn(f64) -> f64| {
        let weighted = histogram.iter().map(|(&erases, &blocks)| of(erases as f64) * blocks as f64);
        weighted.sum::<f64>()
    };
    let mean = sum(&|erases| erases) / blocks;
    let first_read_only = wears()
        .filter(|wear| wear.read_only_at_s.is_some())
        .min_by(|a, b| a.read_only_at_s.unwrap_or(0.0).total_cmp(&b.read_only_at_s.unwrap_or(0.0)));
    WearSummary {
        erases_min: histogram.keys().next().copied().unwrap_or(0),
        erases_mean: mean,
        erases_max: histogram.keys().last().copied().unwrap_or(0),
        erases_stddev: (sum(&|erases| (erases - mean).powi(2)) / blocks).sqrt(),
        page_writes_per_erase: match counters.erases {
            0 => 0.0,
            erases => counters.host_units as f64 / erases as f64,
        },
        erases_per_host_gib: erases_per_host_gib(counters, host_bytes),
        spent_lifetime: wears().filter_map(|wear| wear.spent_lifetime).max_by(f64::total_cmp),
        bad_blocks: wears().map(|wear| wear.bad_blocks).sum(),
        worn_out_blocks: wears().map(|wear| wear.worn_out_blocks).sum(),
        read_only_at_s: first_read_only.and_then(|wear| wear.read_only_at_s),
        read_only_after_writes: first_read_only.and_then(|wear| wear.read_only_after_writes),
        life_gib: first_read_only.and_then(|wear| wear.life_gib),
        histogram: histogram.into_iter().map(|(erases, blocks)| [erases, blocks]).collect(),
        groups: Vec::new(),
    }
}

/// Sums over the drives; what is logical is what the host of the array can address, and the
/// over-provisioning that of the drives.
fn capacity(seen: &ArrayFacts<'_>, all: &[&RunResult]) -> CapacitySummary {
    let of_drives = || all.iter().map(|result| &result.capacity);
    let sum = |of: fn(&CapacitySummary) -> u64| of_drives().map(of).sum::<u64>();
    let unit_bytes = seen.counts.unit_bytes();
    let logical_bytes = logical_bytes(seen);
    let drives_logical = sum(|drive| drive.logical_pages) as f64;
    let (physical, log_pages) = (sum(|drive| drive.physical_pages), sum(|drive| drive.log_pages));
    CapacitySummary {
        physical_pages: physical,
        logical_pages: logical_bytes / unit_bytes,
        free_pages: sum(|drive| drive.free_pages),
        over_provisioning: (physical as f64 - drives_logical) / drives_logical,
        unit_bytes,
        logical_gib: logical_bytes as f64 / f64::from(1 << 30),
        physical_gib: of_drives().map(|drive| drive.physical_gib).sum(),
        log_pages,
        alpha: log_pages as f64 / drives_logical,
        buffer_bytes: sum(|drive| drive.buffer_bytes),
    }
}

fn logical_bytes(seen: &ArrayFacts<'_>) -> u64 {
    seen.layout.pages() * seen.counts.page_bytes()
}

fn array(seen: &ArrayFacts<'_>, facts: &Facts<'_>, drives: Vec<DriveReport>) -> ArraySummary {
    let (counts, layout) = (seen.counts, seen.layout);
    let sum = |of: fn(&DriveSummary) -> ByPurpose, drives: &[DriveSummary]| {
        drives.iter().map(of).fold(ByPurpose::default(), |a, b| ByPurpose {
            data: a.data + b.data,
            parity: a.parity + b.parity,
            sync: a.sync + b.sync,
            log: a.log + b.log,
        })
    };
    let drives: Vec<DriveSummary> = counts
        .drives
        .ids()
        .into_iter()
        .zip(drives)
        .map(|(member, report)| drive(counts, member, report))
        .collect();
    let programmed: f64 = seen.counters.units_programmed() as f64 * counts.unit_bytes() as f64;
    let written = seen.recorder.bytes[1];
    ArraySummary {
        level: facts.config.array.level.name().to_owned(),
        members: u64::from(layout.drives),
        chunk_bytes: u64::from(layout.chunk) * counts.page_bytes(),
        page_bytes: counts.page_bytes(),
        logical_bytes: logical_bytes(seen),
        bytes_programmed_per_byte_written: (written > 0).then(|| programmed / written as f64),
        reads: sum(|drive| drive.reads, &drives),
        writes: sum(|drive| drive.writes, &drives),
        pages_read: sum(|drive| drive.pages_read, &drives),
        pages_written: sum(|drive| drive.pages_written, &drives),
        parity: parity(counts),
        stripes: stripes(counts),
        trims_dropped: counts.trims_dropped,
        failed_at_s: counts.lost_at_ns.map(seconds),
        latency: phases(seen),
        syncs: counts.syncs.iter().map(|run| sync(run, counts.page_bytes(), seen.now_ns)).collect(),
        mismatches: counts.mismatches,
        drives,
    }
}

fn drive(counts: &Counts, member: MemberId, report: DriveReport) -> DriveSummary {
    let counts = &counts.drives[member];
    let DriveReport { state, techniques, erase_scheme, result, .. } = report;
    DriveSummary {
        drive: u64::from(member.number()),
        state,
        techniques,
        erase_scheme: erase_scheme.name().to_owned(),
        reads: by_purpose(&counts.reads),
        writes: by_purpose(&counts.writes),
        pages_read: by_purpose(&counts.pages_read),
        pages_written: by_purpose(&counts.pages_written),
        host: result.host,
        flash: result.flash,
        gc: result.gc,
        write_amplification: result.write_amplification,
        write_amplification_by_cause: result.write_amplification_by_cause,
        wear: result.wear,
        capacity: result.capacity,
        energy_mj: result.energy_mj,
        technique: result.technique,
        erase: result.erase,
    }
}

fn by_purpose(counts: &[u64; PURPOSES]) -> ByPurpose {
    ByPurpose {
        data: counts[Purpose::Data as usize],
        parity: counts[Purpose::Parity as usize],
        sync: counts[Purpose::Sync as usize],
        log: counts[Purpose::Log as usize],
    }
}

fn parity(counts: &Counts) -> ParitySummary {
    let UnitsWritten { data: data_units, parity: parity_units } = counts.units_written;
    let has_parity = parity_units > 0 && data_units > 0;
    let per_data = has_parity.then(|| parity_units as f64 / data_units as f64);
    let counted = ParitySummary { data_units, parity_units, per_data, ..ParitySummary::default() };
    let Some(updates) = &counts.updates else { return counted };
    let pages: u64 = counts.drives.iter().map(|of| of.pages_written[Purpose::Data as usize]).sum();
    let held_back = || updates.parity_if_held_back() as f64 / pages as f64;
    let (data, parity) = updates.updates();
    ParitySummary {
        held_back_per_data: has_parity.then(held_back),
        data_interval_s: data.mean_s(),
        parity_interval_s: parity.mean_s(),
        distinct_units: Some(updates.units()),
        updates_on_hottest_fifth: updates.concentration(HOTTEST),
        ..counted
    }
}

fn stripes(counts: &Counts) -> StripeSummary {
    StripeSummary {
        full: counts.stripe_writes.full,
        read_modify: counts.stripe_writes.read_modify,
        reconstruct: counts.stripe_writes.reconstruct,
        cached: counts.stripe_writes.cached,
        delayed: counts.delayed_stripes,
        computed_pages: counts.computed_pages,
        waits_for_stripe: counts.waits_for_stripe,
        waits_for_overlap: counts.waits_for_overlap,
    }
}

fn phases(seen: &ArrayFacts<'_>) -> Vec<PhaseSummary> {
    let describe = |(state, [reads, writes]): (State, &[Latencies; 2])| {
        let (read, write) = (reads.summary(), writes.summary());
        PhaseSummary {
            state: state.name(),
            reads: read.count,
            read_mean_us: read.mean_us,
            read_p99_us: read.p99_us,
            read_p999_us: read.p999_us,
            writes: write.count,
            write_mean_us: write.mean_us,
            write_p99_us: write.p99_us,
            write_p999_us: write.p999_us,
        }
    };
    seen.phases.iter().map(describe).collect()
}

fn sync(run: &SyncRun, page_bytes: u64, now_ns: u64) -> SyncSummary {
    let share = |stripes: u32| f64::from(stripes) / f64::from(run.stripes);
    let until_ns = run.over_ns.unwrap_or(now_ns);
    let bytes = u64::from(run.done) * page_bytes;
    let took_s = seconds(until_ns.saturating_sub(run.began_ns));
    SyncSummary {
        kind: run.kind.name(),
        began_s: seconds(run.began_ns),
        over_s: run.over_ns.map(seconds),
        done: share(run.done),
        mb_s: if took_s > 0.0 { bytes as f64 / took_s / 1e6 } else { 0.0 },
        progress: run.progress.iter().map(|&(ns, done)| [seconds(ns), share(done)]).collect(),
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::sync;
    use crate::array::{State, SyncRun};

    #[test]
    fn the_rate_of_a_rebuild_is_that_of_the_rows_that_are_done() {
        let run = SyncRun {
            kind: State::Rebuild,
            began_ns: 1_000_000_000,
            over_ns: None,
            stripes: 800,
            done: 200,
            progress: vec![(2_000_000_000, 100)],
        };
        let told = sync(&run, 50_000, 5_000_000_000);
        // 200 rows of 50,000 bytes in 4 s.
        assert_eq!((told.mb_s, told.done), (2.5, 0.25));
        assert_eq!(told.progress, [[2.0, 0.125]]);
        let over = SyncRun { over_ns: Some(3_000_000_000), done: 800, ..run };
        assert_eq!(sync(&over, 50_000, 5_000_000_000).mb_s, 20.0);
    }
}
