//! What cells went through, and what they are read under.

/// The state of wear and the time since the last program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditions {
    /// P/E cycles before this one.
    pub pec: f64,
    /// Time since the last program, in hours.
    pub age_h: f64,
    /// Temperature over that time, in °C.
    pub temperature_c: f64,
    /// Reads of other pages of the block in that time.
    pub reads: f64,
}

impl Conditions {
    /// Just programmed, after `pec` cycles.
    pub fn fresh(pec: f64) -> Self {
        Self { pec, age_h: 0.0, temperature_c: 40.0, reads: 0.0 }
    }

    /// Sets the age: `age_h` hours at `temperature_c`.
    #[must_use]
    pub fn aged(self, age_h: f64, temperature_c: f64) -> Self {
        Self { age_h, temperature_c, ..self }
    }
}
