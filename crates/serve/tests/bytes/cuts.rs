//! Power fails at any moment of what was recorded, and the drive that comes back holds what was promised.

use crate::Numbers;
use crate::arrays::{RAID0, RAID1, RAID5, keys_of};
use crate::drives::{DRIVES, ORDERS, TIMED, config, unprotected};
use crate::image::File;
use std::collections::BTreeSet;
use std::fs;
use wordline_serve::{
    Asked, Drive, Home, Logs, OpKind, Pace, Plan, RecordedCuts, Recorder, Recording, cut,
};
use wordline_sim::Error;
use wordline_sim::config::Config;

const BARE: &str = " power.protection=none drive.chip.blocks_per_plane=48";

/// Changes of a drive of a MiB, half of which are over before a flush.
fn recording(changes: usize) -> Recording {
    let mut numbers = Numbers(0x51ab_37c9_02de_6f81);
    let size_bytes = 1 << 20;
    let mut one = |number: usize| {
        let offset = numbers.below(size_bytes / 512 - 20) * 512;
        let bytes = (1 + numbers.below(20)) * 512;
        let deed = match numbers.below(20) {
            0 => OpKind::Flush,
            1 => OpKind::Trim(bytes),
            _ => OpKind::Write(vec![number as u8 | 1; bytes as usize].into()),
        };
        Asked { offset, deed, safe: numbers.below(40) == 0 }
    };
    Recording { size_bytes, asked: (0..changes).map(&mut one).collect() }
}

fn plan(cuts: u64, after: u64, seed: u64) -> Plan {
    Plan { cuts, after, seed, of_block_layer: false }
}

fn made(config: &Config, recording: &Recording, cuts: u64) -> Result<RecordedCuts, Error> {
    cut(config, recording, plan(cuts, 0, 3), &mut |_| Ok(None), &mut ())
}

fn told(config: &Config, recording: &Recording) -> String {
    made(config, recording, 1).expect_err("it is refused").to_string()
}

#[test]
fn every_technique_keeps_what_was_flushed() {
    let recording = recording(1000);
    for (at, (name, keys)) in unprotected().enumerate() {
        let orders = if TIMED.contains(&name) { &ORDERS[1..] } else { ORDERS };
        let config = config(name, &format!("{keys}{BARE}"), &[orders[at % orders.len()]]);
        let report = made(&config, &recording, 15).unwrap_or_else(|it| panic!("{name}: {it}"));
        assert_eq!(report.losses, [], "{name}");
        assert_eq!((report.cuts, report.losing_cuts), (15, 0), "{name}");
        assert!(report.moments > 1000, "{name}: {report:?}");
    }
}

#[test]
fn an_array_of_any_level_keeps_what_was_flushed() {
    let recording = recording(600);
    for (level, name) in [(RAID0, "pages"), (RAID1, "pages"), (RAID5, "pages"), (RAID5, "ressd")] {
        let keys = format!("{} {level}{BARE}", keys_of(name));
        let sound = self::config(name, &keys, &["drive.scheduling.order=in_order"]);
        let report = made(&sound, &recording, 20).unwrap_or_else(|it| panic!("{level}: {it}"));
        assert_eq!(report.losses, [], "{level}");
        assert_eq!((report.cuts, report.losing_cuts), (20, 0), "{level}");
        let lies = format!("{keys} power.flushes=lie host.write_buffer_mib=1");
        let lies = self::config(name, &lies, &[]);
        let report = made(&lies, &recording, 10).unwrap_or_else(|it| panic!("{level}: {it}"));
        assert!(report.losing_cuts > 5, "{level}: {report:?}");
    }
}

/// A drive so small that its second rounds begin within the recording.
#[test]
fn second_writes_by_their_code_keep_what_was_flushed() {
    let coded = [
        "drive.channels=1",
        "drive.chip.blocks_per_plane=24",
        "technique.llh_ftl.spare_percent=10.5",
        "data.second_write=coded",
        "data.code=ldpc",
    ];
    let recording = recording(1500);
    let every_order = ORDERS.iter().map(|&order| (order, "polar"));
    let others = [(ORDERS[1], "ldgm"), (ORDERS[1], "elimination")];
    for (order, code) in every_order.chain(others) {
        let code = format!("technique.llh_ftl.code={code}");
        let keys = format!("{}{BARE}", keys_of("llh_ftl"));
        let config = config("llh_ftl", &keys, &[&coded[..], &[order, code.as_str()]].concat());
        let report = made(&config, &recording, 20).unwrap_or_else(|it| panic!("{code}: {it}"));
        assert_eq!((report.cuts, report.losses), (20, Vec::new()), "{order}, {code}");
    }
}

