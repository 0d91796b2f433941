//! Row of a game in the index, packed.

/// A game as the index holds it. Names are numbers of the store, 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// Which pair of the run, from 0.
    pub pair: u64,
    /// Name of the white player.
    pub white: u32,
    /// Name of the black player.
    pub black: u32,
    /// Name and public key of the worker.
    pub worker: u32,
    /// Key of the termination.
    pub ending: u32,
    /// How long the game took; 49 days at most.
    pub milliseconds: u32,
    /// Moves played, in plies.
    pub plies: u16,
    /// Number of the opening, from 1; 0 for none.
    pub opening: u16,
    /// The largest fall of the loser's score, in centipawns; 0 for none.
    pub swing: u16,
    /// Index of the move before it.
    pub swing_ply: u16,
    /// Which game of the pair: 0 or 1.
    pub game: u8,
    /// Half points of the first player of the pair.
    pub first_half_points: u8,
    /// Whether that player had White.
    pub first_is_white: bool,
}

impl Packed {
    /// Length of a stored row.
    pub const BYTES: usize = 8 + 5 * 4 + 4 * 2 + 1;

    /// Half points of White.
    pub fn white_half_points(&self) -> u8 {
        if self.first_is_white {
            self.first_half_points
        } else {
            2_u8.saturating_sub(self.first_half_points)
        }
    }

    /// Adds the stored form.
    pub fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.pair.to_le_bytes());
        for number in [self.white, self.black, self.worker, self.ending, self.milliseconds] {
            to.extend(number.to_le_bytes());
        }
        for number in [self.plies, self.opening, self.swing, self.swing_ply] {
            to.extend(number.to_le_bytes());
        }
        let half_points = self.first_half_points.min(3);
        to.push(self.game & 1 | half_points << 1 | u8::from(self.first_is_white) << 3);
    }

    /// Reads the stored form.
    #[inline]
    pub fn read(bytes: &[u8; Packed::BYTES]) -> Packed {
        let quad = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let double = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let flags = bytes[36];
        Packed {
            pair: u64::from_le_bytes(std::array::from_fn(|i| bytes[i])),
            white: quad(8),
            black: quad(12),
            worker: quad(16),
            ending: quad(20),
            milliseconds: quad(24),
            plies: double(28),
            opening: double(30),
            swing: double(32),
            swing_ply: double(34),
            game: flags & 1,
            first_half_points: flags >> 1 & 3,
            first_is_white: flags >> 3 & 1 == 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_same_after_storing() {
        let row = Packed {
            pair: u64::MAX - 1,
            white: 1,
            black: 70_000,
            worker: u32::MAX,
            ending: 4,
            milliseconds: 123_456_789,
            plies: 300,
            opening: 3_555,
            swing: 2_000,
            swing_ply: 65_535,
            game: 1,
            first_half_points: 2,
            first_is_white: true,
        };
        for row in [row, Packed::default(), Packed { first_is_white: false, ..row }] {
            let mut bytes = Vec::new();
            row.write(&mut bytes);
            assert_eq!(Packed::read(&bytes.try_into().expect("its length")), row);
        }
        assert_eq!(row.white_half_points(), 2);
        assert_eq!(Packed { first_is_white: false, ..row }.white_half_points(), 0);
    }
}
