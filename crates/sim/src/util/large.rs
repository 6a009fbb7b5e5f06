//! Large arrays on large pages, where the system has them: random access to a map of many
//! megabytes otherwise misses the TLB every time.

/// Arrays from this size on ask for large pages.
#[cfg(target_os = "linux")]
const LARGE_BYTES: usize = 4 << 20;

/// `n` copies of `value`.
pub fn large_vec<T: Copy>(value: T, n: usize) -> Vec<T> {
    let mut array = Vec::with_capacity(n);
    advise(&mut array);
    array.resize(n, value);
    array
}

/// `n` zeros, of which the system gives each page only when it is first written to.
pub fn large_zeros<T: Copy + Default>(n: usize) -> Vec<T> {
    let mut array = vec![T::default(); n];
    advise(&mut array);
    array
}

/// `n` values, each made anew.
pub fn large_vec_with<T>(n: usize, make: impl FnMut() -> T) -> Vec<T> {
    let mut array = Vec::with_capacity(n);
    advise(&mut array);
    array.resize_with(n, make);
    array
}

#[cfg(target_os = "linux")]
fn advise<T>(array: &mut Vec<T>) {
    let bytes = array.capacity() * size_of::<T>();
    if bytes < LARGE_BYTES {
        return;
    }
    const PAGE: usize = 4096;
    let start = array.as_mut_ptr() as usize;
    let aligned = start.next_multiple_of(PAGE);
    let length = (start + bytes - aligned) / PAGE * PAGE;
    // SAFETY: the range is whole pages within the allocation that `array` owns, and this advice
    // changes nothing of what they hold. That it may fail does not matter.
    unsafe {
        libc::madvise(aligned as *mut libc::c_void, length, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise<T>(_: &mut Vec<T>) {}
