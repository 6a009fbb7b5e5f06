//! What the flash allows a word line, one program before its limit and at it (Section 3.2, Figure 2).

use crate::rig::{bank, plain, technique};
use wordline_sim::ids::BlockId;
use wordline_sim::nand::{Geometry, OpTable, Span, WordLines};
use wordline_sim::technique::Cells;

/// The programs, as the technique adds them to the table.
const LOW: u8 = 3;
const LOW_AGAIN: u8 = 4;
const HIGH: u8 = 5;
const PROGRAM: u8 = 1;

/// Carries out programs of the pages of block 0 in turn; the last one's fault, if it has one.
fn last(programs: &[(u8, u32)]) -> Result<(), String> {
    let config = bank();
    let geometry = Geometry::new(&config).expect("the drive works");
    let mut table = OpTable::default();
    let flash = table.add_flash(&config.drive.chip, &geometry.groups[0]).expect("it works");
    technique(&plain(), &config).operations(&mut table, &flash);
    let names = [LOW, LOW_AGAIN, HIGH].map(|row| table.row(row).name);
    assert_eq!(names, ["low_program", "low_reprogram", "high_program"]);
    let mut lines = WordLines::new(&geometry);
    let (before, last) = programs.split_at(programs.len() - 1);
    let span = |page| Span { block: BlockId(0), page, pages: 1 };
    for &(row, page) in before {
        assert!(lines.carry_out(&table, row, &span(page)), "it is legal");
    }
    let (row, page) = last[0];
    let judged = lines.judge(&table, row, span(page));
    assert_eq!(lines.carry_out(&table, row, &span(page)), judged.is_ok());
    judged
}

#[track_caller]
fn refused(programs: &[(u8, u32)], why: &str) {
    let fault = last(programs).expect_err("the cells cannot do that");
    assert!(fault.contains(why), "{fault}");
}

#[test]
fn a_low_page_is_programmed_twice_and_no_third_time() {
    assert_eq!(last(&[(LOW, 0), (LOW_AGAIN, 0)]), Ok(()));
    refused(&[(LOW, 0), (LOW_AGAIN, 0), (LOW_AGAIN, 0)], "in place 1 times");
    refused(&[(LOW_AGAIN, 0)], "erased");
    refused(&[(LOW, 0), (LOW, 0)], "programmed since the last erase");
}

#[test]
fn a_low_page_is_programmed_again_only_before_its_high_page() {
    assert_eq!(last(&[(LOW, 0), (LOW, 2), (LOW_AGAIN, 0), (HIGH, 1), (LOW_AGAIN, 2)]), Ok(()));
    refused(&[(LOW, 0), (HIGH, 1), (LOW_AGAIN, 0)], "low_and_high, not low");
    refused(&[(PROGRAM, 0), (LOW_AGAIN, 0)], "normal, not low");
    refused(&[(PROGRAM, 0), (PROGRAM, 1), (LOW_AGAIN, 0)], "normal, not low");
}

#[test]
fn a_high_page_follows_its_low_page_and_is_programmed_once() {
    assert_eq!(last(&[(LOW, 0), (HIGH, 1)]), Ok(()));
    assert_eq!(last(&[(LOW, 0), (LOW_AGAIN, 0), (HIGH, 1)]), Ok(()));
    refused(&[(HIGH, 1)], "erased, not low or low_again");
    refused(&[(LOW, 0), (HIGH, 1), (HIGH, 1)], "programmed since the last erase");
    refused(&[(LOW, 0), (PROGRAM, 1)], "low, not erased or normal");
}

#[test]
fn pages_of_a_type_are_programmed_in_the_order_of_their_word_lines() {
    refused(&[(LOW, 2), (LOW, 0)], "later word line");
    refused(&[(LOW, 0), (LOW, 2), (HIGH, 3), (HIGH, 1)], "later word line");
}
