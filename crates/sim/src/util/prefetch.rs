//! Hints to the cache; no effect on results.

/// Bytes in a line of the cache.
pub const LINE_BYTES: usize = 64;

/// Asks for all lines of `slice[index]`, which begins with one; out-of-range indices are ignored.
#[inline(always)]
pub fn prefetch_all<T>(slice: &[T], index: usize) {
    if let Some(entry) = slice.get(index) {
        let bytes = std::ptr::from_ref(entry).cast::<u8>();
        for line in (0..size_of::<T>()).step_by(LINE_BYTES) {
            // SAFETY: the address lies within the entry, whose bytes are not looked at.
            ask(unsafe { bytes.add(line) });
        }
    }
}

/// Asks for the line of `slice[index]`; out-of-range indices are ignored.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    if let Some(entry) = slice.get(index) {
        ask(std::ptr::from_ref(entry).cast());
    }
}

#[inline(always)]
fn ask(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, and never fails.
        unsafe { _mm_prefetch(line.cast::<i8>(), _MM_HINT_T0) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}
