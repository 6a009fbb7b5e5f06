//! What word lines take, and what they refuse.

use super::WordLines;
use crate::ids::BlockId;
use crate::nand::{
    ERASED, Geometry, Kind, Mode, NORMAL, Needs, OpRow, OpTable, PROGRAM, READ, Span, Transition,
};
use crate::schema::Config;

const FIRST: Mode = "first";
const SECOND: Mode = "second";

/// TLC blocks of 4 word lines, a first stage of whole word lines and a second one in place.
struct Rig {
    ops: OpTable,
    lines: WordLines,
    first: u8,
    second: u8,
}

fn rig() -> Rig {
    let mut config = Config::default();
    config.drive.chip.pages_per_block = 12;
    let geometry = Geometry::new(&config).expect("a valid geometry");
    let mut ops = OpTable::default();
    let chip = config.drive.kinds()[0].chip;
    ops.add_flash(chip, &geometry.groups[0]).expect("latencies of each page type");
    let row = |name, needs, transition| OpRow {
        name,
        kind: Kind::Program,
        needs,
        array_ns: [1; 4],
        transition,
        transfers: true,
        energy_nj: [0; 4],
        pages_read_first: 0,
    };
    let first = ops.push(row("first", Needs::Erased, Transition::first(&[ERASED], FIRST)));
    let in_place = Transition { from: &[FIRST, SECOND], to: SECOND, passes: 2 };
    let second = ops.push(row("second", Needs::Programmed, in_place));
    Rig { lines: WordLines::new(&geometry), ops, first, second }
}

impl Rig {
    /// Carries out an operation on pages of block 1; the reason if it may not be.
    fn go(&mut self, row: u8, page: u32, pages: u32) -> Option<String> {
        let span = Span { block: BlockId(1), page, pages };
        match self.lines.carry_out(&self.ops, row, &span) {
            true => None,
            false => self.lines.judge(&self.ops, row, span).err(),
        }
    }

    fn refuses(&mut self, row: u8, page: u32, pages: u32, why: &str) {
        let fault = self.go(row, page, pages).expect("it is illegal");
        assert!(fault.contains(why), "{fault}");
    }
}

#[test]
fn pages_are_programmed_once_and_lowest_first() {
    let mut rig = rig();
    assert_eq!(rig.go(PROGRAM, 0, 2), None);
    rig.refuses(PROGRAM, 1, 1, "it has been programmed since the last erase");
    assert_eq!(rig.go(READ, 1, 1), None);
    rig.refuses(READ, 2, 1, "it was not programmed; word line 0 is normal");
    assert_eq!(rig.go(PROGRAM, 2, 1), None);
    assert_eq!(rig.go(PROGRAM, 5, 1), None, "the last page of a word line, the others skipped");
    rig.refuses(PROGRAM, 4, 1, "a higher page of its word line was programmed before");
}

#[test]
fn pages_of_a_type_are_programmed_in_the_order_of_word_lines() {
    let mut rig = rig();
    assert_eq!(rig.go(PROGRAM, 6, 1), None);
    rig.refuses(PROGRAM, 3, 1, "on a later word line was programmed before");
    assert_eq!(rig.go(PROGRAM, 1, 1), None, "of another type");
    assert_eq!(rig.go(PROGRAM, 9, 1), None);
}

#[test]
fn a_program_of_several_pages_says_nothing_of_the_types_that_it_leaves_out() {
    let mut rig = rig();
    assert_eq!(rig.go(PROGRAM, 8, 1), None, "the highest page of word line 2");
    assert_eq!(rig.go(PROGRAM, 3, 2), None, "the others of word line 1");
    rig.refuses(PROGRAM, 5, 1, "on a later word line was programmed before");
    rig.refuses(PROGRAM, 0, 2, "on a later word line was programmed before");
}

#[test]
fn a_word_line_takes_so_many_programs_in_place_and_no_more() {
    let mut rig = rig();
    let (first, second) = (rig.first, rig.second);
    rig.refuses(second, 0, 3, "its word line is erased");
    assert_eq!(rig.go(first, 0, 3), None);
    assert_eq!(rig.go(second, 0, 3), None);
    assert_eq!(rig.go(second, 0, 3), None);
    rig.refuses(second, 0, 3, "its word line may be programmed in place 2 times");
    rig.refuses(second, 0, 3, "word line 0 is second, its pages 0, 1, 2 programmed");
}

#[test]
fn a_program_in_place_lets_nothing_be_programmed_that_was_passed_before() {
    for lines in 1..3 {
        let mut rig = rig();
        let (first, second) = (rig.first, rig.second);
        assert_eq!(rig.go(first, 0, 6), None);
        assert_eq!(rig.go(PROGRAM, 9, 1), None, "the lowest page of word line 3");
        assert_eq!(rig.go(second, 0, 3 * lines), None);
        rig.refuses(PROGRAM, 6, 1, "on a later word line was programmed before");
    }
}

#[test]
fn a_program_needs_the_modes_that_its_row_names() {
    let mut rig = rig();
    let (first, second) = (rig.first, rig.second);
    assert_eq!(rig.go(PROGRAM, 0, 3), None);
    rig.refuses(second, 0, 3, "its word line is normal, not first or second");
    assert_eq!(rig.go(first, 3, 2), None);
    rig.refuses(first, 5, 1, "its word line is first, not erased");
    rig.refuses(PROGRAM, 5, 1, "its word line is first, not erased or normal");
}

#[test]
fn a_block_is_even_once_a_pass_has_gone_over_all_of_it() {
    let mut config = Config::default();
    config.drive.chip.pages_per_block = 11;
    let mut lines = WordLines::new(&Geometry::new(&config).expect("a valid geometry"));
    let block = BlockId(1);
    assert!(lines.is_erased(block) && lines.is_even(block));
    lines.fill(block, 10);
    assert!(!lines.is_erased(block) && !lines.is_even(block));
    lines.fill(block, 11);
    assert!(lines.is_even(block), "its last word line has two pages");
    let mut rig = rig();
    let (first, second) = (rig.first, rig.second);
    assert_eq!(rig.go(first, 0, 12), None);
    assert_eq!(rig.go(second, 0, 9), None);
    assert!(!rig.lines.is_even(block), "a second pass stopped before the last word line");
    assert_eq!(rig.go(second, 9, 3), None);
    assert!(rig.lines.is_even(block));
}

#[test]
fn an_erase_forgets_all_and_what_was_filled_is_normal() {
    let mut rig = rig();
    let (first, second) = (rig.first, rig.second);
    rig.refuses(READ, 0, 1, "it was not programmed; word line 0 is erased");
    assert_eq!(rig.go(first, 0, 3), None);
    assert_eq!(rig.go(READ, 2, 1), None);
    rig.lines.erase(BlockId(1));
    rig.refuses(READ, 2, 1, "it was not programmed");
    rig.lines.fill(BlockId(1), 4);
    assert_eq!(rig.go(READ, 3, 1), None);
    rig.refuses(second, 0, 1, &format!("its word line is {NORMAL}"));
    rig.refuses(first, 3, 3, "it has been programmed");
    assert_eq!(rig.go(PROGRAM, 4, 2), None);
    assert_eq!(rig.go(first, 6, 3), None);
    rig.refuses(first, 9, 4, "of page 12 of block 1: it lies beyond its block");
}
