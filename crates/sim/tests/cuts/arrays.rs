//! Power fails in all drives of an array at the same instant: nothing that was flushed may be missing, and a partial
//! parity log or a journal has to close the write hole that RAID 5 has without one.

use wordline_sim::config::load;
use wordline_sim::power::{ArrayReport, CutReport};
use wordline_sim::{CutChoice, logical_bytes, power_cuts};
use wordline_trace::{GeneratorContext, from_spec};

const DRIVES: &str = "
    [run]
    seed = 7
    [drive]
    channels = 2
    chips_per_channel = 1
    over_provisioning = 0.6
    [drive.chip]
    cell = \"tlc\"
    dies = 1
    planes = 1
    blocks_per_plane = 24
    pages_per_block = 24
    page_kib = 4
    [drive.scheduling]
    order = \"in_order\"
    [ftl]
    acknowledge = \"program\"
    [ftl.gc]
    mode = \"foreground\"
    [power]
    protection = \"none\"
    [host]
    mode = \"closed\"
    queue_depth = 8
    [array]
    drives = 3
    chunk_kib = 16
    stripe_cache = 32
    log_kib = 64
";

const WORKLOAD: &str = "zipf:requests=1e3,read=0.2,trim=0.01,flush=0.03,fua=0.03,theta=0.8";
const JOURNAL: &[&str] = &["array.write_hole=journal", "array.journal_kib=64"];

fn cut(set: &[&str]) -> Result<CutReport, String> {
    let keys: Vec<String> = set.iter().map(|&key| key.to_owned()).collect();
    let config = load(DRIVES, "array", &keys).map_err(|error| error.to_string())?;
    let bytes = logical_bytes(&config).map_err(|error| error.to_string())?;
    let context = GeneratorContext::on_drive(bytes, 7);
    let workload = from_spec(WORKLOAD, &context).expect("it is a workload");
    power_cuts(&config, workload, CutChoice::default(), &mut ()).map_err(|error| error.to_string())
}

/// The cuts of an array of which nothing that was flushed may be missing.
fn kept(set: &[&str]) -> (CutReport, ArrayReport) {
    let report = cut(set).unwrap_or_else(|error| panic!("{set:?}: {error}"));
    let losing = report.losing_cuts + report.losing_double_cuts;
    assert_eq!(losing, 0, "{set:?}: {:#?}", report.losses);
    assert!(report.restarts > 4, "{set:?}: {} restarts", report.restarts);
    assert!(report.double_cuts > 1_000, "{set:?}: {} cuts of restarts", report.double_cuts);
    assert!(report.cuts > 5_000, "{set:?}: {} cuts", report.cuts);
    assert!(report.promises > 500, "{set:?}: {} promises", report.promises);
    assert!(report.commands_cut_mean > 1.0, "{set:?}: {}", report.commands_cut_mean);
    let array = report.array.expect("it is an array");
    (report, array)
}

#[test]
fn stripes_and_mirrors_keep_what_was_flushed() {
    for order in ["in_order", "reads_first"] {
        let order = format!("drive.scheduling.order={order}");
        let (_, stripes) = kept(&["array.level=raid0", &order]);
        assert_eq!(stripes, ArrayReport::default());
        kept(&["array.level=raid0", &order, "drive.chip.erase_ms=0"]);
        let (_, mirrors) = kept(&["array.level=raid1", &order]);
        assert!(mirrors.unmatched_cuts > 0 && mirrors.unmatched_most > 0, "{mirrors:?}");
        assert_eq!((mirrors.hole_cuts, mirrors.hole_pages), (0, 0));
    }
}

/// Parity of three drives is always made of data that is read, that of four is read, modified and written; pages of the
/// array are units of its drives, or halves.
const RAID5: [&[&str]; 2] = [
    &["array.level=raid5", "drive.scheduling.order=in_order"],
    &[
        "array.level=raid5",
        "array.drives=4",
        "array.page_kib=2",
        "array.rmw=prefer",
        "drive.scheduling.order=reads_first",
    ],
];

/// Cuts of an array with a log, whose restarts read some of what all stripes are.
fn has_no_hole(set: &[&str]) -> CutReport {
    let (report, array) = kept(set);
    let ArrayReport { restart_page_reads: pages, restart_read_ms: ms, .. } = array;
    let reads =
        ArrayReport { restart_page_reads: pages, restart_read_ms: ms, ..Default::default() };
    assert_eq!(array, reads, "{set:?}");
    assert!(pages > 1.0 && pages < 200.0 && ms > 0.0, "{set:?}: {pages} pages in {ms} ms");
    report
}

