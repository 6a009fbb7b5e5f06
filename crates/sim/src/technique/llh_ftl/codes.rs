//! What a second write of a page holds, how often it fails, and how long its encoding takes: as assumed, or
//! by the table that `tools/write-wom-table` measures.

use crate::declare::choice;
use crate::error::Error;
use crate::nand::infeasible;

choice! {
    /// How second writes are encoded.
    pub enum Code {
        Assumed = "assumed",
        Polar = "polar",
        Polar64 = "polar64",
        Ldgm = "ldgm",
        Elimination = "elimination",
    }
}

const TABLE: &str = include_str!("../../../../../presets/codes/wom.csv");
const KIND: &str = "# wordline code table: second writes, version 1";
const COLUMNS: &str =
    "code,page_kib,spare_percent,message_eighths,trials,failures,attempts,encode_us";

/// Messages of the table, in eighths of a page: half of it, and what goes without spare area.
const HALF: u32 = 4;
const LESS: u32 = 3;

/// Share of second writes that may fail where a spare area is called enough (Section 4).
const ENOUGH: f64 = 0.0025;

/// What is asked of second writes: the code, and the spare area of each page that it may use; what is assumed
/// where no code is named.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub code: Code,
    pub spare_percent: f64,
    pub failure: f64,
    pub encode_us: f64,
}

/// Second writes of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SecondWrites {
    /// Units that one carries.
    pub units: u32,
    /// Units' worth of cells that a read of one of them takes.
    pub cells_of_unit: u32,
    /// Probability that it cannot be encoded.
    pub failure: f64,
    /// Time that its encoding takes.
    pub encode_us: f64,
    /// Spare area of a page that its code uses, percent of its data.
    pub spare_percent: f64,
}

/// A line of the table: spare area in percent, failures and time of a message of so many eighths.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Point {
    spare: f64,
    eighths: u32,
    failure: f64,
    encode_us: f64,
}

impl SecondWrites {
    /// Those of pages of so many units.
    ///
    /// # Errors
    /// A page of which the table says nothing, or on which no second write succeeds.
    pub fn of(own: &Wanted, page_kib: f64, units: u32) -> Result<Self, Error> {
        if own.code == Code::Assumed {
            return Ok(Self::of_units(units, units / 2, own.failure, own.encode_us, 0.0));
        }
        let points = points(own.code, page_kib)?;
        let half = at_spare(&points, own.spare_percent);
        let with = |eighths: u32, point: &Point| {
            let &Point { spare, failure, encode_us, .. } = point;
            Self::of_units(units, units * eighths / 8, failure, encode_us, spare)
        };
        let less = points.iter().find(|point| point.eighths == LESS);
        let choices = [Some(with(HALF, &half)), less.map(|point| with(LESS, point))];
        let carried = |one: &Self| f64::from(one.units) * (1.0 - one.failure);
        let best = choices.into_iter().flatten().max_by(|a, b| carried(a).total_cmp(&carried(b)));
        best.filter(|best| carried(best) > 0.0).ok_or_else(|| {
            infeasible(
                format!(
                    "technique llh_ftl: code = \"{}\" fails in all second writes of half a page of {page_kib} KiB with {} % of spare area",
                    own.code, own.spare_percent
                ),
                more_room(own, page_kib),
            )
        })
    }

    /// So many units over a page of `of_page`.
    fn of_units(
        of_page: u32,
        units: u32,
        failure: f64,
        encode_us: f64,
        spare_percent: f64,
    ) -> Self {
        let cells_of_unit = of_page.div_ceil(units.max(1));
        Self { units, cells_of_unit, failure, encode_us, spare_percent }
    }
}

/// What to change so that half a page fits: spare area, or a code that makes do with the spare area there is.
pub(super) fn more_room(own: &Wanted, page_kib: f64) -> String {
    let enough = |code| {
        let fits = |point: &&Point| point.eighths == HALF && point.failure <= ENOUGH;
        points(code, page_kib).ok()?.iter().find(fits).map(|point| point.spare)
    };
    let others = Code::ALL.iter().filter(|&&code| code != Code::Assumed && code != own.code);
    let code = others
        .filter_map(|&code| Some((code, enough(code)?)))
        .find(|&(_, spare)| spare <= own.spare_percent)
        .map(|(code, _)| format!(", or technique.llh_ftl.code to \"{code}\""))
        .unwrap_or_default();
    match enough(own.code) {
        Some(spare) => format!(
            "set technique.llh_ftl.spare_percent to {spare} where the chip has so much{code}"
        ),
        None => "set technique.llh_ftl.code to \"assumed\", which assumes half a page".to_owned(),
    }
}

/// The lines of a code and a page, by spare area.
fn points(code: Code, page_kib: f64) -> Result<Vec<Point>, Error> {
    let mut lines = TABLE.lines();
    assert_eq!((lines.next(), lines.next()), (Some(KIND), Some(COLUMNS)), "presets/codes/wom.csv");
    let of: Vec<Point> = lines.filter_map(|line| point(line, code, page_kib)).collect();
    if of.is_empty() {
        return Err(infeasible(
            format!(
                "technique llh_ftl: presets/codes/wom.csv has no second writes of pages of {page_kib} KiB"
            ),
            "set drive.chip.page_kib to 4, 8, 16 or 32, or technique.llh_ftl.code to \"assumed\"",
        ));
    }
    Ok(of)
}

