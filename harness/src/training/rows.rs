//! Sums of rows of a matrix, which is where a trainer spends its time.
//!
//! A row is worked on in blocks whose sums stay in registers; a compiler left to itself keeps them
//! in memory, at less than half the speed. Sums are made in the order of the rows, number by
//! number, so that every kind of processor gives the same result.

/// The instructions that are used.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// What a compiler makes of the loop.
    Portable,
    /// Registers of 8 numbers.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    /// Registers of 16 numbers.
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
}

impl Kernel {
    /// All that this processor can run, the fastest last.
    pub fn available() -> Vec<Kernel> {
        let mut kernels = vec![Kernel::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            kernels.extend(x86::Avx2::detect().map(Kernel::Avx2));
            kernels.extend(x86::Avx512::detect().map(Kernel::Avx512));
        }
        kernels
    }

    /// The fastest that this processor can run.
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

    /// Adds the rows of a matrix that have these numbers to a row.
    ///
    /// # Panics
    /// When a number is beyond the matrix.
    #[inline]
    pub fn add_rows(self, row: &mut [f32], matrix: &[f32], rows: &[u16]) {
        match self {
            Kernel::Portable => plain(row, matrix, rows),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(proof) => x86::with_avx2(proof, row, matrix, rows),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(proof) => x86::with_avx512(proof, row, matrix, rows),
        }
    }
}

fn plain(row: &mut [f32], matrix: &[f32], rows: &[u16]) {
    let width = row.len();
    for &number in rows {
        let start = usize::from(number) * width;
        for (sum, source) in row.iter_mut().zip(&matrix[start..start + width]) {
            *sum += source;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm256_add_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm512_add_ps, _mm512_loadu_ps,
        _mm512_storeu_ps,
    };

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

    /// The rest of a row, of which `done` numbers are done.
    fn rest(row: &mut [f32], matrix: &[f32], rows: &[u16], done: usize) {
        let width = row.len();
        for &number in rows {
            let start = usize::from(number) * width;
            for (sum, source) in row[done..].iter_mut().zip(&matrix[start + done..start + width]) {
                *sum += source;
            }
        }
    }

    fn check(row: &[f32], matrix: &[f32], rows: &[u16]) {
        let last = rows.iter().max().map_or(0, |&number| usize::from(number) + 1);
        assert!(last * row.len() <= matrix.len(), "row {last} is beyond the matrix");
    }

    macro_rules! blocks {
        ($name:ident, $features:literal, $load:ident, $add:ident, $store:ident, $lanes:literal) => {
            /// Adds block by block, each of `N` registers.
            ///
            /// # Safety
            /// Every number in `rows`, and one more, times the length of `row` is at most the
            /// length of `matrix`; `from + N * lanes` is at most the length of `row`.
            #[target_feature(enable = $features)]
            unsafe fn $name<const N: usize>(
                row: &mut [f32],
                matrix: &[f32],
                rows: &[u16],
                from: usize,
            ) {
                let width = row.len();
                // SAFETY: the block is inside of the row, as the caller has made sure.
                let target = unsafe { row.as_mut_ptr().add(from) };
                // SAFETY: so is each register of it.
                let mut sums = std::array::from_fn::<_, N, _>(|register| unsafe {
                    $load(target.add($lanes * register))
                });
                for &number in rows {
                    // SAFETY: the row is inside of the matrix, as the caller has made sure.
                    let source = unsafe { matrix.as_ptr().add(usize::from(number) * width + from) };
                    for (register, sum) in sums.iter_mut().enumerate() {
                        // SAFETY: so is each register of its block.
                        *sum = $add(*sum, unsafe { $load(source.add($lanes * register)) });
                    }
                }
                for (register, sum) in sums.into_iter().enumerate() {
                    // SAFETY: as for the loads from there.
                    unsafe { $store(target.add($lanes * register), sum) };
                }
            }
        };
    }

    blocks!(block512, "avx512f", _mm512_loadu_ps, _mm512_add_ps, _mm512_storeu_ps, 16);
    blocks!(block256, "avx2", _mm256_loadu_ps, _mm256_add_ps, _mm256_storeu_ps, 8);

    pub fn with_avx512(_: Avx512, row: &mut [f32], matrix: &[f32], rows: &[u16]) {
        check(row, matrix, rows);
        let mut done = 0;
        while row.len() - done >= 128 {
            // SAFETY: the processor has the instructions, the rows were checked, the block fits.
            unsafe { block512::<8>(row, matrix, rows, done) };
            done += 128;
        }
        while row.len() - done >= 32 {
            // SAFETY: as above.
            unsafe { block512::<2>(row, matrix, rows, done) };
            done += 32;
        }
        rest(row, matrix, rows, done);
    }

    pub fn with_avx2(_: Avx2, row: &mut [f32], matrix: &[f32], rows: &[u16]) {
        check(row, matrix, rows);
        let mut done = 0;
        while row.len() - done >= 64 {
            // SAFETY: the processor has the instructions, the rows were checked, the block fits.
            unsafe { block256::<8>(row, matrix, rows, done) };
            done += 64;
        }
        while row.len() - done >= 32 {
            // SAFETY: as above.
            unsafe { block256::<4>(row, matrix, rows, done) };
            done += 32;
        }
        rest(row, matrix, rows, done);
    }
}
