//! An order that a seed fixes for good: it does not depend on the version of a library.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::RngCore;

/// 0 to `count` in the order of a seed.
pub fn shuffled(count: usize, seed: u64) -> Vec<u32> {
    shuffled_by(count, &mut random(seed, 0))
}

/// 0 to `count`, shuffled (R. Durstenfeld, 1964).
pub fn shuffled_by(count: usize, random: &mut Pcg64Mcg) -> Vec<u32> {
    let mut order: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, below(random, last + 1));
    }
    order
}

/// A generator of its own for each seed and number.
pub fn random(seed: u64, number: u64) -> Pcg64Mcg {
    let high = mix(mix(seed) ^ number);
    Pcg64Mcg::new(u128::from(high) << 64 | u128::from(mix(high)))
}

/// A step of SplitMix64 (G. Steele, D. Lea, C. Flood, 2014), which parts neighbouring numbers.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A number below `bound`. Multiplying instead of dividing (D. Lemire, 2019); its bias is below
/// `bound` / 2^64 and of no account here.
#[inline]
pub fn below(random: &mut Pcg64Mcg, bound: usize) -> usize {
    let wide = u128::from(random.next_u64()) * bound as u128;
    usize::try_from(wide >> 64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_a_permutation_and_never_changes_for_a_seed() {
        let order = shuffled(1000, 7);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..1000));
        assert_ne!(order, shuffled(1000, 8));
        // Runs that were started with an earlier version must resume with the same openings.
        assert_eq!(shuffled(8, 1), [7, 2, 3, 6, 0, 4, 1, 5]);
    }
}
