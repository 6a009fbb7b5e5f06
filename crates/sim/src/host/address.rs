//! From bytes of the trace to logical units of the drive.

use crate::error::{Error, Fallible};
use crate::ids::{Id, Lpn};
use crate::schema::Beyond;
use rustc_hash::FxHashMap;
use std::ops::Range;
use wordline_trace::Request;

/// What happens to addresses beyond the drive.
#[derive(Debug)]
enum Excess {
    Refuse,
    Wrap,
    /// Units of the trace get a place in the order in which they are touched first.
    Compact(FxHashMap<u64, Lpn>),
}

/// Places requests in the logical space.
#[derive(Debug)]
pub struct AddressMap {
    unit_bytes: u64,
    /// log2 of `unit_bytes` where that is a power of two.
    shift: Option<u32>,
    logical_units: u64,
    excess: Excess,
    /// Requests that reached beyond the drive.
    pub beyond_drive: u64,
    /// Requests that do not begin and end on unit boundaries.
    pub unaligned: u64,
    /// Requests smaller than a unit.
    pub sub_unit: u64,
}

/// Where a request lies within its first and last unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// The request covers the whole first unit.
    pub whole_first: bool,
    /// The request covers the whole last unit.
    pub whole_last: bool,
}

impl Coverage {
    /// The coverage of a request of whole units.
    pub const WHOLE: Self = Self { whole_first: true, whole_last: true };

    /// True when the request covers the whole of its unit `index` of `count`.
    #[inline]
    pub fn is_whole(self, index: usize, count: usize) -> bool {
        (index > 0 || self.whole_first) && (index + 1 < count || self.whole_last)
    }
}

impl AddressMap {
    /// Counts requests anew.
    pub fn count_anew(&mut self) {
        (self.beyond_drive, self.unaligned, self.sub_unit) = (0, 0, 0);
    }

    /// A map onto `logical_units` units.
    pub fn new(unit_bytes: u64, logical_units: u64, beyond: Beyond) -> Self {
        let excess = match beyond {
            Beyond::Error => Excess::Refuse,
            Beyond::Wrap => Excess::Wrap,
            Beyond::Compact => Excess::Compact(FxHashMap::default()),
        };
        let shift = unit_bytes.is_power_of_two().then(|| unit_bytes.trailing_zeros());
        Self {
            unit_bytes,
            shift,
            logical_units,
            excess,
            beyond_drive: 0,
            unaligned: 0,
            sub_unit: 0,
        }
    }

    /// Units that the workload touched and that got a place, where only those get one.
    pub fn placed_units(&self) -> Option<u64> {
        match &self.excess {
            Excess::Compact(places) => Some(places.len() as u64),
            Excess::Refuse | Excess::Wrap => None,
        }
    }

    #[inline]
    fn unit_of(&self, byte: u64) -> u64 {
        match self.shift {
            Some(shift) => byte >> shift,
            None => byte / self.unit_bytes,
        }
    }

    /// A guess at the first unit of a request, for prefetching.
    #[inline]
    pub fn guess(&self, offset_bytes: u64) -> Lpn {
        Lpn(self.unit_of(offset_bytes).min(self.logical_units - 1))
    }

    /// The unit of a request for exactly one in the drive, of which [`Self::place`] counts nothing.
    #[inline(always)]
    pub fn only_unit(&self, request: &Request) -> Option<Lpn> {
        let first = self.unit_of(request.offset_bytes);
        let is_whole = u64::from(request.size_bytes) == self.unit_bytes
            && request.offset_bytes == first * self.unit_bytes;
        (is_whole && self.is_direct(first)).then_some(Lpn(first))
    }

    /// Whether a unit of the trace, and all below, are those of the drive.
    #[inline]
    fn is_direct(&self, unit: u64) -> bool {
        unit < self.logical_units && !matches!(self.excess, Excess::Compact(_))
    }

    /// Writes the logical units of a request to `lpns`.
    ///
    /// # Errors
    /// An address beyond the drive where those are refused, or more touched units than the drive
    /// has.
    #[inline(always)]
    pub fn place(
        &mut self,
        request: &Request,
        number: u64,
        lpns: &mut Vec<Lpn>,
    ) -> Fallible<Coverage> {
        lpns.clear();
        let end = end_of(request);
        let first = self.unit_of(request.offset_bytes);
        if request.size_bytes == 0 {
            return Ok(Coverage::WHOLE);
        }
        let last = self.unit_of(end - 1);
        let coverage = Coverage {
            whole_first: request.offset_bytes == first * self.unit_bytes,
            whole_last: end - last * self.unit_bytes == self.unit_bytes,
        };
        self.sub_unit += u64::from(u64::from(request.size_bytes) < self.unit_bytes);
        self.unaligned += u64::from(!(coverage.whole_first && coverage.whole_last));
        if self.is_direct(last) {
            match first == last {
                // Many requests are of one unit, which needs no loop.
                true => lpns.push(Lpn(first)),
                false => lpns.extend((first..=last).map(Lpn)),
            }
            return Ok(coverage);
        }
        self.place_beyond(request, number, first..=last, lpns)?;
        Ok(coverage)
    }

