//! What the drive moves of its own accord: refresh and read reclaim, in exact counts.

use crate::common::{Script, at, logical_pages, run, tiny_timed};
use crate::rig::{APART_US, WRITTEN_US};
use wordline_sim::config::{Config, PerPage, ProgramUnit, RunMode, ServiceOrder};
use wordline_sim::metrics::RunResult;
use wordline_sim::simulate;
use wordline_trace::{Op, Request};

const HOUR_US: u64 = 3_600_000_000;

/// One die of 16 blocks of 8 pages with duties and no errors.
fn drive(keys: &str) -> Config {
    let mut config = tiny_timed();
    config.drive.reads = toml::from_str(keys).expect("TOML");
    config
}

fn moved(result: &RunResult, duty: &str) -> (u64, u64) {
    let of = |figure: &str| result.technique[duty][figure].as_u64().expect("a count");
    (of("blocks"), of("units"))
}

/// Writes of all that the drive holds, page by page.
fn filled(config: &Config) -> Vec<Request> {
    (0..logical_pages(config)).map(|page| at(page * 1000, Op::Write, page, 1)).collect()
}

fn read(n: u64, page: u64) -> Request {
    at(WRITTEN_US + n * APART_US, Op::Read, page, 1)
}

/// With a threshold of H reads and v valid units a block, a read costs v / H programs.
#[test]
fn a_block_moves_after_so_many_reads_of_it() {
    for (mode, order) in [
        (RunMode::Timed, ServiceOrder::InOrder),
        (RunMode::Timed, ServiceOrder::ReadsFirst),
        (RunMode::Count, ServiceOrder::InOrder),
    ] {
        let mut config = drive("reclaim_reads = 100");
        (config.run.mode, config.drive.scheduling.order) = (mode, order);
        let writes = (0..8).map(|page| at(page * 1000, Op::Write, page, 1));
        let reads = (0..1050).map(|n| read(n, n % 8));
        let result = run(&config, writes.chain(reads).collect());
        assert_eq!(moved(&result, "read_reclaim"), (10, 80), "{mode} {order}");
        assert_eq!(result.flash.page_programs.reclaim, 80);
        let by_cause = result.write_amplification_by_cause.expect("the host wrote");
        assert_eq!((by_cause.host, by_cause.reclaim, by_cause.technique), (1.0, 10.0, 0.0));
        assert_eq!(result.flash.erases, 10);
    }
}

/// A drive of U bytes that is refreshed each D days writes U / D a day, whatever the host does meanwhile.
#[test]
fn all_data_moves_once_in_each_age() {
    for (mode, reads_apart_h) in [(RunMode::Timed, 95), (RunMode::Timed, 1), (RunMode::Count, 95)] {
        let mut config = drive("refresh_after_h = 10.0");
        config.run.mode = mode;
        let mut requests = filled(&config);
        let times = (1..=95 / reads_apart_h).map(|n| n * reads_apart_h * HOUR_US);
        requests.extend(times.map(|us| at(us, Op::Read, 0, 1)));
        let result = run(&config, requests);
        let pages = logical_pages(&config);
        assert_eq!(moved(&result, "refresh"), (9 * pages / 8, 9 * pages), "{mode}");
        let by_cause = result.write_amplification_by_cause.expect("the host wrote");
        assert_eq!((by_cause.refresh, by_cause.gc, by_cause.technique), (9.0, 0.0, 0.0));
        assert_eq!(result.flash.erases, 9 * pages / 8);
    }
}

/// Data that the host writes anew within its age is never refreshed.
#[test]
fn young_data_stays() {
    let config = drive("refresh_after_h = 10.0");
    let pages = logical_pages(&config);
    let write = |n: u64| at(n * 9 * HOUR_US / pages, Op::Write, n % pages, 1);
    let result = run(&config, (0..4 * pages).map(write).collect());
    assert_eq!(moved(&result, "refresh"), (0, 0));
}

/// Of a superblock all data moves once one of its blocks was read too often.
#[test]
fn a_superblock_moves_as_one() {
    let mut config = drive("reclaim_reads = 100");
    config.drive.chips_per_channel = 2;
    config.drive.chip.program = ProgramUnit::OneShot;
    config.ftl.superblock_dies = 2;
    let mut requests = filled(&config);
    // Pages of the first program alone.
    requests.extend((0..150).map(|n| read(n, 0)));
    let result = run(&config, requests);
    assert_eq!(moved(&result, "read_reclaim"), (1, 16));
}

/// A drive that the host writes to and reads from meanwhile goes on, and refuses nothing.
#[test]
fn duties_go_on_beside_the_host() {
    for (keys, duty) in
        [("reclaim_reads = 5", "read_reclaim"), ("refresh_after_h = 1e-4", "refresh")]
    {
        let mut config = drive(keys);
        config.drive.over_provisioning = 0.45;
        let pages = logical_pages(&config);
        let mut requests = filled(&config);
        let mut dice = crate::common::Dice::new(5);
        for n in 0..3000 {
            let op = if dice.one_in(2) { Op::Read } else { Op::Write };
            requests.push(at(pages * 1000 + n * 4000, op, dice.below(pages), 1));
        }
        let result = run(&config, requests);
        let (blocks, units) = moved(&result, duty);
        assert!(blocks > 10 && units > 10, "{duty}: {blocks} blocks, {units} units");
        assert_eq!(result.host.refused_writes, 0);
    }
}

/// A plane of so many pages writes them in just that time, and in no less.
#[test]
fn data_is_not_refreshed_faster_than_a_plane_is_written() {
    let mut config = drive("");
    let chip = &config.drive.chip;
    let pages = (chip.blocks_per_plane * chip.pages_per_block) as f64;
    let [read_us, program_us] = [&chip.read_us, &chip.program_us].map(|each| match each {
        PerPage::One(us) => *us,
        PerPage::Many(_) => unreachable!("one for all pages"),
    });
    let least_h = pages * (read_us + program_us) / 3.6e9;
    let with = |config: &mut Config, after_h| {
        config.drive.reads.refresh_after_h = after_h;
        simulate(config, Script::source(vec![at(0, Op::Write, 0, 1)]), &mut ())
    };
    assert!(with(&mut config, least_h * (1.0 + 1e-9)).is_ok());
    let error = with(&mut config, least_h * (1.0 - 1e-9)).unwrap_err().to_string();
    assert!(error.contains("drive.reads.refresh_after_h"), "{error}");
}
