//! What forbids an operation on a word line, and why.

use super::TYPES;
use super::line::{Line, lowest};
use crate::nand::ops::Rule;
use crate::nand::{ERASED, Kind, Needs, OpTable, Transition};

/// What forbids an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It lies beyond its block.
    Beyond,
    /// It holds nothing.
    NotProgrammed,
    /// It holds data.
    Programmed,
    /// A higher page of its word line was programmed before.
    HigherPage,
    /// A page of its type was programmed on a later word line.
    LaterLine,
    /// Its word line holds nothing.
    Erased,
    /// Its word line was programmed in place as often as it may be.
    Passes,
    /// Its word line is in another mode than its row names.
    Mode,
}

/// What forbids an operation on some pages of word line `at`, and the lowest page type at fault.
#[inline]
pub fn fault(
    rule: Rule,
    line: Line,
    of_line: u16,
    at: u32,
    next: &[u32; TYPES],
) -> Option<(u32, Fault)> {
    let first = of_line.trailing_zeros();
    match (rule.kind, rule.needs) {
        (Kind::Erase, _) | (_, Needs::NoValidData) => None,
        (Kind::Read, _) => {
            let missing = of_line & !line.pages();
            lowest(missing).map(|kind| (kind, Fault::NotProgrammed))
        }
        (Kind::Program, Needs::Programmed) => {
            in_place_fault(rule, line).map(|fault| (first, fault))
        }
        (Kind::Program, Needs::Erased) => match fresh_fault(rule, line, first) {
            Some(fault) => Some((first, fault)),
            None => lowest(of_line & passed(at, next)).map(|kind| (kind, Fault::LaterLine)),
        },
    }
}

/// Whether a page of a type was programmed on a later word line than `at`.
#[inline]
pub fn is_passed(kind: u32, at: u32, next: &[u32; TYPES]) -> bool {
    at < next[kind as usize % TYPES]
}

/// The types of which a page was programmed on a later word line than `at`, one bit for each: all are looked at,
/// which takes less than to ask of some.
#[inline]
fn passed(at: u32, next: &[u32; TYPES]) -> u16 {
    let bit = |kind: usize| u16::from(at < next[kind]) << kind;
    (0..TYPES).fold(0, |passed, kind| passed | bit(kind))
}

/// Why a page that holds nothing may not be programmed, nor those above it.
#[inline]
pub fn fresh_fault(rule: Rule, line: Line, kind: u32) -> Option<Fault> {
    match line.pages() >> kind {
        0 if rule.takes(line.mode()) => None,
        0 => Some(Fault::Mode),
        from if from & 1 == 1 => Some(Fault::Programmed),
        _ => Some(Fault::HigherPage),
    }
}

/// Why pages that hold data may not be programmed in place.
fn in_place_fault(rule: Rule, line: Line) -> Option<Fault> {
    match () {
        () if line.pages() == 0 => Some(Fault::Erased),
        () if line.passes() >= rule.passes => Some(Fault::Passes),
        () if !rule.takes(line.mode()) => Some(Fault::Mode),
        () => None,
    }
}

/// What forbids an operation, and the page: its word line in its block, and its type.
#[derive(Debug, Clone, Copy)]
pub struct Faulty {
    pub line: u32,
    pub kind: u32,
    pub fault: Fault,
}

/// What forbids an operation of a row on a word line, in words.
pub fn why(ops: &OpTable, row: u8, line: Line, fault: Fault) -> String {
    let Transition { from, passes, .. } = ops.row(row).transition;
    match fault {
        Fault::Beyond => "it lies beyond its block".to_owned(),
        Fault::NotProgrammed => "it was not programmed".to_owned(),
        Fault::Programmed => "it has been programmed since the last erase".to_owned(),
        Fault::HigherPage => "a higher page of its word line was programmed before".to_owned(),
        Fault::LaterLine => {
            "a page of its type on a later word line was programmed before".to_owned()
        }
        Fault::Erased => "its word line is erased".to_owned(),
        Fault::Passes => format!("its word line may be programmed in place {passes} times"),
        Fault::Mode => {
            format!("its word line is {}, not {}", ops.mode_name(line.mode()), from.join(" or "))
        }
    }
}

/// What a word line has been through.
pub fn history(ops: &OpTable, at: u32, line: Line) -> String {
    match ops.mode_name(line.mode()) {
        ERASED => format!("word line {at} is erased"),
        mode => {
            let pages: Vec<String> = (0..TYPES)
                .filter(|kind| line.pages() >> kind & 1 == 1)
                .map(|kind| kind.to_string())
                .collect();
            format!(
                "word line {at} is {mode}, its pages {} programmed since the erase, {} times in place",
                pages.join(", "),
                line.passes()
            )
        }
    }
}
