//! FEN (Forsyth-Edwards Notation), with the castling letters of X-FEN and Shredder-FEN.

use std::fmt::Write;

use thiserror::Error;

use super::castling::CastlingRights;
use super::{Bitboard, CastlingSide, Color, File, Position, Rank, Role, Square, castling, zobrist};

/// Why a text is not the FEN of a legal position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FenError {
    /// Empty text.
    #[error("the FEN is empty")]
    Empty,
    /// Not eight ranks.
    #[error("the board has {0} ranks, separated by `/`, instead of 8")]
    Ranks(usize),
    /// A rank that is too long or too short.
    #[error("rank {rank} of the board, `{text}`, has {files} squares instead of 8")]
    Files { rank: u32, text: String, files: u32 },
    /// Not a piece letter.
    #[error("`{0}` on the board is neither a piece (PNBRQKpnbrqk) nor a number of empty squares")]
    Piece(char),
    /// The second field.
    #[error("the side to move is `{0}` instead of `w` or `b`")]
    Side(String),
    /// There is no second field.
    #[error("the side to move, `w` or `b`, is missing after the board")]
    NoSide,
    /// The third field.
    #[error("the castling rights are `{0}`; expected `-`, letters of KQkq, or files of rooks")]
    Castling(String),
    /// The fourth field.
    #[error("the en-passant square is `{0}`; expected `-` or a square on rank 3 or 6")]
    EnPassant(String),
    /// The fifth or sixth field.
    #[error("the {clock} is `{text}` instead of a number up to 65535")]
    Clock { clock: &'static str, text: String },
    /// More than six fields.
    #[error("`{0}` follows the six fields of a FEN")]
    TooLong(String),
    /// Not one king.
    #[error("{color} has {kings} kings instead of one")]
    Kings { color: Color, kings: usize },
    /// A pawn where none can be.
    #[error("there is a pawn on {0}; pawns cannot stand on ranks 1 and 8")]
    PawnOnBackrank(Square),
    /// More than a side starts with.
    #[error("{color} has {pieces} pieces; a side has at most 16")]
    TooManyPieces { color: Color, pieces: usize },
    /// More pieces than pawns can have become.
    #[error(
        "{color} has {pawns} pawns and {promoted} pieces that must have been pawns; \
        together they can be at most 8"
    )]
    TooManyPromoted { color: Color, pawns: usize, promoted: usize },
    /// The side that is not to move is in check.
    #[error("{0} is to move and could take the king")]
    OpponentInCheck(Color),
    /// More checkers than one move can bring.
    #[error("the king is in check from {0} pieces at once; no move can do that")]
    TooManyCheckers(usize),
}

impl Position {
    /// The starting position of standard chess.
    pub fn startpos() -> Position {
        Position::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
            .expect("the start position is legal")
    }

