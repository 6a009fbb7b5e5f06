//! Pages of a block.

use crate::ids::BlockId;

/// Pages of a block, one after the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// The block.
    pub block: BlockId,
    /// The first page.
    pub page: u32,
    /// How many there are.
    pub pages: u32,
}

impl Span {
    /// The page after the last one.
    #[inline]
    pub fn end(&self) -> u32 {
        self.page + self.pages
    }

    /// True for a page of it.
    #[inline]
    pub fn contains(&self, page: u32) -> bool {
        (self.page..self.end()).contains(&page)
    }
}
