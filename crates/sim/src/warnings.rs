//! What a reader must know before believing the figures.

use crate::array::{State, SyncRun};
use crate::ftl::Preconditioning;
use crate::metrics::{ArraySummary, Backlog, Counters, ReadsSummary, RunResult, WorkloadSummary};
use crate::schema::{
    Acknowledge, Allocation, ArrayConfig, ArrayLevel, Config, DieClasses, FtlConfig, HostMode,
    Pattern, ProgramStart, RunMode, Unmapped, WriteHole,
};
use wordline_trace::Source;
use wordline_trace::plausibility::{Link, doubtful_bandwidth, doubtful_time};

/// Share of the duration that an open loop may go on after the last arrivals of its replays; beyond it the drive is
/// taken to be overloaded, if enough requests arrived to tell.
const BACKLOG: f64 = 0.1;
const ENOUGH_REQUESTS: u64 = 1000;
/// Share of padding in all that is programmed beyond which it is told: techniques often differ by no
/// more.
const PADDING: f64 = 0.05;
/// Times the drive that a replay writes beyond which it hardly matters that the next one is the same: there write
/// amplification is up to 5 % lower, on drives of 7 and 27 % more flash than they export.
const FORGOTTEN: f64 = 2.0;
/// Share of units that may wait for room in the controller's buffer before that is told.
const BUFFER_WAITS: f64 = 0.01;

/// Share of their time that dies work at least where so many requests for each of them wait; below it that is told.
const IDLE_DIES: f64 = 0.5;
const WAITING: f64 = 2.0;

/// The warnings of the result of a configuration; `set_up` is what preconditioning did to a drive alone.
pub fn warnings(
    config: &Config,
    set_up: Option<&Preconditioning>,
    result: &RunResult,
    counters: &Counters,
    workload: &dyn Source,
    backlog: Backlog,
) -> Vec<String> {
    let mut found = workload.remarks();
    let mut warn = |condition: bool, text: String| {
        if condition {
            found.push(text);
        }
    };
    let (work, timed) = (&result.workload, config.run.mode == RunMode::Timed);
    let read_only = result.wear.read_only_after_writes.is_some();
    warn(work.requests == 0, "the workload holds no request".into());
    warn(work.writes > 0 && result.gc.count == 0, never_collected(config.precondition.pattern));
    warn(
        work.writes > 0 && result.gc.count > 0 && !result.steady_state.reached && !read_only,
        too_short(config, result, counters).unwrap_or_else(|| {
            format!(
                "no steady state: {}",
                result.steady_state.reason.as_deref().unwrap_or_default()
            )
        }),
    );
    let doubt = set_up.and_then(unverified);
    warn(doubt.is_some(), doubt.unwrap_or_default());
    warn(
        work.beyond_drive > 0,
        format!(
            "{} of {} requests reach beyond the drive ({:.2} GiB); they were placed by workload.beyond = {}",
            work.beyond_drive, work.requests, result.capacity.logical_gib, config.workload.beyond
        ),
    );
    let unmapped = result.host.unmapped_reads;
    warn(
        unmapped > 0 && config.host.unmapped == Unmapped::Free,
        format!(
            "{unmapped} units were read that had never been written: they took no flash read; precondition the drive to read data"
        ),
    );
    warn(read_only, turned_read_only(result.host.refused_writes, set_up.is_none()));
    let open = config.host.mode == HostMode::Open;
    let doubt = doubtful_time(work.requests, work.duration_s.max(work.arrival_span_s), None);
    let doubt = doubt.filter(|_| timed && open && !work.synthetic);
    warn(doubt.is_some(), doubt.unwrap_or_default());
    let bytes = work.bytes_read + work.bytes_written;
    let link = narrowest_link(config);
    let doubt = doubtful_bandwidth(work.requests, bytes, work.arrival_span_s, &link);
    let doubt = doubt.filter(|_| timed && open && !work.synthetic);
    warn(doubt.is_some(), doubt.unwrap_or_default());
    found.extend(overload(config, &result.workload, backlog));
    found.extend(replayed_alike(config, result, backlog));
    found.extend(padding(config, counters));
    found.extend(waited_for_buffer(config, result, counters));
    found.extend(idle_while_requests_wait(config, result));
    found.extend(idle_timeout(config));
    found.extend(one_queue(config));
    found.extend(no_duration(config, result));
    found.extend(result.reads.as_ref().map(ReadsSummary::warnings).unwrap_or_default());
    found.extend(writes_without_latency(result));
    found.extend(uncounted_idle_time(config));
    found
}

