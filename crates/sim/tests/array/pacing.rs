//! How fast a rebuild goes: what holds it back, and what does not.

use crate::fake::{Ask, PAGE, Rig, SECTORS, ask, finish, rig, rules};
use wordline_sim::array::{Layout, Level, Rules, SECTOR_BYTES};
use wordline_sim::ids::{DriveId, MemberId};
use wordline_trace::Op;

/// Stripes of a window.
const WINDOW: u64 = 32;

/// A RAID 5 of four drives and a spare, of so many windows.
fn raid5(windows: u64, rules: Rules, longest_ns: u64) -> Rig {
    let stripes = (windows * WINDOW) as u32;
    rig(Layout { level: Level::Raid5, drives: 4, chunk: 1, stripes }, rules, 5, longest_ns)
}

/// A read of the first page of a stripe.
fn read(array: &mut Rig, stripe: u64) {
    let (at_ns, first) = (array.core.now_ns, 3 * stripe * SECTORS as u64);
    ask(array, Ask { at_ns, op: Op::Read, first, sectors: SECTORS as u64, fua: false });
}

/// Stripes of the rebuild that were begun, and those that are done.
fn course(array: &Rig) -> (u64, u64) {
    let begun = array.core.counts.drives[MemberId(0)].pages_read[2];
    let done = array.core.counts.syncs.last().map_or(0, |sync| u64::from(sync.done));
    (begun, done)
}

/// The courses of a rebuild, moment by moment, in whose first window the host reads a page.
fn courses(sync_min_mb_s: f64, stripe_cache: usize) -> Vec<(u64, u64)> {
    let mut array = raid5(4, Rules { sync_min_mb_s, ..rules(stripe_cache) }, 1_000_000);
    array.lose_at(0, DriveId(2));
    while course(&array).0 == 0 {
        array.step().expect("drives take everything");
    }
    read(&mut array, 0);
    let mut courses = vec![course(&array)];
    while array.next_ns() < u64::MAX {
        array.step().expect("drives take everything");
        courses.push(course(&array));
    }
    assert_eq!(courses.last(), Some(&(4 * WINDOW, 4 * WINDOW)));
    courses
}

/// The window after it waits for all stripes before it. The host asks nothing more, and so no other window waits.
#[test]
fn a_window_waits_for_the_one_before_it_while_the_host_is_active() {
    let waits = |courses: &[(u64, u64)], window: u64| {
        courses.iter().all(|&(begun, done)| begun <= window * WINDOW || done >= window * WINDOW)
    };
    let active = courses(0.0, 48);
    assert_eq!([1, 2, 3].map(|window| waits(&active, window)), [false, true, false]);
    // A rebuild that is too slow waits for nothing but stripe heads.
    let slow = courses(1e12, 48);
    assert_eq!([1, 2, 3].map(|window| waits(&slow, window)), [false; 3]);
}

/// What counts begins right after the host's read: the rebuild knows of that read all the same, and its next window
/// waits.
#[test]
fn a_host_is_no_less_active_for_being_counted_anew() {
    let mut array = raid5(4, rules(48), 1_000_000);
    array.lose_at(0, DriveId(2));
    while course(&array).0 == 0 {
        array.step().expect("drives take everything");
    }
    read(&mut array, 0);
    let (before, _) = course(&array);
    array.core.counts.count_anew();
    let mut has_waited = true;
    while array.next_ns() < u64::MAX {
        array.step().expect("drives take everything");
        let (begun, done) = course(&array);
        has_waited &= before + begun <= 2 * WINDOW || done >= 2 * WINDOW;
    }
    assert_eq!(before + course(&array).0, 4 * WINDOW);
    assert!(has_waited, "the host was taken for idle");
}

/// What the host asked before the rebuild began does not make it active.
#[test]
fn a_rebuild_of_an_idle_array_begins_every_window_at_once() {
    let mut array = raid5(4, rules(256), 1_000_000);
    read(&mut array, 0);
    finish(&mut array);
    let now_ns = array.core.now_ns;
    array.lose_at(now_ns, DriveId(2));
    while course(&array).0 == 0 {
        array.step().expect("drives take everything");
    }
    assert_eq!(course(&array), (4 * WINDOW, 0));
    finish(&mut array);
}

/// A window in `window_ns` at most, of drives that take no time.
#[test]
fn a_rebuild_is_no_faster_and_no_slower_than_its_greatest_rate() {
    let window_ns = 250_000_000;
    let sync_max_mb_s = (WINDOW * PAGE) as f64 * 1000.0 / window_ns as f64;
    for windows in [9, 40] {
        let mut array = raid5(windows, Rules { sync_max_mb_s, ..rules(64) }, 0);
        array.lose_at(0, DriveId(1));
        finish(&mut array);
        // The last window is over as it begins, and up to another one has begun before it is looked at the rate.
        let took_ns = array.core.now_ns;
        let least_ns = (windows - 2) * window_ns;
        assert!((least_ns..=windows * window_ns).contains(&took_ns), "{windows}: {took_ns}");
    }
}

/// The rate is that of the last marks: a rebuild that was slow for long does not make up for all of it at once.
#[test]
fn a_rebuild_that_was_slow_forgets_it() {
    let (slow, fast) = (40, 40);
    let window_ns = 5_000_000_000;
    let sync_max_mb_s = (WINDOW * PAGE) as f64 * 1000.0 / window_ns as f64;
    let mut array = raid5(slow + fast, Rules { sync_max_mb_s, ..rules(32) }, 6_000_000_000);
    array.lose_at(0, DriveId(1));
    while course(&array).1 < slow * WINDOW {
        array.step().expect("drives take everything");
    }
    let slow_ns = array.core.now_ns;
    assert!(slow_ns > 2 * slow * window_ns * 3 / 4, "{slow_ns}");
    array.core.members.all.iter_mut().for_each(|member| member.longest_ns = 0);
    finish(&mut array);
    // Ten marks reach back by a quarter of the slow part: that much of what it lacks is made up for.
    let least_ns = (fast - slow / 2) * window_ns;
    let took_ns = array.core.now_ns - slow_ns;
    assert!((least_ns..fast * window_ns).contains(&took_ns), "{slow_ns} {took_ns}");
}

/// A page of four sectors is two mapping units of two sectors each, or half of a unit of eight, which counts whole.
#[test]
fn writes_are_counted_in_the_mapping_units_of_the_drives() {
    for (unit_sectors, units) in [(2, 2), (4, 1), (8, 1)] {
        let unit_bytes = unit_sectors * SECTOR_BYTES;
        let mut array = raid5(1, Rules { unit_bytes, ..rules(64) }, 1_000);
        let write = Ask { at_ns: 0, op: Op::Write, first: 0, sectors: SECTORS as u64, fua: false };
        ask(&mut array, write);
        finish(&mut array);
        let written = array.core.counts.units_written;
        assert_eq!((written.data, written.parity), (units, units), "{unit_sectors} sectors");
    }
}
