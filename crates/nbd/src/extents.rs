//! What is stored where, as few stretches.

use std::ops::ControlFlow;

use crate::export::{Export, Extent};

const HOLE: u32 = 1;
const ZERO: u32 = 2;

/// The state that the protocol gives to an extent.
pub fn state(extent: Extent) -> u32 {
    (u32::from(extent.hole) * HOLE) | (u32::from(extent.zero) * ZERO)
}

/// Lengths of stretches from `offset` on, each with what `kind` says of it; no two neighbours are of
/// the same kind. There are at most `most`, and they may cover less than `length`, but at least one
/// byte: what the export does not say is of the `default` kind.
pub fn stretches<T: Copy + PartialEq>(
    export: &dyn Export,
    (offset, length): (u64, u32),
    most: usize,
    default: T,
    kind: impl Fn(Extent) -> T,
) -> Vec<(u32, T)> {
    let mut found: Vec<(u32, T)> = Vec::new();
    let mut left = length;
    export.extents(offset, length.into(), &mut |extent| {
        let piece = u64::from(left).min(extent.length) as u32;
        let (kind, full) = (kind(extent), found.len() == most);
        match found.last_mut() {
            _ if piece == 0 => {}
            Some((length, last)) if *last == kind => *length += piece,
            _ if full => return ControlFlow::Break(()),
            _ => found.push((piece, kind)),
        }
        left -= piece;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if found.is_empty() {
        found.push((length, default));
    }
    found
}
