//! Blocks of 16-bit numbers in registers, for each instruction set.
//!
//! The type of an instruction set can be created only where the processor has it: a value of the
//! type is the proof.

/// Numbers of a block: those of the widest vector register.
pub const LANE: usize = 32;

/// A block of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(super) struct Lane(pub [i16; LANE]);

/// Operations on blocks.
pub(super) trait Vectors: Copy {
    /// A block in registers.
    type Block: Copy;
    /// Sums of products, in 32 bits, several side by side.
    type Sums: Copy;
    /// Blocks that fit into registers together with what is added to them.
    const FIT: usize;

    fn load(self, lane: &Lane) -> Self::Block;
    fn store(self, block: Self::Block, lane: &mut Lane);
    /// Sums that wrap around.
    fn add(self, block: Self::Block, other: Self::Block) -> Self::Block;
    /// Differences that wrap around.
    fn subtract(self, block: Self::Block, other: Self::Block) -> Self::Block;
    /// The 16 low bits of the products.
    fn multiply(self, block: Self::Block, other: Self::Block) -> Self::Block;
    /// The products divided by 512, rounded, of numbers below 512 and others.
    fn scaled_product(self, block: Self::Block, other: Self::Block) -> Self::Block;
    /// Clips to 0 to `most`.
    fn clip(self, block: Self::Block, most: i16) -> Self::Block;
    fn no_sums(self) -> Self::Sums;
    /// Adds the products of the numbers of two blocks, each to one of the sums.
    fn add_products(self, sums: Self::Sums, block: Self::Block, other: Self::Block) -> Self::Sums;
    /// Sums that wrap around.
    fn add_sums(self, sums: Self::Sums, other: Self::Sums) -> Self::Sums;
    /// The sum of all, which fits into 32 bits.
    fn total(self, sums: Self::Sums) -> i32;
    /// The sum of all.
    fn wide_total(self, sums: Self::Sums) -> i64;
}

/// Plain loops, for the compiler to vectorise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Portable;

#[inline(always)]
fn each(block: Lane, other: Lane, operation: impl Fn(i16, i16) -> i16) -> Lane {
    Lane(std::array::from_fn(|place| operation(block.0[place], other.0[place])))
}

impl Vectors for Portable {
    type Block = Lane;
    type Sums = [i32; LANE / 2];
    const FIT: usize = 1;

    #[inline(always)]
    fn load(self, lane: &Lane) -> Lane {
        *lane
    }

    #[inline(always)]
    fn store(self, block: Lane, lane: &mut Lane) {
        *lane = block;
    }

    #[inline(always)]
    fn add(self, block: Lane, other: Lane) -> Lane {
        each(block, other, i16::wrapping_add)
    }

    #[inline(always)]
    fn subtract(self, block: Lane, other: Lane) -> Lane {
        each(block, other, i16::wrapping_sub)
    }

    #[inline(always)]
    fn multiply(self, block: Lane, other: Lane) -> Lane {
        each(block, other, i16::wrapping_mul)
    }

    #[inline(always)]
    fn scaled_product(self, block: Lane, other: Lane) -> Lane {
        each(block, other, |one, other| ((i32::from(one) * i32::from(other) + 256) >> 9) as i16)
    }

    #[inline(always)]
    fn clip(self, block: Lane, most: i16) -> Lane {
        Lane(block.0.map(|number| number.clamp(0, most)))
    }

    #[inline(always)]
    fn no_sums(self) -> Self::Sums {
        [0; LANE / 2]
    }

    #[inline(always)]
    fn add_products(self, mut sums: Self::Sums, block: Lane, other: Lane) -> Self::Sums {
        for (place, sum) in sums.iter_mut().enumerate() {
            let product = |place: usize| i32::from(block.0[place]) * i32::from(other.0[place]);
            *sum += product(2 * place) + product(2 * place + 1);
        }
        sums
    }

    #[inline(always)]
    fn add_sums(self, sums: Self::Sums, other: Self::Sums) -> Self::Sums {
        std::array::from_fn(|place| sums[place].wrapping_add(other[place]))
    }

    #[inline(always)]
    fn total(self, sums: Self::Sums) -> i32 {
        sums.iter().fold(0, |total, &sum| total.wrapping_add(sum))
    }

    #[inline(always)]
    fn wide_total(self, sums: Self::Sums) -> i64 {
        sums.iter().map(|&sum| i64::from(sum)).sum()
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512, Vnni};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::is_x86_feature_detected as has;
    use std::arch::x86_64::*;

