//! Sums of rows of a matrix (sparse times dense), where a trainer spends its time.
//!
//! Rows are added in blocks whose sums stay in registers; a compiler alone keeps them in memory, at
//! less than half the speed. The order of additions is the same for every instruction set, so that
//! the result is.

use super::sparse::SparseRows;

/// An instruction set.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// Plain loops.
    Portable,
    /// Registers of 8 numbers.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    /// Registers of 16 numbers.
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
}

/// A product to compute: for each sparse row the sum of the rows of a dense matrix that it selects.
pub struct RowSums<'a> {
    /// The rows of sums.
    pub sums: &'a mut [f32],
    /// Initial value of each row of sums; `None`: its present one.
    pub start: Option<&'a [f32]>,
    /// The matrix.
    pub matrix: &'a [f32],
    /// The length of a row.
    pub width: usize,
    /// The sparse rows: numbers of rows of the matrix.
    pub rows: &'a SparseRows,
}

impl RowSums<'_> {
    /// # Panics
    /// If something is beyond the matrix, or lengths do not match.
    #[inline(always)]
    fn check(&self) {
        let RowSums { sums, start, matrix, width, rows: lists } = self;
        assert_eq!(sums.len(), lists.len() * width, "sums of other lists");
        let rows = matrix.len() / width;
        assert!(lists.bound() <= rows, "row {} is beyond the matrix", lists.bound() - 1);
        assert!(start.is_none_or(|start| start.len() == *width), "a start of another length");
    }
}

impl Kernel {
    /// All that this processor supports, the fastest last.
    pub fn available() -> Vec<Kernel> {
        let mut kernels = vec![Kernel::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            kernels.extend(x86::Avx2::detect().map(Kernel::Avx2));
            kernels.extend(x86::Avx512::detect().map(Kernel::Avx512));
        }
        kernels
    }

    /// The fastest that this processor supports.
    pub fn best() -> Kernel {
        #[cfg(target_arch = "x86_64")]
        {
            let avx512 = x86::Avx512::detect().map(Kernel::Avx512);
            if let Some(kernel) = avx512.or_else(|| x86::Avx2::detect().map(Kernel::Avx2)) {
                return kernel;
            }
        }
        Kernel::Portable
    }

    /// Computes the sums.
    ///
    /// # Panics
    /// If a row is beyond the matrix, or lengths do not match.
    pub fn add_rows(self, work: RowSums) {
        work.check();
        match self {
            Kernel::Portable => plain(work),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has AVX2, of which there is proof; lengths were checked.
            Kernel::Avx2(_) => unsafe { x86::with_avx2(work) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the same of AVX-512 F.
            Kernel::Avx512(_) => unsafe { x86::with_avx512(work) },
        }
    }
}

fn plain(work: RowSums) {
    let RowSums { sums, start, matrix, width, rows: lists } = work;
    for (sums, list) in sums.chunks_exact_mut(width).zip(lists.iter()) {
        if let Some(start) = start {
            sums.copy_from_slice(start);
        }
        for &number in list {
            let row = &matrix[usize::from(number) * width..];
            sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm256_add_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm512_add_ps, _mm512_loadu_ps,
        _mm512_storeu_ps,
    };

    use super::RowSums;

    /// Proof that the processor has AVX2.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx2(());

    /// Proof that the processor has AVX-512 F.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx512(());

    impl Avx2 {
        pub fn detect() -> Option<Avx2> {
            std::arch::is_x86_feature_detected!("avx2").then_some(Avx2(()))
        }
    }

    impl Avx512 {
        pub fn detect() -> Option<Avx512> {
            std::arch::is_x86_feature_detected!("avx512f").then_some(Avx512(()))
        }
    }

    macro_rules! add_rows {
        (
            $name:ident, $block:ident, $features:literal, $load:ident, $add:ident, $store:ident,
            $lanes:literal, [$($registers:literal),*]
        ) => {
            /// Makes sums, list by list.
            ///
            /// # Safety
            /// The processor has the features, and the work was checked.
            #[target_feature(enable = $features)]
            pub unsafe fn $name(work: RowSums) {
                let RowSums { sums, start, matrix, width, rows: lists } = work;
                for (sums, list) in sums.chunks_exact_mut(width).zip(lists.iter()) {
                    if start.is_none() && list.is_empty() {
                        continue;
                    }
                    let into = sums.as_mut_ptr();
                    let from = start.map_or(into.cast_const(), <[f32]>::as_ptr);
                    let mut done = 0;
                    $(while width - done >= $registers * $lanes {
                        // SAFETY: the block is within the rows.
                        unsafe {
                            $block::<$registers>(
                                from.add(done), into.add(done),
                                matrix.as_ptr().wrapping_add(done), width, list,
                            );
                        }
                        done += $registers * $lanes;
                    })*
                    for at in done..width {
                        let start = start.map_or(sums[at], |start| start[at]);
                        let numbers = list.iter().map(|&row| matrix[usize::from(row) * width + at]);
                        sums[at] = numbers.fold(start, |sum, number| sum + number);
                    }
                }
            }

            /// Adds a block of `N` registers of some rows.
            ///
            /// # Safety
            /// `from` and `into` have as many numbers, and so have, from `matrix` on, these rows.
            #[target_feature(enable = $features)]
            #[inline]
            unsafe fn $block<const N: usize>(
                from: *const f32,
                into: *mut f32,
                matrix: *const f32,
                width: usize,
                rows: &[u16],
            ) {
                // SAFETY: the block is inside of the row, as the caller has made sure.
                let mut sums = std::array::from_fn::<_, N, _>(|register| unsafe {
                    $load(from.add($lanes * register))
                });
                for &number in rows {
                    // SAFETY: the row is inside of the matrix, as the caller has made sure.
                    let row = unsafe { matrix.add(usize::from(number) * width) };
                    for (register, sum) in sums.iter_mut().enumerate() {
                        // SAFETY: so is each register of its block.
                        *sum = $add(*sum, unsafe { $load(row.add($lanes * register)) });
                    }
                }
                for (register, sum) in sums.into_iter().enumerate() {
                    // SAFETY: as for the loads.
                    unsafe { $store(into.add($lanes * register), sum) };
                }
            }
        };
    }

    add_rows!(
        with_avx512,
        block512,
        "avx512f",
        _mm512_loadu_ps,
        _mm512_add_ps,
        _mm512_storeu_ps,
        16,
        [16, 8, 2, 1]
    );
    add_rows!(
        with_avx2,
        block256,
        "avx2",
        _mm256_loadu_ps,
        _mm256_add_ps,
        _mm256_storeu_ps,
        8,
        [8, 4, 1]
    );
}
