//! Chess, Chess960 and the variants: their names, and their start positions.

use std::fmt;

use serde::{Deserialize, Serialize};
use shakmaty::fen::Fen;
use shakmaty::variant::VariantPosition;
use shakmaty::{CastlingMode, Chess, PositionError, variant};
use strum::{EnumMessage, VariantArray};

use super::opening_error::OpeningError;
use super::position::GamePosition;

/// Values of the `Variant` tag that name chess, in small letters and without spaces and signs.
const CHESS: [&str; 6] = ["", "chess", "standard", "normal", "orthodox", "fromposition"];

/// Values of the `Variant` tag that name Chess960.
const CHESS960: [&str; 9] = [
    "chess960",
    "fischerandom",
    "fischerandomchess",
    "fischerrandom",
    "fischerrandomchess",
    "fischerrandomchess960",
    "fischerrandom960",
    "freestyle",
    "freestylechess",
];

/// A variant of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[derive(strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// A capture explodes what stands around it.
    Atomic,
    /// Captures are forced, and who has no move wins.
    Antichess,
    /// Captured pieces are dropped by their captor.
    Crazyhouse,
    /// A king in the centre wins.
    #[strum(to_string = "king-of-the-hill", serialize = "kingofthehill", serialize = "koth")]
    KingOfTheHill,
    /// The king that is first on the last rank wins.
    #[strum(to_string = "racing-kings", serialize = "racingkings")]
    RacingKings,
    /// The third check wins.
    #[strum(to_string = "three-check", serialize = "3check", serialize = "threecheck")]
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

    /// The variant that a `Variant` tag or a flag of another program names: by one of the values of
    /// `--variant`, whatever the capitals, spaces and signs.
    pub fn of_name(name: &str) -> Option<Variant> {
        let wanted = only_letters(name);
        Variant::VARIANTS.iter().copied().find(|variant| {
            variant.get_serializations().iter().any(|known| only_letters(known) == wanted)
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

/// A name in small letters and digits.
fn only_letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

/// The rules of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Settings", into = "Settings")]
pub enum Rules {
    /// Chess.
    #[default]
    Chess,
    /// Chess960.
    Chess960,
    /// A variant, with the castling of chess.
    Variant(Variant),
}

/// How rules are stored: as the settings that name them.
#[derive(Serialize, Deserialize)]
struct Settings {
    #[serde(default)]
    chess960: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    variant: Option<Variant>,
}

impl From<Settings> for Rules {
    fn from(settings: Settings) -> Rules {
        Rules::new(settings.chess960, settings.variant)
    }
}

impl From<Rules> for Settings {
    fn from(rules: Rules) -> Settings {
        let variant = match rules {
            Rules::Variant(variant) => Some(variant),
            Rules::Chess | Rules::Chess960 => None,
        };
        Settings { chess960: rules == Rules::Chess960, variant }
    }
}

impl From<bool> for Rules {
    /// Chess960 or chess.
    fn from(chess960: bool) -> Rules {
        if chess960 { Rules::Chess960 } else { Rules::Chess }
    }
}

impl Rules {
    /// Of settings that name them; a variant takes precedence.
    pub fn new(chess960: bool, variant: Option<Variant>) -> Rules {
        variant.map_or(Rules::from(chess960), Rules::Variant)
    }

    /// The rules that a `Variant` tag names; `None` if they are not known.
    pub fn of_tag(tag: &str) -> Option<Rules> {
        let name = only_letters(tag);
        if CHESS.contains(&&*name) {
            return Some(Rules::Chess);
        }
        if CHESS960.contains(&&*name) {
            return Some(Rules::Chess960);
        }
        Variant::of_name(tag).map(Rules::Variant)
    }

    /// Whether it is chess, Chess960 included.
    pub fn is_chess(self) -> bool {
        !matches!(self, Rules::Variant(_))
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
        let Some(fen) = fen else { return Ok(self.start()) };
        let Rules::Variant(variant) = self else {
            return chess_position(fen, self.castling()).map(GamePosition::Chess);
        };
        let setup = parse(fen)?.into_setup();
        VariantPosition::from_setup(variant.rules(), setup, self.castling())
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_invalid_ep_square)
            .map(|position| GamePosition::Variant(Box::new(position)))
            .map_err(|error| illegal(fen, &error))
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

/// The position of chess of a FEN; tolerates errors that other programs make.
///
/// # Errors
/// When the FEN or its position is invalid.
pub fn chess_position(fen: &str, castling: CastlingMode) -> Result<Chess, OpeningError> {
    parse(fen)?
        .into_position(castling)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_invalid_ep_square)
        .map_err(|error: PositionError<Chess>| illegal(fen, &error))
}

fn parse(fen: &str) -> Result<Fen, OpeningError> {
    fen.parse().map_err(|error: shakmaty::fen::ParseFenError| OpeningError::NotFen {
        fen: fen.to_owned(),
        reason: error.to_string(),
    })
}

fn illegal(fen: &str, error: &impl fmt::Display) -> OpeningError {
    OpeningError::Illegal { fen: fen.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Conduct;

    #[test]
    fn every_spelling_names_its_variant() {
        for (name, variant) in [
            ("Atomic", Variant::Atomic),
            ("King of the Hill", Variant::KingOfTheHill),
            ("kingofthehill", Variant::KingOfTheHill),
            ("koth", Variant::KingOfTheHill),
            ("3check", Variant::ThreeCheck),
            ("Three-check", Variant::ThreeCheck),
            ("Racing Kings", Variant::RacingKings),
        ] {
            assert_eq!(Variant::of_name(name), Some(variant), "{name}");
        }
        assert_eq!(Variant::of_name("chess"), None);
        for tag in ["Standard", "From Position", "?", ""] {
            assert_eq!(Rules::of_tag(tag), Some(Rules::Chess), "{tag}");
        }
        for tag in ["Chess960", "Fischer Random", "fischerandom", "Freestyle Chess"] {
            assert_eq!(Rules::of_tag(tag), Some(Rules::Chess960), "{tag}");
        }
        assert_eq!(Rules::of_tag("Shogi"), None);
        assert_eq!(Rules::of_tag("Crazyhouse960"), None);
        for &variant in Variant::VARIANTS {
            assert_eq!(Variant::of_name(variant.uci()), Some(variant));
            assert_eq!(Rules::of_tag(variant.tag()), Some(Rules::Variant(variant)));
            let start = Rules::Variant(variant).position(None).expect("a start");
            let again = Rules::Variant(variant).position(Some(&start.fen())).expect("legal");
            assert_eq!(again.key(), start.key(), "{variant}");
        }
    }

    #[test]
    fn rules_are_stored_among_the_settings_of_games_as_before() {
        let conduct = serde_json::to_value(Conduct::default()).expect("JSON");
        for (stored, rules) in [
            (json!({}), Rules::Chess),
            (json!({ "chess960": false }), Rules::Chess),
            (json!({ "chess960": true }), Rules::Chess960),
            (
                json!({ "chess960": false, "variant": "three_check" }),
                Rules::Variant(Variant::ThreeCheck),
            ),
        ] {
            let mut settings = conduct.clone();
            let fields = settings.as_object_mut().expect("an object");
            fields.remove("chess960");
            fields.extend(stored.as_object().expect("an object").clone());
            let read: Conduct = serde_json::from_value(settings.clone()).expect("settings");
            assert_eq!(read, Conduct { rules, ..Conduct::default() });
            settings["chess960"] = json!(rules == Rules::Chess960);
            assert_eq!(serde_json::to_value(&read).expect("JSON"), settings);
        }
    }
}
