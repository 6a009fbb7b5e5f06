//! What a request covered.

/// What a request covered, until another covers it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub page: u32,
    /// Sectors by which it begins behind the beginning of its page.
    pub shift: u8,
    pub list: u8,
    pub freq: u8,
    /// Whether the other operation has touched it.
    pub seen: bool,
    /// Whether its beginning was overwritten: what is left is no beginning of anything.
    pub rest: bool,
    /// The number of the last request that ended where it begins; 0 for none.
    pub behind: u32,
    pub bytes: u32,
    /// Pages that had been touched when it was, in ticks.
    pub stamp: u32,
    /// Where it stands in its list.
    pub at: u32,
}
