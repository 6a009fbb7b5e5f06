//! Recordings: whatever runs is recorded truly, and the same runs without a recording.

use crate::common::{Dice, Script};
use crate::replay::{Replayed, replay};
use crate::runs::{Worked, lasting, worked};
use crate::tries::{self, Outcome};
use crate::{draw, requests};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use wordline_sim::config::{Config, load};
use wordline_sim::flash::tape::{Tape, TapeOptions};
use wordline_sim::nand::command::{CAUSES, Cause};
use wordline_sim::{Own, logical_bytes, simulate, simulate_own};
use wordline_trace::{GeneratorContext, from_spec};

const TRIES: u64 = 60;

/// A file in memory.
#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("none panics with it").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn check_counts(replayed: &Replayed) {
    let flash = &replayed.result["flash"];
    let causes = Cause::ALL.map(|cause| format!("{cause:?}").to_lowercase());
    let by_cause =
        |of: &str| causes.each_ref().map(|cause| flash[of][cause].as_u64().expect("a count"));
    assert_eq!(replayed.counts[..CAUSES], by_cause("page_programs"), "units programmed");
    assert_eq!(replayed.counts[CAUSES..2 * CAUSES], by_cause("page_reads"), "pages read");
    let sums = ["program_operations", "reprograms", "erases", "padding", "parity"];
    let sums = sums.map(|of| flash[of].as_u64().expect("a count"));
    let counts = [0, 1, 2, 4, 5].map(|at| replayed.counts[2 * CAUSES + at]);
    assert_eq!(counts, sums, "program operations, reprograms, erases, padding and parity");
}

fn attempt(number: u64) -> Outcome {
    let mut dice = Dice::new(number);
    let mut keys = draw::keys(&mut dice);
    keys.retain(|key| !key.starts_with("array."));
    let of_requests = Dice::new(number ^ 0x5eed);
    let script =
        |config: &Config| Script::source(requests::draw(&mut of_requests.clone(), config, 3000));
    let options =
        TapeOptions { keyframe_commands: 200, kept_commands: u64::MAX, ..TapeOptions::default() };
    let run = |config: &Config| {
        let file = File::default();
        let own = Own { tape: Some(Tape::new(Box::new(file.clone()), options)), ..Own::default() };
        let outcome = simulate_own(config, own, script(config), &mut ())?;
        Ok((outcome, std::mem::take(&mut *file.0.lock().expect("none panics with it"))))
    };
    let Some(Worked { config, result }) = worked(&mut dice, (keys, 2), run) else {
        return Outcome::Refused;
    };
    let (outcome, file) = result;
    let replayed = replay(&file);
    assert_eq!(replayed.ended_by, "run");
    let taped = outcome.taped.expect("it was recorded");
    assert_eq!((taped.commands, taped.event_bytes), (replayed.commands, replayed.event_bytes));
    check_counts(&replayed);
    let bare = simulate(&config, script(&config), &mut ()).expect("it worked before").result;
    assert!(lasting(&bare) == lasting(&outcome.result), "the recording changes the result");
    Outcome::Passed(replayed.keyframes as u64)
}

#[test]
fn events_lead_from_each_keyframe_to_the_next() {
    let passed = tries::all(TRIES, attempt);
    passed.needs(TRIES / 3, 5 * TRIES);
}
/// The recording of a small drive.
fn of_tiny(set: &[&str], requests: u32) -> Replayed {
    let options = TapeOptions { keyframe_commands: 1000, ..TapeOptions::default() };
    let replayed = recorded(set, requests, options);
    assert!(replayed.keyframes > 4, "{set:?}");
    replayed
}

fn recorded(set: &[&str], requests: u32, options: TapeOptions) -> Replayed {
    let set: Vec<String> = set.iter().map(|&key| key.to_owned()).collect();
    let config = load("preset = \"tiny\"", "a test", &set).expect("it loads");
    let context = GeneratorContext::on_drive(logical_bytes(&config).expect("a drive"), 1);
    let work =
        format!("hotcold:requests={requests},read=0.2,hot=0.1,share=0.9,interval_us=400,trim=0.02");
    let work = from_spec(&work, &context).expect("a workload");
    let file = File::default();
    let own = Own { tape: Some(Tape::new(Box::new(file.clone()), options)), ..Own::default() };
    simulate_own(&config, own, work, &mut ()).expect("it runs");
    let replayed = replay(&file.0.lock().expect("none panics with it"));
    check_counts(&replayed);
    replayed
}

/// GC of drives without a technique moves pages in stretches.
#[test]
fn stretches_of_moves_lead_from_each_keyframe_to_the_next() {
    for set in [&["run.mode=count"][..], &["host.mode=closed"], &["ftl.gc.mode=preemptible"]] {
        let replayed = of_tiny(set, 20_000);
        assert!(replayed.stretches > 100, "{set:?}");
    }
}

/// One program writes all pages of a unit, however many word lines they are on.
#[test]
fn units_of_several_pages_are_recorded_whole() {
    for unit_kib in [8, 16] {
        let unit = format!("ftl.mapping_unit_kib={unit_kib}");
        for mode in ["run.mode=count", "host.mode=closed"] {
            of_tiny(&["drive.chip.page_kib=4", &unit, mode], 5000);
        }
    }
}

/// A run that has more commands than are kept leaves stretches, each with its states, and the counts of all of it.
#[test]
fn stretches_of_a_long_run_are_spread_over_it() {
    let most = 16_000;
    let options =
        TapeOptions { keyframe_commands: 400, kept_commands: most, ..TapeOptions::default() };
    for mode in ["run.mode=count", "host.mode=closed"] {
        let replayed = recorded(&["drive.chip.blocks_per_plane=32", mode], 40_000, options);
        let Replayed { commands, kept, gaps, marks, .. } = &replayed;
        assert!(*commands > 8 * most && *kept < most && 4 * kept > most, "{commands}, {kept}");
        assert!(gaps.len() >= 4 && marks.len() < 60, "{} gaps, {} marks", gaps.len(), marks.len());
        let longest = gaps.iter().max().expect("gaps");
        assert!(3 * longest < *commands, "{longest} of {commands} are left out together");
        let sums = marks.iter().fold([0; 2], |sums, mark| [sums[0] + mark[6], sums[1] + mark[9]]);
        let counted = ["read", "write"]
            .map(|of| replayed.result["host"][of]["count"].as_u64().expect("a count"));
        assert_eq!(sums, counted, "requests of the marks");
    }
}
