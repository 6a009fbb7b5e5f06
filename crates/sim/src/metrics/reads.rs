//! What reads of pages with errors took, as the result of a run tells it.

use super::causes::ByCause;
use serde::Serialize;

/// Reads of pages that have errors.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReadsSummary {
    /// Pages that were read.
    pub pages: u64,
    /// Sensings of a page beyond its first, mean over pages; those for soft decoding apart.
    pub retries_per_page: f64,
    /// The retries that 99 % of the pages need at most.
    pub retries_p99: u64,
    /// Pages by their retries: none, one, and so on.
    pub by_retries: Vec<u64>,
    /// Times that pages were sensed, by who asked.
    pub sensings: ByCause,
    /// Of them, those for soft decoding.
    pub soft_sensings: u64,
    /// Pages that were decoded softly, once no retry had helped.
    pub soft_pages: u64,
    /// Pages that nothing read.
    pub uncorrectable: u64,
    /// Their number, for each bit that was read.
    pub uncorrectable_per_bit: f64,
    /// Time that retries and soft decoding took, for each page that the host read.
    pub host_retry_us: f64,
    /// Errors to expect of a page's first sensing, mean over pages.
    pub errors_per_kib: f64,
    /// Pages beyond the P/E cycles, age or reads up to which the law or the table holds.
    pub beyond_model: u64,
}