    /// Reads a FEN, standard or Chess960, with castling as in FEN, X-FEN or Shredder-FEN.
    ///
    /// Fields after the side to move may be missing. Castling rights without king and rook in
    /// place, and an en-passant square where no pawn can take, are dropped.
    ///
    /// # Errors
    /// When the text is no FEN, or the position cannot be one of legal chess.
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        let mut fields = fen.split_ascii_whitespace();
        let mut position = Position::empty();
        position.read_board(fields.next().ok_or(FenError::Empty)?)?;
        match fields.next() {
            Some("w") => {}
            Some("b") => {
                position.side = Color::Black;
                position.key ^= zobrist::BLACK_TO_MOVE;
            }
            Some(other) => return Err(FenError::Side(other.to_owned())),
            None => return Err(FenError::NoSide),
        }
        position.check_material()?;
        position.read_castling(fields.next().unwrap_or("-"))?;
        position.check_attacks()?;
        position.read_en_passant(fields.next().unwrap_or("-"))?;
        position.halfmoves = read_clock("halfmove clock", fields.next().unwrap_or("0"))?;
        position.fullmoves = read_clock("move number", fields.next().unwrap_or("1"))?.max(1);
        if let Some(rest) = fields.next() {
            return Err(FenError::TooLong(rest.to_owned()));
        }
        debug_assert!(position.is_consistent());
        Ok(position)
    }

    fn read_board(&mut self, text: &str) -> Result<(), FenError> {
        let ranks = text.split('/').count();
        if ranks != 8 {
            return Err(FenError::Ranks(ranks));
        }
        for (row, rank) in text.split('/').zip(Rank::ALL.into_iter().rev()) {
            let mut file = 0;
            for letter in row.chars() {
                if let Some(empty @ 1..=8) = letter.to_digit(10) {
                    file += empty;
                    continue;
                }
                let role = Role::from_char(letter).ok_or(FenError::Piece(letter))?;
                if file < 8 {
                    let square = Square::from_coords(File::new(file), rank);
                    self.put(Color::from_white(letter.is_ascii_uppercase()), role, square);
                }
                file += 1;
            }
            if file != 8 {
                let rank = rank as u32 + 1;
                return Err(FenError::Files { rank, text: row.to_owned(), files: file });
            }
        }
        Ok(())
    }

    fn check_material(&self) -> Result<(), FenError> {
        for color in [Color::White, Color::Black] {
            let count = |role| self.pieces(color, role).count();
            let pieces = self.by_color(color).count();
            if count(Role::King) != 1 {
                return Err(FenError::Kings { color, kings: count(Role::King) });
            }
            if pieces > 16 {
                return Err(FenError::TooManyPieces { color, pieces });
            }
            let pawns = count(Role::Pawn);
            let promoted =
                [(Role::Knight, 2), (Role::Bishop, 2), (Role::Rook, 2), (Role::Queen, 1)]
                    .into_iter()
                    .map(|(role, at_start)| count(role).saturating_sub(at_start))
                    .sum();
            if pawns + promoted > 8 {
                return Err(FenError::TooManyPromoted { color, pawns, promoted });
            }
        }
        match (self.by_role(Role::Pawn) & Bitboard::BACKRANKS).first() {
            Some(square) => Err(FenError::PawnOnBackrank(square)),
            None => Ok(()),
        }
    }

    fn check_attacks(&mut self) -> Result<(), FenError> {
        if self.is_attacked(self.king(!self.side), self.side, self.occupied()) {
            return Err(FenError::OpponentInCheck(self.side));
        }
        self.refresh_checks_and_pins();
        match self.checkers.count() {
            0..=2 => Ok(()),
            checkers => Err(FenError::TooManyCheckers(checkers)),
        }
    }

    fn read_castling(&mut self, text: &str) -> Result<(), FenError> {
        let error = || FenError::Castling(text.to_owned());
        if text == "-" {
            return Ok(());
        }
        let mut rights = Bitboard::EMPTY;
        for letter in text.chars() {
            let color = Color::from_white(letter.is_ascii_uppercase());
            let king = self.king(color);
            let rooks = self.pieces(color, Role::Rook) & color.backrank();
            let rook = match letter.to_ascii_lowercase() {
                'k' => rooks.last().filter(|&rook| rook > king),
                'q' => rooks.first().filter(|&rook| rook < king),
                letter => {
                    let file = File::from_char(letter).ok_or_else(error)?;
                    (rooks & Bitboard::from_file(file)).first()
                }
            };
            if king.rank() == color.backrank() {
                rights.extend(rook);
            }
        }
        for color in [Color::White, Color::Black] {
            let king = self.king(color);
            let rooks = rights & color.backrank();
            let kingside = rooks.into_iter().filter(|&rook| rook > king).count();
            if kingside > 1 || rooks.count() - kingside > 1 {
                return Err(error());
            }
        }
        self.castling = CastlingRights(rights);
        self.key ^= zobrist::castling(rights);
        Ok(())
    }

    fn read_en_passant(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let square = Square::from_ascii(text.as_bytes())
            .ok()
            .filter(|square| matches!(square.rank(), Rank::Third | Rank::Sixth))
            .ok_or_else(|| FenError::EnPassant(text.to_owned()))?;
        let them = !self.side;
        let behind = if them.is_white() { -8 } else { 8 };
        let came_over = square.rank() == them.relative_rank(Rank::Third)
            && self.role_at(square).is_none()
            && square.offset(behind).is_some_and(|from| self.role_at(from).is_none())
            && square
                .offset(-behind)
                .is_some_and(|pawn| self.pieces(them, Role::Pawn).contains(pawn));
        if came_over {
            self.set_en_passant_if_possible(square);
        }
        Ok(())
    }

    /// The position as FEN.
    ///
    /// Castling rights are `KQkq`, with the file of the rook where that would be ambiguous
    /// (X-FEN), or always the file of the rook (Shredder-FEN) for `chess960`. The en-passant
    /// square is given only when a pawn can legally take there.
    pub fn fen(&self, chess960: bool) -> String {
        let mut fen = String::with_capacity(90);
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                let Some(piece) = self.piece_at(Square::from_coords(file, rank)) else {
                    empty += 1;
                    continue;
                };
                push_empty(&mut fen, empty);
                empty = 0;
                fen.push(piece.char());
            }
            push_empty(&mut fen, empty);
            if rank != Rank::First {
                fen.push('/');
            }
        }
        fen.push(' ');
        fen.push(self.side.char());
        fen.push(' ');
        self.push_castling(&mut fen, chess960);
        let en_passant = self.en_passant.map_or_else(|| "-".to_owned(), |sq| sq.to_string());
        write!(fen, " {en_passant} {} {}", self.halfmoves, self.fullmoves)
            .expect("writing to a string cannot fail");
        fen
    }

    fn push_castling(&self, fen: &mut String, chess960: bool) {
        if self.castling.is_empty() {
            fen.push('-');
        }
        for color in [Color::White, Color::Black] {
            let king = self.king(color);
            // Kingside first, as usual.
            for rook in self.castling.rooks_of(color).into_iter().rev() {
                let letter = match castling::side_of(king, rook) {
                    _ if chess960 || !self.is_outermost_rook(color, king, rook) => {
                        rook.file().char()
                    }
                    CastlingSide::KingSide => 'k',
                    CastlingSide::QueenSide => 'q',
                };
                fen.push(if color.is_white() { letter.to_ascii_uppercase() } else { letter });
            }
        }
    }

    /// Whether there is no rook of the colour further from the king on the back rank.
    fn is_outermost_rook(&self, color: Color, king: Square, rook: Square) -> bool {
        let rooks = self.pieces(color, Role::Rook) & color.backrank();
        match castling::side_of(king, rook) {
            CastlingSide::KingSide => rooks.last() == Some(rook),
            CastlingSide::QueenSide => rooks.first() == Some(rook),
        }
    }
}

