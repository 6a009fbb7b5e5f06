//! Names of operations under way.

/// Names an operation; once it is over the name matches nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Handle {
    pub(super) index: u32,
    /// 0 for no operation at all.
    pub(super) generation: u32,
}

/// Several operations; most joins are of one, which takes no memory of its own.
#[derive(Debug, Default)]
pub struct Join {
    pub(super) first: Option<Handle>,
    pub(super) rest: Vec<Handle>,
}

impl Handle {
    /// The operation's place among those under way.
    #[inline]
    pub fn index(self) -> u32 {
        self.index
    }
}

impl Join {
    /// Adds an operation.
    #[inline]
    pub fn push(&mut self, handle: Handle) {
        match self.first {
            None => self.first = Some(handle),
            Some(_) => self.rest.push(handle),
        }
    }

    /// The operations.
    #[inline]
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.first.into_iter().chain(self.rest.iter().copied())
    }
}
