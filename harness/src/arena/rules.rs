//! Which rules games are played by, and positions under them.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use shakmaty::fen::{Epd, Fen};
use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::uci::UciMove;
use shakmaty::variant::VariantPosition;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, KnownOutcome, Move, MoveList, Outcome, Position,
    PositionError, variant,
};

use super::referee::OpeningError;

/// A variant of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// A capture explodes what stands around it.
    Atomic,
    /// Captures are forced, and who has no move wins.
    Antichess,
    /// What was captured is dropped by its captor.
    Crazyhouse,
    /// A king in the centre wins.
    #[value(alias = "kingofthehill", alias = "koth")]
    KingOfTheHill,
    /// The king that is first on the last rank wins.
    #[value(alias = "racingkings")]
    RacingKings,
    /// The third check wins.
    #[value(alias = "3check", alias = "threecheck")]
    ThreeCheck,
    /// White has 36 pawns and no king.
    Horde,
}

impl Variant {
    /// The value of the UCI option `UCI_Variant`.
    pub fn uci(self) -> &'static str {
        self.rules().uci()
    }

    /// The `Variant` tag of a PGN, in Lichess's spelling.
    pub fn tag(self) -> &'static str {
        match self {
            Variant::Atomic => "Atomic",
            Variant::Antichess => "Antichess",
            Variant::Crazyhouse => "Crazyhouse",
            Variant::KingOfTheHill => "King of the Hill",
            Variant::RacingKings => "Racing Kings",
            Variant::ThreeCheck => "Three-check",
            Variant::Horde => "Horde",
        }
    }

    /// The variant that a `Variant` tag or a flag of another program names.
    pub fn of_name(name: &str) -> Option<Variant> {
        let only_letters = |name: &str| -> String {
            name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
        };
        let wanted = only_letters(name);
        let all = Variant::value_variants().iter().copied();
        all.into_iter().find(|variant| {
            [variant.tag(), variant.uci()].map(only_letters).contains(&wanted)
                || wanted == "koth" && *variant == Variant::KingOfTheHill
        })
    }

    fn rules(self) -> variant::Variant {
        match self {
            Variant::Atomic => variant::Variant::Atomic,
            Variant::Antichess => variant::Variant::Antichess,
            Variant::Crazyhouse => variant::Variant::Crazyhouse,
            Variant::KingOfTheHill => variant::Variant::KingOfTheHill,
            Variant::RacingKings => variant::Variant::RacingKings,
            Variant::ThreeCheck => variant::Variant::ThreeCheck,
            Variant::Horde => variant::Variant::Horde,
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

/// The rules of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Chess.
    #[default]
    Chess,
    /// Chess960.
    Chess960,
    /// A variant, with the castling of chess.
    Variant(Variant),
}

impl From<bool> for Rules {
    /// Chess960 or chess.
    fn from(chess960: bool) -> Rules {
        if chess960 { Rules::Chess960 } else { Rules::Chess }
    }
}

impl Rules {
    /// Of settings that name them; a variant takes precedence.
    pub fn of(chess960: bool, variant: Option<Variant>) -> Rules {
        variant.map_or(Rules::from(chess960), Rules::Variant)
    }

    /// The rules that a `Variant` tag names; `None` if they are not known.
    pub fn of_tag(tag: &str) -> Option<Rules> {
        let word = tag.to_lowercase();
        if super::pgn::is_chess(tag) {
            let chess960 = ["960", "fische", "freestyle"].iter().any(|part| word.contains(part));
            return Some(Rules::from(chess960));
        }
        Variant::of_name(tag).map(Rules::Variant)
    }

    /// The `Variant` tag; `None` for chess.
    pub fn tag(self) -> Option<&'static str> {
        match self {
            Rules::Chess => None,
            Rules::Chess960 => Some("Chess960"),
            Rules::Variant(variant) => Some(variant.tag()),
        }
    }

    /// How castling is written.
    pub fn castling(self) -> CastlingMode {
        CastlingMode::from_chess960(self == Rules::Chess960)
    }

    /// The usual start position, or that of a FEN; tolerates errors that other programs make.
    ///
    /// # Errors
    /// When the FEN or its position is invalid.
    pub fn position(self, fen: Option<&str>) -> Result<GamePosition, OpeningError> {
        let Some(text) = fen else { return Ok(self.start()) };
        let setup: Fen = text.parse().map_err(|error: shakmaty::fen::ParseFenError| {
            OpeningError::NotFen { fen: text.to_owned(), reason: error.to_string() }
        })?;
        let illegal = |reason: String| OpeningError::Illegal { fen: text.to_owned(), reason };
        match self {
            Rules::Chess | Rules::Chess960 => setup
                .into_position(self.castling())
                .or_else(PositionError::ignore_too_much_material)
                .or_else(PositionError::ignore_invalid_ep_square)
                .map(GamePosition::Chess)
                .map_err(|error: PositionError<Chess>| illegal(error.to_string())),
            Rules::Variant(variant) => {
                let setup = setup.into_setup();
                VariantPosition::from_setup(variant.rules(), setup, self.castling())
                    .or_else(PositionError::ignore_too_much_material)
                    .or_else(PositionError::ignore_invalid_ep_square)
                    .map(|position| GamePosition::Variant(Box::new(position)))
                    .map_err(|error| illegal(error.to_string()))
            }
        }
    }

    /// The usual start position.
    fn start(self) -> GamePosition {
        match self {
            Rules::Chess | Rules::Chess960 => GamePosition::Chess(Chess::default()),
            Rules::Variant(variant) => {
                GamePosition::Variant(Box::new(VariantPosition::new(variant.rules())))
            }
        }
    }
}

