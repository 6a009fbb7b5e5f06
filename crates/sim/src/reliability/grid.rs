//! Error rates between the points of a table, along whatever they depend on.

use super::powers::Powers;
use super::rate_table::Rate;
use crate::schema::References;

/// Bits of a KiB.
pub const BITS_PER_KIB: f64 = 8192.0;
/// Time from which errors grow with its logarithm: the first age of the laboratory's tables.
const KNEE_H: f64 = 24.0;
/// The least rate that is told apart from none.
const LEAST: f64 = 1e-300;
/// Points of all pages and steps at most.
const POINTS_MAX: usize = 1 << 22;

/// What the error rate of a page depends on, besides its type and the step of a retry.
#[derive(Debug, Clone, Copy, Default)]
pub struct Condition {
    /// P/E cycles.
    pub pec: f64,
    /// Time since it was programmed.
    pub age_h: f64,
    /// Reads of its block since the erase.
    pub reads: f64,
    /// Layer of its word line.
    pub layer: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Layer,
    Reads,
    Pec,
    Age,
}

impl Quantity {
    /// In the order in which a table is taken apart.
    const ALL: [Self; 4] = [Self::Layer, Self::Reads, Self::Pec, Self::Age];

    fn of_row(self, row: &Rate<'_>) -> f64 {
        let Rate { layer, reads, pec, age_h, .. } = *row;
        self.of(&Condition { pec, age_h, reads, layer })
    }

    /// Of ages their logarithm, with which errors grow.
    #[inline]
    fn of(self, condition: &Condition) -> f64 {
        match self {
            Self::Layer => condition.layer,
            Self::Reads => condition.reads,
            Self::Pec => condition.pec,
            Self::Age => Powers::get().log2(1.0 + condition.age_h * (1.0 / KNEE_H)),
        }
    }
}

/// The points that a quantity has in a table, in rising order; two or more of P/E cycles and of ages. Straight lines join them; before the first
/// its value holds, and the last line goes on.
#[derive(Debug, Clone)]
struct Axis {
    quantity: Quantity,
    points: Vec<f64>,
    /// One by the distance of each point to the next.
    per_span: Vec<f64>,
}

impl Axis {
    fn of(quantity: Quantity, rows: &[Rate<'_>]) -> Self {
        let mut points: Vec<f64> = rows.iter().map(|row| quantity.of_row(row)).collect();
        points.sort_by(f64::total_cmp);
        points.dedup();
        if let [only] = *points
            && matches!(quantity, Quantity::Pec | Quantity::Age)
        {
            // As good as any: the values there are the same.
            points.push(only + 1.0);
        }
        Self::through(quantity, points)
    }

    fn through(quantity: Quantity, points: Vec<f64>) -> Self {
        let per_span = points.windows(2).map(|pair| 1.0 / (pair[1] - pair[0])).collect();
        Self { quantity, points, per_span }
    }

    /// Spaces between points.
    fn spans(&self) -> usize {
        self.per_span.len()
    }

    /// The space in which a value lies, and how far it is on the way through that.
    #[inline(always)]
    fn place(&self, at: f64) -> (usize, f64) {
        if self.per_span.is_empty() {
            return (0, 0.0);
        }
        let mut span = 0;
        while span + 1 < self.per_span.len() && self.points[span + 1] < at {
            span += 1;
        }
        (span, (at.max(self.points[0]) - self.points[span]) * self.per_span[span])
    }
}

/// Logarithms to base two of errors per KiB, of pages by their types and of the steps of a retry table.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    powers: &'static Powers,
    /// Layers, reads, P/E cycles and ages.
    axes: [Axis; 4],
    /// By page type, step, layer and reads, and then by the spaces between P/E cycles and between ages: the value at the first
    /// corner, what a space of ages adds there, what one of P/E cycles adds, and what both add besides.
    cells: Vec<[f64; 4]>,
    /// Whether neither layer nor reads matter.
    is_flat: bool,
    /// Cells of a page type at a step.
    of_step: usize,
    /// Those of all ages and P/E cycles.
    of_reads: usize,
    /// Those of all reads.
    of_layer: usize,
    pub steps: usize,
    pub pages: usize,
}

