//! A profile: what is measured of a trace so that a twin has its structure, as TOML.

use super::kind::{AGE_BINS, CLASSES, DEPTHS, FREQS, GAPS, GROUPS, KINDS, Kind, LISTS, NEAR};
use crate::Error;
use crate::twin::sizes::Sizes;
use serde::{Deserialize, Serialize};

/// The version of the format.
pub(in crate::twin) const VERSION: u32 = 2;

/// Columns of the course: the time it took, requests by group, pages new to reads, and to writes.
pub(in crate::twin) const COLUMNS: usize = GROUPS + 3;

/// The structure of a trace: its course, its bursts, the order of its requests and where they go.
/// Counts are those of the trace, a histogram of each matter; there is no address and no time of day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The version of this format: 2.
    pub twin: u32,
    /// What it is a twin of.
    pub name: String,
    /// Where its numbers come from.
    pub source: String,
    /// The unit in which data is new or old, in bytes.
    pub page_bytes: u32,
    /// Stretches of the trace, each with the microseconds that it took; its requests by operation
    /// (reads, then writes), by whether they start or continue, and by whether they are below 16 KiB,
    /// below 64 KiB or larger; then the pages that its reads and its writes touched for the first time.
    pub course: Vec<Vec<u64>>,
    /// What kind of request follows which: the kind ahead, the class of the gap between, then pairs of
    /// a kind and how often it came.
    pub next: Vec<Vec<u32>>,
    /// How the time of gaps is split between their halves: the power of two of how many there are, the
    /// power of four, plus one, of their mean in microseconds (0 below one), then pairs of a bin and how
    /// often it came. Bins of log2(first half / second half) are parted at 0.25, 0.75, 1.25, 2, 3, 4.5, 6.5, 9,
    /// 12, 16 and 20, and the same below 0.
    pub splits: Vec<Vec<u32>>,
    /// Where reads go; absent where there are none.
    pub read: Option<Accesses>,
    /// Where writes go; absent where there are none.
    pub write: Option<Accesses>,
}

/// Where the requests of one operation go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accesses {
    /// Pages touched, each as often as it was.
    pub pages: u64,
    /// Pages touched at least once.
    pub covered_pages: u64,
    /// How many requests ago the one came that a request continues on new data: 0, 1, 2 to 3, 4 to 7 …
    pub depth_new: Vec<f64>,
    /// How many requests ago the one came that a request continues on old data.
    pub depth_old: Vec<f64>,
    /// New data that continues nothing: the smallest block of 16, 64 or 256 KiB about its page, or
    /// none, of which a part was touched before; each first where the page below was not, then where it
    /// was.
    pub near: Vec<f64>,
    /// Sectors of 512 bytes by which such data begins behind the beginning of a page.
    pub shifts: Vec<f64>,
    /// Share of it that the other operation had touched.
    pub shared: f64,
    /// Share of that which begins inside what the other operation touched together.
    pub shared_inside: f64,
    /// What of the other operation is touched: its list, then pairs of a bin of how long ago that was
    /// and how often it came.
    pub shared_ages: Vec<Vec<u32>>,
    /// Share of the requests to old places, but for those inside, that repeat place and size, by class of
    /// size.
    pub same: [f64; CLASSES],
    /// Share of the requests to old places that begin inside what was touched together, by class of
    /// size.
    pub inside: [f64; CLASSES],
    /// New data by how often its pages are touched in all: by whether the request starts or continues,
    /// and its class; counts of pages touched once, twice, up to 4, 16, 64, 256 times, and more often.
    pub freqs: Vec<Vec<u32>>,
    /// Requests to old places by their class, the list that they come from and their interval: class,
    /// list, then pairs of a bin and how often it came.
    pub intervals: Vec<Vec<u32>>,
    /// Sizes by whether requests start or continue, and by class.
    pub sizes: Vec<GroupSizes>,
}

/// The sizes of a group of requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSizes {
    /// The group, as the columns of the course number them, from 0.
    pub group: u8,
    /// Bytes, and how many requests have them.
    pub sizes: Sizes,
}

