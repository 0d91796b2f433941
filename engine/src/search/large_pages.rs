//! Large memory pages.

use std::mem::MaybeUninit;

/// Advises the system to use large pages for memory that is not yet written: with small pages, most
/// accesses to a large table miss the TLB.
///
/// Without large pages nothing changes.
pub(super) fn advise<T>(memory: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};

        /// The usual size of a large page, and a multiple of the size of every small one.
        const LARGE: usize = 2 << 20;
        let bytes = memory.as_mut_ptr().cast::<u8>();
        let skipped = bytes.align_offset(LARGE);
        let whole = size_of_val(memory).saturating_sub(skipped) / LARGE * LARGE;
        if whole > 0 {
            // SAFETY: the range lies inside of memory that is ours, and the advice changes what
            // pages it is in, not what it holds.
            let advised =
                unsafe { madvise(bytes.add(skipped).cast(), whole, Advice::LinuxHugepage) };
            // Without large pages, small ones do.
            let _ = advised;
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}
