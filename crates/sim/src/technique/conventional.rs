//! The drive without a technique: every hook at its default, inlined into the page path.

use super::Technique;

/// No technique.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conventional;

impl Technique for Conventional {}
