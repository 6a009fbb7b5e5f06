//! Reading a chip's table of curves, as `wordline lab tables` writes it: `curve,pulse,at,value`.

use crate::error::Error;
use crate::nand::infeasible;
use crate::reliability::{Line, Table, number};

const KIND: &str = "# wordline cell table: pulses, version 1";
const COLUMNS: &str = "curve,pulse,at,value";

/// A table's rows.
#[derive(Debug, Clone)]
pub(super) struct Curves<'a> {
    name: &'a str,
    rows: Vec<Row<'a>>,
}

#[derive(Debug, Clone, Copy)]
struct Row<'a> {
    curve: &'a str,
    pulse: usize,
    at: f64,
    value: f64,
}

impl<'a> Curves<'a> {
    /// Reads the table that is called `name` in messages.
    ///
    /// # Errors
    /// Another kind or version of table, a line that is not a row, points that do not rise.
    pub fn parse(name: &'a str, text: &'a str) -> Result<Self, Error> {
        let (table, _) = Table::open((name, "wordline lab tables"), text, (KIND, COLUMNS))?;
        let rows = table.rows("a name, a pulse and two numbers", row)?;
        let is_after = |(at, row): (usize, &Row<'_>)| {
            let before = rows[..at].iter().rfind(|r| (r.curve, r.pulse) == (row.curve, row.pulse));
            before.is_none_or(|before| before.at < row.at)
        };
        if let Some(at) = (0..rows.len()).find(|&at| !is_after((at, &rows[at]))) {
            return Err(table.wrong_at(at + 3, "not after the curve's last point", rows[at].curve));
        }
        Ok(Self { name, rows })
    }

    /// The points of a curve.
    ///
    /// # Errors
    /// There are none.
    pub fn line(&self, curve: &str, pulse: usize) -> Result<Line, Error> {
        let of = self.rows.iter().filter(|row| row.curve == curve && row.pulse == pulse);
        let points: Vec<(f64, f64)> = of.map(|row| (row.at, row.value)).collect();
        if points.is_empty() {
            let what = format!("{}: no curve `{curve}` for pulse {pulse}", self.name);
            return Err(infeasible(what, "write the table with `wordline lab tables`"));
        }
        Ok(Line::new(points))
    }

    /// The value of a curve of one point.
    ///
    /// # Errors
    /// There is none.
    pub fn value(&self, curve: &str, pulse: usize) -> Result<f64, Error> {
        Ok(self.line(curve, pulse)?.points()[0].1)
    }

    /// The pulses of an erase at most.
    pub fn pulses(&self) -> usize {
        self.rows.iter().map(|row| row.pulse).max().unwrap_or(0)
    }
}

fn row<'a>(fields: &[&'a str]) -> Option<Row<'a>> {
    let &[curve, pulse, _, _] = fields else { return None };
    let (at, value) = (number(fields, 2)?, number(fields, 3)?);
    Some(Row { curve, pulse: pulse.parse().ok()?, at, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# wordline cell table: pulses, version 1, chip x\ncurve,pulse,at,value\n\
        need,0,1,2\nneed,0,3,6\nfull,2,0,3.5\n";

    #[test]
    fn lines_go_through_their_points_and_on() {
        let curves = Curves::parse("x", GOOD).unwrap();
        let need = curves.line("need", 0).unwrap();
        for (x, y) in [(0.0, 2.0), (1.0, 2.0), (2.0, 4.0), (3.0, 6.0), (5.0, 10.0)] {
            assert_eq!(need.at(x), y);
        }
        assert_eq!((curves.value("full", 2).unwrap(), curves.pulses()), (3.5, 2));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |text: &str| Curves::parse("x.csv", text).unwrap_err().to_string();
        assert!(wrong("").contains("does not begin"));
        for bad in ["need,0,3,7", "need,0,4", "need,0,4,5,6", "need,-1,4,5", "need,0,nan,5", ""] {
            let text = format!("{GOOD}{bad}\nfull,3,0,1");
            assert!(wrong(&text).contains("x.csv, line 6"), "{bad}: {}", wrong(&text));
        }
        let curves = Curves::parse("x", GOOD).unwrap();
        assert!(curves.line("gone", 0).unwrap_err().to_string().contains("gone"));
    }
}
