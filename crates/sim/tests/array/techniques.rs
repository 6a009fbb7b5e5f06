//! Arrays of drives with ReSSD, all of them or some.

use crate::common::Script;
use crate::fake::mix;
use serde_json::Value;
use wordline_sim::config::{Config, load};
use wordline_sim::metrics::{ArraySummary, DriveSummary, RunResult};
use wordline_sim::{logical_bytes, simulate};
use wordline_trace::{Op, Request};

const PAGE: u64 = 4096;

/// Drives of TLC whose word lines are programmed at once; two temperatures by the array's parity.
const TLC: &str = "preset = \"tiny\"\ndrive.chip.cell = \"tlc\"\ndrive.chip.program = \"one_shot\"\n\
                   drive.chip.pages_per_block = 48\ndrive.chip.layers_per_block = 8\n\
                   drive.over_provisioning = 0.6\nftl.hotness.policy = \"parity\"\nrun.check = true\n";

fn config(array: &str) -> Config {
    load(&format!("{TLC}{array}"), "array.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn run(config: &Config, requests: Vec<Request>) -> RunResult {
    let outcome = simulate(config, Script::source(requests), &mut ());
    outcome.unwrap_or_else(|error| panic!("{error}")).result
}

fn array(result: &RunResult) -> &ArraySummary {
    result.array.as_ref().expect("an array")
}

/// Writes of one page each, `gap_us` apart, most of them to an eighth of the space.
fn skewed(config: &Config, number: u64, gap_us: u64) -> Vec<Request> {
    let pages = logical_bytes(config).expect("it works") / PAGE;
    let draw = |n: u64| {
        let among = if mix(n ^ 1 << 41).is_multiple_of(4) { pages } else { pages / 8 };
        Request::new(Op::Write, mix(n) % among * PAGE, PAGE as u32).at(n * gap_us * 1000)
    };
    (0..number).map(draw).collect()
}

/// A count of a technique, by its path.
fn count_of(technique: &serde_json::Map<String, Value>, path: &str) -> u64 {
    let technique = Value::Object(technique.clone());
    let found = technique.pointer(&format!("/{path}"));
    found.and_then(Value::as_u64).unwrap_or_else(|| panic!("no count {path} in {technique:?}"))
}

/// One of ReSSD's.
fn count(technique: &serde_json::Map<String, Value>, path: &str) -> u64 {
    count_of(technique, &format!("ressd/{path}"))
}

/// Of a mirror every drive does what it would alone.
#[test]
fn a_drive_of_a_mirror_is_the_drive_alone() {
    let hot = "ftl.hotness.policy = \"sequence\"\ntechnique.ressd.layers = 2\n";
    let mirrored = load(
        &format!(
            "{}{hot}[array]\nlevel = \"raid1\"\ndrives = 3\n",
            TLC.replace("ftl.hotness.policy = \"parity\"\n", "")
        ),
        "array.toml",
        &[],
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let requests = skewed(&mirrored, 12_000, 5000);
    let result = run(&mirrored, requests.clone());
    for (number, drive) in (0..).zip(&array(&result).drives) {
        let own = mirrored.of_drive(number).expect("a configuration");
        let alone = run(&own, requests.clone());
        assert!(alone.flash.reprograms > 100, "{}", alone.flash.reprograms);
        assert_eq!(drive.technique, alone.technique);
        assert_eq!(drive.flash.page_programs.total(), alone.flash.page_programs.total());
        assert_eq!(drive.flash.erases, alone.flash.erases);
    }
}

/// The parity of a RAID 5 is what reprogrammable blocks take, and nothing else: without parity, none.
#[test]
fn parity_goes_to_reprogrammable_blocks() {
    let run = |level: &str| {
        let text = format!(
            "technique.ressd.candidates = 4\n[array]\nlevel = \"{level}\"\nchunk_kib = 16\n"
        );
        let config = config(&text);
        run(&config, skewed(&config, 12_000, 500))
    };
    let result = run("raid5");
    let parity: u64 = array(&result).drives.iter().map(|drive| drive.pages_written.parity).sum();
    let taken = count(&result.technique, "word_lines") + result.flash.reprograms;
    assert!((parity / 4..=parity).contains(&taken), "{taken} of {parity}");
    let striped = run("raid0");
    assert_eq!((count(&striped.technique, "word_lines"), striped.flash.reprograms), (0, 0));
}

/// Drives with ReSSD beside one without: each reports for itself, and what they count adds up.
#[test]
fn drives_of_different_techniques_serve_one_array() {
    let config = config(
        "technique.ressd.layers = 2\n[array]\nlevel = \"raid5\"\nchunk_kib = 16\n\
         drive.2.technique = {}\n",
    );
    let result = run(&config, skewed(&config, 12_000, 500));
    let drives = &array(&result).drives;
    assert_eq!(drives[2].techniques, Vec::<String>::new());
    assert!(drives[2].technique.is_empty() && drives[2].flash.reprograms == 0);
    let with: Vec<&DriveSummary> = drives.iter().filter(|drive| drive.drive != 2).collect();
    assert!(with.iter().all(|drive| drive.techniques == ["ressd"] && drive.flash.reprograms > 0));
    for path in ["word_lines", "reprograms/first", "candidates/suspended", "capacity/free_pages"] {
        let sum: u64 = with.iter().map(|drive| count(&drive.technique, path)).sum();
        assert_eq!(count(&result.technique, path), sum, "{path}");
    }
    assert!(result.technique["ressd"].get("pages_per_word_line").is_none(), "a mean of a drive");
}

/// A drive with ReSSD fails; the spare, with ReSSD too, is rebuilt, and every drive stays sound.
#[test]
fn a_drive_with_ressd_is_rebuilt() {
    let config = config(
        "technique.ressd.layers = 2\n[array]\nlevel = \"raid5\"\nchunk_kib = 16\nspare = true\n\
         fail = [1]\nfail_at_s = 2\nsync_to_end = true\n",
    );
    let result = run(&config, skewed(&config, 12_000, 500));
    let of_array = array(&result);
    assert_eq!((of_array.syncs[0].kind, of_array.syncs[0].done), ("rebuild", 1.0));
    assert_eq!(of_array.drives[4].state, "rebuilt");
    assert!(of_array.drives[4].pages_written.sync > 0);
}

/// Writes of a page each over a third of the space in turn, which live for longer than half a second.
fn in_turn(config: &Config, number: u64, gap_us: u64) -> Vec<Request> {
    let pages = logical_bytes(config).expect("it works") / PAGE / 3;
    let write =
        |n: u64| Request::new(Op::Write, n % pages * PAGE, PAGE as u32).at(n * gap_us * 1000);
    (0..number).map(write).collect()
}

/// Days of half a second, on drives that write more than they could secure: each keeps what it promises; where
/// they promise whatever is asked, the run ends.
#[test]
fn every_drive_of_an_array_keeps_its_own_deadlines() {
    let lazy = |level: &str, order: &str, valve: bool| {
        config(&format!(
            "drive.scheduling.order = \"{order}\"\nftl.acknowledge = \"buffer\"\n\
             technique.lazy_ftl.mode = \"m1\"\ntechnique.lazy_ftl.day_s = 0.5\n\
             technique.lazy_ftl.margin_s = 0.1\ntechnique.lazy_ftl.valve = {valve}\n\
             [array]\nlevel = \"{level}\"\nchunk_kib = 16\n"
        ))
    };
    for (level, order) in
        [("raid0", "in_order"), ("raid1", "reads_first"), ("raid5", "reads_first")]
    {
        let safe = lazy(level, order, true);
        let result = run(&safe, in_turn(&safe, 10_000, 60));
        for drive in &array(&result).drives {
            let count = |path: &str| count_of(&drive.technique, &format!("lazy_ftl/{path}"));
            assert_eq!(count("late"), 0, "{level}");
            assert!(count("second_stages/idle") + count("second_stages/due") > 0, "{level}");
            assert!(count("blocks_opened/secured") > 0, "{level}: {:?}", drive.technique);
        }
    }
    let reckless = lazy("raid0", "in_order", false);
    let ends = simulate(&reckless, Script::source(in_turn(&reckless, 20_000, 60)), &mut ());
    let told = ends.expect_err("drives promise what they cannot keep").to_string();
    assert!(told.contains("lazy_ftl") && told.contains("would have lost"), "{told}");
}
