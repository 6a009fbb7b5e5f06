//! Curves by their points.

/// Points that straight lines join; the last one goes on.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Line {
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