/// Garbage collection never ran: what makes it run.
fn never_collected(pattern: Pattern) -> String {
    let or = if pattern == Pattern::None { ", or precondition the drive" } else { "" };
    format!(
        "garbage collection never ran: write amplification and latencies are those of a drive with room to spare; write more (workload.repeat){or}"
    )
}

/// A run that wrote too little for its write amplification to say much: how much would do.
fn too_short(config: &Config, result: &RunResult, counters: &Counters) -> Option<String> {
    let cycle = result.steady_state.cycle;
    let of_units = cycle.host_units as f64 / counters.host_units.max(1) as f64;
    let of_blocks = cycle.gc_domains as f64 / counters.gc_count.max(1) as f64;
    let short_by = of_units.max(of_blocks);
    let gib = counters.host_units as f64 * result.capacity.unit_bytes as f64 / f64::from(1 << 30);
    let repeat = (config.workload.repeat as f64 * short_by).ceil();
    let remedy = match result.workload.synthetic {
        true => format!("give the generator {short_by:.1} times the writes"),
        false => format!("repeat the workload (workload.repeat = {repeat:.0})"),
    };
    (short_by > 1.0).then(|| {
        format!(
            "write amplification says little yet: the host wrote {gib:.2} GiB, {:.2} % of the drive, and a steady figure takes {:.1} GiB or more; {remedy}",
            100.0 * gib / result.capacity.logical_gib,
            gib * short_by
        )
    })
}

/// Replays of the same writes in the same order, of which each is too short to be forgotten before the next.
fn replayed_alike(config: &Config, result: &RunResult, backlog: Backlog) -> Option<String> {
    let replays = backlog.replays.max(1) as f64;
    let gib = result.workload.bytes_written as f64 / replays / f64::from(1 << 30);
    let drives = gib / result.capacity.logical_gib;
    (config.workload.repeat > 1 && result.gc.count > 0 && gib > 0.0 && drives < FORGOTTEN).then(|| {
        let remedy = match result.workload.synthetic {
            true => "give the generator more writes instead",
            false => "give a longer trace, or fit a model and write more of it (`wordline trace fit`)",
        };
        format!(
            "each replay writes the same in the same order, and no more than {drives:.2} times what the drive holds: blocks become invalid together, and write amplification is lower than of fresh writes; {remedy}"
        )
    })
}

/// Writes that found the controller's buffer full, where its size or the host's pace could be another.
fn waited_for_buffer(config: &Config, result: &RunResult, counters: &Counters) -> Option<String> {
    let share = counters.buffer_waits as f64 / counters.host_units.max(1) as f64;
    let has_remedy = config.ftl.buffer_kib > 0.0 || config.host.mode == HostMode::Open;
    (share > BUFFER_WAITS && has_remedy).then(|| {
        format!(
            "{:.0} % of the units written waited for room in the controller's buffer of {} KiB; raise ftl.buffer_kib, or space the requests (host.time_scale)",
            100.0 * share,
            result.capacity.buffer_bytes.div_ceil(1024)
        )
    })
}

/// Dies that had little to do while requests waited behind those that were collected.
fn idle_while_requests_wait(config: &Config, result: &RunResult) -> Option<String> {
    let (host, busy) = (&result.host, &result.flash.die_utilisation);
    let dies = busy.len() as f64;
    let share = busy.iter().sum::<f64>() / dies.max(1.0);
    // Little's law.
    let in_flight = host.iops.unwrap_or(0.0) * host.mean_us / 1e6;
    let ftl = &config.ftl;
    let is_bound = ftl.allocation != Allocation::Dynamic && ftl.superblock_dies == 0;
    let is_timed = config.run.mode == RunMode::Timed;
    let waits = result.gc.count > 0
        && host.paused_s == 0.0
        && in_flight >= WAITING * dies
        && share < IDLE_DIES;
    (is_timed && is_bound && waits && config.array.level == ArrayLevel::None).then(|| {
        format!(
            "dies worked {:.0} % of the time while {in_flight:.0} requests waited: their addresses fix the plane (ftl.allocation = {}), and planes are collected one by one; drives of today have ftl.superblock_dies = {dies} and ftl.gc.mode = \"background\"",
            100.0 * share, ftl.allocation
        )
    })
}

/// A drive that was still at work for long after the requests had arrived. Earlier replays count where each was long
/// enough to tell.
fn overload(config: &Config, work: &WorkloadSummary, earlier: Backlog) -> Option<String> {
    let judged = work.requests >= ENOUGH_REQUESTS * earlier.replays;
    let earlier_s = if judged { earlier.ns as f64 / 1e9 } else { 0.0 };
    let backlog_s = work.duration_s - work.arrival_span_s + earlier_s;
    let open = config.run.mode == RunMode::Timed && config.host.mode == HostMode::Open;
    let overloaded = work.requests >= ENOUGH_REQUESTS && backlog_s > BACKLOG * work.duration_s;
    (open && overloaded).then(|| {
        format!(
            "the drive could not keep up: {} requests arrived within {:.3} s and took {:.3} s, so latencies are those of a growing queue; space them (interval_us of a generator, host.time_scale) or set host.mode = closed",
            work.requests,
            work.duration_s - backlog_s,
            work.duration_s
        )
    })
}

