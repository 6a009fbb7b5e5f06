//! Power fails at every operation of runs: nothing that was flushed may be missing, and every rule of the
//! translation layer that is taken out must show.

mod arrays;
mod drives;
mod energies;

use drives::{
    DRIVES, Drive, Service, report, report_of, second_writes, short_report, suspensions,
    trims_and_flushes, without_trims,
};
use wordline_sim::CutChoice;

/// Cuts of all drives together, as many as a minute allows.
const CUTS: u64 = 100_000;
/// Checkpoints on drives that have room for them.
const CHECKPOINTS: &[&str] = &["power.checkpoint_share=0.2", "drive.over_provisioning=2.0"];
/// Cuts in the midst of restarts, of all drives together.
const DOUBLE_CUTS: u64 = 10_000;

/// Cuts within which a rule that is taken out has to show.
const SHOWS_WITHIN: u64 = 10_000;

#[test]
fn nothing_that_was_flushed_is_missing() {
    keep_what_was_flushed(&[]);
}

#[test]
fn nothing_is_missing_where_dies_share_a_channel() {
    keep_what_was_flushed(&["drive.chips_per_channel=2", "run.seed=8"]);
}

#[test]
fn nothing_is_missing_on_more_channels() {
    keep_what_was_flushed(&["drive.channels=4", "run.seed=9"]);
}

/// After a run whose host trims nothing a restart finds of every logical unit what the drive holds: where copies were
/// made of it, they are as good.
#[test]
fn a_restart_after_the_run_finds_all_that_a_preconditioned_drive_holds() {
    for drive in DRIVES {
        for fill in [0.1, 0.2] {
            let report = without_trims(drive, drive.orders[0], fill);
            assert_eq!(report.losing_cuts, 0, "{}: {:#?}", drive.name, report.losses);
            assert!(report.cuts > 20, "{}: {} cuts", drive.name, report.cuts);
        }
    }
}

/// A die takes the data of the next program while it carries one out: power may fail over both, and a block that was
/// erased before them reads as erased after both or neither.
#[test]
fn nothing_is_missing_where_programs_are_loaded_ahead() {
    let ahead = ["drive.chip.cache_program=true", "drive.chip.planes=1", "power.blank_share=0.5"];
    for order in [Service::InOrder, Service::ReadsFirst] {
        let report = report(&DRIVES[0], order, &ahead);
        let losing = report.losing_cuts + report.losing_double_cuts;
        assert_eq!(losing, 0, "{order:?}: {:#?}", report.losses);
    }
}

/// Each drive is cut at every operation under each scheduler, with these keys set otherwise.
fn keep_what_was_flushed(set: &[&str]) {
    let (mut cuts, mut double_cuts) = (0, 0);
    for drive in DRIVES {
        for &order in drive.orders {
            let report = short_report(drive, order, set);
            let name = drive.name;
            let losing = report.losing_cuts + report.losing_double_cuts;
            assert_eq!(losing, 0, "{name}, {order:?}: {:#?}", report.losses);
            assert!(report.restarts >= 5, "{name}, {order:?}: {} restarts", report.restarts);
            assert!(report.promises > 1000, "{name}, {order:?}: {} promises", report.promises);
            assert!(report.fua_writes > 60, "{name}, {order:?}: {} with FUA", report.fua_writes);
            assert!(report.commands_cut_mean > 0.4, "{name}: {}", report.commands_cut_mean);
            cuts += report.cuts;
            double_cuts += report.double_cuts;
        }
    }
    assert!(cuts > CUTS, "{cuts} cuts");
    assert!(double_cuts > DOUBLE_CUTS, "{double_cuts} cuts in the midst of restarts");
}

/// Such an operation is over as it begins.
#[test]
fn operations_that_take_no_time_are_never_torn() {
    let drive = DRIVES.iter().find(|drive| drive.name == "planes").expect("it is a drive");
    for key in ["drive.chip.erase_ms=0", "drive.chip.program_us=0"] {
        let report = short_report(drive, Service::InOrder, &[key]);
        let losing = report.losing_cuts + report.losing_double_cuts;
        assert_eq!(losing, 0, "{key}: {:#?}", report.losses);
        assert!(report.restarts >= 5 && report.promises > 1000, "{key}: {report:#?}");
    }
}

