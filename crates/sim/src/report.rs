//! The result of a run from what was counted.

mod array;
mod placement;
mod reads;
mod steady;
mod streams;
mod sums;
#[cfg(test)]
mod tests;
mod wear;

pub use array::{ArrayFacts, DriveReport, array_result};

use crate::engine::Scheduler;
use crate::ftl::Preconditioning;
use crate::host::{AddressMap, Before, Driver, ProgramBuffer};
use crate::metrics::{
    Breakdown, CapacitySummary, Counters, EnergySummary, FlashSummary, GcSummary, HostSummary,
    LifeWindow, Recorder, RunResult, SimulatorSummary, VERSION, VolumeSummary, WorkloadSummary,
    WriteAmplification, by_cause,
};
use crate::nand::command::Cause;
use crate::schema::Config;
use crate::technique::Hooks;
use crate::warnings::warnings;
use std::time::Duration;
use wordline_trace::shape::Placed;
use wordline_trace::{Op, Source};

/// What a result says of the run besides its counts.
pub struct Facts<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// What preconditioning did.
    pub preconditioning: &'a Preconditioning,
    /// The workload.
    pub workload: &'a dyn Source,
    /// The windows of a life.
    pub life: Vec<LifeWindow>,
    /// Wall-clock time of the simulator, and that of the replay alone.
    pub wall: (Duration, Duration),
}

/// The result of a run.
pub fn result<T: Hooks, S: Scheduler>(driver: &Driver<T, S>, facts: &Facts<'_>) -> RunResult {
    let counters = &driver.device.io.counters;
    let buffer_hits =
        driver.data.buffer.as_ref().map_or((0, 0), |buffer| (buffer.write_hits, buffer.read_hits));
    let mut result = RunResult {
        wordline: VERSION,
        seed: facts.config.run.seed,
        config: serde_json::to_value(facts.config).unwrap_or_default(),
        measured: driver.recorder.measured,
        workload: workload(&driver.recorder, &driver.addresses, facts),
        host: host(&driver.recorder, buffer_hits, counters),
        breakdown: breakdown(driver),
        array: None,
        flash: flash(driver),
        gc: gc(counters),
        write_amplification: counters.write_amplification(),
        write_amplification_by_cause: amplification(counters),
        wear: wear::of_drive(driver, facts.config),
        life: facts.life.clone(),
        capacity: capacity(driver),
        energy_mj: energy(counters),
        steady_state: steady::steady_state(driver, facts),
        technique: driver.device.ftl.technique.metrics(&driver.device.ftl.state, counters),
        erase: driver.device.ftl.erase_metrics(),
        reads: driver.device.ftl.read_tally().map(|tally| reads::of_drive(&tally, counters)),
        warnings: Vec::new(),
        simulator: simulator(counters, facts.wall),
    };
    result.host.streams = streams::of_run(&driver.recorder, facts.config, facts.workload);
    result.host.fdp = placement::of_run(driver);
    result.host.iops_bound = iops_bound(driver, facts.config);
    result.host.iops_if_secured = iops_if_secured(driver, &result.host);
    result.warnings = warnings(
        facts.config,
        Some(facts.preconditioning),
        &result,
        counters,
        facts.workload,
        driver.recorder.backlog,
    );
    result.warnings.extend(driver.device.ftl.warnings());
    result
}

fn duration_s(recorder: &Recorder) -> f64 {
    since_first_arrival_s(recorder, recorder.last_done_ns)
}

fn since_first_arrival_s(recorder: &Recorder, at_ns: u64) -> f64 {
    at_ns.saturating_sub(recorder.first_arrival_ns.unwrap_or(0)) as f64 / 1e9
}

fn workload(recorder: &Recorder, addresses: &AddressMap, facts: &Facts<'_>) -> WorkloadSummary {
    WorkloadSummary {
        name: facts.workload.name().to_owned(),
        synthetic: facts.workload.is_synthetic(),
        requests: recorder.total(),
        reads: recorder.requests[Op::Read as usize],
        writes: recorder.requests[Op::Write as usize],
        trims: recorder.requests[Op::Trim as usize],
        bytes_read: recorder.bytes[0],
        bytes_written: recorder.bytes[1],
        duration_s: duration_s(recorder),
        arrival_span_s: since_first_arrival_s(recorder, recorder.last_arrival_ns),
        beyond_drive: addresses.beyond_drive,
        placed_units: addresses.placed_units(),
        unaligned: addresses.unaligned,
        sub_unit: addresses.sub_unit,
        volumes: volumes(facts.workload),
    }
}

