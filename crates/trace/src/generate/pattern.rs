//! Where requests go: the part in which generators differ.

use super::param::GeneratorParam;
use super::rng::Rng;
use super::spec::Values;
use super::traffic;
use crate::Error;

/// Bytes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub offset_bytes: u64,
    pub size_bytes: u32,
}

/// A rule for addresses.
pub(crate) trait Pattern: Clone + Send + 'static {
    /// The name that a specification begins with.
    const NAME: &'static str;
    /// What it generates, in a sentence.
    const SUMMARY: &'static str;
    /// Where its definition comes from; empty for our own.
    const SOURCE: &'static str = "";
    /// Its own parameters.
    const PARAMS: &'static [GeneratorParam];

    /// The pattern over `space`.
    fn new(space: Space, values: &Values<'_>, rng: Rng) -> Result<Self, Error>;

    /// The bytes over which it draws addresses uniformly; `None` where it does not.
    fn uniform_span_bytes(&self) -> Option<u64> {
        None
    }

    /// Where the next request of `size_bytes` goes; shorter where the space ends.
    fn next(&mut self, size_bytes: u32) -> Extent;
}

/// The address space, cut into the slots at which a request of the usual size may begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Space {
    pub span_bytes: u64,
    pub align_bytes: u64,
    /// The usual size, in bytes.
    pub size_bytes: u32,
    pub slots: u64,
}

impl Space {
    /// The space of `span_bytes`, or of what the specification gives instead.
    pub fn new(values: &Values<'_>, span_bytes: u64) -> Result<Self, Error> {
        let size_bytes = kib(values.number(&traffic::SIZE_KIB));
        let align_bytes = match values.given(&traffic::ALIGN_KIB) {
            Some(align_kib) => kib(align_kib),
            None => size_bytes,
        };
        let given = values.given(&traffic::SPAN_MIB).map(|span_mib| kib(span_mib * 1024.0));
        let span_bytes = given.unwrap_or(span_bytes) / align_bytes * align_bytes;
        if span_bytes < size_bytes {
            let what = format!(
                "an address space of {span_bytes} bytes is too small for a request of {size_bytes}"
            );
            return Err(values.error(what, "raise span_mib or lower size_kib or align_kib"));
        }
        let slots = (span_bytes - size_bytes) / align_bytes + 1;
        Ok(Self { span_bytes, align_bytes, size_bytes: size_bytes as u32, slots })
    }

    /// The request of `size_bytes` that begins at `slot`.
    #[inline]
    pub fn at(&self, slot: u64, size_bytes: u32) -> Extent {
        let offset_bytes = slot * self.align_bytes;
        let room_bytes = self.span_bytes - offset_bytes;
        Extent { offset_bytes, size_bytes: u64::from(size_bytes).min(room_bytes) as u32 }
    }
}

/// KiB as whole bytes.
pub(crate) fn kib(kib: f64) -> u64 {
    (kib * 1024.0).round() as u64
}
