//! Reading a chip's table of curves, as `wordline lab tables` writes it: `curve,pulse,at,value`.

use crate::error::Error;
use crate::nand::infeasible;

const KIND: &str = "# wordline cell table: pulses, version 1";
const COLUMNS: &str = "curve,pulse,at,value";

/// Points that straight lines join; the last one goes on.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Line {
    points: Vec<(f64, f64)>,
}

impl Line {
    /// A line through points in rising order.
    pub fn new(points: Vec<(f64, f64)>) -> Self {
        Self { points }
    }

    /// The value at `x`; that of the first point before it.
    pub fn at(&self, x: f64) -> f64 {
        let points = &self.points;
        let Some(last) = points.len().checked_sub(1) else { return 0.0 };
        let after = points.partition_point(|point| point.0 < x).clamp(1.min(last), last);
        if after == 0 {
            return points[0].1;
        }
        let ((x0, y0), (x1, y1)) = (points[after - 1], points[after]);
        y0 + (y1 - y0) * (x.max(x0) - x0) / (x1 - x0)
    }

    /// The line whose values are so many times as large.
    pub fn times(&self, factor: f64) -> Self {
        Self { points: self.points.iter().map(|(x, y)| (*x, y * factor)).collect() }
    }

    /// The points.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }
}

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
        let mut lines = text.lines();
        let kind = lines.next().unwrap_or_default();
        if !kind.starts_with(KIND) || lines.next() != Some(COLUMNS) {
            let what = format!("{name}: does not begin with `{KIND}` and `{COLUMNS}`");
            return Err(infeasible(what, "write it with `wordline lab tables`"));
        }
        let mut rows: Vec<Row<'_>> = Vec::new();
        for (line, number) in lines.zip(3..) {
            let wrong = |what: &str| {
                let what = format!("{name}, line {number}: {what}: {}", line.escape_debug());
                infeasible(what, "write the table with `wordline lab tables`")
            };
            let row = row(line).ok_or_else(|| wrong("not a name, a pulse and two numbers"))?;
            let before = rows.iter().rfind(|r| (r.curve, r.pulse) == (row.curve, row.pulse));
            if before.is_some_and(|before| before.at >= row.at) {
                return Err(wrong("not after the curve's last point"));
            }
            rows.push(row);
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
        Ok(Line { points })
    }

    /// The value of a curve of one point.
    ///
    /// # Errors
    /// There is none.
    pub fn value(&self, curve: &str, pulse: usize) -> Result<f64, Error> {
        Ok(self.line(curve, pulse)?.points[0].1)
    }

    /// The pulses of an erase at most.
    pub fn pulses(&self) -> usize {
        self.rows.iter().map(|row| row.pulse).max().unwrap_or(0)
    }
}

fn row(line: &str) -> Option<Row<'_>> {
    let mut fields = line.split(',');
    let curve = fields.next()?;
    let pulse = fields.next()?.parse().ok()?;
    let mut number = || fields.next()?.parse::<f64>().ok().filter(|number| number.is_finite());
    let (at, value) = (number()?, number()?);
    fields.next().is_none().then_some(Row { curve, pulse, at, value })
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
