//! The instruction sets that an evaluation is compiled for.

use std::{fmt, iter};

use super::vectors::Portable;
#[cfg(target_arch = "x86_64")]
use super::vectors::{Avx2, Avx512, Vnni};

/// The instruction set of an evaluation; only those of this processor can be obtained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel(pub(super) Instructions);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instructions {
    /// The instructions of every processor of this kind: SSE2 on x86-64, NEON on AArch64.
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Vnni(Vnni),
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Instructions::Portable(_) if cfg!(target_arch = "x86_64") => "SSE2",
            Instructions::Portable(_) if cfg!(target_arch = "aarch64") => "NEON",
            Instructions::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(_) => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(_) => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Instructions::Vnni(_) => "AVX-512 VNNI",
        })
    }
}

impl Kernel {
    /// All that this processor supports, the fastest last.
    pub fn available() -> Vec<Kernel> {
        #[cfg(target_arch = "x86_64")]
        let faster = [
            Avx2::detect().map(Instructions::Avx2),
            Avx512::detect().map(Instructions::Avx512),
            Vnni::detect().map(Instructions::Vnni),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let faster: [Option<Instructions>; 0] = [];
        let portable = Instructions::Portable(Portable);
        iter::once(portable).chain(faster.into_iter().flatten()).map(Kernel).collect()
    }

    /// The fastest that this processor supports.
    pub fn best() -> Kernel {
        Kernel::available().pop().unwrap_or(Kernel(Instructions::Portable(Portable)))
    }
}
