//! The address space of a generator, and the places in it.

use super::param::{GeneratorParam, Kind};
use super::values::Values;
use crate::Error;

pub(super) const SIZE_KIB: GeneratorParam = GeneratorParam::new(
    "size_kib",
    Kind::Real(0.5, 65_536.0),
    "4",
    "KiB",
    "Size of a request; the mean where sizes vary.",
);
pub(super) const ALIGN_KIB: GeneratorParam = GeneratorParam::new(
    "align_kib",
    Kind::Real(0.5, 65_536.0),
    "",
    "KiB",
    "Requests begin at multiples of this; by default of size_kib.",
);
pub(super) const SPAN_MIB: GeneratorParam = GeneratorParam::new(
    "span_mib",
    Kind::Real(0.001, 1e12),
    "",
    "MiB",
    "Address space that is used, from 0; by default the drive's logical capacity.",
);

/// Bytes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub offset_bytes: u64,
    pub size_bytes: u32,
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
        let size_bytes = kib(values.number(&SIZE_KIB));
        let align_bytes = match values.given(&ALIGN_KIB) {
            Some(align_kib) => kib(align_kib),
            None => size_bytes,
        };
        let given = values.given(&SPAN_MIB).map(|span_mib| kib(span_mib * 1024.0));
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
