//! A hint to the cache; no effect on results.

/// Asks for the line of `slice[index]`; out-of-range indices are ignored.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if index < slice.len() {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address lies within the slice, and a prefetch reads nothing.
        unsafe { _mm_prefetch(slice.as_ptr().add(index).cast::<i8>(), _MM_HINT_T0) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
