//! Kinds of requests: what is asked for, where it begins, and how large it is.

use crate::Op;

/// Requests of fewer bytes are of the first class, of the second, or of the last.
const CLASS_BYTES: [u32; 2] = [16 * 1024, 64 * 1024];
/// Classes of sizes.
pub(in crate::twin) const CLASSES: usize = CLASS_BYTES.len() + 1;
/// All kinds: by operation, action and class.
pub(in crate::twin) const KINDS: usize = 2 * 4 * CLASSES;
/// Kinds as the course over time counts them: without whether data is old.
pub(in crate::twin) const GROUPS: usize = 2 * 2 * CLASSES;

/// The class of requests of so many bytes.
pub(in crate::twin) fn class_of(bytes: u32) -> usize {
    CLASS_BYTES.iter().position(|&upto| bytes < upto).unwrap_or(CLASSES - 1)
}

/// The byte of a request whose page says whether it is of old data: of its first page, or of the next
/// where only an edge of the first is touched.
pub(in crate::twin) fn probe(offset_bytes: u64, bytes: u32, page_bytes: u64) -> u64 {
    offset_bytes.saturating_add(u64::from(bytes).min(page_bytes) / 2)
}

/// A kind of requests. By operation and class, a request starts somewhere or continues where an earlier
/// one of its operation ended, on data that is new to its operation or old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::twin) struct Kind {
    pub write: bool,
    pub continues: bool,
    pub old: bool,
    pub class: usize,
}

impl Kind {
    pub fn index(self) -> usize {
        let action = usize::from(self.continues) * 2 + usize::from(self.old);
        (usize::from(self.write) * 4 + action) * CLASSES + self.class
    }

    pub fn of(index: usize) -> Self {
        let (rest, class) = (index / CLASSES, index % CLASSES);
        Self { write: rest & 4 > 0, continues: rest & 2 > 0, old: rest & 1 > 0, class }
    }

    /// Its group: by operation, action and class, but not by age.
    pub fn group(self) -> usize {
        (usize::from(self.write) * 2 + usize::from(self.continues)) * CLASSES + self.class
    }

    pub fn op(self) -> Op {
        if self.write { Op::Write } else { Op::Read }
    }
}

/// Pages are told apart by how often they are touched in all: up to so often, or more.
const FREQ_UPTO: [u32; 6] = [1, 2, 4, 16, 64, 256];
/// Classes of how often pages are touched.
pub(in crate::twin) const FREQS: usize = FREQ_UPTO.len() + 1;

/// The class of a page that is touched so often.
pub(in crate::twin) fn freq_of(touches: u32) -> usize {
    FREQ_UPTO.iter().position(|&upto| touches <= upto).unwrap_or(FREQS - 1)
}

/// Lists of places.
pub(in crate::twin) const LISTS: usize = FREQS * 2 * CLASSES;

/// The list of a place by how often it is touched, whether a request had ended where it begins, and the
/// class of its size.
pub(in crate::twin) fn list_of(freq: usize, behind: bool, class: usize) -> usize {
    (freq * 2 + usize::from(behind)) * CLASSES + class
}

/// Octaves of whole numbers: 0, 1, 2 to 3, 4 to 7, and on to `last`, which takes all that are more.
pub(in crate::twin) fn octave(value: u64, last: usize) -> usize {
    value.checked_ilog2().map_or(0, |octave| octave as usize + 1).min(last)
}

/// Half octaves of intervals, from 8 pages on.
pub(in crate::twin) const AGE_BINS: usize = 48;

/// The edge above bin `bin` of intervals, pages.
pub(in crate::twin) fn age_edge(bin: usize) -> f64 {
    8.0 * libm::exp2(bin as f64 / 2.0)
}

/// The bin of an interval.
pub(in crate::twin) fn age_bin(pages: u64) -> usize {
    (0..AGE_BINS - 1).position(|bin| (pages as f64) < age_edge(bin)).unwrap_or(AGE_BINS - 1)
}

/// Requests back to the one that is continued, by octaves.
pub(in crate::twin) const DEPTHS: usize = 13;
/// Requests whose ends are remembered.
pub(in crate::twin) const ENDS: usize = 1 << (DEPTHS - 1);
/// Blocks about a page, in powers of two of pages.
pub(in crate::twin) const BLOCK_BITS: [u32; 3] = [2, 4, 6];
/// How near new data is to what was touched before: the smallest such block, or none, and whether the
/// page below was touched.
pub(in crate::twin) const NEAR: usize = 2 * (BLOCK_BITS.len() + 1);

/// Gaps as kinds depend on them: up to these microseconds, and longer.
const GAP_US: [f64; 4] = [100.0, 1e3, 1e4, 1e5];
/// Classes of gaps.
pub(in crate::twin) const GAPS: usize = GAP_US.len() + 1;

/// The class of a gap.
pub(in crate::twin) fn gap_class(gap_us: f64) -> usize {
    GAP_US.iter().position(|&upto| gap_us < upto).unwrap_or(GAPS - 1)
}
