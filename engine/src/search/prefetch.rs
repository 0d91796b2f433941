//! Fetching memory into the cache before it is read.

/// Fetches the cache line of a value. Nothing depends on it but time.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing; every x86-64 processor has it.
        unsafe { _mm_prefetch(std::ptr::from_ref(value).cast(), _MM_HINT_T0) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
