//! Parts: what a request writes within one aligned range.

use super::Kind;
use crate::ids::ScopeId;
use crate::technique::Write;

/// A part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The request.
    pub request: u64,
    /// The range.
    pub range: u32,
    /// The logical unit after its last one.
    pub end: u32,
    /// Its bytes.
    pub bytes: u64,
    /// The kind of flash that takes it.
    pub kind: Kind,
    /// The scope of its program, and its stream, in the 3D flash.
    pub scope: ScopeId,
    /// Its stream there: that of its first unit.
    pub stream: u32,
    /// True once a unit of it is in that program.
    pub has_begun: bool,
}

impl Part {
    /// True for the same part of the same request.
    pub fn is(&self, other: &Self) -> bool {
        (self.request, self.range) == (other.request, other.range)
    }
}

/// The part to which a write of the host belongs. `whole`: what one request of several units leaves of a
/// range is written by the next one, as a fill does.
pub fn part_of(write: &Write<'_>, unit_bytes: u64, range_units: u32, whole: bool) -> Part {
    let request = write.request.as_ref().expect("the host writes");
    let range = write.lpn / range_units;
    let (first, last) = (u64::from(range), u64::from(range) + 1);
    let range_bytes = u64::from(range_units) * unit_bytes;
    let request_end = request.request_offset_bytes + u64::from(request.request_bytes);
    let begin = request.request_offset_bytes.max(first * range_bytes);
    let end = request_end.min(last * range_bytes);
    let part = Part {
        request: request.request,
        range,
        end: end.div_ceil(unit_bytes) as u32,
        bytes: end - begin,
        kind: Kind::TwoD,
        scope: ScopeId::default(),
        stream: 0,
        has_begun: false,
    };
    match whole && u64::from(request.request_bytes) > unit_bytes {
        true => Part { request: u64::MAX, end: last as u32 * range_units, ..part },
        false => part,
    }
}
