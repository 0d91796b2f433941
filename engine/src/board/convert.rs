//! Conversion to shakmaty's position, for its tablebase and opening book libraries.

use std::num::NonZeroU32;

use shakmaty::{
    Board, ByColor, ByRole, CastlingMode, Chess, Color, FromSetup, PositionError, Role, Setup,
};

use super::Position;

impl Position {
    /// The same position in shakmaty's type, clocks included. It has an en-passant square only where
    /// a pawn can legally capture. `None` for the rare position that shakmaty rejects.
    pub fn to_shakmaty(&self) -> Option<Chess> {
        let by_role = ByRole::new_with(|role: Role| self.by_role(role));
        let by_color = ByColor::new_with(|color: Color| self.by_color(color));
        let setup = Setup {
            board: Board::try_from_bitboards(by_role, by_color).ok()?,
            turn: self.side(),
            castling_rights: self.castling_rights().rooks(),
            ep_square: self.en_passant(),
            halfmoves: self.halfmove_clock().into(),
            fullmoves: NonZeroU32::new(self.fullmoves().into()).unwrap_or(NonZeroU32::MIN),
            ..Setup::empty()
        };
        Chess::from_setup(setup, CastlingMode::Chess960)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{EnPassantMode, fen::Fen};

    use super::*;

    #[test]
    fn the_converted_position_is_the_same() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 7 31",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
            "8/8/8/8/k2Pp2Q/8/8/3K4 b - - 99 120",
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
        ] {
            let ours = Position::from_fen(fen).expect("valid");
            let theirs = ours.to_shakmaty().expect("shakmaty knows it");
            let shredder = CastlingMode::Chess960;
            let expected: Chess =
                fen.parse::<Fen>().expect("valid").into_position(shredder).expect("legal");
            let text =
                |position: Chess| Fen::from_position(&position, EnPassantMode::Legal).to_string();
            assert_eq!(text(theirs), text(expected), "{fen}");
        }
    }
}
