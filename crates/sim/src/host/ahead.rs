//! Requests that come later: the processor's cache is asked in time for what they will touch, a request's map entry
//! first, and then what that leads to.

use wordline_trace::Request;

/// Requests ahead of which the cache is asked for each: for the map's entry first.
const MAP_AHEAD: usize = 24;
const PLACES_AHEAD: usize = 12;

/// What the cache is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The map's entry.
    Map,
    /// What the map's entry leads to: that should be there by now.
    Places,
}

impl Ask {
    /// The request of a batch for which the cache is to be asked as the one at `index` has its turn.
    #[inline(always)]
    pub fn ahead(self, batch: &[Request], index: usize) -> Option<&Request> {
        let at = index
            + match self {
                Self::Map => MAP_AHEAD,
                Self::Places => PLACES_AHEAD,
            };
        batch.get(at)
    }
}