/// Pages in the flash tell of trims: without them data comes back that was trimmed, and that was flushed.
#[test]
fn a_drive_that_forgets_trims_loses_them() {
    let recording = recording(800);
    for name in ["pages", "llh_ftl"] {
        let keys = format!("{}{BARE} power.remembers_trims=false", keys_of(name));
        let forgetful = config(name, &keys, &["drive.scheduling.order=in_order"]);
        let report = made(&forgetful, &recording, 30).unwrap_or_else(|it| panic!("{name}: {it}"));
        assert!(report.losing_cuts > 10, "{name}: {report:?}");
    }
}

#[test]
fn flushes_that_lie_lose_what_they_promised_and_the_check_is_heard() {
    let (name, keys) = DRIVES[0];
    // What a drive keeps in its own memory is what a flush that lies loses most of.
    let lies = format!("{keys}{BARE} power.flushes=lie host.write_buffer_mib=1");
    let config = config(name, &lies, &[]);
    let recording = recording(600);
    let mut checked = Vec::new();
    let report = cut(
        &config,
        &recording,
        plan(30, 100, 1),
        &mut |found| {
            checked.push((found.number, found.bytes.len()));
            Ok((found.number == 7).then(|| "seven".to_owned()))
        },
        &mut (),
    );
    let report = report.expect("it comes back");
    assert!(report.losing_cuts > 20, "{report:?}");
    assert!(report.losses.iter().all(|it| it.changes >= 100), "{report:?}");
    assert_eq!(report.failed_checks, 1);
    assert_eq!(checked, (0..30).map(|number| (number, 1 << 20)).collect::<Vec<_>>());
    let lost = report.losses.iter().find(|it| it.units > 0).expect("one that lost something");
    assert!(lost.first_unit.is_some() && lost.found.is_none(), "{lost:?}");
}

/// Of any drive that keeps its promises.
fn of_block_layer(keys: &str, recording: &Recording, after: u64) -> (RecordedCuts, Vec<Vec<u8>>) {
    let config = config(DRIVES[0].0, &format!("{}{BARE}{keys}", DRIVES[0].1), &[]);
    let plan = Plan { of_block_layer: true, ..plan(300, after, 2) };
    let mut left = Vec::new();
    let mut look = |found: &wordline_serve::Cut<'_>| {
        left.push(found.bytes.to_vec());
        Ok(None)
    };
    let report = cut(&config, recording, plan, &mut look, &mut ()).expect("it comes back");
    (report, left)
}

#[test]
fn a_drive_that_keeps_its_promises_and_no_more_keeps_what_was_flushed() {
    let recording = recording(1000);
    let (report, left) = of_block_layer("", &recording, 0);
    assert_eq!((report.cuts, report.losing_cuts, report.moments), (300, 0, 1000), "{report:?}");
    assert!(left.iter().all(|bytes| bytes.len() == 1 << 20));
    let (report, _) = of_block_layer(" power.flushes=lie", &recording, 500);
    assert_eq!(report.losing_cuts, 300, "{report:?}");
}

