//! A packed position: 32 bytes with its labels, as the side to move sees it.
//!
//! The layout is that of "bulletformat" (J. Oliver): occupied squares, four bits a piece in the
//! order of the squares, score, result, both kings' squares. The board is turned and colours are
//! exchanged so that the side to move is White.

use engine::board::{Color, Piece, Position, Role, Square};
use engine::eval::nnue::Select;

use harness_data::formats::bullet::Packed;
use harness_stats::GameScore;

/// Properties that select blocks of layers, and the sign of the output.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Pieces, kings included.
    pub pieces: u8,
    /// The squares of the own and of the opponent's king, as the side to move sees the board.
    pub kings: [u8; 2],
    /// Black is to move.
    pub black: bool,
}

impl Context {
    /// The block that a layer has for such a position.
    #[inline(always)]
    pub fn block(&self, select: &Select) -> usize {
        select.block(|| self.pieces.into(), || self.kings.map(usize::from))
    }
}

/// A labelled position, packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPosition {
    occupied: u64,
    /// Four bits a piece: 8 for the opponent's, and the kind, pawn to king from 0.
    pieces: [u8; 16],
    /// Centipawns for the side to move.
    pub score: i16,
    /// The blend of the score with later ones of the game, by TD(λ); the score where there is none.
    pub later: i16,
    /// Result for the side to move, in half points: 0, 1 or 2.
    pub result: u8,
    own_king: u8,
    /// As the opponent sees it.
    their_king: u8,
    /// Black is to move.
    black: bool,
}

/// A score for White as one for the side to move.
fn relative(white: bool, score: i32) -> i16 {
    (if white { score } else { -score }).clamp(-32_000, 32_000) as i16
}

/// Bytes of a packed position.
pub const SIZE: usize = 32;

impl PackedPosition {
    /// Packs a position with a score in centipawns for White and the result for White.
    pub fn new(position: &Position, white_score: i32, white_result: f64) -> PackedPosition {
        let white = position.side().is_white();
        let score = relative(white, white_score);
        let board = Packed::new(position, 0, GameScore::Draw, 0, 0);
        let [own_king, their_king] = board.kings();
        PackedPosition {
            occupied: board.occupied(),
            pieces: board.codes(),
            score,
            later: score,
            result: (2.0 * if white { white_result } else { 1.0 - white_result }).round() as u8,
            own_king,
            their_king,
            black: !white,
        }
    }

    /// The same with a blend of its score with later ones, in centipawns for White.
    #[must_use]
    pub fn with_later(self, white_score: i32) -> PackedPosition {
        PackedPosition { later: relative(!self.black, white_score), ..self }
    }

