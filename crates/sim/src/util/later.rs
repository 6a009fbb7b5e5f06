//! What happens later than the next few things: by spans of time, each of which is sorted only when it comes.

/// Spans that what waits is spread over.
const SPANS: usize = 64;

/// Keys: each is a time, and whatever goes with it.
#[derive(Debug)]
pub struct Later<P> {
    /// Keys by spans of equal length, in no order within one. Those before `next` are over; a key for one of
    /// them stands in the next one.
    spans: Vec<Vec<(u64, P)>>,
    next: usize,
    /// When the first span begins.
    from_ns: u64,
    /// The logarithm of a span's length to base 2.
    shift: u32,
    /// Keys after all spans.
    beyond: Vec<(u64, P)>,
    /// Keys in spans.
    spread: usize,
}

impl<P: Copy + Ord> Default for Later<P> {
    fn default() -> Self {
        Self { spans: Vec::new(), next: 0, from_ns: 0, shift: 0, beyond: Vec::new(), spread: 0 }
    }
}

impl<P: Copy + Ord> Later<P> {
    /// True without any key.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.spread == 0 && self.beyond.is_empty()
    }

    /// Adds a key.
    #[inline]
    pub fn push(&mut self, key: (u64, P)) {
        if !self.find_span(key) {
            self.beyond.push(key);
        }
    }

    /// Adds a key to its span; false where it comes after all of them.
    #[inline]
    fn find_span(&mut self, key: (u64, P)) -> bool {
        let span = (key.0.saturating_sub(self.from_ns) >> self.shift).max(self.next as u64);
        let Some(keys) = self.spans.get_mut(span as usize) else { return false };
        keys.push(key);
        self.spread += 1;
        true
    }

    /// Takes the next ones out, `most` of them at most, and at least one if there is one; tells them in order.
    pub fn take(&mut self, most: usize, mut tell: impl FnMut((u64, P))) {
        if self.spread == 0 {
            self.spread_out();
        }
        while let Some(keys) = self.spans.get_mut(self.next) {
            if keys.is_empty() {
                self.next += 1;
                continue;
            }
            // The last one is the next.
            keys.sort_unstable_by(|one, other| other.cmp(one));
            let rest = keys.len().saturating_sub(most);
            self.spread -= keys.len() - rest;
            return keys.drain(rest..).rev().for_each(&mut tell);
        }
    }

    /// Spreads what is beyond all spans over them: what lies far behind the others stays where it is.
    fn spread_out(&mut self) {
        let Some(from_ns) = self.beyond.iter().map(|key| key.0).min() else { return };
        let after_ns = |key: &(u64, P)| u128::from(key.0 - from_ns);
        let mean_ns = self.beyond.iter().map(after_ns).sum::<u128>() / self.beyond.len() as u128;
        let span_ns = mean_ns as u64 / (SPANS as u64 / 2);
        (self.from_ns, self.shift) = (from_ns, u64::BITS - span_ns.leading_zeros());
        self.shift = self.shift.min(u64::BITS - 1);
        self.next = 0;
        self.spans.resize_with(SPANS, Vec::new);
        let mut keys = std::mem::take(&mut self.beyond);
        keys.retain(|&key| !self.find_span(key));
        self.beyond = keys;
    }
}

#[cfg(test)]
mod tests {
    use super::Later;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Times of every magnitude, before and after those that were taken, several of one time.
        #[test]
        fn keys_are_taken_in_order(
            steps in prop::collection::vec((0u32..64, any::<u64>(), 0usize..40), 1..300)
        ) {
            let mut later: Later<u64> = Later::default();
            let mut expected = BTreeSet::new();
            for (number, (bits, time_ns, most)) in (0..).zip(steps) {
                let key = (time_ns >> bits, number);
                later.push(key);
                expected.insert(key);
                if most % 3 == 0 {
                    let mut taken = Vec::new();
                    later.take(most + 1, |key| taken.push(key));
                    prop_assert!(!taken.is_empty() && taken.len() <= most + 1);
                    for key in taken {
                        prop_assert_eq!(expected.pop_first(), Some(key));
                    }
                }
                prop_assert_eq!(later.is_empty(), expected.is_empty());
            }
            // At least one each time.
            for _ in 0..expected.len() {
                later.take(7, |key| assert_eq!(expected.pop_first(), Some(key)));
            }
            prop_assert_eq!(expected.len(), 0);
            prop_assert!(later.is_empty());
        }
    }
}
