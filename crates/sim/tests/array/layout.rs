//! Where pages lie.

use wordline_sim::array::{Layout, Level, Place};
use wordline_sim::ids::{DriveId, Id, Lpn, StripeId};

fn raid5(drives: u32, chunk: u32, stripes: u32) -> Layout {
    Layout { level: Level::Raid5, drives, chunk, stripes }
}

fn place(drive: u32, stripe: u32) -> Place {
    Place { drive: DriveId(drive), stripe: StripeId(stripe) }
}

/// The table of left-symmetric RAID 5 that every description of it shows: a line is a stripe, a
/// column a drive, `P` the parity.
#[test]
fn raid_5_is_left_symmetric() {
    let expected = ["0 1 2 P", "4 5 P 3", "8 P 6 7", "P 9 10 11", "12 13 14 P"];
    let layout = raid5(4, 1, 5);
    for (stripe, line) in (0..).zip(expected) {
        let shown: Vec<String> = (0..4)
            .map(|drive| match layout.page_at(place(drive, stripe)) {
                Some(page) => page.to_string(),
                None => "P".into(),
            })
            .collect();
        assert_eq!(shown.join(" "), line);
    }
}

/// With chunks of two pages, pages 0 and 1 are neighbours on a drive, and parity moves on with every
/// second stripe.
#[test]
fn chunks_stay_together() {
    let layout = raid5(3, 2, 6);
    let at = |page| layout.locate(Lpn(page));
    assert_eq!((at(0), at(1)), (place(0, 0), place(0, 1)));
    assert_eq!((at(2), at(3)), (place(1, 0), place(1, 1)));
    assert_eq!((at(4), at(6)), (place(2, 2), place(0, 2)));
    let parity: Vec<u32> = (0..6).map(|at| layout.parity_of(StripeId(at)).number()).collect();
    assert_eq!(parity, [2, 2, 1, 1, 0, 0]);
}

#[test]
fn raid_0_takes_turns_and_raid_1_repeats() {
    let striped = Layout { level: Level::Raid0, drives: 3, chunk: 2, stripes: 4 };
    let drives: Vec<u32> = (0..12).map(|page| striped.locate(Lpn(page)).drive.number()).collect();
    assert_eq!(drives, [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
    let mirrored = Layout { level: Level::Raid1, drives: 3, chunk: 2, stripes: 4 };
    assert_eq!((striped.pages(), mirrored.pages(), raid5(3, 2, 4).pages()), (12, 4, 8));
}

/// Every page has a place of its own, and the place leads back to it.
#[test]
fn places_lead_back_to_pages() {
    for level in [Level::Raid0, Level::Raid1, Level::Raid5] {
        for drives in 3..=10 {
            for chunk in [1, 3, 4] {
                let layout = Layout { level, drives, chunk, stripes: 7 * chunk };
                for page in (0..layout.pages()).map(Lpn) {
                    let place = layout.locate(page);
                    assert!(layout.drives().contains(place.drive));
                    assert!(place.stripe.number() < layout.stripes);
                    assert_eq!(layout.page_at(place), Some(page), "{layout:?}");
                    let on_parity =
                        level == Level::Raid5 && layout.parity_of(place.stripe) == place.drive;
                    assert!(!on_parity, "{layout:?}");
                }
            }
        }
    }
}
