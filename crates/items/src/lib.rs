//! The one form in which every comparison with a reference is reported, and files of references.

pub mod expected;

use serde::Serialize;
use std::borrow::Cow;

/// The verdict of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Within the tolerance, and nothing was fitted to the reference.
    Reproduced,
    /// Within the tolerance, but a parameter was fitted to the reference.
    Calibrated,
    /// Within the tolerance, but a parameter or a law was chosen because this agrees then.
    Selected,
    /// Within the tolerance, but by arithmetic: the reference, or ours, follows from what was put in
    /// or fitted.
    Implied,
    /// Set beside the reference without a verdict: by a law that was rejected, or from published
    /// values alone.
    #[serde(rename = "not judged")]
    NotJudged,
    /// Beyond the tolerance, or the run failed.
    Deviates,
    /// Measured too coarsely: the interval of ours holds values that would agree and others that
    /// would not.
    Inconclusive,
    /// There is no reference.
    #[serde(rename = "not published")]
    NotPublished,
    /// Not run: something that it needs is absent; the note says what.
    Skipped,
}

/// What a reference served for, as the column `fitted` of a file of published values says. It decides
/// what agreement is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// `no`: for nothing.
    Nothing,
    /// `yes`: parameters were fitted to it.
    Fit,
    /// `selected`: a parameter or a law was chosen with it in view.
    Choice,
    /// `implied`: it, or ours, follows from what was put in or fitted.
    Input,
    /// `unjudged`: the model that is used has no part in ours.
    Unused,
}

impl Served {
    /// The words of the column, with what each means.
    pub const WORDS: [(&'static str, Self); 5] = [
        ("no", Self::Nothing),
        ("yes", Self::Fit),
        ("selected", Self::Choice),
        ("implied", Self::Input),
        ("unjudged", Self::Unused),
    ];

    /// By its word; `None` for another word.
    pub fn of(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, served)| *served)
    }

    /// The verdict on a value that is within its tolerance, or beyond it.
    pub fn verdict(self, agrees: bool) -> Status {
        match self {
            Self::Unused => Status::NotJudged,
            _ if !agrees => Status::Deviates,
            Self::Nothing => Status::Reproduced,
            Self::Fit => Status::Calibrated,
            Self::Choice => Status::Selected,
            Self::Input => Status::Implied,
        }
    }
}

/// One comparison with a reference.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Item {
    /// Stable name, such as `theory/wa/greedy/op=0.28/b=64`.
    pub id: String,
    /// Where the reference comes from: an equation or a publication.
    pub source: String,
    /// What was replayed.
    pub workload: String,
    /// Unit of `reference` and `ours`; empty for a pure number.
    pub unit: Cow<'static, str>,
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
    /// A comparison that is yet to be made.
    pub fn new(
        id: impl Into<String>,
        source: impl Into<String>,
        workload: impl Into<String>,
        unit: impl Into<Cow<'static, str>>,
        tolerance: f64,
    ) -> Self {
        Self {
            id: id.into(),
            source: source.into(),
            workload: workload.into(),
            unit: unit.into(),
            reference: None,
            ours: None,
            deviation: None,
            tolerance,
            status: Status::Skipped,
            note: String::new(),
        }
    }

    /// Fills in deviation and verdict from `reference`, which served for nothing, and `ours`.
    #[must_use]
    pub fn judged(self, reference: f64, ours: f64) -> Self {
        self.judged_by(reference, ours, Served::Nothing)
    }

    /// Fills in deviation and verdict from `reference`, what it served for, and `ours`.
    #[must_use]
    pub fn judged_by(mut self, reference: f64, ours: f64, served: Served) -> Self {
        let scale = if reference == 0.0 { 1.0 } else { reference };
        let deviation = (ours - reference) / scale;
        let agrees = deviation.abs() <= self.tolerance; // false for NaN
        self.reference = Some(reference);
        self.ours = Some(ours);
        self.deviation = Some(deviation);
        self.status = served.verdict(agrees);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_tolerance() {
        let verdict =
            |reference, ours| Item::new("", "", "", "", 0.01).judged(reference, ours).status;
        assert_eq!(verdict(2.0, 2.019), Status::Reproduced);
        assert_eq!(verdict(2.0, 1.97), Status::Deviates);
        assert_eq!(verdict(2.0, f64::NAN), Status::Deviates);
        assert_eq!(verdict(f64::NAN, 2.0), Status::Deviates);
        assert_eq!(verdict(0.0, 0.0), Status::Reproduced);
        assert_eq!(verdict(0.0, 3.0), Status::Deviates);
        let item = Item::new("", "", "", "", 0.01).judged(2.0, 2.5);
        assert_eq!((item.reference, item.ours, item.deviation), (Some(2.0), Some(2.5), Some(0.25)));
    }

    #[test]
    fn agreement_is_worth_what_the_reference_served_for() {
        let verdicts = |word| {
            let served = Served::of(word).unwrap();
            [2.0, 3.0]
                .map(|ours| Item::new("", "", "", "", 0.1).judged_by(2.0, ours, served).status)
        };
        for (word, agreeing) in [
            ("no", Status::Reproduced),
            ("yes", Status::Calibrated),
            ("selected", Status::Selected),
            ("implied", Status::Implied),
        ] {
            assert_eq!(verdicts(word), [agreeing, Status::Deviates], "{word}");
        }
        assert_eq!(verdicts("unjudged"), [Status::NotJudged; 2]);
        assert_eq!(Served::of("perhaps"), None);
    }
}