#[test]
fn of_what_was_not_flushed_any_may_be_there_whole_or_torn_and_none_need() {
    let write = |at: u64, safe| Asked {
        offset: 4096 * at,
        deed: OpKind::Write(vec![7; 4096].into()),
        safe,
    };
    let flush = Asked { offset: 0, deed: OpKind::Flush, safe: false };
    let asked = vec![write(0, false), flush, write(1, false), write(2, true), write(3, false)];
    let recording = Recording { size_bytes: 1 << 16, asked };
    let (report, left) = of_block_layer("", &recording, 5);
    assert_eq!(report.losing_cuts, 0, "{report:?}");
    let sectors = |bytes: &Vec<u8>, at: usize| {
        let of_write = bytes[4096 * at..4096 * (at + 1)].chunks(512);
        let there: Vec<bool> = of_write.map(|sector| sector == [7; 512]).collect();
        let kept = there.iter().take_while(|&&it| it).count();
        assert!(!there[kept..].contains(&true), "torn at one place");
        kept
    };
    let found = |at| left.iter().map(|bytes| sectors(bytes, at)).collect::<BTreeSet<usize>>();
    assert_eq!([0, 2].map(found), [BTreeSet::from([8]), BTreeSet::from([8])]);
    assert_eq!([1, 3].map(found), [(0..=8).collect(), (0..=8).collect::<BTreeSet<usize>>()]);
    let both: BTreeSet<[usize; 2]> =
        left.iter().map(|it| [sectors(it, 1), sectors(it, 3)]).collect();
    assert!([[0, 8], [8, 0]].iter().all(|way| both.contains(way)), "each by itself: {both:?}");
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let mut recording = recording(10);
    let (name, keys) = DRIVES[0];
    assert!(told(&config(name, keys, &[]), &recording).contains("power.protection"));
    let bare = config(name, &format!("{keys}{BARE}"), &[]);
    let late = cut(&bare, &recording, plan(1, 11, 0), &mut |_| Ok(None), &mut ());
    let late = late.expect_err("there are ten").to_string();
    assert!(late.contains("after change 11 of a recording of 10"), "{late}");
    let any = Plan { of_block_layer: true, ..plan(1, 0, 0) };
    recording.size_bytes = 4096;
    let beyond = cut(&bare, &recording, any, &mut |_| Ok(None), &mut ());
    let beyond = beyond.expect_err("they go on").to_string();
    assert!(beyond.contains("change 0 of the recording goes beyond its 4096 bytes"), "{beyond}");
    recording.size_bytes = 1 << 40;
    let large = cut(&bare, &recording, any, &mut |_| Ok(None), &mut ()).expect_err("too large");
    assert!(large.to_string().contains("is of a drive of 1099511627776 bytes"), "{large}");
    assert!(told(&bare, &recording).contains("the recording is of a drive of 1099511627776 bytes"));
}

/// Zeroes are written a MiB at a time. They are safe as a whole once the last piece is, which comes last.
#[test]
fn zeroes_with_fua_are_safe_to_the_last_piece() {
    let (file, mib) = (File::new("zeroes"), 1 << 20);
    let changes = Some(Recorder::create(&file.0, false).expect("it can be made"));
    let logs = Logs { changes, ..Logs::default() };
    let drive = Drive::new(&config("zeroes", "", &[]), Pace::Virtual, Home::Process, logs, &mut ());
    let drive = drive.expect("it works");
    drive.zero(512, 2 * mib + 4096, false, true).expect("it takes them");
    drive.finish().expect("it comes to its end");
    let asked = Recording::read(&file.0).expect("it is whole").asked;
    let of = |it: &Asked| match &it.deed {
        OpKind::Write(data) => (it.offset, data.len() as u64, it.safe),
        other => panic!("{other:?}"),
    };
    let pieces: Vec<_> = asked.iter().map(of).collect();
    let expected = [(512, mib, false), (512 + mib, mib, false), (512 + 2 * mib, 4096, true)];
    assert_eq!(pieces, expected);
}

#[test]
fn a_recording_comes_back_from_its_file_and_one_that_was_cut_short_is_refused() {
    let file = File::new("recording");
    let mut recorded = recording(50);
    let writes = recorded.asked.iter_mut().filter(|it| matches!(it.deed, OpKind::Write(_)));
    writes.step_by(3).for_each(|it| it.safe = true);
    let mut recorder = Recorder::create(&file.0, false).expect("it can be made");
    recorder.begin(recorded.size_bytes).expect("it can be written");
    for Asked { offset, deed, safe } in &recorded.asked {
        let added = match deed {
            OpKind::Write(data) => recorder.write(*offset, data, *safe),
            OpKind::Trim(bytes) => recorder.trim(*offset, *bytes, *safe),
            OpKind::Flush => recorder.flush(),
        };
        added.expect("it can be written");
    }
    recorder.finish().expect("it can be written");
    let found = Recording::read(&file.0).expect("it is whole");
    let of = |it: &Asked| match it.deed {
        OpKind::Flush => (0, OpKind::Flush, false),
        _ => (it.offset, it.deed.clone(), it.safe),
    };
    let asked = |it: &Recording| it.asked.iter().map(of).collect::<Vec<_>>();
    assert_eq!(found.size_bytes, recorded.size_bytes);
    assert_eq!(asked(&found), asked(&recorded));
    let there = Recorder::create(&file.0, false).expect_err("it is there").to_string();
    assert!(there.contains("it is there already"), "{there}");
    let bytes = fs::read(&file.0).expect("it is there");
    fs::write(&file.0, &bytes[..bytes.len() - 1]).expect("it can be written");
    let short = Recording::read(&file.0).expect_err("it is short").to_string();
    assert!(short.contains("change 49"), "{short}");
    fs::write(&file.0, b"something else entirely").expect("it can be written");
    let none = Recording::read(&file.0).expect_err("it is none").to_string();
    assert!(none.contains("it is no recording of a served drive"), "{none}");
}
