//! From bytes to units.

use std::ops::Range;

/// The part of a request that lies in one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The unit.
    pub lpn: u64,
    /// Its first byte within the unit.
    pub from: usize,
    /// Its first byte within the request.
    pub at: usize,
    /// Its length in bytes.
    pub bytes: usize,
}

impl Part {
    /// The part within the request.
    pub fn of_request(&self) -> Range<usize> {
        self.at..self.at + self.bytes
    }

    /// The part within the unit.
    pub fn of_unit(&self) -> Range<usize> {
        self.from..self.from + self.bytes
    }
}

/// The parts of a request for `bytes` from `offset` on, by units of `unit_bytes`.
pub fn parts(offset: u64, bytes: u64, unit_bytes: u64) -> impl Iterator<Item = Part> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at == bytes {
            return None;
        }
        let (lpn, from) = ((offset + at) / unit_bytes, (offset + at) % unit_bytes);
        let length = (unit_bytes - from).min(bytes - at);
        let part = Part { lpn, from: from as usize, at: at as usize, bytes: length as usize };
        at += length;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::{Part, parts};

    #[test]
    fn parts_cover_a_request_once() {
        assert_eq!(parts(0, 0, 4096).count(), 0);
        let all: Vec<Part> = parts(4000, 5000, 4096).collect();
        assert_eq!(
            all,
            [
                Part { lpn: 0, from: 4000, at: 0, bytes: 96 },
                Part { lpn: 1, from: 0, at: 96, bytes: 4096 },
                Part { lpn: 2, from: 0, at: 4192, bytes: 808 },
            ]
        );
    }
}
