//! A write-back cache of parity, least recently written stripe first out. It is only counted: Linux md writes parity with
//! its data.

use super::heads::{ByStripe, Lists};
use crate::ids::{HeadId, Id, StripeId};

/// A write-back cache of parity.
#[derive(Debug)]
pub(super) struct ParityCache {
    /// The places of the stripes whose parity is held.
    by_stripe: ByStripe,
    /// One list: these places, that of the stripe written longest ago first.
    order: Lists<1>,
    /// Stripes for which there is room.
    room: u32,
    /// Stripes whose parity is held.
    held: u32,
    /// Pages of parity that had to leave.
    written: u64,
}

const ORDER: usize = 0;

impl ParityCache {
    /// An empty cache with room for so many stripes.
    pub fn new(room: u32) -> Self {
        let (by_stripe, order) = (ByStripe::new(room), Lists::new(room));
        Self { by_stripe, order, room, held: 0, written: 0 }
    }

    /// Stripes for which it has room.
    pub fn room(&self) -> u32 {
        self.room
    }

    /// Data of a stripe is written.
    pub fn write(&mut self, stripe: StripeId) {
        let place = match self.by_stripe.find(stripe) {
            Some(place) => {
                self.order.remove(ORDER, place);
                place
            }
            None => {
                let place = self.new_place();
                self.by_stripe.assign(place, stripe);
                place
            }
        };
        self.order.push(ORDER, place);
    }

    /// The next place that nobody had, or that of the stripe written longest ago.
    fn new_place(&mut self) -> HeadId {
        if self.held < self.room {
            self.held += 1;
            return HeadId::new(self.held - 1);
        }
        self.written += 1;
        self.order.pop(ORDER).expect("it has room for a stripe")
    }

    /// Pages of parity written up to now, were all that it holds written now.
    pub fn pages(&self) -> u64 {
        self.written + u64::from(self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::ParityCache;
    use crate::ids::StripeId;

    #[test]
    fn the_stripe_written_longest_ago_leaves() {
        let mut cache = ParityCache::new(2);
        // The third pushes 2 out; 1, written again, stays, and 2 pushes 3 out.
        for (stripe, pages) in [(1, 1), (2, 2), (1, 2), (3, 3), (1, 3), (2, 4), (1, 4)] {
            cache.write(StripeId(stripe));
            assert_eq!(cache.pages(), pages, "after {stripe}");
        }
    }
}
