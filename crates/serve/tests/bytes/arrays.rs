//! Arrays whose drives hold data: what is written comes back, also where a drive is missing or has lost a page, and the
//! flash of the drives holds copies or parity.

use crate::drives::{DRIVES, config, drive};
use crate::{Numbers, ask, check, what_comes_back};
use wordline_serve::{Drive, Home, Logs, Pace};
use wordline_sim::array::{Layout, Level};
use wordline_sim::ids::{DriveId, Lpn, StripeId};
use wordline_sim::{Error, Outcome};

pub const RAID0: &str = "array.level=raid0 array.drives=3 array.chunk_kib=16";
pub const RAID1: &str = "array.level=raid1 array.drives=2 array.chunk_kib=16";
pub const RAID5: &str = "array.level=raid5 array.drives=3 array.chunk_kib=16 array.stripe_cache=16";

pub fn words(keys: &str) -> Vec<&str> {
    keys.split_whitespace().collect()
}

pub fn keys_of(name: &str) -> &'static str {
    DRIVES.iter().find(|(of, _)| *of == name).expect("there is such a drive").1
}

#[test]
fn every_level_gives_back_what_was_written() {
    for (level, requests) in [(RAID0, 6000), (RAID1, 3000), (RAID5, 4000)] {
        for order in ["run.mode=count", "drive.scheduling.order=reads_first"] {
            check("pages", "", &[&words(level)[..], &[order]].concat(), requests);
        }
    }
}

#[test]
fn every_technique_gives_back_what_was_written_to_an_array() {
    for (name, keys) in DRIVES {
        // Pages of a drive that maps larger units are those units.
        let page = if *name == "large_units" { "array.page_kib=16" } else { "array.page_kib=4" };
        check(name, keys, &[&words(RAID5)[..], &[page]].concat(), 3500);
    }
}

#[test]
fn codes_correct_what_the_drives_of_an_array_read() {
    let code = ["data.code=ldpc", "data.errors=fixed", "data.rber=0.004"];
    check("llh_ftl", keys_of("llh_ftl"), &[&words(RAID5)[..], &code].concat(), 3000);
}

/// The larger pages of an array are several units, and what is less than a page is completed.
#[test]
fn a_page_may_be_several_units() {
    check("pages", "", &[&words(RAID5)[..], &["array.page_kib=16"]].concat(), 2500);
}

/// Where the pages of an array lie; `None`: it is none.
pub fn layout(drive: &Drive) -> Option<Layout> {
    let array = &drive.config().array;
    let level = Level::of(array.level)?;
    let drives = array.drives as u32;
    let chunk = (array.chunk_kib / array.page_kib) as u32;
    let mut layout = Layout { level, drives, chunk, stripes: 0 };
    layout.stripes = (drive.size_bytes() / drive.unit_bytes()) as u32 / layout.data_drives();
    Some(layout)
}

/// Every page on every drive is what the host wrote, or the parity of that; `absent` has none.
fn check_flash(drive: &Drive, plain: &[u8], absent: Option<u32>) {
    let layout = layout(drive).expect("it is an array");
    let page_bytes = drive.unit_bytes() as usize;
    let page = |lpn: Lpn| &plain[lpn.0 as usize * page_bytes..][..page_bytes];
    let mut written = 0;
    for stripe in (0..layout.stripes).map(StripeId) {
        let held = drive.stripe(stripe);
        assert_eq!(held.len(), layout.drives as usize);
        let mut expected = vec![vec![0; page_bytes]; held.len()];
        let data = |of: DriveId| match layout.level {
            Level::Raid1 => Some(Lpn(stripe.0.into())),
            _ => (0..plain.len() / page_bytes)
                .map(|lpn| Lpn(lpn as u64))
                .skip((stripe.0 / layout.chunk * layout.chunk * layout.data_drives()) as usize)
                .take((layout.chunk * layout.data_drives()) as usize)
                .find(|&lpn| {
                    let place = layout.locate(lpn);
                    (place.drive, place.stripe) == (of, stripe)
                }),
        };
        for (of, expected) in layout.drives().into_iter().zip(&mut expected) {
            if let Some(lpn) = data(of) {
                expected.copy_from_slice(page(lpn));
            } else {
                assert_eq!(layout.parity_of(stripe), of);
            }
        }
        if layout.level == Level::Raid5 {
            let parity = layout.parity_of(stripe).0 as usize;
            for byte in 0..page_bytes {
                expected[parity][byte] = expected.iter().fold(0, |sum, page| sum ^ page[byte]);
            }
            written += u32::from(expected[parity].iter().any(|&byte| byte != 0));
        } else {
            written += u32::from(expected.iter().flatten().any(|&byte| byte != 0));
        }
        for (of, (held, expected)) in (0..).zip(held.iter().zip(&expected)) {
            if absent == Some(of) {
                assert!(held.is_none(), "drive {of} is lost, and holds stripe {stripe:?}");
            } else {
                let held = held.as_ref().expect("it can be read");
                assert!(**held == **expected, "stripe {stripe:?} on drive {of}");
            }
        }
    }
    assert!(written > layout.stripes / 8, "{written} of {} stripes", layout.stripes);
}

/// Asks an array at random, lets it come to rest, and gives it, what it holds, and the result.
fn asked(name: &str, keys: &str, more: &[&str], requests: u64) -> (Drive, Vec<u8>, Outcome) {
    let drive = drive(name, keys, more);
    let mut plain = vec![0; drive.size_bytes() as usize];
    let mut numbers = Numbers(0x51ed_270b_77f5_4d21);
    for request in 0..requests {
        ask(&drive, &mut plain, &mut numbers)
            .unwrap_or_else(|fault| panic!("{more:?}, request {request}: {fault}"));
    }
    let outcome = drive.finish().unwrap_or_else(|error| panic!("{more:?}: {error}"));
    let mut all = vec![0; plain.len()];
    drive.read(0, &mut all).unwrap_or_else(|fault| panic!("{more:?}: {fault}"));
    assert!(all == plain, "{more:?}");
    (drive, plain, outcome)
}