/// What carries least between the host and the flash: any host's link, the drive's own, or its channels;
/// of an array those of all drives.
fn narrowest_link(config: &Config) -> Link {
    let drives = if config.array.level != ArrayLevel::None { config.array.drives } else { 1 };
    let channels_mb_s: f64 = config
        .drive
        .kinds()
        .iter()
        .map(|kind| kind.channels as f64 * kind.chip.transfer_mb_s)
        .map(|mb_s| if mb_s > 0.0 { mb_s } else { f64::INFINITY })
        .sum();
    // What comes in and what goes out, at most.
    let link_mb_s = config.host.link.bytes_per_s().map_or(0.0, |one_way| 2.0 * one_way / 1e6);
    let own = [
        (config.host.bus_mb_s, "the drive's host bus (host.bus_mb_s)"),
        (link_mb_s, "the drive's link, which carries both ways (host.link),"),
        (channels_mb_s, "the drive, by its channels (drive.channels, drive.chip.transfer_mb_s),"),
    ];
    let own = own.map(|(mb_s, name)| Link {
        bytes_per_s: mb_s * 1e6 * drives as f64,
        name: if drives > 1 { format!("{name} times {drives} drives") } else { name.into() },
    });
    let links = own.into_iter().filter(|link| link.bytes_per_s > 0.0).chain([Link::default()]);
    links.min_by(|a, b| a.bytes_per_s.total_cmp(&b.bytes_per_s)).unwrap_or_default()
}

/// A drive that is alone refuses requests; an array goes on as if its drive had taken them.
fn turned_read_only(refused: u64, is_array: bool) -> String {
    let (who, where_) = match is_array {
        false => ("the drive", "are in no latency and no rate"),
        true => (
            "a drive of the array",
            "count as written in the array's latencies and rates; end the workload before that (--max-requests), or raise drive.chip.endurance_pec",
        ),
    };
    format!(
        "{who} turned read-only before the workload ended (wear.read_only_after_writes): {refused} units that it refused (host.refused_writes) {where_}"
    )
}

/// A steady state that was set, and not shown to be one.
pub fn unverified(set_up: &Preconditioning) -> Option<String> {
    let is_set = set_up.expected_write_amplification.is_some();
    let is_tried = is_set && set_up.verified_writes > 0;
    (is_tried && set_up.verified_write_amplification.is_none()).then(|| {
        format!(
            "the steady state that the drive begins with could not be verified: {} writes had {} victims; write more yourself, and see steady_state",
            set_up.verified_writes, set_up.verified_victims
        )
    })
}

/// Programs that were started without being full, but for those that the end of the run started.
fn padding(config: &Config, counters: &Counters) -> Option<String> {
    let units = counters.padding - counters.padding_at_end;
    let share = units as f64 / counters.units_programmed().max(1) as f64;
    let ftl = &config.ftl;
    let why = match (ftl.acknowledge, ftl.program_start) {
        (Acknowledge::Program, ProgramStart::WhenIdle) => {
            "writes wait until programmed, so idle dies start partly filled programs; set ftl.acknowledge = \"buffer\" for a drive with a protected buffer, or raise host.queue_depth".into()
        }
        (Acknowledge::Program, ProgramStart::AfterTimeout) => format!(
            "writes wait until programmed, so partly filled programs start after {} µs; set ftl.acknowledge = \"buffer\" for a drive with a protected buffer, or raise ftl.merge_timeout_us",
            ftl.merge_timeout_us
        ),
        (Acknowledge::Buffer, _) => "flushes, a technique, or a full buffer start partly filled programs; raise ftl.buffer_kib if host.buffer_waits is not 0".into(),
    };
    (share > PADDING)
        .then(|| format!("padding is {:.0} % of what was programmed: {why}", 100.0 * share))
}

/// A time after which nothing starts.
fn idle_timeout(config: &Config) -> Option<String> {
    let ftl = &config.ftl;
    let is_set = ftl.merge_timeout_us != FtlConfig::default().merge_timeout_us;
    (is_set && ftl.program_start == ProgramStart::WhenIdle).then(|| {
        "ftl.merge_timeout_us changed nothing: it counts only with ftl.program_start = \"after_timeout\"".into()
    })
}

