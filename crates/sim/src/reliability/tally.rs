//! What reads of pages took.

use crate::nand::command::{CAUSES, Cause};

/// What reading a page took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sensed {
    /// Sensings before the last step that was tried.
    pub retries: u32,
    /// Further ones for soft decoding.
    pub soft: u32,
    /// Times that it was decoded softly.
    pub soft_decodings: u32,
    /// Whether nothing read it.
    pub is_lost: bool,
    /// The step by which it was read.
    pub step: usize,
}

impl Sensed {
    /// Sensings after the first.
    pub fn again(&self) -> u32 {
        self.retries + self.soft
    }
}

/// Pages that were read, and what they took.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Pages.
    pub pages: u64,
    /// Bits that they hold.
    pub bits: u64,
    /// Pages by retries, as far as any had.
    pub by_retries: Vec<u64>,
    /// Times that pages were sensed, by who asked.
    pub sensings: [u64; CAUSES],
    /// Of them, those for soft decoding.
    pub soft_sensings: u64,
    /// Pages that were decoded softly.
    pub soft: u64,
    /// Pages that nothing read.
    pub lost: u64,
    /// Pages beyond where the model's rates hold.
    pub beyond: u64,
    /// Errors per KiB that first sensings are expected to have, in sum.
    pub errors: f64,
}

impl Tally {
    /// A page was sensed once, which was expected to have so many errors per KiB, and holds so many bits.
    #[inline(always)]
    pub(super) fn add_first(&mut self, (errors, bits): (f64, u64), is_beyond: bool, cause: Cause) {
        self.pages += 1;
        self.bits += bits;
        self.sensings[cause as usize] += 1;
        self.beyond += u64::from(is_beyond);
        self.errors += errors;
        match self.by_retries.first_mut() {
            Some(pages) => *pages += 1,
            None => self.by_retries.push(1),
        }
    }

    /// The page that was sensed last was sensed again.
    pub(super) fn add_retries(&mut self, sensed: &Sensed, cause: Cause) {
        let retries = sensed.retries as usize;
        if self.by_retries.len() <= retries {
            self.by_retries.resize(retries + 1, 0);
        }
        self.by_retries[0] -= 1;
        self.by_retries[retries] += 1;
        self.sensings[cause as usize] += u64::from(sensed.again());
        self.soft_sensings += u64::from(sensed.soft);
        self.soft += u64::from(sensed.soft > 0);
        self.lost += u64::from(sensed.is_lost);
    }

    /// Retries of all pages.
    pub fn retries(&self) -> u64 {
        (0..).zip(&self.by_retries).map(|(retries, pages)| retries * pages).sum()
    }

    /// What came after `before`.
    pub(super) fn since(&self, before: &Self) -> Self {
        self.with(before, |all, before| all - before, self.errors - before.errors)
    }

    /// What both are together.
    pub(super) fn and(&self, other: &Self) -> Self {
        self.with(other, |one, other| one + other, self.errors + other.errors)
    }

    fn with(&self, other: &Self, of: impl Fn(u64, u64) -> u64, errors: f64) -> Self {
        let at = |list: &[u64], at: usize| list.get(at).copied().unwrap_or(0);
        let retries = self.by_retries.len().max(other.by_retries.len());
        let of_retries = |n| of(at(&self.by_retries, n), at(&other.by_retries, n));
        Self {
            pages: of(self.pages, other.pages),
            bits: of(self.bits, other.bits),
            by_retries: (0..retries).map(of_retries).collect(),
            sensings: std::array::from_fn(|cause| of(self.sensings[cause], other.sensings[cause])),
            soft_sensings: of(self.soft_sensings, other.soft_sensings),
            soft: of(self.soft, other.soft),
            lost: of(self.lost, other.lost),
            beyond: of(self.beyond, other.beyond),
            errors,
        }
    }
}
