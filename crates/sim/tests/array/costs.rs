//! What a request costs in reads and writes of the drives, counted by hand.

use crate::fake::{Ask, PAGE, Rig, SECTORS, ask, finish, rig, rules};
use wordline_sim::array::{Layout, Level, Rmw, Rules, State, UnitsWritten};
use wordline_sim::ids::{DriveId, MemberId, StripeId};
use wordline_trace::Op;

/// A RAID 5 with chunks of one page: the pages of stripe 0 are 0, 1, 2, …, its parity is on the last
/// drive.
fn raid5(drives: u32, rmw: Rmw) -> Rig {
    let layout = Layout { level: Level::Raid5, drives, chunk: 1, stripes: 8 };
    rig(layout, Rules { rmw, ..rules(8) }, drives, 1000)
}

fn begin_write(array: &mut Rig, first: u64, sectors: u64) {
    let at_ns = array.core.now_ns;
    ask(array, Ask { at_ns, op: Op::Write, first, sectors, fua: false });
}

fn write(array: &mut Rig, first: u64, sectors: u64) {
    begin_write(array, first, sectors);
    finish(array);
}

fn write_pages(array: &mut Rig, first: u64, pages: u64) {
    write(array, first * SECTORS as u64, pages * SECTORS as u64);
}

/// Drives read and written, in order, since the last call.
fn cost(array: &mut Rig) -> (Vec<u32>, Vec<u32>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for (drive, member) in (0..).zip(array.core.members.all.iter_mut()) {
        for request in member.log.drain(..) {
            assert_eq!(u64::from(request.size_bytes) % PAGE, 0, "stripes move by whole pages");
            match request.op {
                Op::Read => reads.push(drive),
                _ => writes.push(drive),
            }
        }
    }
    (reads, writes)
}

/// Writes the first pages of a stripe that nothing is known of.
fn cold(drives: u32, pages: u64, rmw: Rmw) -> (Vec<u32>, Vec<u32>) {
    let mut array = raid5(drives, rmw);
    write_pages(&mut array, 0, pages);
    cost(&mut array)
}

/// Four drives. One page: to modify takes 2 reads (it and the parity), to reconstruct 2 (the others):
/// a tie, which goes to reconstruction. Two pages: 3 against 1. Three: nothing to read.
#[test]
fn four_drives() {
    assert_eq!(cold(4, 1, Rmw::Enable), (vec![1, 2], vec![0, 3]));
    assert_eq!(cold(4, 2, Rmw::Enable), (vec![2], vec![0, 1, 3]));
    assert_eq!(cold(4, 3, Rmw::Enable), (vec![], vec![0, 1, 2, 3]));
}

/// The tie goes the other way where modifying is preferred; where that is disabled it never happens.
#[test]
fn the_tie_and_its_rule() {
    assert_eq!(cold(4, 1, Rmw::Prefer), (vec![0, 3], vec![0, 3]));
    assert_eq!(cold(4, 2, Rmw::Prefer), (vec![2], vec![0, 1, 3]));
    assert_eq!(cold(5, 1, Rmw::Disable), (vec![1, 2, 3], vec![0, 4]));
}

/// Five drives: 2 against 3, 3 against 2, 4 against 1. Six: 2 against 4, 3 against 3, 4 against 2.
#[test]
fn more_drives() {
    assert_eq!(cold(5, 1, Rmw::Enable), (vec![0, 4], vec![0, 4]));
    assert_eq!(cold(5, 2, Rmw::Enable), (vec![2, 3], vec![0, 1, 4]));
    assert_eq!(cold(5, 3, Rmw::Enable), (vec![3], vec![0, 1, 2, 4]));
    assert_eq!(cold(6, 1, Rmw::Enable), (vec![0, 5], vec![0, 5]));
    assert_eq!(cold(6, 2, Rmw::Enable), (vec![2, 3, 4], vec![0, 1, 5]));
    assert_eq!(cold(6, 2, Rmw::Prefer), (vec![0, 1, 5], vec![0, 1, 5]));
}

/// Part of a page: the page must be known in either way. Then only the parity is left to be read in
/// order to modify, and both others to reconstruct.
#[test]
fn a_part_of_a_page() {
    let mut array = raid5(4, Rmw::Enable);
    write(&mut array, 1, 2);
    assert_eq!(cost(&mut array), (vec![0, 3], vec![0, 3]));
}

/// While a stripe reads, others that have to read wait until it writes: but a page that is written in part is read at
/// once.
#[test]
fn a_stripe_waits_for_one_that_reads() {
    let mut array = raid5(4, Rmw::Enable);
    let page = SECTORS as u64;
    for (first, sectors, reads) in [(0, page, 2), (3 * page, page, 0), (6 * page + 1, 2, 1)] {
        begin_write(&mut array, first, sectors);
        assert_eq!(cost(&mut array).0.len(), reads, "sector {first}");
    }
    assert_eq!(array.core.counts.delayed_stripes, 3);
    finish(&mut array);
}

