//! Memory in large pages, where the system has them.

use std::mem::MaybeUninit;

/// Asks the system to keep memory that was not written yet in large pages. With small ones, most
/// looks into a large table take a second one, into the tables of pages.
///
/// It is a wish: where there are none, or none are left, nothing changes.
pub(super) fn prefer<T>(memory: &mut [MaybeUninit<T>]) {
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
            // A system without large pages says so; small ones do as well.
            let _ = advised;
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}
