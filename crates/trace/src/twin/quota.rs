//! What is still to come of each kind, so that shares are met and not only expected.

/// An urn: kinds, each with what is left of it.
#[derive(Debug, Clone)]
pub(super) struct Quota {
    left: Vec<f64>,
    total: f64,
    /// What is left of the first kind counts so many times as much.
    eager: f64,
}

impl Quota {
    pub fn new(left: Vec<f64>, eager: f64) -> Self {
        let total = left.iter().sum();
        Self { left, total, eager }
    }

    /// What is left in all.
    #[inline]
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The kind that `draw`, from [0, 1), falls on.
    #[inline]
    pub fn kind(&self, draw: f64) -> usize {
        let more = (self.eager - 1.0) * self.left[0].max(0.0);
        let mut rest = draw * (self.total + more) - more;
        for (kind, &left) in self.left.iter().enumerate() {
            if left > 0.0 {
                rest -= left;
                if rest < 0.0 {
                    return kind;
                }
            }
        }
        self.fullest()
    }

    /// Takes `amount` of `kind`; a kind may be overdrawn, and is then not drawn again.
    #[inline]
    pub fn take(&mut self, kind: usize, amount: f64) {
        let before = self.left[kind].max(0.0);
        self.left[kind] -= amount;
        self.total = (self.total - (before - self.left[kind].max(0.0))).max(0.0);
    }

    /// Whether any of `kind` is left.
    pub fn has(&self, kind: usize) -> bool {
        self.left[kind] > 0.0
    }

    fn fullest(&self) -> usize {
        let by_left = |&a: &usize, &b: &usize| self.left[a].total_cmp(&self.left[b]);
        (0..self.left.len()).max_by(by_left).unwrap_or(0)
    }
}