/// LLH-FTL's threshold as it was where a cut was found.
const STEPS: &str = "technique.llh_ftl.steps=7";
const FLOOR: &str = "technique.llh_ftl.floor=5";

/// On these a restart's erase once began on an idle die before what it erased stood elsewhere. It takes the longer runs.
#[test]
fn a_restart_erases_nothing_before_it_stands_elsewhere() {
    let cases: [(&str, &[&str]); 2] = [
        ("llh_ftl", &["drive.chips_per_channel=2", "run.seed=8", STEPS, FLOOR]),
        ("two_kinds_lazy", &["drive.channels=4", "run.seed=9"]),
    ];
    for (name, set) in cases {
        let drive = DRIVES.iter().find(|drive| drive.name == name).expect("it is a drive");
        let report = report(drive, Service::InOrder, set);
        assert_eq!(report.losing_double_cuts, 0, "{name}: {:#?}", report.losses);
        assert!(report.double_cuts > 0, "{name}");
    }
}

#[test]
fn a_flush_that_lies_is_found_out() {
    for drive in DRIVES {
        let loses = |&order: &Service| {
            let report = short_report(drive, order, &["power.flushes=lie"]);
            report.flushes > 0 && report.losing_cuts > 0
        };
        assert!(drive.orders.iter().any(loses), "{} keeps what it never made safe", drive.name);
    }
}

/// With checkpoints restarts begin with the newest whole one, and each is compared with a scan of the whole flash.
#[test]
fn a_restart_by_checkpoint_finds_what_a_scan_of_the_whole_flash_does() {
    for drive in DRIVES {
        let order = *drive.orders.last().expect("it works under some scheduler");
        let report = short_report(drive, order, CHECKPOINTS);
        let name = drive.name;
        let losing = report.losing_cuts + report.losing_double_cuts;
        assert_eq!(losing, 0, "{name}: {:#?}", report.losses);
        let by_checkpoint = report.restart.by_checkpoint;
        assert!(2 * by_checkpoint > report.restarts, "{name}: {by_checkpoint}");
        assert!(report.restart.programs > 0.0, "{name}");
    }
}

/// Where checkpoints follow one another at once, the last but one has to stay until the last one can be read: a restart
/// that finds none, after one that did, is an error.
#[test]
fn a_whole_checkpoint_is_always_there() {
    let set = ["power.checkpoint_share=0.001", "drive.over_provisioning=2.0"];
    for drive in &DRIVES[..3] {
        let order = *drive.orders.last().expect("it works under some scheduler");
        let report = short_report(drive, order, &set);
        assert_eq!(report.losing_cuts + report.losing_double_cuts, 0, "{}", drive.name);
    }
}

#[test]
fn each_rule_taken_out_is_caught() {
    for drive in DRIVES {
        for rule in drive.rules {
            let first = |&order: &Service| {
                let report = short_report(drive, order, &[&format!("power.{rule}=false")]);
                report.losses.first().map(|loss| loss.cut)
            };
            let first: Vec<Option<u64>> = drive.orders.iter().map(first).collect();
            let shows = first.iter().flatten().any(|&cut| cut < SHOWS_WITHIN);
            assert!(shows, "{} without {rule} first loses something at {first:?}", drive.name);
        }
    }
}

/// Power fails in the midst of an erase, or of the first program of a block, which then reads as erased: what a restart
/// puts there cannot be read.
#[test]
fn a_block_that_only_reads_as_erased_is_erased_again() {
    let loses = |drive: &&Drive| {
        let order = *drive.orders.last().expect("it works under some scheduler");
        let without = ["power.erases_again=false"];
        short_report(drive, order, &without).losing_double_cuts > 0
            || report(drive, order, &without).losing_double_cuts > 0
    };
    let losing: Vec<&str> = DRIVES.iter().filter(loses).map(|drive| drive.name).collect();
    assert!(2 * losing.len() > DRIVES.len(), "{losing:?} alone lose something");
}