#[test]
fn raid5_has_a_write_hole() {
    // A restart compares all stripes: each of three or four drives has 1,152 pages, of which 720 hold data.
    for (raid5, pages) in RAID5.into_iter().zip([2160.0, 2880.0]) {
        let (_, open) = kept(raid5);
        assert_eq!(open.restart_page_reads, pages, "{raid5:?}");
        // Two dies of a drive sense one page at a time, 60 us each.
        assert!((open.restart_read_ms - 21.6).abs() < 1e-6, "{} ms", open.restart_read_ms);
        assert!(open.hole_cuts > 100 && open.hole_pages >= open.hole_cuts, "{open:?}");
        assert!(open.unmatched_cuts >= open.hole_cuts, "{open:?}");
        assert!(open.hole_double_cuts > 100, "{open:?}");
    }
}

/// The journal is small, so that it goes round many times; or so small that it is always full; or the whole of a drive.
#[test]
fn a_partial_parity_log_or_a_journal_closes_it() {
    for raid5 in RAID5 {
        for log in [&["array.write_hole=ppl"], JOURNAL] {
            let keys = [raid5, log].concat();
            has_no_hole(&keys);
        }
    }
    for room in ["array.journal_kib=36", "array.journal_kib=0"] {
        let keys = [RAID5[0], &["array.write_hole=journal", room]].concat();
        has_no_hole(&keys);
    }
}

/// What drives restart with, checkpoints and second erases, is what they restart with alone.
#[test]
fn drives_of_an_array_restart_as_drives_do() {
    let checkpoints = [
        "power.checkpoint_share=0.2",
        "drive.over_provisioning=2.0",
        "drive.chip.blocks_per_plane=48",
    ];
    let report = has_no_hole(&[RAID5[0], JOURNAL, &checkpoints].concat());
    assert!(report.restart.by_checkpoint > 5, "{}", report.restart.by_checkpoint);
    let forgetful = [RAID5[0], JOURNAL, &["power.erases_again=false"]].concat();
    let report = cut(&forgetful).expect("it works");
    assert_eq!(report.losing_cuts, 0, "{:#?}", report.losses);
    assert!(report.losing_double_cuts > 0);
}

#[test]
fn drives_that_lie_lose_what_the_array_promised() {
    for level in ["raid0", "raid1", "raid5"] {
        let level = format!("array.level={level}");
        let report = cut(&[&level, "power.flushes=lie"]).expect("it works");
        assert!(report.losing_cuts > 0, "{level}");
    }
}

#[test]
fn a_log_that_the_array_does_not_flush_for_is_no_help() {
    for log in [&["array.write_hole=ppl"], JOURNAL] {
        let lying = cut(&[&["array.level=raid5", "power.flushes=lie"], log].concat());
        let array = lying.expect("it works").array.expect("it is an array");
        assert!(array.hole_cuts > 0, "{array:?}");
    }
}

#[test]
fn a_loss_happens_again_in_the_midst_of_its_command() {
    let losing = cut(&["array.level=raid5", "power.flushes=lie"]).expect("it works");
    let first = &losing.losses[0];
    let config = load(DRIVES, "array", &["array.level=raid5".into(), "power.flushes=lie".into()]);
    let config = config.expect("it is right");
    let context = GeneratorContext::on_drive(logical_bytes(&config).expect("it works"), 7);
    let workload = from_spec(WORKLOAD, &context).expect("it is a workload");
    let choice = CutChoice { at: Some(first.command), ..CutChoice::default() };
    let again = power_cuts(&config, workload, choice, &mut ()).expect("it works");
    assert!(again.losing_cuts > 0 && again.cuts < losing.cuts, "{} cuts", again.cuts);
}

#[test]
fn arrays_that_cannot_be_cut_are_refused() {
    for (set, what) in [
        (&["array.level=raid5", "run.mode=count"] as &[&str], "run.mode = \"count\""),
        (&["array.level=raid1", "array.spare=true"], "array.spare"),
        (&["array.level=raid1", "array.fail=[1]"], "array.fail"),
        (&["array.level=raid0", "array.page_kib=8"], "array.page_kib"),
        (&["array.level=raid1", "array.write_hole=ppl"], "keeps no parity"),
        (&["array.level=raid5", "array.write_hole=ppl", "array.log_kib=7"], "array.log_kib"),
        (&["array.level=raid5", "array.write_hole=journal", "array.journal_kib=35"], "journal_kib"),
        (
            &["array.level=raid5", "array.write_hole=journal", "array.journal_kib=1e6"],
            "drive 3 has",
        ),
        (&["array.level=raid0", "array.write_hole=journal"], "keeps no parity"),
        (
            &[
                "array.level=raid5",
                "power.protection=9000",
                "drive.chip.program_uj=20",
                "drive.chip.erase_uj=200",
            ],
            "power.protection = 9000",
        ),
    ] {
        let told = cut(set).expect_err("it cannot be cut");
        assert!(told.contains(what), "{set:?}: {told}");
    }
}
