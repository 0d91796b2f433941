//! Zobrist keys.
//!
//! A. Zobrist, "A New Hashing Method with Application for Game Playing", 1970.

use super::{Bitboard, Color, Role, Square};

/// The key of a piece on a square.
#[inline]
pub fn piece(color: Color, role: Role, square: Square) -> u64 {
    KEYS.pieces[color as usize][role as usize - 1][square as usize]
}

/// The key of a set of castling rights: rooks that may castle.
#[inline]
pub fn castling(rooks: Bitboard) -> u64 {
    rooks.into_iter().fold(0, |key, rook| key ^ KEYS.castling[rook as usize])
}

/// The key of an en-passant square.
#[inline]
pub fn en_passant(square: Square) -> u64 {
    KEYS.en_passant[square as usize & 7]
}

/// The key of Black to move.
pub const BLACK_TO_MOVE: u64 = 0xd6e8_feb8_6659_fd93;

struct Keys {
    pieces: [[[u64; 64]; 6]; 2],
    castling: [u64; 64],
    en_passant: [u64; 8],
}

static KEYS: Keys = make_keys();

/// SplitMix64: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const fn make_keys() -> Keys {
    let mut state = 0x7465_6e63_6800_0001;
    let mut keys = Keys { pieces: [[[0; 64]; 6]; 2], castling: [0; 64], en_passant: [0; 8] };
    let mut square = 0;
    while square < 64 {
        let mut role = 0;
        while role < 6 {
            keys.pieces[0][role][square] = next(&mut state);
            keys.pieces[1][role][square] = next(&mut state);
            role += 1;
        }
        keys.castling[square] = next(&mut state);
        if square < 8 {
            keys.en_passant[square] = next(&mut state);
        }
        square += 1;
    }
    keys
}