/// Power fails while reads suspend erases, as at every other moment of the run, which suspends nothing else.
#[test]
fn a_cut_in_the_midst_of_a_suspended_erase_takes_nothing() {
    let (pages, erases) = (&DRIVES[0], ["drive.scheduling.suspend_erase=true"]);
    let suspended = suspensions(pages, &erases);
    assert!(suspended > 40, "{suspended} erases were suspended");
    let report = report(pages, Service::ReadsFirst, &erases);
    assert_eq!(report.losing_cuts + report.losing_double_cuts, 0, "{:#?}", report.losses);
    let undisturbed = drives::report(pages, Service::ReadsFirst, &[]);
    assert!(report.commands_cut_mean > undisturbed.commands_cut_mean, "erases are cut for longer");
}

#[test]
fn data_that_is_written_over_while_its_trim_is_not_written_down_comes_back_no_older() {
    let report = second_writes();
    assert_eq!(report.losing_cuts, 0, "{:#?}", report.losses);
    assert!(report.cuts > CUTS, "{} cuts", report.cuts);
}

/// A page that tells of a trim was under way, and could be read once: the restart, cut again, must not have erased
/// what was promised before the trim until the page stands elsewhere.
#[test]
fn trimmed_data_is_kept_until_what_tells_of_its_trim_is_safe() {
    let drive = DRIVES.iter().find(|drive| drive.name == "two_kinds_given").expect("it is one");
    let choice = CutChoice { at: Some(7888), ..CutChoice::default() };
    let report = report_of(drive, Service::Count, &[STEPS], choice);
    assert_eq!((report.restarts, report.losing_double_cuts), (1, 0), "{:#?}", report.losses);
    assert!(report.double_cuts > 300, "{} cuts", report.double_cuts);
}

/// Pages that tell of trims take blocks, too, and nothing but their own garbage collection wins any back.
#[test]
fn trims_and_flushes_alone_use_up_no_drive() {
    for over_provisioning in [0.1, 0.28] {
        let result = trims_and_flushes(over_provisioning).result;
        assert!(result.workload.trims > 9000, "{} trims", result.workload.trims);
        let erases = result.flash.erases;
        assert!(erases > 500, "{over_provisioning}: {erases} blocks were won back");
    }
}

/// Erases wait behind the host's requests on a drive of one plane, and nothing else is erased.
#[test]
fn a_restart_has_an_erased_block_where_erases_wait() {
    let one_plane = ["drive.channels=1", "drive.chip.planes=1", "drive.chip.blocks_per_plane=60"];
    let busy = [&one_plane[..], &["host.queue_depth=32"]].concat();
    for drive in DRIVES.iter().filter(|it| !it.name.starts_with("two_kinds")) {
        let report = report(drive, Service::ReadsFirst, &busy);
        let losing = report.losing_cuts + report.losing_double_cuts;
        assert_eq!(losing, 0, "{}: {:#?}", drive.name, report.losses);
    }
}

/// Levelling wear in the midst of a restart erased blocks that it still had to move, and what damaged ones need.
#[test]
fn a_restart_levels_no_wear() {
    for wear in ["static", "bet"] {
        let set = [&format!("ftl.wear.policy={wear}"), "ftl.wear.threshold=2"];
        for name in ["pages", "map_cache"] {
            let drive = DRIVES.iter().find(|it| it.name == name).expect("it is one");
            let report = report(drive, Service::InOrder, &set);
            let losing = report.losing_cuts + report.losing_double_cuts;
            assert_eq!(losing, 0, "{name}, {wear}: {:#?}", report.losses);
        }
    }
}

/// What a plane has no room for goes to another one, and what is erased in several dies takes as many commands.
#[test]
fn a_restart_has_the_room_of_all_planes() {
    let set = ["drive.channels=4", "host.queue_depth=32", "run.seed=1"];
    for (drive, over_provisioning) in [("pages", 0.5), ("buffer", 0.5), ("planes", 0.35)] {
        let drive = DRIVES.iter().find(|it| it.name == drive).expect("it is one");
        let over_provisioning = format!("drive.over_provisioning={over_provisioning}");
        let report =
            report(drive, Service::ReadsFirst, &[&set[..], &[&over_provisioning]].concat());
        let losing = report.losing_cuts + report.losing_double_cuts;
        assert_eq!(losing, 0, "{}: {:#?}", drive.name, report.losses);
    }
}
