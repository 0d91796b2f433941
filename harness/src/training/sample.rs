//! A labelled position in 32 bytes, as the side to move sees it.
//!
//! The layout is that of "bulletformat" (J. Oliver): occupied squares, four bits a piece in the
//! order of the squares, score, result, both kings' squares. The board is turned and colours are
//! exchanged so that the side to move is White.

use engine::board::{Color, Position};

use super::models::Seen;

/// The number of a king as a kind of piece.
const KING: u16 = 5;

/// A labelled position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    occupied: u64,
    /// Four bits a piece: 8 for the opponent's, and the kind, pawn to king from 0.
    pieces: [u8; 16],
    /// Centipawns for the side to move.
    pub score: i16,
    /// What the side to move got: 0, 1 or 2 half points.
    pub result: u8,
    own_king: u8,
    /// As the opponent sees it.
    their_king: u8,
    /// Black is to move.
    black: bool,
}

impl Sample {
    /// The position with a score in centipawns for White and what White got.
    pub fn new(position: &Position, white_score: i32, white_result: f64) -> Sample {
        let side = position.side();
        let turn = if side == Color::White { 0 } else { 56 };
        let mut by_square = [None; 64];
        for square in position.occupied() {
            by_square[square as usize ^ turn] = position.piece_at(square);
        }
        let (mut occupied, mut pieces) = (0, [0; 16]);
        for (number, (square, piece)) in by_square
            .iter()
            .enumerate()
            .filter_map(|(square, piece)| Some((square, (*piece)?)))
            .enumerate()
        {
            occupied |= 1 << square;
            let theirs = if piece.color == side { 0 } else { 8 };
            pieces[number / 2] |= (theirs | (piece.role as u8 - 1)) << (4 * (number % 2));
        }
        let white = side == Color::White;
        Sample {
            occupied,
            pieces,
            score: (if white { white_score } else { -white_score }).clamp(-32_000, 32_000) as i16,
            result: (2.0 * if white { white_result } else { 1.0 - white_result }).round() as u8,
            own_king: position.king(side) as u8 ^ turn as u8,
            their_king: position.king(!side) as u8 ^ turn as u8 ^ 56,
            black: !white,
        }
    }

    /// The pieces with their squares: kind, whether it is the opponent's, square.
    fn pieces(&self) -> impl Iterator<Item = (u16, bool, u16)> {
        let (mut left, mut pieces) = (self.occupied, u128::from_le_bytes(self.pieces));
        (0..self.count()).map(move |_| {
            let square = left.trailing_zeros() as u16;
            left &= left.wrapping_sub(1);
            let piece = pieces as u8 & 15;
            pieces >>= 4;
            (u16::from(piece & 7), piece & 8 != 0, square)
        })
    }

    /// The inputs that the side to move turns on, in the engine's numbers.
    #[inline]
    pub fn own_inputs(&self, mirroring: bool) -> impl Iterator<Item = u16> {
        let turn = if mirroring && self.own_king & 4 != 0 { 7 } else { 0 };
        self.pieces().map(move |(role, theirs, square)| {
            384 * u16::from(theirs) + 64 * role + (square ^ turn)
        })
    }

    /// The inputs that the other side turns on.
    #[inline]
    pub fn their_inputs(&self, mirroring: bool) -> impl Iterator<Item = u16> {
        let turn = 56 | if mirroring && self.their_king & 4 != 0 { 7 } else { 0 };
        self.pieces().map(move |(role, theirs, square)| {
            384 * u16::from(!theirs) + 64 * role + (square ^ turn)
        })
    }

    /// The inputs of `nnueu` that the side to move, or the other, turns on: all pieces but kings.
    #[inline]
    pub fn kingless_inputs(&self, own: bool) -> impl Iterator<Item = u16> {
        let turn = if own { 0 } else { 56 };
        let kingless = self.pieces().filter(|&(role, ..)| role != KING);
        kingless.map(move |(role, theirs, square)| {
            320 * u16::from(theirs == own) + 64 * role + (square ^ turn)
        })
    }

    /// The same of `halfkp`: every piece with the square of the king of the side that looks.
    #[inline]
    pub fn king_inputs(&self, own: bool) -> impl Iterator<Item = u16> {
        let king = u16::from(if own { self.own_king } else { self.their_king });
        self.kingless_inputs(own).map(move |input| 640 * king + input)
    }

    /// The inputs of the main path of `two-path`: pieces and their squares as White sees them, and
    /// whether White is to move.
    #[inline]
    pub fn main_inputs(&self) -> impl Iterator<Item = u16> {
        let pieces =
            self.white_pieces().flat_map(|(kind, place)| [128 * kind + place, 769 + place]);
        pieces.chain((!self.black).then_some(768))
    }

