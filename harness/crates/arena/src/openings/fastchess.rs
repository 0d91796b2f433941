//! The random order of fastchess: machines that share a book by `-srand` and `start=` agree on it.
//!
//! Sources: M. Matsumoto and T. Nishimura, "Mersenne Twister", 1998, in the 64-bit form of the C++ standard
//! (`std::mt19937_64`); a Fisher-Yates shuffle from the front, each place chosen by a remainder.

/// Words of the generator's state.
const STATE: usize = 312;

/// Distance of the words that are combined.
const SHIFT: usize = 156;

/// `std::mt19937_64`.
struct MersenneTwister {
    state: [u64; STATE],
    next: usize,
}

impl MersenneTwister {
    fn new(seed: u64) -> MersenneTwister {
        let mut state = [seed; STATE];
        for index in 1..STATE {
            let before = state[index - 1];
            state[index] = 6_364_136_223_846_793_005_u64
                .wrapping_mul(before ^ (before >> 62))
                .wrapping_add(index as u64);
        }
        MersenneTwister { state, next: STATE }
    }

    fn twist(&mut self) {
        for index in 0..STATE {
            let upper = self.state[index] & !0x7FFF_FFFF;
            let joined = upper | (self.state[(index + 1) % STATE] & 0x7FFF_FFFF);
            let odd = if joined & 1 == 1 { 0xB502_6F5A_A966_19E9 } else { 0 };
            self.state[index] = self.state[(index + SHIFT) % STATE] ^ (joined >> 1) ^ odd;
        }
        self.next = 0;
    }

    fn number(&mut self) -> u64 {
        if self.next == STATE {
            self.twist();
        }
        let mut number = self.state[self.next];
        self.next += 1;
        number ^= (number >> 29) & 0x5555_5555_5555_5555;
        number ^= (number << 17) & 0x71D6_7FFF_EDA6_0000;
        number ^= (number << 37) & 0xFFF7_EEE0_0000_0000;
        number ^ (number >> 43)
    }
}

/// The numbers below `count` in the order of fastchess.
pub(super) fn shuffled(count: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count).map_while(|index| u32::try_from(index).ok()).collect();
    let mut random = MersenneTwister::new(seed);
    for place in 0..order.len().saturating_sub(1) {
        let left = (order.len() - place) as u64;
        let offset = usize::try_from(random.number() % left).unwrap_or(0);
        order.swap(place, place + offset);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_that_of_the_standard_and_the_order_a_permutation() {
        let mut random = MersenneTwister::new(5489);
        let numbers: Vec<u64> = (0..10_000).map(|_| random.number()).collect();
        assert_eq!(numbers[9_999], 9_981_545_732_273_789_042);
        for count in [0, 1, 2, 1_000] {
            let mut order = shuffled(count, 7);
            assert_eq!(order, shuffled(count, 7));
            order.sort_unstable();
            assert_eq!(order, (0..count as u32).collect::<Vec<u32>>());
        }
        assert_ne!(shuffled(1_000, 7), shuffled(1_000, 8));
    }
}