fn point(line: &str, code: Code, page_kib: f64) -> Option<Point> {
    let fields: Vec<&str> = line.split(',').collect();
    let number = |at: usize| fields.get(at)?.parse::<f64>().ok();
    let is_of = fields[0] == code.name() && number(1)? == page_kib;
    is_of.then_some(Point {
        spare: number(2)?,
        eighths: fields.get(3)?.parse().ok()?,
        failure: number(5)? / number(4)?,
        encode_us: number(7)?,
    })
}

/// Half a page with so much spare area at most: cells may be left unused where the code does better without.
fn at_spare(points: &[Point], spare: f64) -> Point {
    let fits = |point: &&Point| point.eighths == HALF && point.spare <= spare;
    let best = points.iter().filter(fits).min_by(|a, b| a.failure.total_cmp(&b.failure));
    *best.expect("the table begins without spare area")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(code: Code, spare_percent: f64) -> Wanted {
        Wanted { code, spare_percent, failure: 0.0025, encode_us: 0.0 }
    }

    fn of(code: Code, spare_percent: f64, page_kib: f64) -> Result<SecondWrites, Error> {
        SecondWrites::of(&wanted(code, spare_percent), page_kib, (page_kib / 4.0) as u32)
    }

    #[test]
    fn what_is_assumed_is_taken_as_it_is() {
        let own = Wanted { failure: 0.125, encode_us: 7.0, ..wanted(Code::Assumed, 12.0) };
        let found = SecondWrites::of(&own, 12.0, 6).expect("any page will do");
        assert_eq!(
            found,
            SecondWrites {
                units: 3,
                cells_of_unit: 2,
                failure: 0.125,
                encode_us: 7.0,
                spare_percent: 0.0
            }
        );
    }

    #[test]
    fn without_spare_area_three_eighths_go_where_a_page_has_eight_units() {
        for &code in &Code::ALL[1..] {
            let found = of(code, 0.0, 32.0).expect("three units of eight");
            assert_eq!((found.units, found.cells_of_unit), (3, 3), "{code}");
            assert!(found.failure < 0.0025 && found.encode_us > 10.0, "{code}: {found:?}");
            // Of two units it would be none.
            let refused = of(code, 0.0, 8.0).expect_err("half a page in a page is too much");
            let told = format!("{refused:?}");
            assert!(told.contains("spare_percent") && told.contains("8 KiB"), "{told}");
            // No other code makes do without spare area either.
            assert!(!told.contains("technique.llh_ftl.code to"), "{told}");
        }
    }

    #[test]
    fn a_code_is_named_that_makes_do_with_the_spare_area_there_is() {
        for (spare_percent, named) in [(0.0, None), (2.5, Some("ldgm")), (1.5, Some("elimination"))]
        {
            let help = more_room(&wanted(Code::Polar, spare_percent), 8.0);
            let found = help.split("code to \"").nth(1).and_then(|rest| rest.split('"').next());
            assert_eq!(found, named, "{help}");
        }
    }

    #[test]
    fn the_spare_areas_of_real_chips_hold_half_a_page_for_the_codes_that_need_so_little() {
        use Code::{Elimination, Ldgm, Polar, Polar64};
        // docs/ecc.md: which chips have room at 0.25 %.
        for (page_kib, spare, enough, not) in [
            (16.0, 10.15, &[Polar, Polar64, Ldgm, Elimination][..], &[][..]),
            (8.0, 7.81, &[Polar64, Ldgm, Elimination], &[Polar]),
            (16.0, 11.42, &[Polar, Polar64, Ldgm, Elimination], &[]),
            (8.0, 3.12, &[Ldgm, Elimination], &[Polar, Polar64]),
        ] {
            for &code in enough {
                let found = of(code, spare, page_kib).expect("half a page");
                assert!(found.failure <= 0.0025, "{code} {spare}: {found:?}");
            }
            for &code in not {
                let failure = of(code, spare, page_kib).map_or(1.0, |found| found.failure);
                assert!(failure > 0.0025, "{code} {spare}: {failure}");
            }
        }
    }

    #[test]
    fn spare_area_that_makes_a_code_worse_is_left_alone() {
        let point =
            |spare, failure| Point { spare, eighths: HALF, failure, encode_us: 2.0 * spare };
        let points = [point(0.0, 1.0), point(0.5, 0.2), point(1.0, 0.4), point(1.5, 0.1)];
        for (spare, failure) in [(0.0, 1.0), (0.4, 1.0), (0.5, 0.2), (1.0, 0.2), (9.0, 0.1)] {
            let found = at_spare(&points, spare);
            assert_eq!((found.failure, found.encode_us > 0.0), (failure, spare >= 0.5));
        }
    }
}