fn volumes(workload: &dyn Source) -> Vec<VolumeSummary> {
    let name = |stream: u32| workload.stream_names().get(stream as usize);
    let describe = |placed: &Placed| VolumeSummary {
        volume: placed.stream,
        name: name(placed.stream).cloned().unwrap_or_default(),
        first_byte: placed.first_byte,
        bytes: placed.bytes,
    };
    workload.placed().iter().map(describe).collect()
}

/// What the host saw; `buffer_hits` are units written over and units read in DRAM.
fn host(recorder: &Recorder, buffer_hits: (u64, u64), counters: &Counters) -> HostSummary {
    let paused_s = recorder.paused_ns as f64 / 1e9;
    let seconds = duration_s(recorder) - paused_s;
    let rate = |amount: u64| (seconds > 0.0).then(|| amount as f64 / seconds);
    let timed = recorder.reads.count() + recorder.writes.count();
    let sum_ns = recorder.reads.sum_ns() + recorder.writes.sum_ns();
    HostSummary {
        iops: rate(recorder.total() - recorder.refused.requests),
        iops_bound: None,
        iops_if_secured: None,
        bandwidth_mb_s: rate(recorder.bytes[0] + recorder.bytes[1] - recorder.refused.bytes)
            .map(|rate| rate / 1e6),
        paused_s,
        mean_us: if timed > 0 { sum_ns as f64 / timed as f64 / 1000.0 } else { 0.0 },
        read: recorder.reads.summary(),
        write: recorder.writes.summary(),
        fdp: None,
        streams: Vec::new(),
        buffer_write_hits: buffer_hits.0,
        buffer_read_hits: buffer_hits.1,
        buffer_waits: counters.buffer_waits,
        unmapped_reads: counters.unmapped_reads,
        trimmed_reads: counters.trimmed_reads,
        refused_writes: counters.refused_writes,
    }
}

/// Requests a second if what is busiest were never idle, the controller's cores among them.
fn iops_bound<T: Hooks, S: Scheduler>(driver: &Driver<T, S>, config: &Config) -> Option<f64> {
    let recorder = &driver.recorder;
    let (dies, channels) = busy_ns(driver);
    let mean_s = |busy: Vec<u64>| busy.iter().sum::<u64>() as f64 / busy.len().max(1) as f64 / 1e9;
    let (read, written) = (recorder.bytes[0], recorder.bytes[1] - recorder.refused.bytes);
    let bus_mb_s = config.host.bus_mb_s;
    let bus_s = if bus_mb_s > 0.0 { (read + written) as f64 / 1e6 / bus_mb_s } else { 0.0 };
    let link_s = match config.host.link.bytes_per_s() {
        Some(bytes_per_s) => read.max(written) as f64 / bytes_per_s,
        None => bus_s,
    };
    let core_s = config.host.controller_us / 1e6 / config.host.controller_cores as f64;
    let cores_s = recorder.total() as f64 * core_s;
    let busiest_s = mean_s(dies).max(mean_s(channels)).max(link_s).max(cores_s);
    (busiest_s > 0.0).then(|| (recorder.total() - recorder.refused.requests) as f64 / busiest_s)
}

/// Requests a second if the host had also waited for what the technique put off.
fn iops_if_secured<T: Hooks, S: Scheduler>(
    driver: &Driver<T, S>,
    host: &HostSummary,
) -> Option<f64> {
    let promises = driver.device.ftl.technique.promises();
    let owed_s = promises.map_or(0, |owner| owner.owed_ns(&driver.device.ftl.state)) as f64 / 1e9;
    let requests = (driver.recorder.total() - driver.recorder.refused.requests) as f64;
    match host.iops {
        Some(iops) if owed_s > 0.0 => Some(requests / (requests / iops + owed_s)),
        iops => iops,
    }
}

/// Since the run began: the time of each die and channel at work.
fn busy_ns<T: Hooks, S: Scheduler>(driver: &Driver<T, S>) -> (Vec<u64>, Vec<u64>) {
    let since = |busy: Vec<u64>, before: &[u64]| {
        let before = before.iter().chain(std::iter::repeat(&0));
        busy.into_iter().zip(before).map(|(ns, before)| ns - before).collect()
    };
    let (dies, channels) = driver.device.io.sched.busy_ns();
    let (dies_before, channels_before) = &driver.baseline.start.busy_ns;
    (since(dies, dies_before), since(channels, channels_before))
}

fn breakdown<T: Hooks, S: Scheduler>(driver: &Driver<T, S>) -> Option<Breakdown> {
    let groups = &driver.device.ftl.state.geometry.groups;
    driver.device.io.sched.itemisation().map(|sums| Breakdown::of(sums, groups))
}