#[test]
fn the_flash_of_the_drives_holds_the_data_its_copies_and_its_parity() {
    for level in [RAID0, RAID1, RAID5] {
        for rmw in ["array.rmw=disable", "array.rmw=enable", "array.rmw=prefer"] {
            let (drive, plain, _) = asked("pages", "", &[&words(level)[..], &[rmw]].concat(), 1500);
            check_flash(&drive, &plain, None);
        }
    }
    let scrub = ["array.scrub=true", "array.sync_to_end=true"];
    let more = [&words(RAID5)[..], &scrub].concat();
    let (drive, plain, outcome) = asked("ressd", keys_of("ressd"), &more, 1500);
    check_flash(&drive, &plain, None);
    let array = outcome.result.array.expect("it is an array");
    assert_eq!(array.mismatches, 0, "a scrub compares bytes");
}

/// Any drive may be lost, those of parity and of data alike.
#[test]
fn an_array_without_a_drive_gives_back_what_was_written() {
    for level in [RAID1, RAID5] {
        for lost in 0..2 {
            let fail = format!("array.fail=[{lost}]");
            let more = [&words(level)[..], &[&fail, "array.fail_at_s=0.2"]].concat();
            let (drive, plain, _) = asked("pages", "", &more, 2000);
            check_flash(&drive, &plain, Some(lost));
            assert_eq!(drive.counts().repaired, 0, "nothing was lost but the drive");
        }
    }
}

#[test]
fn a_rebuild_writes_what_was_lost_to_the_spare() {
    for (level, lost) in [(RAID1, 0), (RAID5, 2)] {
        for name in ["pages", "ressd"] {
            let fail = format!("array.fail=[{lost}]");
            let own = ["array.fail_at_s=0.2", "array.spare=true", "array.sync_to_end=true", &fail];
            let more = [&words(level)[..], &own].concat();
            let (drive, plain, outcome) = asked(name, keys_of(name), &more, 2000);
            check_flash(&drive, &plain, None);
            let array = outcome.result.array.expect("it is an array");
            let states: Vec<&str> = array.drives.iter().map(|it| it.state).collect();
            assert_eq!(states[lost], "failed");
            assert_eq!(states.last(), Some(&"rebuilt"));
        }
    }
}

/// Reads and writes units of an array whose code corrects too little; returns how many reads failed.
fn lose(level: &str, more: &[&str]) -> (u64, Drive) {
    let code = ["data.errors=fixed", "data.rber=4e-6", "data.retries=0"];
    let drive = drive("pages", "", &[&words(level)[..], &code, more].concat());
    let (lost, _) = what_comes_back(level, &drive, 500, 6000);
    (lost, drive)
}

/// A page that its drive has lost comes from the others where they have it, and is an error otherwise.
#[test]
fn what_a_code_cannot_correct_comes_from_the_other_drives() {
    let (lost_alone, alone) = lose(RAID0, &[]);
    assert!(
        lost_alone > 100 && alone.counts().repaired == 0,
        "{lost_alone} lost, {:?}",
        alone.counts()
    );
    for level in [RAID1, RAID5] {
        let (lost, array) = lose(level, &[]);
        let repaired = array.counts().repaired;
        assert!(
            repaired > 50 && lost < lost_alone / 3,
            "{level}: {lost} lost, {repaired} repaired"
        );
        let (lost, _) = lose(level, &["array.fail=[0]", "array.fail_at_s=0.1"]);
        assert!(lost > 10, "{level} without a drive: {lost} lost");
    }
}

#[test]
fn replies_of_an_array_keep_to_the_clock() {
    let keys = [words(RAID5), words("ftl.acknowledge=program")].concat();
    let config = config("pages", "", &keys);
    let pace = Pace::Clock { slower: 1.0 };
    let drive =
        Drive::new(&config, pace, Home::Process, Logs::default(), &mut ()).expect("it works");
    for unit in 0..8 {
        let data = vec![unit as u8 + 1; 4096];
        drive.write(4096 * unit, &data, unit % 2 == 0).expect("it takes it");
        let mut read = vec![0; 4096];
        drive.read(4096 * unit, &mut read).expect("it has it");
        assert!(read == data);
    }
    let lag = drive.counts().lag.expect("it keeps to the clock");
    assert_eq!(lag.replies, 20);
    assert!(!lag.due.is_zero());
    drive.finish().expect("it works");
}

#[test]
fn arrays_that_cannot_be_served_are_refused_with_a_way_out() {
    let refusal = |more: &[&str], home: Home<'_>| {
        let config = config("pages", "", &[&words(RAID5)[..], more].concat());
        match Drive::new(&config, Pace::Virtual, home, Logs::default(), &mut ()) {
            Err(Error::Infeasible { what, help }) => (what, help),
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("{more:?} is served"),
        }
    };
    let (what, help) = refusal(&["array.write_hole=ppl"], Home::Process);
    assert!(what.contains("array.write_hole") && help.contains("open"), "{what}; {help}");
    let large = ["drive.chip.page_kib=16", "ftl.mapping_unit_kib=16"];
    let (what, help) = refusal(&large, Home::Process);
    assert!(what.contains("array.page_kib") && help.contains("ftl.mapping_unit_kib"), "{what}");
}
