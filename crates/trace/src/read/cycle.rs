//! Writes that come again and again in the same order, as those of fio's `--loops` do.

use crate::{Op, Request};

/// Writes from the first on that are looked for later.
const HEAD_WRITES: usize = 64;
/// Places that the head was met again, of which each may begin a cycle.
const MOST_PLACES: usize = 64;
/// Share of writes that continue the one ahead, beyond which a cycle is a log's that goes round.
const SEQUENTIAL: f64 = 0.5;
/// An odd factor: hashes of sequences are polynomials in it, modulo 2^64.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Looks for a cycle in the writes of a trace, in memory that does not grow with it.
///
/// The head of the trace is sought further on (Knuth, Morris and Pratt, "Fast Pattern Matching in Strings", 1977).
/// Where it is met, a cycle may begin: then the hash of all writes ahead must be that of as many behind.
#[derive(Default)]
pub(super) struct Cycle {
    head: Vec<u64>,
    /// Of each beginning of the head, how much of it is an ending as well.
    borders: Vec<usize>,
    /// How much of the head the last writes are.
    matched: usize,
    writes: u64,
    sequential: u64,
    /// Where the last write ended, and its volume.
    last: (u64, u32),
    hash: u64,
    /// Hashes of all writes up to the last ones, by their number.
    hashes: Vec<u64>,
    places: Vec<Place>,
    /// Whole cycles behind the first place, and the hash up to the end of the last of them.
    cycles: u64,
    up_to: u64,
}

/// A place that may begin a second cycle: writes ahead of it, their hash, and the factor to their power.
#[derive(Clone, Copy)]
struct Place {
    writes: u64,
    hash: u64,
    power: u64,
}

impl Cycle {
    /// Takes the next request.
    #[inline]
    pub fn add(&mut self, request: &Request) {
        if request.op == Op::Write {
            self.add_write(request);
        }
    }

    #[inline]
    fn add_write(&mut self, request: &Request) {
        let volume = u64::from(request.stream) << 32 | u64::from(request.size_bytes);
        let write = (request.offset_bytes ^ volume.rotate_left(20)).wrapping_mul(FACTOR);
        let write = write ^ (write >> 29);
        self.sequential += u64::from(self.last == (request.offset_bytes, request.stream));
        self.last = (request.offset_bytes + u64::from(request.size_bytes), request.stream);
        self.note(write);
    }

    fn note(&mut self, write: u64) {
        if self.hashes.is_empty() {
            self.hashes = vec![0; HEAD_WRITES];
        }
        self.hashes[self.writes as usize % HEAD_WRITES] = self.hash;
        self.hash = self.hash.wrapping_mul(FACTOR).wrapping_add(write);
        self.writes += 1;
        if self.head.len() < HEAD_WRITES {
            self.extend_head(write);
            return;
        }
        while self.matched > 0 && self.head.get(self.matched) != Some(&write) {
            self.matched = self.borders[self.matched - 1];
        }
        self.matched += usize::from(self.head[self.matched] == write);
        if self.matched == HEAD_WRITES {
            self.matched = self.borders[HEAD_WRITES - 1];
            self.meet_head();
        }
        self.end_cycle();
    }

    fn extend_head(&mut self, write: u64) {
        let mut border = self.borders.last().copied().unwrap_or(0);
        while border > 0 && self.head[border] != write {
            border = self.borders[border - 1];
        }
        let is_longer = self.head.get(border) == Some(&write);
        self.head.push(write);
        self.borders.push(border + usize::from(is_longer));
        // What is matched behind a whole head is what it ends and begins with.
        self.matched = self.borders[self.borders.len() - 1];
    }

    #[cold]
    fn meet_head(&mut self) {
        let writes = self.writes - HEAD_WRITES as u64;
        if self.places.len() < MOST_PLACES && self.cycles == 0 {
            let hash = self.hashes[writes as usize % HEAD_WRITES];
            self.places.push(Place { writes, hash, power: power(writes) });
            if self.places.len() == 1 {
                self.up_to = hash;
            }
        }
    }