fn flash<T: Hooks, S: Scheduler>(driver: &Driver<T, S>) -> FlashSummary {
    let counters = &driver.device.io.counters;
    let (dies, channels) = busy_ns(driver);
    let none = Before::default();
    let before = driver.baseline.before.as_ref().unwrap_or(&none);
    let start = &driver.baseline.start;
    // GC may still be at work when the last request ends; the flash is measured until it is quiet.
    let first_ns = driver.recorder.first_arrival_ns.unwrap_or(0).min(start.now_ns);
    let span_ns = driver.device.io.sched.quiet_at_ns().saturating_sub(first_ns).max(1) as f64;
    let share = |busy: Vec<u64>| busy.into_iter().map(|ns| ns as f64 / span_ns).collect();
    let repeated_ns = driver.device.io.sched.repeated_ns() - before.repeated_ns;
    FlashSummary {
        suspensions: driver.device.io.sched.suspensions() - before.suspensions,
        erase_time_repeated_ms: repeated_ns as f64 / 1e6,
        channel_utilisation: share(channels),
        die_utilisation: share(dies),
        ..counted(counters)
    }
}

/// What the counters say of the flash.
fn counted(counters: &Counters) -> FlashSummary {
    FlashSummary {
        page_reads: by_cause(&counters.reads),
        page_programs: by_cause(&counters.programs),
        padding: counters.padding,
        parity: counters.parity,
        program_operations: counters.program_ops,
        reprograms: counters.reprograms,
        erases: counters.erases,
        erase_time_ms: counters.erase_ns as f64 / 1e6,
        ..FlashSummary::default()
    }
}

fn gc(counters: &Counters) -> GcSummary {
    GcSummary {
        count: counters.gc_count,
        with_migration: counters.gc_with_migration,
        direct: counters.gc_count - counters.gc_with_migration,
        pages_moved: counters.gc_moved,
        time_ms: counters.gc_ns as f64 / 1e6,
    }
}

fn amplification(counters: &Counters) -> Option<WriteAmplification> {
    let host = counters.host_units as f64;
    let share = |units: u64| units as f64 / host;
    let of = |cause: Cause| share(counters.programs[cause as usize]);
    (counters.host_units > 0).then(|| WriteAmplification {
        host: of(Cause::Host),
        gc: of(Cause::Gc),
        mapping: of(Cause::Mapping),
        wear: of(Cause::Wear),
        technique: of(Cause::Technique),
        metadata: of(Cause::Metadata),
        refresh: of(Cause::Refresh),
        reclaim: of(Cause::Reclaim),
        padding: share(counters.padding),
        parity: share(counters.parity),
    })
}

fn gib(units: u64, unit_bytes: u64) -> f64 {
    (units * unit_bytes) as f64 / f64::from(1 << 30)
}

/// Erases for each GiB of `bytes` that was not refused.
fn erases_per_host_gib(counters: &Counters, bytes: u64) -> Option<f64> {
    let taken = counters.host_units as f64;
    let asked = (counters.host_units + counters.refused_writes) as f64;
    let host_gib = gib(bytes, 1) * taken / asked;
    (taken > 0.0 && bytes > 0).then(|| counters.erases as f64 / host_gib)
}

fn capacity<T: Hooks, S: Scheduler>(driver: &Driver<T, S>) -> CapacitySummary {
    let state = &driver.device.ftl.state;
    let geometry = &state.geometry;
    let (physical, logical) = (geometry.units(), state.logical_units);
    let gib = |units: u64| gib(units, geometry.unit_bytes);
    let log_pages = state.log_units();
    CapacitySummary {
        physical_pages: physical,
        logical_pages: logical,
        free_pages: state.free_units(),
        over_provisioning: (physical - logical) as f64 / logical as f64,
        unit_bytes: geometry.unit_bytes,
        logical_gib: gib(logical),
        physical_gib: gib(physical),
        log_pages,
        alpha: log_pages as f64 / logical as f64,
        buffer_bytes: driver.data.programs.as_ref().map_or(0, ProgramBuffer::capacity_units)
            * geometry.unit_bytes,
    }
}

fn energy(counters: &Counters) -> EnergySummary {
    let mj = |nj: u64| nj as f64 / 1e6;
    let (read, program, erase) =
        (mj(counters.read_nj), mj(counters.program_nj), mj(counters.erase_nj));
    EnergySummary { read, program, erase, total: read + program + erase }
}

fn simulator(counters: &Counters, (wall, run): (Duration, Duration)) -> SimulatorSummary {
    let flash_ops = counters.flash_ops();
    SimulatorSummary {
        wall_s: wall.as_secs_f64(),
        run_s: run.as_secs_f64(),
        flash_ops,
        flash_ops_per_s: flash_ops as f64 / run.as_secs_f64().max(1e-9),
        peak_rss_mib: peak_rss_mib(),
    }
}

/// The process's largest resident size, where the system tells; otherwise 0.
pub fn peak_rss_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    let kib = line.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}
