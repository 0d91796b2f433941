//! Random streams by purpose, seed and number: a resumed run stores no generator state, as the
//! numbers of a trial follow from the run's seed and the trial's number.

pub mod order;

use rand_pcg::Pcg64Mcg;
use sha2::{Digest, Sha256};

/// The random numbers for `purpose` number `number` of the run with this `seed`.
pub fn stream(purpose: &str, seed: u64, number: u64) -> Pcg64Mcg {
    let mut digest = Sha256::new();
    digest.update(seed.to_le_bytes());
    digest.update(number.to_le_bytes());
    digest.update(purpose.as_bytes());
    let digest: [u8; 32] = digest.finalize().into();
    let mut state = [0; 16];
    state.copy_from_slice(&digest[..16]);
    Pcg64Mcg::new(u128::from_le_bytes(state))
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn streams_repeat_and_differ_by_purpose_seed_and_number() {
        let first = |purpose, seed, number| stream(purpose, seed, number).random::<u64>();
        assert_eq!(first("trial", 1, 2), first("trial", 1, 2));
        assert_ne!(first("trial", 1, 2), first("trial", 2, 1));
        assert_ne!(first("trial", 1, 2), first("pairs", 1, 2));
    }
}
