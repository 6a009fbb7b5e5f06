//! Whole runs: the drives of an array are those that they are alone, and what it reports adds up.

use crate::common::Script;
use crate::fake::mix;
use serde_json::Value;
use wordline_sim::config::{Config, RunMode, load};
use wordline_sim::metrics::{ArraySummary, LifeWindow, RunResult};
use wordline_sim::{logical_bytes, simulate};
use wordline_trace::{Op, Request};

pub const PAGE: u64 = 4096;

pub fn config(text: &str) -> Config {
    let text = format!("preset = \"tiny\"\n{text}");
    load(&text, "array.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn run(config: &Config, requests: &[Request]) -> RunResult {
    let outcome = simulate(config, Script::source(requests.to_vec()), &mut ());
    outcome.unwrap_or_else(|error| panic!("{error}")).result
}

fn array(result: &RunResult) -> &ArraySummary {
    result.array.as_ref().expect("an array")
}

/// Requests of one to four pages, `gap_us` apart; one in `reads` is a read.
fn mixed(config: &Config, number: u64, gap_us: u64, reads: u64) -> Vec<Request> {
    let pages = logical_bytes(config).expect("it works") / PAGE;
    let draw = |n: u64| {
        Request::new(
            if mix(n ^ 1 << 41).is_multiple_of(reads) { Op::Read } else { Op::Write },
            mix(n) % (pages - 4) * PAGE,
            ((1 + mix(n ^ 1 << 40) % 4) * PAGE) as u32,
        )
        .at(n * gap_us * 1000)
    };
    (0..number).map(draw).collect()
}

/// What a result says that does not depend on the machine.
fn figures(result: &impl serde::Serialize) -> Value {
    let mut value = serde_json::to_value(result).expect("plain data");
    value.as_object_mut().map(|fields| fields.remove("simulator"));
    value
}

/// A mirror that is only written takes every request when it comes and as it comes: each drive must
/// report, to the bit, what it would alone.
#[test]
fn a_drive_of_a_mirror_is_the_drive_alone() {
    for (order, pattern) in [("in_order", "steady"), ("reads_first", "sequential")] {
        let of_drive = format!(
            "drive.scheduling.order = {order:?}\nhost.overhead_us = 3\nhost.bus_mb_s = 500\n\
             precondition.pattern = {pattern:?}\n"
        );
        let mirrored = config(&format!("{of_drive}[array]\nlevel = \"raid1\"\ndrives = 2\n"));
        let requests = mixed(&mirrored, 20_000, 450, u64::MAX);
        let result = run(&mirrored, &requests);
        for (number, drive) in (0..).zip(&array(&result).drives) {
            let own = mirrored.of_drive(number).expect("a configuration");
            let alone = run(&own, &requests);
            assert!(alone.gc.count > 100, "it collects garbage");
            assert_eq!(figures(&drive.host.write), figures(&alone.host.write), "{order}");
            assert_eq!(figures(&drive.flash), figures(&alone.flash));
            assert_eq!(figures(&drive.gc), figures(&alone.gc));
            assert_eq!(figures(&drive.wear), figures(&alone.wear));
            assert_eq!(figures(&drive.capacity), figures(&alone.capacity));
        }
    }
}

/// A mirror lives window by window as its drives do alone, until one of them wears out.
#[test]
fn a_mirror_ages_as_its_drives_do_alone() {
    let life = "run.window_drive_writes = 0.5\nrun.cycles_per_erase = 4\nrun.mode = \"count\"\n\
                drive.chip.endurance_pec = 40\ndrive.chip.endurance_sigma = 0.02\n";
    let mirrored = config(&format!("{life}[array]\nlevel = \"raid1\"\ndrives = 2\n"));
    let requests = mixed(&mirrored, 60_000, 450, u64::MAX);
    let result = run(&mirrored, &requests);
    let alone = |number| run(&mirrored.of_drive(number).expect("a configuration"), &requests);
    let drives = [0, 1].map(alone);
    let whole = |result: &RunResult| -> Vec<f64> {
        let fresh = result.life.iter().filter(|window| window.good_block_share == 1.0);
        fresh.map(|window| window.written_gib).collect()
    };
    let ours = whole(&result);
    assert!(ours.len() > 2 && drives.iter().all(|drive| whole(drive).starts_with(&ours)));
    let life_gib = |result: &RunResult| result.wear.life_gib.expect("it wears out");
    let shortest = life_gib(&drives[0]).min(life_gib(&drives[1]));
    assert!((life_gib(&result) / shortest - 1.0).abs() < 0.05, "{} {shortest}", life_gib(&result));
}

/// Both drives of a mirror are written alike, so that a window of their life is what it is of each.
#[test]
fn a_window_of_the_life_of_a_mirror_is_the_mean_of_its_drives() {
    let life = "run.window_drive_writes = 0.5\nrun.mode = \"count\"\nerase.scheme = \"ispe\"\n\
                drive.chip.cell = \"tlc\"\ndrive.chip.initial_pec = 2000\n";
    let mirrored = config(&format!("{life}[array]\nlevel = \"raid1\"\ndrives = 2\n"));
    let requests = mixed(&mirrored, 20_000, 450, u64::MAX);
    let result = run(&mirrored, &requests);
    let drives = [0, 1]
        .map(|number| run(&mirrored.of_drive(number).expect("a configuration"), &requests).life);
    assert!(result.life.len() > 2);
    for (at, window) in result.life.iter().enumerate() {
        let mean =
            |of: &dyn Fn(&LifeWindow) -> f64| (of(&drives[0][at]) + of(&drives[1][at])) / 2.0;
        assert!((window.pec_mean / mean(&|it| it.pec_mean) - 1.0).abs() < 1e-9, "{window:?}");
        let errors = |it: &LifeWindow| it.errors_per_kib.expect("errors");
        assert!((errors(window) / mean(&errors) - 1.0).abs() < 1e-9, "{window:?}");
    }
}

/// Stripes that are written whole, one after the other: no read, one page of parity for three of
/// data, and as many programs as pages.
#[test]
fn whole_stripes_cost_their_parity() {
    let config = config(
        "precondition.pattern = \"none\"\n[array]\nlevel = \"raid5\"\ndrives = 4\nchunk_kib = 16\n",
    );
    let stripe = 12 * PAGE;
    let requests: Vec<Request> = (0..500)
        .map(|n| Request::new(Op::Write, n * stripe, stripe as u32).at(n * 10_000_000))
        .collect();
    let result = run(&config, &requests);
    let array = array(&result);
    assert_eq!((array.pages_read.data, array.pages_read.parity), (0, 0));
    assert_eq!((array.pages_written.data, array.pages_written.parity), (6000, 2000));
    assert_eq!(array.parity.per_data, Some(1.0 / 3.0));
    assert_eq!(array.stripes.full, 2000);
    assert_eq!(result.flash.page_programs.total(), 8000);
    assert_eq!(array.bytes_programmed_per_byte_written, Some(4.0 / 3.0));
}

/// The sums of a result are those over its drives, and the same run gives the same bits.
#[test]
fn what_an_array_reports_adds_up() {
    for level in ["raid0", "raid1", "raid5"] {
        let config =
            config(&format!("[array]\nlevel = {level:?}\nchunk_kib = 16\ncount_updates = true\n"));
        let requests = mixed(&config, 6_000, 300, 3);
        let result = run(&config, &requests);
        assert_eq!(figures(&result), figures(&run(&config, &requests)), "{level}");
        let array = array(&result);
        let sum = |of: &dyn Fn(&wordline_sim::metrics::DriveSummary) -> u64| -> u64 {
            array.drives.iter().map(of).sum()
        };
        assert_eq!(result.flash.page_programs.total(), sum(&|d| d.flash.page_programs.total()));
        assert_eq!(result.flash.erases, sum(&|d| d.flash.erases));
        assert_eq!(result.gc.count, sum(&|d| d.gc.count));
        assert_eq!(array.writes.data + array.writes.parity, sum(&|d| d.host.write.count));
        assert_eq!(result.host.read.count + result.host.write.count, 6_000);
        let pages: u64 = requests.iter().map(|r| u64::from(r.size_bytes) / PAGE).sum();
        let written = result.workload.bytes_written / PAGE;
        match level {
            "raid0" => assert_eq!(array.pages_written.data + array.pages_read.data, pages),
            "raid1" => assert_eq!(array.pages_written.data, 4 * written),
            _ => {
                assert_eq!(array.pages_written.data, written);
                assert!(array.parity.per_data.is_some_and(|ratio| (0.4..1.0).contains(&ratio)));
                assert!(array.parity.parity_interval_s < array.parity.data_interval_s);
            }
        }
        assert_eq!(array.latency.len(), 1, "always whole");
    }
}

/// A drive fails while the host is at work; the spare is rebuilt, not faster than it may be, and every
/// page of it is written once.
#[test]
fn a_rebuild_goes_on_beside_the_host() {
    let text = "[array]\nlevel = \"raid5\"\nspare = true\nfail = [1]\nfail_at_s = 0.5\n\
                sync_max_mb_s = 20\nsync_to_end = true\n";
    let config = config(text);
    let requests = mixed(&config, 4_000, 1000, 2);
    let result = run(&config, &requests);
    let array = array(&result);
    let states: Vec<&str> = array.drives.iter().map(|drive| drive.state).collect();
    assert_eq!(states, ["whole", "failed", "whole", "whole", "rebuilt"]);
    let [sync] = &array.syncs[..] else { panic!("one rebuild") };
    assert_eq!((sync.kind, sync.began_s, sync.done), ("rebuild", 0.5, 1.0));
    let stripes = array.logical_bytes / 3 / PAGE;
    assert_eq!(array.drives[4].pages_written.sync, stripes);
    assert!((1.0..=20.01).contains(&sync.mb_s), "{}", sync.mb_s);
    assert!(sync.progress.windows(2).all(|two| two[0][0] <= two[1][0] && two[0][1] < two[1][1]));
    let phases: Vec<&str> = array.latency.iter().map(|phase| phase.state).collect();
    assert_eq!(phases, ["whole", "rebuild"]);
    let served: u64 = array.latency.iter().map(|phase| phase.reads + phase.writes).sum();
    assert_eq!(served, 4_000);
    assert!(!result.warnings.iter().any(|text| text.contains("rebuild")), "it is over");
}

/// Requests before the failure, in the rebuild and after it are told apart.
#[test]
fn an_array_is_rebuilt_once_its_rebuild_is_over() {
    let text = "[array]\nlevel = \"raid5\"\nspare = true\nfail = [1]\nfail_at_s = 0.5\n\
                sync_min_mb_s = 500\nsync_max_mb_s = 500\n";
    let config = config(text);
    let result = run(&config, &mixed(&config, 8_000, 2000, 2));
    let array = array(&result);
    let over_s = array.syncs[0].over_s.expect("it is over");
    let phases: Vec<&str> = array.latency.iter().map(|phase| phase.state).collect();
    assert_eq!(phases, ["whole", "rebuild", "rebuilt"], "over at {over_s} s");
    for phase in &array.latency {
        assert!(phase.reads + phase.writes > 100, "{phase:?}");
        assert!(
            phase.read_p999_us >= phase.read_p99_us && phase.write_p999_us >= phase.write_p99_us
        );
    }
}

/// What a run cannot show is said: a rebuild that was not over, a failure that never came.
#[test]
fn what_did_not_happen_is_said() {
    let rebuild = "[array]\nlevel = \"raid1\"\nspare = true\nfail = [0]\nsync_max_mb_s = 1\n";
    for (text, warning) in [
        (rebuild, "the rebuild was not over"),
        ("[array]\nlevel = \"raid1\"\nfail = [0]\nfail_at_s = 1e6\n", "no drive failed"),
        ("[array]\nlevel = \"raid1\"\nscrub = true\nscrub_at_s = 1e6\n", "the scrub never began"),
    ] {
        let config = config(text);
        let result = run(&config, &mixed(&config, 500, 300, 2));
        assert!(result.warnings.iter().any(|text| text.contains(warning)), "{:?}", result.warnings);
    }
}

/// Keys of what an array does not do are named with what they need, and only these.
#[test]
fn keys_that_change_nothing_are_said() {
    let (ppl, journal) = ("write_hole = \"ppl\"\n", "write_hole = \"journal\"\n");
    for (key, needed) in [
        ("fail_at_s = 0.01\n", "fail = [1]\n"),
        ("scrub_at_s = 0.01\n", "scrub = true\n"),
        ("log_kib = 64\n", ppl),
        ("journal_kib = 64\n", journal),
    ] {
        let warnings = |more: &str| {
            let config = config(&format!("[array]\nlevel = \"raid5\"\n{key}{more}"));
            run(&config, &mixed(&config, 500, 300, 2)).warnings
        };
        let name = key.split(' ').next().expect("a key");
        let text =
            format!("array.{name} changed nothing: it counts only with array.{}", needed.trim());
        let said = text.trim_end_matches(" = [1]");
        assert!(warnings("").iter().any(|warning| warning == said), "{:?}", warnings(""));
        let other = warnings(needed);
        assert!(!other.iter().any(|warning| warning.contains("changed nothing")), "{other:?}");
    }
}

/// One drive of four is slower, another collects garbage in its own way: each reports for itself.
#[test]
fn drives_of_an_array_may_differ() {
    let text = "[array]\nlevel = \"raid5\"\nchunk_kib = 16\n\
                drive.1.drive.chip.program_us = 3000\ndrive.2.ftl.gc.policy = \"fifo\"\n";
    let config = config(text);
    let result = run(&config, &mixed(&config, 15_000, 2_000, 5));
    let drives = &array(&result).drives;
    assert!(drives[1].host.write.mean_us > 2.0 * drives[0].host.write.mean_us);
    let amplification = |drive: usize| drives[drive].write_amplification.expect("it was written");
    assert!(amplification(2) > 1.02 * amplification(0), "FIFO moves more than greedy");
    assert!((amplification(3) / amplification(0) - 1.0).abs() < 0.02, "these two are alike");
}

/// Closed loop, and counts without time: every request is served.
#[test]
fn other_ways_of_running() {
    for text in [
        "host.mode = \"closed\"\nhost.queue_depth = 16\n",
        "host.mode = \"closed\"\nhost.streams = \"each\"\nhost.queue_depth = 2\n",
        "run.mode = \"count\"\n",
        "run.mode = \"count\"\nhost.mode = \"closed\"\n",
    ] {
        let text = format!("{text}[array]\nlevel = \"raid5\"\nchunk_kib = 16\nstripe_cache = 16\n");
        let config = config(&text);
        let requests = mixed(&config, 3_000, 100, 4);
        let result = run(&config, &requests);
        let served = result.host.read.count + result.host.write.count;
        assert_eq!(served, if config.run.mode == RunMode::Count { 0 } else { 3_000 }, "{text}");
        let written = result.workload.bytes_written / PAGE;
        assert!(array(&result).pages_written.data <= written);
        assert!(array(&result).pages_written.data > written * 9 / 10, "few are written over");
    }
}