    /// It as bytes, little-endian: board, score, result and side to move, kings, blended score, and a byte
    /// of 0.
    pub fn to_bytes(self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces);
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        let black = u8::from(self.black) << 2;
        bytes[26..29].copy_from_slice(&[self.result | black, self.own_king, self.their_king]);
        bytes[29..31].copy_from_slice(&self.later.to_le_bytes());
        bytes
    }

    /// A packed position from its bytes.
    #[inline]
    pub fn from_bytes(bytes: &[u8; SIZE]) -> PackedPosition {
        PackedPosition {
            occupied: u64::from_le_bytes(std::array::from_fn(|at| bytes[at])),
            pieces: std::array::from_fn(|at| bytes[8 + at]),
            score: i16::from_le_bytes([bytes[24], bytes[25]]),
            later: i16::from_le_bytes([bytes[29], bytes[30]]),
            result: bytes[26] & 3,
            own_king: bytes[27],
            their_king: bytes[28],
            black: bytes[26] & 4 != 0,
        }
    }

    /// The position, without castling rights, en passant and clocks.
    ///
    /// # Panics
    /// When it was not packed from a legal position.
    pub fn position(&self) -> Position {
        let (own, flip) = if self.black { (Color::Black, 56) } else { (Color::White, 0) };
        let mut board = [[None; 8]; 8];
        for (piece, square) in self.pieces() {
            let color = if piece & 8 == 0 { !own } else { own };
            let square = square ^ flip;
            board[7 - square / 8][square % 8] =
                Some(Piece { color, role: Role::ALL[piece % 8 - 1] });
        }
        let ranks = board.map(|rank| {
            let squares = rank.map(|piece| piece.map_or('1', |piece| piece.char()));
            String::from_iter(squares)
        });
        let fen = format!("{} {} - - 0 1", ranks.join("/"), if self.black { 'b' } else { 'w' });
        Position::from_fen(&fen).expect("the board of a legal position")
    }

    /// The pieces with their squares, the side to move as White: [`piece_index`] and square.
    #[inline(always)]
    pub fn pieces(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut left = self.occupied;
        let mut pieces = u128::from_le_bytes(self.pieces);
        (0..self.count()).map(move |_| {
            let square = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            let piece = pieces as usize & 15;
            pieces >>= 4;
            // Roles from 1, and 8 for White.
            ((piece + 1) ^ 8, square)
        })
    }

    /// The square of a king, the side to move as White.
    #[inline(always)]
    pub fn king(&self, side: Color) -> Square {
        let [own, theirs] = self.context().kings;
        Square::new(u32::from(if side.is_white() { own } else { theirs }))
    }

    /// Properties that a network uses beside its features.
    #[inline(always)]
    pub fn context(&self) -> Context {
        let kings = [self.own_king, self.their_king ^ 56];
        Context { pieces: self.count() as u8, kings, black: self.black }
    }

    /// Its pieces, kings included.
    #[inline]
    pub fn count(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// Material balance for the side to move, in pawns: 1, 3, 3, 5 and 9 a piece.
    pub fn material(&self) -> i32 {
        let value = |(piece, _): (usize, usize)| {
            let value = [0, 1, 3, 3, 5, 9, 0, 0][piece & 7];
            if piece & 8 == 0 { -value } else { value }
        };
        self.pieces().map(value).sum()
    }

    /// A hash of the position and its labels.
    pub fn fingerprint(&self) -> u64 {
        let scores = u64::from(self.score as u16) << 8 ^ u64::from(self.later as u16) << 32;
        let mut hash = self.occupied ^ scores ^ u64::from(self.result);
        for eight in self.pieces.chunks_exact(8) {
            let number = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
            hash = (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use engine::eval::nnue::{ARCHITECTURES, Perspectives};

    use super::*;
    use crate::group::Group;
    use crate::model::Model;

    #[test]
    fn features_are_those_of_the_engine() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2k5/3p1p2/2pPpP2/2P1P3/1K6/8/8 b - - 20 60",
            "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 9 50",
        ] {
            let position = Position::from_fen(fen).expect("legal");
            let side = position.side();
            for architecture in ARCHITECTURES {
                let model = Model::new(&architecture.shape());
                let mut group = Group::default();
                group.clear(model.graph.firsts.len());
                model.add(&PackedPosition::new(&position, 35, 1.0), &mut group);
                for (first, rows) in model.graph.firsts.iter().zip(&group.rows) {
                    let sides = match first.perspectives {
                        Perspectives::Both => vec![side, !side],
                        Perspectives::SideToMove => vec![side],
                        Perspectives::White => vec![Color::White],
                    };
                    assert_eq!(rows.len(), sides.len());
                    for (row, side) in rows.iter().zip(sides) {
                        let mut row: Vec<usize> = row.iter().map(|&it| it.into()).collect();
                        let mut wanted = first.features.active(&position, side);
                        row.sort_unstable();
                        wanted.sort_unstable();
                        assert_eq!(row, wanted, "{}, {fen}", architecture.name);
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_of_a_packed_position_is_lost_on_disk() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b - - 0 1",
            "8/2k5/3p1p2/2pPpP2/2P1P3/1K6/8/8 b - - 0 1",
            "4k3/8/8/8/8/8/4r3/R3K2q w - - 0 1",
        ] {
            let position = Position::from_fen(fen).expect("legal");
            for (score, result) in [(-32_000, 0.0), (257, 0.5), (31_999, 1.0)] {
                let packed = PackedPosition::new(&position, score, result).with_later(-score / 2);
                assert_eq!(PackedPosition::from_bytes(&packed.to_bytes()), packed);
                assert_eq!(packed.position(), position);
            }
        }
    }

    #[test]
    fn labels_are_those_of_the_side_to_move() {
        let of = |side: &str| {
            let fen = format!("4k3/8/8/8/8/8/4P3/4K3 {side} - - 0 1");
            PackedPosition::new(&Position::from_fen(&fen).expect("legal"), 120, 1.0)
        };
        assert_eq!((of("w").score, of("w").result), (120, 2));
        assert_eq!((of("b").score, of("b").result), (-120, 0));
        assert_eq!(std::mem::size_of::<PackedPosition>(), 32);
    }
}