/// While a whole stripe is written those that have to read wait, too, until the first of them has been passed over more
/// often than is allowed: the others, which have to read as well, count.
#[test]
fn a_stripe_that_is_delayed_passes_over_others() {
    let mut array = raid5(4, Rmw::Enable);
    let page = SECTORS as u64;
    begin_write(&mut array, 0, 3 * page);
    cost(&mut array);
    for (stripe, reads) in [(1, 0), (2, 0), (3, 0), (4, 2)] {
        begin_write(&mut array, 3 * stripe * page, page);
        assert_eq!(cost(&mut array).0.len(), reads, "stripe {stripe}");
    }
    finish(&mut array);
}

/// What a stripe head holds need not be read again.
#[test]
fn a_stripe_in_the_cache() {
    let mut array = raid5(4, Rmw::Enable);
    write_pages(&mut array, 0, 1);
    cost(&mut array);
    write_pages(&mut array, 0, 1);
    assert_eq!(cost(&mut array), (vec![], vec![0, 3]));
    write_pages(&mut array, 1, 1);
    assert_eq!(cost(&mut array), (vec![], vec![1, 3]));
    let counts = &array.core.counts;
    assert_eq!((counts.stripe_writes.reconstruct, counts.stripe_writes.cached), (1, 2));
}

/// Neighbours on a drive go there as one request: six stripes of four drives written whole are twelve
/// requests of two pages, or fewer, and never a read.
#[test]
fn whole_stripes() {
    let layout = Layout { level: Level::Raid5, drives: 4, chunk: 2, stripes: 12 };
    let mut array = rig(layout, rules(64), 4, 1000);
    write_pages(&mut array, 0, 36);
    assert_eq!(
        (array.core.counts.stripe_writes.full, array.core.counts.stripe_writes.read_modify),
        (12, 0)
    );
    let logs = array.core.members.all.iter().map(|member| &member.log);
    let requests: Vec<usize> = logs.clone().map(Vec::len).collect();
    assert!(requests.iter().all(|&requests| requests <= 12), "{requests:?}");
    assert!(logs.flatten().all(|request| request.op == Op::Write));
    let written: u64 = array.core.counts.drives.iter().flat_map(|drive| drive.pages_written).sum();
    assert_eq!(written, 48);
    let parity: u64 = array.core.counts.drives.iter().map(|drive| drive.pages_written[1]).sum();
    assert_eq!(parity, 12);
}

/// What a request with FUA writes is durable on every drive, its mirrors and its parity too; what was written beside
/// it is not.
#[test]
fn fua_reaches_the_drives() {
    for (level, drives, writes) in
        [(Level::Raid0, 3, 1), (Level::Raid1, 2, 2), (Level::Raid5, 3, 2)]
    {
        let layout = Layout { level, drives, chunk: 1, stripes: 8 };
        let mut array = rig(layout, rules(8), drives, 1000);
        for fua in [true, false] {
            let at_ns = array.core.now_ns;
            ask(&mut array, Ask { at_ns, op: Op::Write, first: 0, sectors: SECTORS as u64, fua });
            finish(&mut array);
            let logs = array.core.members.all.iter_mut().flat_map(|member| member.log.drain(..));
            let of_writes: Vec<bool> =
                logs.filter(|it| it.op == Op::Write).map(|it| it.fua).collect();
            assert_eq!(of_writes, vec![fua; writes], "{level:?}");
        }
    }
}

/// Two stripes have room: what parity would cost if each were written when its stripe has to leave. The
/// run itself writes it with every write.
#[test]
fn parity_if_it_were_held_back() {
    let layout = Layout { level: Level::Raid5, drives: 4, chunk: 1, stripes: 8 };
    let mut array = rig(layout, rules(2), 4, 1000);
    for (stripe, units) in [(0, 1), (1, 2), (0, 2), (1, 2), (2, 3), (0, 4)] {
        write_pages(&mut array, 3 * stripe, 1);
        let counted = array.core.counts.updates.as_ref().expect("updates are counted");
        assert_eq!(counted.parity_if_held_back(), units, "stripe {stripe}");
    }
    assert_eq!(array.core.counts.units_written, UnitsWritten { data: 6, parity: 6 });
}