/// A position of chess or of a variant.
#[derive(Clone, Debug)]
pub enum GamePosition {
    /// Of chess, Chess960 included.
    Chess(Chess),
    /// Of a variant.
    Variant(Box<VariantPosition>),
}

/// The same expression for either kind of position.
macro_rules! on {
    ($game:expr, $position:ident => $value:expr) => {
        match $game {
            GamePosition::Chess($position) => $value,
            GamePosition::Variant(boxed) => {
                let $position = &**boxed;
                $value
            }
        }
    };
}

impl GamePosition {
    /// The position, if it is one of chess.
    pub fn chess(&self) -> Option<&Chess> {
        match self {
            GamePosition::Chess(position) => Some(position),
            GamePosition::Variant(_) => None,
        }
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        on!(self, position => position.turn())
    }

    /// The number of the next move, as in PGN.
    pub fn move_number(&self) -> u32 {
        on!(self, position => position.fullmoves().get())
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        on!(self, position => position.halfmoves())
    }

    /// The legal moves.
    pub fn legal_moves(&self) -> MoveList {
        on!(self, position => position.legal_moves())
    }

    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        on!(self, position => position.is_check())
    }

    /// Whether neither side can win any more.
    pub fn is_insufficient_material(&self) -> bool {
        on!(self, position => position.is_insufficient_material())
    }

    /// The winner by the rules of the variant alone, or a draw by them; `None` where they do not end the game.
    pub fn variant_end(&self) -> Option<Option<Color>> {
        let GamePosition::Variant(position) = self else { return None };
        match position.variant_outcome() {
            Outcome::Unknown => None,
            Outcome::Known(KnownOutcome::Draw) => Some(None),
            Outcome::Known(KnownOutcome::Decisive { winner }) => Some(Some(winner)),
        }
    }

    /// The key of the position.
    pub fn key(&self) -> Zobrist64 {
        on!(self, position => position.zobrist_hash(EnPassantMode::Legal))
    }

    /// The legal move of a UCI move.
    pub fn of_uci(&self, uci: UciMove) -> Option<Move> {
        on!(self, position => uci.to_move(position).ok())
    }

    /// The legal move of a SAN.
    pub fn of_san(&self, san: &San) -> Option<Move> {
        on!(self, position => san.to_move(position).ok())
    }

    /// The SAN of a legal move.
    pub fn san(&self, legal: Move) -> San {
        on!(self, position => San::from_move(position, legal))
    }

    /// Plays a legal move.
    pub fn play(&mut self, legal: Move) {
        match self {
            GamePosition::Chess(position) => position.play_unchecked(legal),
            GamePosition::Variant(position) => position.play_unchecked(legal),
        }
    }

    /// Plays a legal move, and gives its SAN with check or mate.
    pub fn play_with_san(&mut self, legal: Move) -> SanPlus {
        let san = self.san(legal);
        self.play(legal);
        SanPlus { san, suffix: on!(self, position => Suffix::from_position(position)) }
    }

    /// As FEN.
    pub fn fen(&self) -> String {
        on!(self, position => Fen::from_position(position, EnPassantMode::Legal).to_string())
    }

    /// As EPD.
    pub fn epd(&self) -> String {
        on!(self, position => Epd::from_position(position, EnPassantMode::Legal).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_names_its_variant() {
        for (name, variant) in [
            ("Atomic", Variant::Atomic),
            ("King of the Hill", Variant::KingOfTheHill),
            ("kingofthehill", Variant::KingOfTheHill),
            ("3check", Variant::ThreeCheck),
            ("Three-check", Variant::ThreeCheck),
            ("Racing Kings", Variant::RacingKings),
        ] {
            assert_eq!(Variant::of_name(name), Some(variant), "{name}");
        }
        assert_eq!(Variant::of_name("chess"), None);
        assert_eq!(Rules::of_tag("Chess960"), Some(Rules::Chess960));
        assert_eq!(Rules::of_tag("Standard"), Some(Rules::Chess));
        assert_eq!(Rules::of_tag("Shogi"), None);
        for &variant in Variant::value_variants() {
            assert_eq!(Rules::of_tag(variant.tag()), Some(Rules::Variant(variant)));
            let start = Rules::Variant(variant).position(None).expect("a start");
            let again = Rules::Variant(variant).position(Some(&start.fen())).expect("legal");
            assert_eq!(again.key(), start.key(), "{variant}");
        }
    }
}