impl Accesses {
    /// Weights of list and bin together, for requests of `class`.
    pub(super) fn age_weights(&self, class: usize) -> Vec<f64> {
        let mut weights = vec![0.0; LISTS * AGE_BINS];
        for row in self.intervals.iter().filter(|row| row[0] as usize == class) {
            for pair in row[2..].chunks_exact(2) {
                weights[row[1] as usize * AGE_BINS + pair[0] as usize] = f64::from(pair[1]);
            }
        }
        weights
    }

    /// Weights of the other operation's list and bin together.
    pub(super) fn shared_weights(&self) -> Vec<f64> {
        let mut weights = vec![0.0; LISTS * AGE_BINS];
        for row in &self.shared_ages {
            for pair in row[1..].chunks_exact(2) {
                weights[row[0] as usize * AGE_BINS + pair[0] as usize] = f64::from(pair[1]);
            }
        }
        weights
    }

    fn check(&self, op: &str, page_bytes: u32) -> Result<(), String> {
        let lengths = [
            ("depth_new", self.depth_new.len(), DEPTHS),
            ("depth_old", self.depth_old.len(), DEPTHS),
            ("near", self.near.len(), NEAR),
            ("shifts", self.shifts.len(), page_bytes as usize / 512),
        ];
        for (key, is, most) in lengths {
            if is > most {
                return Err(format!("{op}.{key}: {is} values, expected {most} at most"));
            }
        }
        let lists = [&self.depth_new, &self.depth_old, &self.near, &self.shifts];
        if !lists.into_iter().flatten().all(|&weight| (0.0..=1e15).contains(&weight)) {
            return Err(format!("{op}: weights must be numbers from 0 to 1e15"));
        }
        let shares =
            self.same.iter().chain(&self.inside).chain([&self.shared, &self.shared_inside]);
        if let Some(share) = shares.into_iter().find(|share| !(0.0..=1.0).contains(*share)) {
            return Err(format!(
                "{op}: {share} in same, inside or shared: expected a share from 0 to 1"
            ));
        }
        let sound = |row: &Vec<u32>| {
            row.len().is_multiple_of(2)
                && row.len() >= 2
                && (row[0] as usize) < CLASSES
                && (row[1] as usize) < LISTS
                && row[2..].chunks_exact(2).all(|pair| (pair[0] as usize) < AGE_BINS)
        };
        if let Some(row) = self.intervals.iter().find(|row| !sound(row)) {
            return Err(format!(
                "{op}.intervals: {row:?}: expected a class below {CLASSES}, a list below {LISTS}, \
                 then pairs of a bin below {AGE_BINS} and a count"
            ));
        }
        if self.freqs.len() != 2 * CLASSES || self.freqs.iter().any(|row| row.len() > FREQS) {
            return Err(format!("{op}.freqs: expected {} rows of up to {FREQS}", 2 * CLASSES));
        }
        let sound = |row: &Vec<u32>| {
            row.len() % 2 == 1
                && (row[0] as usize) < LISTS
                && row[1..].chunks_exact(2).all(|pair| (pair[0] as usize) < AGE_BINS)
        };
        if let Some(row) = self.shared_ages.iter().find(|row| !sound(row)) {
            return Err(format!(
                "{op}.shared_ages: {row:?}: expected a list below {LISTS}, then pairs"
            ));
        }
        for sizes in &self.sizes {
            if usize::from(sizes.group) >= GROUPS {
                return Err(format!("{op}.sizes: group {}: expected below {GROUPS}", sizes.group));
            }
            sizes.sizes.check(&format!("{op}.sizes"))?;
        }
        if self.sizes.is_empty() { Err(format!("{op}.sizes: none")) } else { Ok(()) }
    }
}