/// A drive is lost. The page on it can only be reconstructed: both others are read, and the parity is
/// written alone. A page beside it: parity must be read, as the rest of the stripe cannot be. A read
/// of what is lost takes all other drives.
#[test]
fn without_a_drive() {
    let degraded_by = |lost: u32, rmw: Rmw| {
        let mut array = raid5(4, rmw);
        let now_ns = array.core.now_ns;
        array.lose_at(now_ns, DriveId(lost));
        finish(&mut array);
        array
    };
    let degraded = |lost: u32| degraded_by(lost, Rmw::Enable);
    let mut array = degraded(0);
    write_pages(&mut array, 0, 1);
    assert_eq!(cost(&mut array), (vec![1, 2], vec![3]));
    // Where the parity is lost no data is: what is written whole is not read, even where nothing is modified.
    let mut array = degraded_by(3, Rmw::Disable);
    write_pages(&mut array, 0, 1);
    assert_eq!(cost(&mut array), (vec![1, 2], vec![0]));
    let mut array = degraded(1);
    write_pages(&mut array, 0, 1);
    assert_eq!(cost(&mut array), (vec![0, 3], vec![0, 3]));
    let mut array = degraded(0);
    let at_ns = array.core.now_ns;
    ask(&mut array, Ask { at_ns, op: Op::Read, first: 0, sectors: SECTORS as u64, fua: false });
    finish(&mut array);
    assert_eq!(cost(&mut array), (vec![1, 2, 3], vec![]));
}

/// While whole stripes are being written one that needs reads is passed over, once without being counted and
/// then as often as the threshold says.
#[test]
fn a_stripe_is_passed_over_so_often() {
    let pages_before_the_read = |bypass_threshold: u32| {
        let layout = Layout { level: Level::Raid5, drives: 4, chunk: 1, stripes: 32 };
        let mut array = rig(layout, Rules { bypass_threshold, ..rules(32) }, 4, 1_000_000);
        let stripes = [(1, 3), (0, 1)].into_iter().chain((2..32).map(|stripe| (stripe, 3)));
        for (stripe, pages) in stripes {
            let (first, sectors) = (3 * stripe * SECTORS as u64, pages * SECTORS as u64);
            ask(&mut array, Ask { at_ns: 0, op: Op::Write, first, sectors, fua: false });
        }
        finish(&mut array);
        let writes = array.core.members.all[MemberId(1)]
            .log
            .iter()
            .take_while(|request| request.op == Op::Write);
        writes.map(|request| u64::from(request.size_bytes) / PAGE).sum::<u64>()
    };
    // The stripe before it is under way, and the last one that overtakes it is sent along with its reads.
    assert_eq!([1, 2, 3].map(pages_before_the_read), [3, 4, 5]);
}

/// A rebuild reads every stripe of the others once and writes it to the spare; a scrub reads all.
#[test]
fn a_rebuild_and_a_scrub() {
    let layout = Layout { level: Level::Raid5, drives: 4, chunk: 1, stripes: 8 };
    let mut array = rig(layout, rules(8), 5, 1000);
    array.lose_at(0, DriveId(2));
    finish(&mut array);
    let pages = |array: &Rig| -> Vec<(u64, u64)> {
        array.core.counts.drives.iter().map(|d| (d.pages_read[2], d.pages_written[2])).collect()
    };
    assert_eq!(pages(&array), [(8, 0), (8, 0), (0, 0), (8, 0), (0, 8)]);
    let now_ns = array.core.now_ns;
    array.scrub_at(now_ns);
    finish(&mut array);
    let kinds: Vec<_> = array.core.counts.syncs.iter().map(|run| (run.kind, run.done)).collect();
    assert_eq!(kinds, [(State::Rebuild, 8), (State::Scrub, 8)]);
    assert_eq!(array.core.counts.mismatches, 0);
}

#[test]
fn a_scrub_counts_what_does_not_agree() {
    let layout = Layout { level: Level::Raid5, drives: 4, chunk: 1, stripes: 8 };
    let mut array = rig(layout, rules(8), 4, 1000);
    [3, 6]
        .map(StripeId)
        .into_iter()
        .for_each(|stripe| array.core.contents.spoil(DriveId(1), stripe));
    array.scrub_at(0);
    finish(&mut array);
    assert_eq!(array.core.counts.mismatches, 2);
}

#[test]
fn a_rebuild_of_mirrors_reads_one_of_them() {
    let layout = Layout { level: Level::Raid1, drives: 3, chunk: 1, stripes: 8 };
    let mut array = rig(layout, rules(8), 4, 1000);
    array.lose_at(0, DriveId(1));
    finish(&mut array);
    let drives = array.core.counts.drives.iter();
    let pages: Vec<(u64, u64)> = drives.map(|d| (d.pages_read[2], d.pages_written[2])).collect();
    assert_eq!(pages, [(8, 0), (0, 0), (0, 0), (0, 8)]);
}