    /// Where a cycle should be over, whether it was one.
    #[inline]
    fn end_cycle(&mut self) {
        let Some(&place) = self.places.first() else { return };
        if self.writes < (self.cycles + 2) * place.writes {
            return;
        }
        let hash = self.hash.wrapping_sub(self.up_to.wrapping_mul(place.power));
        self.up_to = self.hash;
        if hash == place.hash {
            self.cycles += 1;
        } else if self.cycles == 0 {
            self.places.remove(0);
            self.up_to = self.places.first().map_or(0, |place| place.hash);
        }
    }

    /// Says so if most of the writes are a cycle.
    pub fn remark(&self) -> Option<String> {
        let of = self.places.first()?.writes;
        let times = self.cycles + 1;
        let is_log = self.sequential as f64 > SEQUENTIAL * self.writes as f64;
        let is_most = of >= HEAD_WRITES as u64 && 2 * times * of > self.writes;
        (self.cycles > 0 && is_most && !is_log).then(|| {
            format!(
                "the same {of} writes come {times} times in the same order, so that blocks become invalid whole and \
                 write amplification is too low: draw each pass anew (fio: --randrepeat=0, --norandommap), or fit a \
                 model (`wordline trace fit`)"
            )
        })
    }
}

/// [`FACTOR`] to the power of `exponent`.
fn power(mut exponent: u64) -> u64 {
    let (mut found, mut square) = (1u64, FACTOR);
    while exponent > 0 {
        if exponent % 2 == 1 {
            found = found.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        exponent /= 2;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn remark(offsets: impl IntoIterator<Item = u64>) -> Option<String> {
        let mut cycle = Cycle::default();
        for block in offsets {
            let write = Request::flush(0, 0);
            let write =
                Request { op: Op::Write, offset_bytes: block * 4096, size_bytes: 4096, ..write };
            cycle.add(&write);
            cycle.add(&Request { op: Op::Read, ..write });
        }
        cycle.remark()
    }

    /// Draws that look random.
    fn drawn(seed: u64, count: u64, span: u64) -> impl Iterator<Item = u64> + Clone {
        (0..count).map(move |n| {
            let z = (n + seed * 1_000_003).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ((z ^ (z >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) % span
        })
    }

    proptest! {
        #[test]
        fn cycles_are_found_whatever_their_length(
            seed in 0u64..1000, length in 64u64..700, times in 2u64..6, span in 2u64..5000
        ) {
            let cycle = drawn(seed, length, span);
            let all = (0..times).flat_map(|_| cycle.clone());
            // Few addresses may give a shorter cycle by chance.
            let told = remark(all).expect("a cycle");
            let expected = format!("the same {length} writes come {times} times");
            prop_assert!(span < 100 || told.starts_with(&expected), "{}", told);
        }

        #[test]
        fn fresh_draws_are_none(seed in 0u64..1000, passes in 2u64..6, span in 100u64..5000) {
            let all = (0..passes).flat_map(|pass| drawn(seed + 7919 * (pass + 1), 500, span));
            prop_assert_eq!(remark(all), None);
        }
    }

    #[test]
    fn a_cycle_that_holds_its_own_beginning_is_found() {
        let head: Vec<u64> = drawn(1, 80, 1000).collect();
        let cycle =
            [head.clone(), drawn(2, 200, 1000).collect(), head, drawn(3, 90, 1000).collect()];
        let told = remark((0..3).flat_map(|_| cycle.concat())).expect("a cycle");
        assert!(told.starts_with("the same 450 writes come 3 times"), "{told}");
    }

    #[test]
    fn what_changes_once_is_no_cycle_and_a_log_that_goes_round_is_no_fault() {
        let cycle: Vec<u64> = drawn(1, 300, 1000).collect();
        let mut all = [cycle.clone(), cycle.clone()].concat();
        all[450] ^= 1;
        assert_eq!(remark(all), None);
        assert_eq!(remark((0..5).flat_map(|_| 0..300)), None, "a log");
        assert_eq!(remark(drawn(1, 20, 9).chain(drawn(1, 20, 9))), None, "too few to tell");
        // What follows a cycle that broke off is as long as all cycles.
        let broken = [cycle.clone(), cycle, drawn(5, 700, 1000).collect()].concat();
        assert_eq!(remark(broken), None);
    }
}
