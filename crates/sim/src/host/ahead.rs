//! Requests that come later: the processor's cache is asked in time for what they will touch, a request's map entry
//! first, and then what that leads to.

use wordline_trace::Request;

/// Requests ahead of which the cache is asked for each: for the map's entry first.
pub const MAP_AHEAD: usize = 24;
const PLACES_AHEAD: usize = 12;

/// What the cache is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The map's entry.
    Map,
    /// What the map's entry leads to: that should be there by now.
    Places,
}

/// Says for which requests of a batch the cache is to be asked as the one at `index` has its turn, and where they are.
#[inline(always)]
pub fn look_ahead(batch: &[Request], index: usize, mut ask: impl FnMut(Ask, usize, &Request)) {
    if let Some(ahead) = batch.get(index + MAP_AHEAD) {
        ask(Ask::Map, index + MAP_AHEAD, ahead);
    }
    if let Some(ahead) = batch.get(index + PLACES_AHEAD) {
        ask(Ask::Places, index + PLACES_AHEAD, ahead);
    }
}