/// Classes of queues where there is one.
fn one_queue(config: &Config) -> Option<String> {
    let by_class = config.drive.scheduling.by_class;
    (by_class != DieClasses::None && config.host.queue.is_empty()).then(|| {
        format!("drive.scheduling.by_class = \"{by_class}\" tells queues apart, and there is one: name them in [host.queue.NAME]")
    })
}

/// Nothing took time, so that there are no rates.
fn no_duration(config: &Config, result: &RunResult) -> Option<String> {
    let work = &result.workload;
    let none = config.run.mode == RunMode::Timed && work.requests > 0 && work.duration_s <= 0.0;
    let why = match config.ftl.acknowledge == Acknowledge::Buffer && work.writes > 0 {
        _ if result.host.refused_writes > 0 => {
            "the drive was read-only and refused every write (wear.read_only_after_writes)".into()
        }
        true => format!(
            "the controller's buffer of {} KiB took every write at once, and host.bus_mb_s and host.overhead_us are 0; write more than it holds, or set one of them",
            result.capacity.buffer_bytes.div_ceil(1024)
        ),
        false => "no request needed the flash, and host.bus_mb_s and host.overhead_us are 0".into(),
    };
    none.then(|| format!("the run took no time, so it has no IOPS, bandwidth or latency: {why}"))
}

/// Every write was answered at once, in a run that took time: no table has a row for that.
fn writes_without_latency(result: &RunResult) -> Option<String> {
    let write = &result.host.write;
    let none = write.count > 0 && write.max_us <= 0.0 && result.workload.duration_s > 0.0;
    none.then(|| {
        "every write was answered in 0 µs, so tables have no write latency: a buffer took each at once (ftl.acknowledge, host.write_buffer_mib), and host.bus_mb_s and host.overhead_us are 0; set them as the drive has them".into()
    })
}

/// Collecting in idle time where there is no time.
fn uncounted_idle_time(config: &Config) -> Option<String> {
    let gc = &config.ftl.gc;
    (config.run.mode == RunMode::Count && gc.mode.works_in_idle_time()).then(|| {
        format!(
            "run.mode = count knows no busy drive: with ftl.gc.mode = {} GC has all of the time between arrivals (or none where all arrive at once), and write amplification may be far from that of run.mode = timed",
            gc.mode
        )
    })
}

/// What an array adds to them.
pub fn array_warnings(
    config: &ArrayConfig,
    array: &ArraySummary,
    syncs: &[SyncRun],
) -> Vec<String> {
    let mut found = Vec::new();
    let mut warn = |condition: bool, text: String| {
        if condition {
            found.push(text);
        }
    };
    warn(
        array.trims_dropped > 0,
        format!(
            "{} trims were not passed on: RAID 5 would not know what the drives then hold",
            array.trims_dropped
        ),
    );
    warn(array.mismatches > 0, format!("a scrub found {} inconsistent stripes", array.mismatches));
    warn(
        !config.fail.is_empty() && array.failed_at_s.is_none(),
        format!("no drive failed: the run ended before {} s (array.fail_at_s)", config.fail_at_s),
    );
    warn(
        config.scrub && !syncs.iter().any(|sync| sync.kind == State::Scrub),
        "the scrub never began: the run ended before, or a drive was missing to its end".into(),
    );
    for sync in array.syncs.iter().filter(|sync| sync.over_s.is_none()) {
        warn(
            true,
            format!(
                "the {} was not over when the run ended: {:.2} % were done; set array.sync_to_end to wait for it",
                sync.kind,
                100.0 * sync.done
            ),
        );
    }
    found.extend(keys_of_what_is_off(config));
    found
}

/// Keys that somebody set of what the array does not do.
fn keys_of_what_is_off(config: &ArrayConfig) -> impl Iterator<Item = String> {
    let default = ArrayConfig::default();
    let (hole, log_kib) = (config.write_hole, default.log_kib);
    [
        ("fail_at_s", config.fail_at_s != 0.0 && config.fail.is_empty(), "array.fail"),
        ("scrub_at_s", config.scrub_at_s != 0.0 && !config.scrub, "array.scrub = true"),
        (
            "log_kib",
            config.log_kib != log_kib && hole != WriteHole::Ppl,
            "array.write_hole = \"ppl\"",
        ),
        (
            "journal_kib",
            config.journal_kib != 0.0 && hole != WriteHole::Journal,
            "array.write_hole = \"journal\"",
        ),
    ]
    .into_iter()
    .filter(|&(_, is_idle, _)| is_idle)
    .map(|(key, _, needed)| format!("array.{key} changed nothing: it counts only with {needed}"))
}
