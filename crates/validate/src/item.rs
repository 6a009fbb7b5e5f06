//! The one form in which every comparison with a reference is reported.

use serde::Serialize;

/// The verdict of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Within the tolerance, and nothing was fitted to the reference.
    Reproduced,
    /// Within the tolerance, but the reference served to choose a parameter.
    Calibrated,
    /// Beyond the tolerance, or the run failed.
    Deviates,
    /// There is no reference.
    #[serde(rename = "not published")]
    NotPublished,
    /// Not run: something that it needs is absent; the note says what.
    Skipped,
}

/// One comparison with a reference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// Stable name, such as `theory/wa/greedy/op=0.28/b=64`.
    pub id: String,
    /// Where the reference comes from: an equation or a publication.
    pub source: String,
    /// What was replayed.
    pub workload: String,
    /// Unit of `reference` and `ours`; empty for a pure number.
    pub unit: &'static str,
    /// The value of theory, a paper or another simulator.
    pub reference: Option<f64>,
    /// The value of this simulator.
    pub ours: Option<f64>,
    /// (ours − reference) / reference; the difference itself where the reference is zero.
    pub deviation: Option<f64>,
    /// The deviation that still counts as agreement.
    pub tolerance: f64,
    /// The verdict.
    pub status: Status,
    /// Why it deviates or was skipped, where that can be said; else empty.
    pub note: String,
}

impl Item {
    /// Fills in deviation and verdict from `reference` and `ours`.
    pub(crate) fn judged(mut self, reference: f64, ours: f64) -> Self {
        let scale = if reference == 0.0 { 1.0 } else { reference };
        let deviation = (ours - reference) / scale;
        let agrees = deviation.abs() <= self.tolerance; // false for NaN
        self.reference = Some(reference);
        self.ours = Some(ours);
        self.deviation = Some(deviation);
        self.status = if agrees { Status::Reproduced } else { Status::Deviates };
        self
    }
}
