//! The rules of chess and its variants, from shakmaty, with the history of the game.

use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Color, Move, MoveList, Role};

use super::opening_error::OpeningError;
use super::position::GamePosition;
use super::record::Opening;
use super::termination::Termination;
use super::variant::Rules;
use harness_stats::GameScore;

/// A game's position and history.
#[derive(Clone, Debug)]
pub struct Referee {
    position: GamePosition,
    castling: CastlingMode,
    /// Keys of all positions that may come again, this one last: those since the last capture or
    /// pawn move, where captured pieces cannot be dropped.
    keys: Vec<Zobrist64>,
    in_check: bool,
    /// The legal moves: one generation serves the check of a move, its SAN and the end of the game.
    moves: Vec<Move>,
    /// The result where the rules of the variant alone end the game.
    variant_result: Option<GameScore>,
}

/// A move that was made.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// In the notation of the game's castling mode.
    pub uci: UciMove,
    /// For the PGN.
    pub san: SanPlus,
    /// A capture or pawn move.
    pub irreversible: bool,
}

impl Referee {
    /// At the position of `fen`, or at the usual start position.
    ///
    /// # Errors
    /// When the FEN or its position is invalid.
    pub fn new(fen: Option<&str>, rules: impl Into<Rules>) -> Result<Referee, OpeningError> {
        let rules = rules.into();
        let position = rules.position(fen)?;
        let mut referee = Referee {
            position,
            castling: rules.castling(),
            keys: Vec::with_capacity(128),
            in_check: false,
            moves: Vec::with_capacity(64),
            variant_result: None,
        };
        referee.look();
        Ok(referee)
    }

    /// At the end of an opening, with its moves as made.
    ///
    /// # Errors
    /// When the opening is illegal, or the game is over at its end.
    pub fn at(
        opening: &Opening,
        rules: impl Into<Rules>,
    ) -> Result<(Referee, Vec<Made>), OpeningError> {
        let (referee, moves) = Referee::after(opening, rules)?;
        match referee.ending() {
            Some((_, termination)) => Err(OpeningError::Over(termination.key())),
            None => Ok((referee, moves)),
        }
    }

    /// After some moves, which may have ended the game, with the moves as made.
    ///
    /// # Errors
    /// When a move is illegal.
    pub fn after(
        opening: &Opening,
        rules: impl Into<Rules>,
    ) -> Result<(Referee, Vec<Made>), OpeningError> {
        let mut referee = Referee::new(opening.fen.as_deref(), rules)?;
        let mut moves = Vec::with_capacity(opening.moves.len());
        for (index, &uci) in opening.moves.iter().enumerate() {
            let legal = referee
                .legal(uci)
                .ok_or_else(|| OpeningError::Move { number: index + 1, text: uci.to_string() })?;
            moves.push(referee.make(legal));
        }
        Ok((referee, moves))
    }

    /// The position.
    pub fn position(&self) -> &GamePosition {
        &self.position
    }

    /// Keys of the positions since the latest irreversible move, the present one last.
    pub(super) fn keys(&self) -> &[Zobrist64] {
        &self.keys
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.position.turn()
    }

    /// The number of the next move, as in PGN.
    pub fn move_number(&self) -> u32 {
        self.position.move_number()
    }

    /// The legal move of a UCI move.
    pub fn legal(&self, uci: UciMove) -> Option<Move> {
        let found = self.moves.iter().copied().find(|&legal| is_normal(legal, uci));
        // Castling has two notations.
        found.or_else(|| self.position.of_uci(uci))
    }

    /// The legal move of a SAN without check or mate; `None` if there is none, or more than one.
    pub fn of_san(&self, san: &San) -> Option<Move> {
        let mut found = self.moves.iter().copied().filter(|&legal| san.matches(legal));
        found.next().filter(|_| found.next().is_none())
    }

    /// A legal move in the notation of the game's castling mode.
    pub fn to_uci(&self, legal: Move) -> UciMove {
        legal.to_uci(self.castling)
    }