/// A condition's place in a grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    cell: usize,
    /// On the way through the spaces of each quantity.
    shares: [f64; 4],
}

/// Why rows make no grid.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// The lines of two rows of the same pages.
    Twice(usize, usize),
    /// No row of a page type at a step.
    Missing(usize, usize),
    /// So many points as their quantities have together.
    TooMany(usize),
}

impl Grid {
    /// The grid of rows, which are of any page types and steps.
    pub fn of(rows: &[Rate<'_>], references: References) -> Result<Self, Unfit> {
        let count =
            |of: fn(&Rate<'_>) -> usize| rows.iter().map(|row| of(row) + 1).max().unwrap_or(1);
        let (pages, steps) = (count(|row| row.page), count(|row| row.retry));
        let axes = Quantity::ALL.map(|quantity| Axis::of(quantity, rows));
        let points =
            axes.iter().fold(pages * steps, |all, axis| all.saturating_mul(axis.points.len()));
        if points > POINTS_MAX {
            return Err(Unfit::TooMany(points));
        }
        let [layers, reads, pecs, ages] = &axes;
        let of_reads = pecs.spans() * ages.spans();
        let of_layer = reads.points.len() * of_reads;
        let of_step = layers.points.len() * of_layer;
        let mut cells = Vec::with_capacity(pages * steps * of_step);
        for (page, step) in (0..pages).flat_map(|page| (0..steps).map(move |step| (page, step))) {
            let is_of = |row: &&Rate<'_>| (row.page, row.retry) == (page, step);
            let of: Vec<Rate<'_>> = rows.iter().filter(is_of).copied().collect();
            if of.is_empty() {
                return Err(Unfit::Missing(page, step));
            }
            let values = values_of(&axes, &of, references)?;
            for by_pec in values.chunks_exact(pecs.points.len() * ages.points.len()) {
                let lines: Vec<&[f64]> = by_pec.chunks_exact(ages.points.len()).collect();
                for line in lines.windows(2) {
                    let cell = |n: usize| {
                        let [a, b, c, d] = [line[0][n], line[0][n + 1], line[1][n], line[1][n + 1]];
                        [a, b - a, c - a, (d - c) - (b - a)]
                    };
                    cells.extend((0..ages.spans()).map(cell));
                }
            }
        }
        let is_flat = layers.points.len() * reads.points.len() == 1;
        let powers = Powers::get();
        Ok(Self { powers, is_flat, axes, cells, of_step, of_reads, of_layer, steps, pages })
    }

    /// Whether the layer matters.
    pub fn has_layers(&self) -> bool {
        self.axes[0].points.len() > 1
    }

    /// Whether reads matter.
    pub fn has_reads(&self) -> bool {
        self.axes[1].points.len() > 1
    }

    /// Where a condition lies, for all pages and steps.
    #[inline(always)]
    pub fn place(&self, condition: &Condition) -> Place {
        let [layers, reads, pecs, ages] = &self.axes;
        let (age, of_age) = ages.place(age_scale(self.powers, condition.age_h));
        let (pec, of_pec) = pecs.place(condition.pec);
        let mut place =
            Place { cell: pec * ages.spans() + age, shares: [0.0, 0.0, of_pec, of_age] };
        if !self.is_flat {
            let (layer, of_layer) = layers.place(condition.layer);
            let (read, of_reads) = reads.place(condition.reads);
            place.cell += layer * self.of_layer + read * self.of_reads;
            (place.shares[0], place.shares[1]) = (of_layer, of_reads);
        }
        place
    }

    /// Where P/E cycles lie.
    pub fn place_of_pec(&self, pec: f64) -> (u32, f64) {
        let (span, share) = self.axes[2].place(pec);
        (span as u32, share)
    }

    /// Errors per KiB of a page type at the first step, by P/E cycles and age, where nothing else matters.
    #[inline(always)]
    pub fn errors_within(&self, page: usize, (span, of_pec): (u32, f64), age_h: f64) -> f64 {
        let ages = &self.axes[3];
        let (age, of_age) = ages.place(age_scale(self.powers, age_h));
        let first = page.min(self.pages - 1) * self.steps * self.of_step;
        let cell = first + span as usize * ages.spans() + age;
        let place = Place { cell, shares: [0.0, 0.0, of_pec, of_age] };
        self.powers.exp2(self.within(cell, &place))
    }

    /// Errors per KiB of a page type at a step.
    #[inline(always)]
    pub fn errors(&self, page: usize, step: usize, place: &Place) -> f64 {
        let (page, step) = (page.min(self.pages - 1), step.min(self.steps - 1));
        let first = (page * self.steps + step) * self.of_step + place.cell;
        let logarithm = match self.is_flat {
            true => self.within(first, place),
            false => self.between(first, place),
        };
        self.powers.exp2(logarithm)
    }

    /// The value in a cell.
    #[inline(always)]
    fn within(&self, cell: usize, place: &Place) -> f64 {
        let [first, of_age, of_pec, of_both] = self.cells[cell];
        let [.., pec, age] = place.shares;
        first + of_age * age + (of_pec + of_both * age) * pec
    }

    /// The value between cells of two layers and of two numbers of reads.
    fn between(&self, first: usize, place: &Place) -> f64 {
        let [layer, reads, ..] = place.shares;
        // Where a share is 0 there may be no other cell.
        let on_way = |of: &dyn Fn(usize) -> f64, cell: usize, (share, to_next): (f64, usize)| {
            let low = of(cell);
            if share == 0.0 { low } else { low + (of(cell + to_next) - low) * share }
        };
        let within = |cell| self.within(cell, place);
        let of_layer = |cell| on_way(&within, cell, (reads, self.of_reads));
        on_way(&of_layer, first, (layer, self.of_layer))
    }
}

fn age_scale(powers: &Powers, age_h: f64) -> f64 {
    powers.log2(1.0 + age_h * (1.0 / KNEE_H))
}

/// The values at all points of some axes, as rows of one page type and one step have them at some of these.
fn values_of(axes: &[Axis], rows: &[Rate<'_>], references: References) -> Result<Vec<f64>, Unfit> {
    let Some((axis, others)) = axes.split_first() else {
        return match rows {
            [one, other, ..] => Err(Unfit::Twice(one.line, other.line)),
            _ => {
                let rate = rows[0].by_references[references as usize];
                Ok(vec![libm::log2(rate.max(LEAST) * BITS_PER_KIB)])
            }
        };
    };
    let of_row = |row: &Rate<'_>| axis.quantity.of_row(row);
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| of_row(a).total_cmp(&of_row(b)));
    let parts = sorted.chunk_by(|a, b| of_row(a) == of_row(b));
    let known: Vec<(f64, Vec<f64>)> = parts
        .map(|part| Ok((of_row(&part[0]), values_of(others, part, references)?)))
        .collect::<Result<_, Unfit>>()?;
    let own = Axis::through(axis.quantity, known.iter().map(|(point, _)| *point).collect());
    let mut values = Vec::new();
    for &point in &axis.points {
        if let Some((_, same)) = known.iter().find(|(of, _)| known.len() == 1 || *of == point) {
            values.extend(same);
            continue;
        }
        let (before, share) = own.place(point);
        let pairs = known[before].1.iter().zip(&known[before + 1].1);
        values.extend(pairs.map(|(low, high)| low + (high - low) * share));
    }
    Ok(values)
}
