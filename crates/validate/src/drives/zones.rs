//! Sequential writes within zones of which several are open at a time, as SSD-iq's benchmark issues them
//! (`shared/PatternGen.hpp` of its repository, pattern `zns`).

use super::shrunk::UNIT_BYTES;
use wordline_trace::{Error, Op, Request, Source};

/// Zones over a space. Every write goes to an open zone, each as likely; a full one makes way for another
/// zone, any that is not open, which is trimmed first.
#[derive(Debug, Clone, Copy)]
pub struct Zones {
    /// Zones of the space.
    pub count: u64,
    /// Units of a zone.
    pub units: u64,
    /// Zones that are open at a time.
    pub open: usize,
    /// Writes in all, of a unit each.
    pub writes: u64,
    /// Of the choices.
    pub seed: u64,
}

impl Zones {
    /// The requests.
    pub fn source(self) -> Box<dyn Source> {
        Box::new(Stream::new(self))
    }
}

/// An open zone, and the unit that is written next; at the end of the zone, it is full.
#[derive(Clone, Copy)]
struct Open {
    zone: u64,
    next: u64,
}

struct Stream {
    zones: Zones,
    random: SplitMix,
    open: Vec<Option<Open>>,
    written: u64,
}

impl Stream {
    fn new(zones: Zones) -> Self {
        Self { zones, random: SplitMix(zones.seed), open: vec![None; zones.open], written: 0 }
    }

    fn write(&mut self, batch: &mut Vec<Request>) {
        let slot = self.random.below(self.open.len() as u64) as usize;
        let Open { zone, next } = match self.open[slot] {
            Some(open) if open.next < self.zones.units => open,
            _ => {
                let zone = self.another();
                batch.push(self.request(Op::Trim, zone, 0, self.zones.units));
                Open { zone, next: 0 }
            }
        };
        batch.push(self.request(Op::Write, zone, next, 1));
        self.open[slot] = Some(Open { zone, next: next + 1 });
        self.written += 1;
    }

    /// A zone that is not among the open ones.
    fn another(&mut self) -> u64 {
        loop {
            let zone = self.random.below(self.zones.count);
            if !self.open.iter().flatten().any(|open| open.zone == zone) {
                return zone;
            }
        }
    }

    fn request(&self, op: Op, zone: u64, first: u64, units: u64) -> Request {
        Request::new(
            op,
            (zone * self.zones.units + first) * UNIT_BYTES,
            (units * UNIT_BYTES) as u32,
        )
    }
}

impl Source for Stream {
    fn name(&self) -> &str {
        "zones"
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        // A write may come with a trim.
        let room = batch.capacity().max(2) / 2;
        for _ in 0..(room as u64).min(self.zones.writes - self.written) {
            self.write(batch);
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        *self = Self::new(self.zones);
        Ok(())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.zones.writes)
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform below `n`, but for 2^-64·n.
    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn zones_are_written_in_order_and_trimmed_when_they_are_opened() {
        let zones = Zones { count: 9, units: 5, open: 3, writes: 1000, seed: 1 };
        let mut source = zones.source();
        let (mut next, mut open, mut batch) = ([5; 9], HashSet::new(), Vec::with_capacity(64));
        let mut writes = 0;
        loop {
            source.next_batch(&mut batch).unwrap();
            if batch.is_empty() {
                break;
            }
            for request in &batch {
                let unit = request.offset_bytes / UNIT_BYTES;
                let (zone, place) = ((unit / 5) as usize, unit % 5);
                if request.op == Op::Trim {
                    assert_eq!((place, next[zone], request.size_bytes), (0, 5, 5 * 4096));
                    open.insert(zone);
                    next[zone] = 0;
                } else {
                    assert_eq!(place, next[zone]);
                    next[zone] += 1;
                    writes += 1;
                }
                open.retain(|&zone| next[zone] < 5);
                assert!(open.len() <= 3);
            }
        }
        assert_eq!(writes, 1000);
        // A zone that is full is drawn again by and by: each of nine, several times.
        assert!(next.iter().all(|&next| next <= 5));
    }
}