    #[cold]
    fn place_beyond(
        &mut self,
        request: &Request,
        number: u64,
        units: std::ops::RangeInclusive<u64>,
        lpns: &mut Vec<Lpn>,
    ) -> Fallible {
        let logical = self.logical_units;
        self.beyond_drive += u64::from(*units.end() >= logical);
        match &mut self.excess {
            Excess::Wrap => lpns.extend(units.map(|unit| Lpn(unit % logical))),
            Excess::Compact(places) => {
                for unit in units {
                    let next = Lpn(places.len() as u64);
                    let lpn = *places.entry(unit).or_insert(next);
                    if lpn.number() >= self.logical_units {
                        return Err(full(number, logical * self.unit_bytes).into());
                    }
                    lpns.push(lpn);
                }
            }
            Excess::Refuse => {
                return Err(beyond(request, number, logical * self.unit_bytes).into());
            }
        }
        Ok(())
    }
}

/// The end of a request, which no address space exceeds.
fn end_of(request: &Request) -> u64 {
    request.offset_bytes.saturating_add(u64::from(request.size_bytes))
}

/// The bytes of a request within its unit `index`.
pub fn overlap(request: &Request, unit_bytes: u64, index: usize) -> Range<u64> {
    let begin = (request.offset_bytes / unit_bytes + index as u64) * unit_bytes;
    let end = begin.saturating_add(unit_bytes);
    request.offset_bytes.max(begin)..end_of(request).min(end)
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / (1u64 << 30) as f64
}

fn beyond(request: &Request, number: u64, logical_bytes: u64) -> Error {
    Error::Workload(wordline_trace::Error::new(
        format!(
            "it reaches byte {} ({:.3} GiB), the drive ends at {logical_bytes} ({:.3} GiB)",
            end_of(request),
            gib(end_of(request)),
            gib(logical_bytes)
        ),
        format!("request {} of the workload", number + 1),
        "set workload.beyond to \"wrap\" or \"compact\", or choose a larger drive",
    ))
}

fn full(number: u64, logical_bytes: u64) -> Error {
    Error::Workload(wordline_trace::Error::new(
        format!("the workload touches more than the drive's {:.3} GiB", gib(logical_bytes)),
        format!("request {} of the workload", number + 1),
        "choose a larger drive, or set workload.beyond to \"wrap\"",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_trace::Op;

    fn request(offset_bytes: u64, size_bytes: u32) -> Request {
        Request { offset_bytes, size_bytes, op: Op::Write, ..Request::flush(0, 0) }
    }

    #[test]
    fn a_request_for_exactly_a_unit_lies_where_any_way_puts_it_and_is_not_counted() {
        for (beyond, units) in
            [(Beyond::Error, 0..8), (Beyond::Wrap, 0..8), (Beyond::Compact, 0..0)]
        {
            let mut addresses = AddressMap::new(4096, 8, beyond);
            for (unit, size_bytes) in
                (0..20).flat_map(|unit| [(unit, 4096), (unit, 8192), (unit, 0)])
            {
                let request = request(unit * 4096, size_bytes);
                let only = addresses.only_unit(&request);
                assert_eq!(
                    only.is_some(),
                    size_bytes == 4096 && units.contains(&unit),
                    "{request:?}"
                );
                let mut lpns = Vec::new();
                let placed = addresses.place(&request, 0, &mut lpns);
                if let Some(lpn) = only {
                    assert_eq!((placed.expect("in the drive"), lpns), (Coverage::WHOLE, vec![lpn]));
                }
            }
            assert_eq!((addresses.sub_unit, addresses.unaligned), (0, 0));
        }
    }

    #[test]
    fn requests_that_are_small_or_lie_askew_are_counted() {
        let mut addresses = AddressMap::new(4096, 8, Beyond::Error);
        for (offset_bytes, size_bytes) in [(512, 4096), (0, 512), (0, 4097), (4096, 4096)] {
            let request = request(offset_bytes, size_bytes);
            let is_whole = addresses.only_unit(&request).is_some();
            assert_eq!(is_whole, offset_bytes == 4096);
            addresses.place(&request, 0, &mut Vec::new()).expect("in the drive");
        }
        assert_eq!((addresses.sub_unit, addresses.unaligned), (1, 3));
    }
}