    /// Makes a legal move.
    pub fn make(&mut self, legal: Move) -> Made {
        let uci = legal.to_uci(self.castling);
        let san = self.san(legal);
        let irreversible = legal.is_capture() || legal.role() == shakmaty::Role::Pawn;
        self.position.play(legal);
        if irreversible && !self.position.has_drops() {
            self.keys.clear();
        }
        self.look();
        let suffix = match (self.in_check, !self.moves.is_empty()) {
            // Who wins by the rules of a variant has mated, in the spelling of other programs.
            _ if self.variant_result.is_some_and(|result| result != GameScore::Draw) => {
                Some(Suffix::Checkmate)
            }
            (true, false) => Some(Suffix::Checkmate),
            (true, true) => Some(Suffix::Check),
            (false, _) => None,
        };
        Made { uci, san: SanPlus { san, suffix }, irreversible }
    }

    /// The SAN of a legal move, without check or mate.
    fn san(&self, legal: Move) -> San {
        let mut rivals = MoveList::new();
        if let Move::Normal { role, to, .. } = legal
            && role != Role::Pawn
        {
            let goes_there = |other: &&Move| other.role() == role && other.to() == to;
            rivals.extend(self.moves.iter().filter(goes_there).copied());
        }
        San::disambiguate(legal, &rivals)
    }

    /// Notes what follows from the position.
    fn look(&mut self) {
        self.keys.push(self.position.key());
        self.moves.clear();
        self.moves.extend_from_slice(&self.position.legal_moves());
        self.in_check = self.position.is_check();
        self.variant_result = self.position.variant_result();
    }

    /// The result, if the game is over by the rules.
    pub fn ending(&self) -> Option<(GameScore, Termination)> {
        if let Some(result) = self.variant_result {
            return Some((result, Termination::VariantEnd));
        }
        if self.moves.is_empty() {
            return Some(if self.in_check {
                (GameScore::won_by(!self.turn()), Termination::Checkmate)
            } else {
                (GameScore::Draw, Termination::Stalemate)
            });
        }
        let termination = if self.position.is_insufficient_material() {
            Termination::InsufficientMaterial
        } else if self.repetitions() >= 3 {
            Termination::Repetition
        } else if self.position.halfmoves() >= 100 {
            Termination::FiftyMoves
        } else {
            return None;
        };
        Some((GameScore::Draw, termination))
    }

    /// The move on which the player that has just moved may ponder: the reply that it expects, in the
    /// notation of the game's castling mode. `None` where that reply is illegal, or ends the game:
    /// then there is nothing to search, and engines stop or crash there.
    pub fn ponder_move(&self, expected: UciMove) -> Option<UciMove> {
        let legal = self.legal(expected)?;
        let mut after = self.clone();
        let made = after.make(legal);
        after.ending().is_none().then_some(made.uci)
    }

    /// How often the position occurred, this time included.
    fn repetitions(&self) -> usize {
        let Some((&now, _)) = self.keys.split_last() else { return 0 };
        // Positions with the same side to move are two plies apart.
        self.keys.iter().rev().step_by(2).filter(|&&key| key == now).count()
    }
}