fn read_clock(clock: &'static str, text: &str) -> Result<u16, FenError> {
    text.parse().map_err(|_| FenError::Clock { clock, text: text.to_owned() })
}

fn push_empty(fen: &mut String, empty: u32) {
    if empty > 0 {
        fen.extend(char::from_digit(empty, 10));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn a_written_fen_parses_to_the_same_position() {
        let fens = [
            START,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 12 34",
            "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1",
        ];
        for fen in fens {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(position.fen(false), fen);
            assert_eq!(Position::from_fen(&position.fen(true)), Ok(position), "{fen}");
        }
    }

    #[test]
    fn castling_letters_of_all_three_dialects_are_understood() {
        let board = "1r2k1r1/8/8/8/8/8/8/RR2K1RR w";
        let inner = Position::from_fen(&format!("{board} BGbg - 0 1")).unwrap();
        assert_eq!(inner.fen(false), format!("{board} GBkq - 0 1"));
        assert_eq!(inner.fen(true), format!("{board} GBgb - 0 1"));
        let outer = Position::from_fen(&format!("{board} KQkq - 0 1")).unwrap();
        assert_eq!(outer.fen(true), format!("{board} HAgb - 0 1"));
        assert_ne!(inner.key(), outer.key());
    }

    #[test]
    fn rights_and_squares_that_cannot_be_are_dropped() {
        let no_rook = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1").unwrap();
        assert_eq!(no_rook.fen(false), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        let king_away = Position::from_fen("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1").unwrap();
        assert!(king_away.castling_rights().is_empty());
        let nobody_takes = START.replace("w KQkq -", "b KQkq e3");
        assert_eq!(Position::from_fen(&nobody_takes).unwrap().en_passant(), None);
        let no_pawn = Position::from_fen("4k3/8/8/8/5p2/8/8/4K3 b - e3 0 1").unwrap();
        assert_eq!(no_pawn.en_passant(), None);
    }

    #[test]
    fn clocks_may_be_missing() {
        let short = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w").unwrap();
        assert_eq!(short.fen(false), "4k3/8/8/8/8/8/8/4K2R w - - 0 1");
        let epd = Position::from_fen("4k3/8/8/8/8/8/8/4K2R w K -").unwrap();
        assert_eq!((epd.halfmove_clock(), epd.fullmoves()), (0, 1));
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let cases = [
            ("", "empty"),
            ("8/8/8/8 w - - 0 1", "4 ranks"),
            ("rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "rank 7"),
            ("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "7 squares"),
            ("rnbqkbnr/pppppppx/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "`x`"),
            ("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "`9`"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "side to move"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "`x`"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KX - 0 1", "castling rights are `KX`"),
            ("4k3/8/8/8/8/8/8/4KRR1 w FG - 0 1", "castling rights are `FG`"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e4 0 1", "`e4`"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1", "halfmove clock is `x`"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 -1", "move number is `-1`"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 bm e4", "`bm`"),
            ("8/8/8/8/8/8/8/4K3 w - - 0 1", "black has 0 kings"),
            ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "white has 2 kings"),
            ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "pawn on a1"),
            ("4k3/8/8/8/Q7/PPPPPPPP/QQ6/4K3 w - - 0 1", "8 pawns and 2 pieces"),
            ("4k3/8/8/NN6/BB6/PPPPPPPP/QRRQRR2/4K3 w - - 0 1", "white has 19 pieces"),
            ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "white is to move and could take the king"),
            ("4k3/8/3N1N2/8/4R3/8/8/4K3 b - - 0 1", "from 3 pieces"),
            ("4k3/4K3/8/8/8/8/8/8 w - - 0 1", "could take the king"),
        ];
        for (fen, part) in cases {
            let error = Position::from_fen(fen).expect_err(fen).to_string();
            assert!(error.contains(part), "{fen}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[ -~/]{0,80}") {
            let _ = Position::from_fen(&text);
        }

        #[test]
        fn no_broken_fen_makes_it_panic(at in 0..START.len(), with in "[ -~é]{0,4}") {
            let broken = format!("{}{with}{}", &START[..at], &START[at + 1..]);
            if let Ok(position) = Position::from_fen(&broken) {
                prop_assert_eq!(Position::from_fen(&position.fen(true)), Ok(position));
            }
        }
    }
}
