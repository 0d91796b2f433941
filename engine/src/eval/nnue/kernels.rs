//! The loops of a network, compiled for several kinds of processors.
//!
//! The loops are written once, over blocks of fixed size that a compiler turns into vector
//! instructions; each kind of processor has its own copy of the machine code, chosen when a
//! network is loaded. All arithmetic is on integers that cannot overflow (see
//! [`Network`](super::Network)), so that all copies give the same numbers.

use std::fmt;

/// Numbers in a block: those that fill the widest vector register.
pub const LANE: usize = 32;

/// A block of numbers of the inner layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(super) struct Lane(pub [i16; LANE]);

/// Blocks whose products may be added up in 32 bits: a clipped number is at most
/// [`MAX_INNER_ONE`](super::perspective::MAX_INNER_ONE), below 2^9, and times its weight below 2^15, so
/// that 128 of their products are below 2^31.
const SAFE_BLOCKS: usize = 128 / LANE;

/// The kind of instructions that the loops use; only kinds that this processor has can be got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel(Instructions);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instructions {
    /// What every processor of this kind has: SSE2 on x86-64, NEON on AArch64.
    Portable,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Instructions::Portable if cfg!(target_arch = "x86_64") => "SSE2",
            Instructions::Portable if cfg!(target_arch = "aarch64") => "NEON",
            Instructions::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "AVX-512",
        })
    }
}

/// What changes in the sums of the first layer: rows of weights, by the number of their input.
#[derive(Clone, Copy)]
pub(super) struct Change<'a> {
    pub added: &'a [u16],
    pub removed: &'a [u16],
}

/// Two lists of sums of the first layer, and the weights of the layer after it.
#[derive(Clone, Copy)]
pub(super) struct Output<'a> {
    pub own: &'a [Lane],
    pub theirs: &'a [Lane],
    /// For the own numbers, then for theirs.
    pub weights: &'a [Lane],
}

impl Kernel {
    /// All that this processor can run, the fastest last.
    pub fn available() -> Vec<Kernel> {
        let mut kernels = vec![Kernel(Instructions::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2") {
                kernels.push(Kernel(Instructions::Avx2));
            }
            if std::arch::is_x86_feature_detected!("avx512f")
                && std::arch::is_x86_feature_detected!("avx512bw")
            {
                kernels.push(Kernel(Instructions::Avx512));
            }
        }
        kernels
    }

    /// The fastest that this processor can run.
    pub fn best() -> Kernel {
        Kernel::available().pop().unwrap_or(Kernel(Instructions::Portable))
    }
}

/// Makes of a function a method of [`Kernel`] that runs the copy of it for its instructions.
macro_rules! compiled {
    ($(#[$doc:meta])* $name:ident / $avx2:ident / $avx512:ident
     ($($argument:ident: $kind:ty),*) $(-> $out:ty)?) => {
        impl Kernel {
            $(#[$doc])*
            #[inline]
            pub(super) fn $name(self, $($argument: $kind),*) $(-> $out)? {
                match self.0 {
                    Instructions::Portable => $name($($argument),*),
                    // SAFETY: `available`, the only source of this kernel, has found AVX2.
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx2 => unsafe { $avx2($($argument),*) },
                    // SAFETY: `available`, the only source of this kernel, has found AVX-512 F
                    // and BW.
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx512 => unsafe { $avx512($($argument),*) },
                }
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2($($argument: $kind),*) $(-> $out)? {
            $name($($argument),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn $avx512($($argument: $kind),*) $(-> $out)? {
            $name($($argument),*)
        }
    };
}

compiled! {
    /// `sums[to..] = sums[from..] + added rows - removed rows`, over as many blocks as a row has.
    update / update_avx2 / update_avx512 (
        sums: &mut [Lane], from: usize, to: usize, rows: &[Lane], blocks: usize, change: Change<'_>
    )
}

compiled! {
    /// The sum of clipped numbers squared times weights, when 1 is `one` as a number; in units of
    /// `one` squared times that of the weights.
    output / output_avx2 / output_avx512 (layer: Output<'_>, one: i16) -> i64
}

compiled! {
    /// Adds to each sum the products of the numbers with a row of weights.
    dense / dense_avx2 / dense_avx512 (numbers: &[Lane], rows: &[Lane], sums: &mut [i32])
}

#[inline(always)]
fn update(
    sums: &mut [Lane],
    from: usize,
    to: usize,
    rows: &[Lane],
    blocks: usize,
    change: Change<'_>,
) {
    for block in 0..blocks {
        let mut sum = sums[from + block].0;
        for &row in change.added {
            let weights = &rows[usize::from(row) * blocks + block].0;
            for (sum, weight) in sum.iter_mut().zip(weights) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        for &row in change.removed {
            let weights = &rows[usize::from(row) * blocks + block].0;
            for (sum, weight) in sum.iter_mut().zip(weights) {
                *sum = sum.wrapping_sub(*weight);
            }
        }
        sums[to + block].0 = sum;
    }
}

#[inline(always)]
fn output(layer: Output<'_>, one: i16) -> i64 {
    let (own, theirs) = layer.weights.split_at(layer.own.len());
    dot_half(layer.own, own, one) + dot_half(layer.theirs, theirs, one)
}

#[inline(always)]
fn dot_half(sums: &[Lane], weights: &[Lane], one: i16) -> i64 {
    let mut total = 0_i64;
    for (sums, weights) in sums.chunks(SAFE_BLOCKS).zip(weights.chunks(SAFE_BLOCKS)) {
        let mut part = 0_i32;
        for (sums, weights) in sums.iter().zip(weights) {
            for (&sum, &weight) in sums.0.iter().zip(&weights.0) {
                let clipped = sum.clamp(0, one);
                // The product fits into 16 bits: the weights are checked when they are loaded.
                let weighted = clipped.wrapping_mul(weight);
                part += i32::from(clipped) * i32::from(weighted);
            }
        }
        total += i64::from(part);
    }
    total
}

#[inline(always)]
fn dense(numbers: &[Lane], rows: &[Lane], sums: &mut [i32]) {
    for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(numbers.len())) {
        let mut parts = [0_i32; LANE / 2];
        for (numbers, weights) in numbers.iter().zip(row) {
            for (at, part) in parts.iter_mut().enumerate() {
                let product = |at: usize| i32::from(numbers.0[at]) * i32::from(weights.0[at]);
                *part += product(2 * at) + product(2 * at + 1);
            }
        }
        *sum += parts.iter().sum::<i32>();
    }
}