    /// Those of the path of pawns and kings.
    #[inline]
    pub fn pawn_inputs(&self) -> impl Iterator<Item = u16> {
        let few = self.white_pieces().filter(|&(kind, _)| kind < 2);
        few.map(|(kind, place)| 128 * kind + place)
    }

    /// Pieces as Sturddle numbers them: kinds from king and pawn to queen; Black's squares from h8
    /// to a1, then White's.
    #[inline]
    fn white_pieces(&self) -> impl Iterator<Item = (u16, u16)> {
        let (black, turn) = (self.black, if self.black { 56 } else { 0 });
        self.pieces().map(move |(role, theirs, square)| {
            ((role + 1) % 6, 64 * u16::from(theirs == black) + 63 - (square ^ turn))
        })
    }

    /// What else there is to know of it.
    #[inline]
    pub fn seen(&self) -> Seen {
        Seen { bucket: 0, kings: [self.own_king, self.their_king ^ 56], black: self.black }
    }

    /// Its pieces, kings included.
    #[inline]
    pub fn count(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// What the side to move has more than the other, in pawns: 1, 3, 3, 5 and 9 a piece.
    pub fn material(&self) -> i32 {
        let value = |(role, theirs, _): (u16, bool, u16)| {
            let value = [1, 3, 3, 5, 9, 0][usize::from(role)];
            if theirs { -value } else { value }
        };
        self.pieces().map(value).sum()
    }

    /// A number that is most likely another one for another position or label.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = self.occupied ^ u64::from(self.score as u16) << 8 ^ u64::from(self.result);
        for eight in self.pieces.chunks_exact(8) {
            let number = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
            hash = (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use engine::eval::nnue::two_path_shape::{PawnView, PieceView, SQUARES, TURN};
    use engine::eval::nnue::{FeatureSet, View, halfkp, nnueu};

    use super::*;

    #[test]
    fn inputs_are_those_of_the_engine() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2k5/3p1p2/2pPpP2/2P1P3/1K6/8/8 b - - 20 60",
            "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 9 50",
        ] {
            let position = Position::from_fen(fen).expect("legal");
            let sample = Sample::new(&position, 35, 1.0);
            for mirroring in [false, true] {
                let sorted = |inputs: Vec<u16>| {
                    let mut inputs = inputs;
                    inputs.sort_unstable();
                    inputs
                };
                let of = |side| {
                    let view = View::of(&position, side, mirroring);
                    sorted(view.inputs(&position).into_iter().map(|input| input as u16).collect())
                };
                let side = position.side();
                assert_eq!(sorted(sample.own_inputs(mirroring).collect()), of(side), "{fen}");
                assert_eq!(sorted(sample.their_inputs(mirroring).collect()), of(!side), "{fen}");
            }
            let side = position.side();
            let set = |inputs: Vec<usize>| inputs.into_iter().collect::<BTreeSet<usize>>();
            for color in [side, !side] {
                let own = color == side;
                let found = sample.kingless_inputs(own).map(usize::from).collect();
                let kingless = nnueu::View { side: color }.inputs(&position);
                assert_eq!(set(found), set(kingless), "{fen}");
                let found = sample.king_inputs(own).map(usize::from).collect();
                let with_king = halfkp::View::of(&position, color).inputs(&position);
                assert_eq!(set(found), set(with_king), "{fen}");
            }
            let mut pieces = PieceView.inputs(&position);
            let squares = pieces.iter().map(|input| SQUARES + input % 128).collect::<Vec<_>>();
            pieces.extend(squares);
            pieces.extend(side.is_white().then_some(TURN));
            assert_eq!(set(sample.main_inputs().map(usize::from).collect()), set(pieces), "{fen}");
            let few = sample.pawn_inputs().map(usize::from).collect();
            assert_eq!(set(few), set(PawnView.inputs(&position)), "{fen}");
            let view = nnueu::View { side };
            let kings = [side, !side].map(|color| view.turned(position.king(color)) as u8);
            assert_eq!((sample.seen().kings, sample.seen().black), (kings, !side.is_white()));
        }
    }

    #[test]
    fn labels_are_those_of_the_side_to_move() {
        let of = |side: &str| {
            let fen = format!("4k3/8/8/8/8/8/4P3/4K3 {side} - - 0 1");
            Sample::new(&Position::from_fen(&fen).expect("legal"), 120, 1.0)
        };
        assert_eq!((of("w").score, of("w").result), (120, 2));
        assert_eq!((of("b").score, of("b").result), (-120, 0));
        assert_eq!(std::mem::size_of::<Sample>(), 32);
    }
}
