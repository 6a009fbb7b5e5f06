//! Which kind of request comes next.

use super::kind::{GAPS, GROUPS, KINDS, Kind, gap_class};
use super::model::Profile;
use crate::generate::rng::Rng;

/// A chain over kinds and gaps, bent so that every stretch of the course has its requests of each group.
pub(super) struct Order {
    /// By kind ahead and class of gap: kinds, their groups and their weights.
    rows: Vec<Vec<(u8, u8, f64)>>,
    /// What each group has of all requests.
    shares: [f64; GROUPS],
    left: [f64; GROUPS],
    factors: [f64; GROUPS],
    last: usize,
}

impl Order {
    pub fn new(profile: &Profile) -> Self {
        let all = profile.kinds();
        let pair = |kind: usize, weight| (kind as u8, Kind::of(kind).group() as u8, weight);
        let mut rows: Vec<Vec<(u8, u8, f64)>> = vec![Vec::new(); KINDS * GAPS];
        for row in &profile.next {
            let pairs = row[2..].chunks_exact(2);
            rows[row[0] as usize * GAPS + row[1] as usize] =
                pairs.map(|of| pair(of[0] as usize, f64::from(of[1]))).collect();
        }
        let any = (0..KINDS).filter(|&kind| all[kind] > 0.0);
        let any: Vec<_> = any.map(|kind| pair(kind, all[kind])).collect();
        // Whatever the group of a stretch asks for can come: with a little chance anywhere.
        let sum: f64 = all.iter().sum();
        for row in &mut rows {
            let weight: f64 = row.iter().map(|pair| pair.2).sum();
            if weight == 0.0 {
                row.clone_from(&any);
            }
        }
        let mut shares = [0.0; GROUPS];
        for (kind, &count) in all.iter().enumerate() {
            shares[Kind::of(kind).group()] += count / sum;
        }
        rows.push(any);
        Self { rows, shares, left: [0.0; GROUPS], factors: [0.0; GROUPS], last: 0 }
    }

    /// Begins a stretch with so many requests of each group.
    pub fn begin(&mut self, counts: &[u64]) {
        for (group, &count) in counts.iter().enumerate() {
            self.left[group] = count as f64;
            self.factors[group] = self.factor(group);
        }
    }

    fn factor(&self, group: usize) -> f64 {
        if self.left[group] > 0.0 { self.left[group] / self.shares[group].max(1e-12) } else { 0.0 }
    }

    /// The kind of the next request, which comes `gap_us` behind the last.
    pub fn next(&mut self, gap_us: f64, rng: &mut Rng) -> Kind {
        let row = self.last * GAPS + gap_class(gap_us);
        let kind = self.drawn(row, rng).or_else(|| self.drawn(KINDS * GAPS, rng)).unwrap_or(0);
        self.last = kind;
        let kind = Kind::of(kind);
        let group = kind.group();
        self.left[group] -= 1.0;
        self.factors[group] = self.factor(group);
        kind
    }

    fn drawn(&self, row: usize, rng: &mut Rng) -> Option<usize> {
        let row = &self.rows[row];
        let mut upto = [0.0; KINDS];
        let mut sum = 0.0;
        for (upto, &(_, group, weight)) in upto.iter_mut().zip(row) {
            sum += weight * self.factors[usize::from(group)];
            *upto = sum;
        }
        if sum <= 0.0 {
            return None;
        }
        let draw = rng.unit() * sum;
        let upto = &upto[..row.len()];
        // A draw that rounds to the sum takes the last kind that has weight.
        let at = upto.iter().position(|&upto| draw < upto);
        let at = at.or_else(|| upto.iter().position(|&upto| upto == sum))?;
        Some(usize::from(row[at].0))
    }
}