    use super::{Lane, Vectors};

    /// The processor has AVX2 and both sets of bit manipulations.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Avx2(());

    /// The processor has AVX-512 F and BW, too, and adds up products in one instruction of 512 bits
    /// (VNNI) where it is said so.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Wide<const VNNI: bool>(());

    pub type Avx512 = Wide<false>;
    pub type Vnni = Wide<true>;

    impl Avx2 {
        pub fn detect() -> Option<Avx2> {
            (has!("avx2") && has!("bmi1") && has!("bmi2")).then_some(Avx2(()))
        }
    }

    impl Avx512 {
        pub fn detect() -> Option<Avx512> {
            Avx2::detect()?;
            (has!("avx512f") && has!("avx512bw")).then_some(Wide(()))
        }
    }

    impl Vnni {
        pub fn detect() -> Option<Vnni> {
            Avx512::detect()?;
            has!("avx512vnni").then_some(Wide(()))
        }
    }

    /// The sum of four numbers of 64 bits.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[inline(always)]
    unsafe fn wide_total(four: __m256i) -> i64 {
        // SAFETY: the processor has AVX2.
        unsafe {
            let high = _mm256_extracti128_si256(four, 1);
            let two = _mm_add_epi64(_mm256_castsi256_si128(four), high);
            _mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two)))
        }
    }

    impl Vectors for Avx2 {
        type Block = [__m256i; 2];
        type Sums = __m256i;
        const FIT: usize = 4;

        #[inline(always)]
        fn load(self, lane: &Lane) -> Self::Block {
            let halves = (&raw const lane.0).cast::<__m256i>();
            // SAFETY: the processor has AVX2; a lane is two aligned registers.
            unsafe { [_mm256_load_si256(halves), _mm256_load_si256(halves.add(1))] }
        }

        #[inline(always)]
        fn store(self, block: Self::Block, lane: &mut Lane) {
            let halves = (&raw mut lane.0).cast::<__m256i>();
            // SAFETY: the processor has AVX2; a lane is two aligned registers.
            unsafe {
                _mm256_store_si256(halves, block[0]);
                _mm256_store_si256(halves.add(1), block[1]);
            }
        }

        #[inline(always)]
        fn add(self, [first, second]: Self::Block, other: Self::Block) -> Self::Block {
            // SAFETY: the processor has AVX2.
            unsafe { [_mm256_add_epi16(first, other[0]), _mm256_add_epi16(second, other[1])] }
        }

        #[inline(always)]
        fn subtract(self, [first, second]: Self::Block, other: Self::Block) -> Self::Block {
            // SAFETY: the processor has AVX2.
            unsafe { [_mm256_sub_epi16(first, other[0]), _mm256_sub_epi16(second, other[1])] }
        }

        #[inline(always)]
        fn multiply(self, [first, second]: Self::Block, other: Self::Block) -> Self::Block {
            // SAFETY: the processor has AVX2.
            unsafe { [_mm256_mullo_epi16(first, other[0]), _mm256_mullo_epi16(second, other[1])] }
        }

        #[inline(always)]
        fn scaled_product(self, [first, second]: Self::Block, other: Self::Block) -> Self::Block {
            // SAFETY: the processor has AVX2. A shift by 6 and the rounded upper bits of 15 make 9.
            unsafe {
                [
                    _mm256_mulhrs_epi16(_mm256_slli_epi16(first, 6), other[0]),
                    _mm256_mulhrs_epi16(_mm256_slli_epi16(second, 6), other[1]),
                ]
            }
        }

        #[inline(always)]
        fn clip(self, block: Self::Block, most: i16) -> Self::Block {
            // SAFETY: the processor has AVX2. No closure: it may not be inlined.
            unsafe {
                let (none, most) = (_mm256_setzero_si256(), _mm256_set1_epi16(most));
                let [first, second] = block;
                [
                    _mm256_min_epi16(_mm256_max_epi16(first, none), most),
                    _mm256_min_epi16(_mm256_max_epi16(second, none), most),
                ]
            }
        }

        #[inline(always)]
        fn no_sums(self) -> __m256i {
            // SAFETY: the processor has AVX2.
            unsafe { _mm256_setzero_si256() }
        }

        #[inline(always)]
        fn add_products(
            self,
            sums: __m256i,
            [first, second]: Self::Block,
            other: Self::Block,
        ) -> __m256i {
            // SAFETY: the processor has AVX2.
            unsafe {
                let sums = _mm256_add_epi32(sums, _mm256_madd_epi16(first, other[0]));
                _mm256_add_epi32(sums, _mm256_madd_epi16(second, other[1]))
            }
        }

        #[inline(always)]
        fn add_sums(self, sums: __m256i, other: __m256i) -> __m256i {
            // SAFETY: the processor has AVX2.
            unsafe { _mm256_add_epi32(sums, other) }
        }

        #[inline(always)]
        fn wide_total(self, sums: __m256i) -> i64 {
            // SAFETY: the processor has AVX2.
            unsafe {
                let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(sums));
                let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(sums, 1));
                wide_total(_mm256_add_epi64(low, high))
            }
        }

        #[inline(always)]
        fn total(self, sums: __m256i) -> i32 {
            // SAFETY: the processor has AVX2.
            unsafe {
                let high = _mm256_extracti128_si256(sums, 1);
                let four = _mm_add_epi32(_mm256_castsi256_si128(sums), high);
                let two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0b1110));
                _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)))
            }
        }
    }

    impl<const VNNI: bool> Vectors for Wide<VNNI> {
        type Block = __m512i;
        type Sums = __m512i;
        const FIT: usize = 8;

        #[inline(always)]
        fn load(self, lane: &Lane) -> __m512i {
            // SAFETY: the processor has AVX-512; a lane is one aligned register.
            unsafe { _mm512_load_si512((&raw const lane.0).cast()) }
        }

        #[inline(always)]
        fn store(self, block: __m512i, lane: &mut Lane) {
            // SAFETY: the processor has AVX-512; a lane is one aligned register.
            unsafe { _mm512_store_si512((&raw mut lane.0).cast(), block) }
        }

        #[inline(always)]
        fn add(self, block: __m512i, other: __m512i) -> __m512i {
            // SAFETY: the processor has AVX-512 BW.
            unsafe { _mm512_add_epi16(block, other) }
        }

        #[inline(always)]
        fn subtract(self, block: __m512i, other: __m512i) -> __m512i {
            // SAFETY: the processor has AVX-512 BW.
            unsafe { _mm512_sub_epi16(block, other) }
        }

        #[inline(always)]
        fn multiply(self, block: __m512i, other: __m512i) -> __m512i {
            // SAFETY: the processor has AVX-512 BW.
            unsafe { _mm512_mullo_epi16(block, other) }
        }

        #[inline(always)]
        fn scaled_product(self, block: __m512i, other: __m512i) -> __m512i {
            // SAFETY: the processor has AVX-512 BW.
            unsafe { _mm512_mulhrs_epi16(_mm512_slli_epi16(block, 6), other) }
        }

        #[inline(always)]
        fn clip(self, block: __m512i, most: i16) -> __m512i {
            // SAFETY: the processor has AVX-512 BW.
            unsafe {
                let positive = _mm512_max_epi16(block, _mm512_setzero_si512());
                _mm512_min_epi16(positive, _mm512_set1_epi16(most))
            }
        }

        #[inline(always)]
        fn no_sums(self) -> __m512i {
            // SAFETY: the processor has AVX-512.
            unsafe { _mm512_setzero_si512() }
        }

        #[inline(always)]
        fn add_products(self, sums: __m512i, block: __m512i, other: __m512i) -> __m512i {
            if VNNI {
                // SAFETY: the processor has these instructions, as the type says.
                return unsafe { _mm512_dpwssd_epi32(sums, block, other) };
            }
            // SAFETY: the processor has AVX-512 BW.
            unsafe { _mm512_add_epi32(sums, _mm512_madd_epi16(block, other)) }
        }

        #[inline(always)]
        fn add_sums(self, sums: __m512i, other: __m512i) -> __m512i {
            // SAFETY: the processor has AVX-512.
            unsafe { _mm512_add_epi32(sums, other) }
        }

        #[inline(always)]
        fn wide_total(self, sums: __m512i) -> i64 {
            // SAFETY: the processor has AVX-512, and with it AVX2.
            unsafe {
                let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sums));
                let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(sums, 1));
                let eight = _mm512_add_epi64(low, high);
                let upper = _mm512_extracti64x4_epi64(eight, 1);
                wide_total(_mm256_add_epi64(_mm512_castsi512_si256(eight), upper))
            }
        }

        #[inline(always)]
        fn total(self, sums: __m512i) -> i32 {
            // SAFETY: the processor has AVX-512.
            unsafe { _mm512_reduce_add_epi32(sums) }
        }
    }
}