impl Profile {
    /// Reads a profile; `place` names the file.
    ///
    /// # Errors
    /// What is not a profile, or one that no workload can follow.
    pub fn from_toml(text: &str, place: &str) -> Result<Self, Error> {
        let profile: Self = toml::from_str(text).map_err(|error| {
            Error::of_toml(&error, text, place, "`wordline trace fit` writes such a file")
        })?;
        profile.check().map_err(|what| Error::new(what, place, "correct it, or fit it anew"))?;
        Ok(profile)
    }

    /// The profile as TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a profile has nothing that TOML cannot say")
    }

    /// Requests in all.
    pub fn requests(&self) -> u64 {
        self.course.iter().flat_map(|row| &row[1..=GROUPS]).sum()
    }

    /// The address space that its twin needs at least, in bytes. It may take more: new data leaves gaps.
    pub fn span_bytes(&self) -> u64 {
        self.covered_pages() * u64::from(self.page_bytes)
    }

    /// Pages that are read or written at least once.
    pub(super) fn covered_pages(&self) -> u64 {
        let covered = |side: &Option<Accesses>| side.as_ref().map_or(0, |side| side.covered_pages);
        let shared = self.read.as_ref().map_or(0.0, |read| read.shared);
        covered(&self.write) + (covered(&self.read) as f64 * (1.0 - shared)) as u64
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if self.twin != VERSION {
            return Err(format!("twin = {}: a profile has version {VERSION}", self.twin));
        }
        if !self.page_bytes.is_power_of_two() || !(512..=1 << 20).contains(&self.page_bytes) {
            return Err(format!("page_bytes = {}: expected a power of two", self.page_bytes));
        }
        if let Some(row) = self.course.iter().find(|row| row.len() != COLUMNS) {
            return Err(format!("course: {} numbers, expected {COLUMNS}", row.len()));
        }
        if self.course.iter().flatten().any(|&number| number > 1 << 53) || self.requests() == 0 {
            return Err("course: expected requests, and numbers up to 2^53".into());
        }
        let wants = |write: bool| {
            let groups = if write { 1 + GROUPS / 2..=GROUPS } else { 1..=GROUPS / 2 };
            self.course.iter().any(|row| row[groups.clone()].iter().any(|&count| count > 0))
        };
        for (op, write, side) in [("read", false, &self.read), ("write", true, &self.write)] {
            match side {
                Some(side) => side.check(op, self.page_bytes)?,
                None if wants(write) => {
                    return Err(format!("course has {op}s, but there is no table [{op}]"));
                }
                None => {}
            }
        }
        let sound = |row: &Vec<u32>| {
            row.len().is_multiple_of(2)
                && row.len() >= 2
                && (row[0] as usize) < KINDS
                && (row[1] as usize) < GAPS
                && row[2..].chunks_exact(2).all(|pair| (pair[0] as usize) < KINDS)
        };
        if let Some(row) = self.next.iter().find(|row| !sound(row)) {
            return Err(format!(
                "next: {row:?}: expected a kind below {KINDS}, a gap below {GAPS}, then pairs of a \
                 kind and a count"
            ));
        }
        if let Some(row) = self.splits.iter().find(|row| !super::gaps::is_sound(row)) {
            return Err(format!(
                "splits: {row:?}: expected a level, a mean, and pairs of a bin and a count"
            ));
        }
        Ok(())
    }

    /// How often each kind comes.
    pub(super) fn kinds(&self) -> [f64; KINDS] {
        let mut counts = [0.0; KINDS];
        for row in &self.next {
            for pair in row[2..].chunks_exact(2) {
                counts[pair[0] as usize] += f64::from(pair[1]);
            }
        }
        // A trace of one request has no order; what the course counts must be among the kinds.
        for row in &self.course {
            for (group, _) in row[1..=GROUPS].iter().enumerate().filter(|(_, count)| **count > 0) {
                let of = |kind: &usize| Kind::of(*kind).group() == group;
                if (0..KINDS).filter(of).all(|kind| counts[kind] == 0.0) {
                    counts[(0..KINDS).find(of).unwrap_or(0)] = 1.0;
                }
            }
        }
        counts
    }
}