/// Whether a legal move is this one of UCI, castling and captures en passant left aside.
fn is_normal(legal: Move, uci: UciMove) -> bool {
    match (legal, uci) {
        (
            Move::Normal { from, to, promotion, .. },
            UciMove::Normal { from: uci_from, to: uci_to, promotion: uci_promotion },
        ) => from == uci_from && to == uci_to && promotion == uci_promotion,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::variant::Variant;
    use super::*;

    const FIRST_CHECK: Option<&str> =
        Some("rnbqkbnr/ppp2ppp/8/3pp3/8/4P3/PPPP1PPP/RNBQKBNR w KQkq - 1+3 0 1");
    const QUEEN: Option<&str> = Some("rnbqkbnr/pppppppp/8/7Q/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1");
    const FORCED: Option<&str> = Some("8/8/8/8/8/1p6/P7/8 b - - 0 1");
    const LAST_PIECE: Option<&str> = Some("4k3/8/8/8/8/8/3q4/3P4 b - - 0 1");

    fn after(rules: impl Into<Rules>, fen: Option<&str>, moves: &str) -> Referee {
        let mut referee = Referee::new(fen, rules).unwrap();
        for text in moves.split_whitespace() {
            let legal = referee.legal(text.parse().unwrap()).expect(text);
            referee.make(legal);
        }
        referee
    }

    /// Rules, start position, moves, result, termination.
    type End<'a> = (Rules, Option<&'a str>, &'a str, GameScore, Termination);

    fn each_ends_with_its_last_move(ends: &[End<'_>]) {
        for &(rules, fen, moves, result, termination) in ends {
            let before = moves.rsplit_once(' ').map_or("", |(before, _)| before);
            assert_eq!(after(rules, fen, before).ending(), None, "{rules:?} {fen:?} {before}");
            let ended = after(rules, fen, moves).ending();
            assert_eq!(ended, Some((result, termination)), "{rules:?} {fen:?} {moves}");
        }
    }

    #[test]
    fn every_ending_by_the_rules_is_seen_when_it_happens_and_not_before() {
        use GameScore::{Draw, Loss, Win};
        use Termination::{Checkmate, FiftyMoves, InsufficientMaterial, Repetition, Stalemate};
        let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
        let stalemate = Some("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1");
        let late = Some("4k3/8/8/8/8/8/R7/4K3 w - - 98 80");
        let last_pawn = Some("4k3/8/8/8/8/8/4p3/4K2B w - - 0 1");
        let late_mate = Some("k7/8/1K6/8/8/8/8/7R w - - 99 80");
        each_ends_with_its_last_move(&[
            (Rules::Chess, None, "f2f3 e7e5 g2g4 d8h4", Loss, Checkmate),
            (Rules::Chess, stalemate, "f1f7", Draw, Stalemate),
            (Rules::Chess, None, shuffle, Draw, Repetition),
            (Rules::Chess960, None, shuffle, Draw, Repetition),
            (Rules::Chess, late, "a2b2 e8e7", Draw, FiftyMoves),
            (Rules::Chess, last_pawn, "e1e2", Draw, InsufficientMaterial),
            (Rules::Chess, late_mate, "h1h8", Win, Checkmate),
        ]);
    }

    #[test]
    fn every_variant_ends_by_its_own_rules() {
        use GameScore::{Draw, Loss, Win};
        use Termination::{Checkmate, Repetition, VariantEnd};
        use Variant::*;
        let v = Rules::Variant;
        // Captures and drops lead back to the same position, with nothing in hand.
        let cycle = "a1a8 b7a8 R@b1 a8b7 b1a1 R@a8 ".repeat(2);
        let blocked = Some("8/8/p7/8/P7/8/8/8 w - - 0 1");
        let goal = Some("8/5K1k/8/8/8/8/8/8 w - - 0 1");
        let far = Some("8/5K2/8/7k/8/8/8/8 w - - 0 1");
        let exchange = Some("r5k1/1b6/8/8/8/8/8/R5K1[] w - - 0 1");
        each_ends_with_its_last_move(&[
            (v(Antichess), FORCED, "b3a2", Win, VariantEnd),
            (v(Antichess), blocked, "a4a5", Loss, VariantEnd),
            (v(RacingKings), goal, "f7f8 h7h8", Draw, VariantEnd),
            (v(RacingKings), far, "f7f8", Win, VariantEnd),
            (v(Atomic), QUEEN, "h5f7", Win, VariantEnd),
            (v(Horde), LAST_PIECE, "d2d1", Loss, VariantEnd),
            (v(ThreeCheck), FIRST_CHECK, "f1b5", Win, VariantEnd),
            (v(KingOfTheHill), Some("4k3/8/8/8/8/4K3/8/8 w - - 0 1"), "e3e4", Win, VariantEnd),
            (v(Crazyhouse), exchange, cycle.trim(), Draw, Repetition),
            (v(Crazyhouse), None, "f2f3 e7e5 g2g4 d8h4", Loss, Checkmate),
        ]);
    }

    #[test]
    fn nobody_ponders_after_a_reply_that_is_illegal_or_ends_the_game() {
        use Variant::{Antichess, Atomic, Horde, KingOfTheHill, ThreeCheck};
        let v = Rules::Variant;
        let stalemate = Some("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1");
        let late = Some("4k3/8/8/8/8/8/R7/4K3 w - - 99 80");
        let last_pawn = Some("4k3/8/8/8/8/8/4p3/4K2B w - - 0 1");
        let castling = Some("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        let king = Some("8/8/8/8/8/4K3/8/k7 w - - 0 1");
        for (rules, fen, moves, expected, ponders) in [
            (Rules::Chess, None, "e2e4", "e7e5", Some("e7e5")),
            (Rules::Chess, None, "e2e4", "e2e4", None),
            (Rules::Chess, None, "e2e4", "e7e5q", None),
            (Rules::Chess, None, "e2e4", "0000", None),
            (Rules::Chess, None, "f2f3 e7e5 g2g4", "d8h4", None),
            (Rules::Chess, None, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1", "f6g8", None),
            (Rules::Chess, None, "g1f3 g8f6 f3g1", "f6g8", Some("f6g8")),
            (Rules::Chess, stalemate, "", "f1f7", None),
            (Rules::Chess, late, "", "a2b2", None),
            (Rules::Chess, last_pawn, "", "e1e2", None),
            (Rules::Chess, castling, "", "e1h1", Some("e1g1")),
            (Rules::Chess960, castling, "", "e1g1", Some("e1h1")),
            (v(Atomic), QUEEN, "", "h5f7", None),
            (v(ThreeCheck), FIRST_CHECK, "", "f1b5", None),
            (v(KingOfTheHill), king, "", "e3e4", None),
            (Rules::Chess, king, "", "e3e4", None),
            (v(KingOfTheHill), king, "", "e3f3", Some("e3f3")),
            (v(Antichess), FORCED, "", "b3a2", None),
            (v(Horde), LAST_PIECE, "", "d2d1", None),
        ] {
            let found = after(rules, fen, moves).ponder_move(expected.parse().unwrap());
            let found = found.map(|uci| uci.to_string());
            assert_eq!(found.as_deref(), ponders, "{rules:?} {fen:?} {moves}, then {expected}");
        }
    }

    #[test]
    fn a_position_with_a_capture_en_passant_is_another_one() {
        // The e-pawn can be taken only the first time.
        let referee = after(
            Rules::Chess,
            Some("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1"),
            "e2e4 e8d8 e1d1 d8e8 d1e1 e8d8 e1d1 d8e8 d1e1",
        );
        assert_eq!(referee.ending(), None);
        let mut referee = referee;
        let legal = referee.legal("e8d8".parse().unwrap()).unwrap();
        referee.make(legal);
        assert_eq!(referee.ending(), Some((GameScore::Draw, Termination::Repetition)));
    }

    #[test]
    fn castling_is_parsed_both_ways_and_written_in_the_way_of_the_variant() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for (chess960, written) in [(false, "e1g1"), (true, "e1h1")] {
            for text in ["e1g1", "e1h1"] {
                let mut referee = Referee::new(Some(fen), chess960).unwrap();
                let legal = referee.legal(text.parse().unwrap()).unwrap();
                let made = referee.make(legal);
                assert_eq!(made.uci.to_string(), written);
                assert_eq!(made.san.to_string(), "O-O");
            }
        }
    }

    #[test]
    fn illegal_moves_are_refused() {
        let referee = Referee::new(None, false).unwrap();
        for text in ["e1e5", "e2e5", "e7e5", "e1g1", "a2a3q", "0000", "h8h1"] {
            assert_eq!(referee.legal(text.parse().unwrap()), None, "{text}");
        }
    }

    #[test]
    fn an_opening_that_is_over_or_illegal_is_refused() {
        let opening = |fen: &str, moves: &str| Opening {
            fen: (!fen.is_empty()).then(|| fen.to_owned()),
            moves: moves.split_whitespace().map(|text| text.parse().unwrap()).collect(),
        };
        for (fen, moves, says) in [
            ("", "f2f3 e7e5 g2g4 d8h4", "over"),
            ("", "e2e4 e2e4", "book move 2"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "", "legal position"),
            ("rubbish", "", "not a FEN"),
        ] {
            let error = Referee::at(&opening(fen, moves), false).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}
