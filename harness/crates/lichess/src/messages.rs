//! Lines of the streams as values.
//!
//! The fields are those of the OpenAPI description of Lichess (<https://github.com/lichess-org/api>,
//! schemas `ChallengeJson`, `GameEventInfo`, `GameFullEvent`, `GameStateEvent`, `OpponentGoneEvent`).
//! Fields that the bot does not need are not read, so that new ones do no harm.

use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::keys::{self, Speed};

/// The longest time that is taken from the server: longer ones are shortened to it, so that they can
/// be added to other times.
const MAX_SECONDS: u64 = 24 * 3600;

/// A line of the stream of events.
#[derive(Clone, Debug)]
pub enum Incoming {
    /// A game started, or is in progress when the stream opens; its opponent's id, if that has one.
    GameStart { id: String, opponent: Option<String> },
    /// A game is over.
    GameFinish(String),
    /// A user challenges another.
    Challenge(Box<Challenge>),
    /// A challenge was taken back.
    Canceled(String),
    /// Something else, by its type.
    Other(String),
}

/// A line of the stream of a game.
#[derive(Clone, Debug)]
pub enum GameLine {
    /// The whole game.
    Full(Box<GameFull>),
    /// Its state.
    State(GameState),
    /// Whether the opponent has left, and the seconds until the game can be claimed.
    OpponentGone(Option<u64>),
    /// Something else, by its type.
    Other(String),
}

/// A challenge.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Challenge {
    /// Its id, which is that of the game if it is accepted.
    pub id: String,
    /// Who challenges.
    pub challenger: User,
    /// Who is challenged; `None` in an open challenge.
    #[serde(default)]
    pub dest_user: Option<User>,
    /// The kind of chess.
    pub variant: Variant,
    /// Whether the game counts for ratings.
    pub rated: bool,
    /// The class of its time control.
    pub speed: Speed,
    /// Its time control.
    pub time_control: TimeControl,
}

/// A kind of chess.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Variant {
    /// `standard`, `chess960`, ...
    #[serde(default)]
    pub key: String,
}

impl Variant {
    /// The variant, if it is one that is played here.
    pub fn known(&self) -> Option<keys::Variant> {
        let key: StrDeserializer<'_, ValueError> = self.key.as_str().into_deserializer();
        keys::Variant::deserialize(key).ok()
    }
}

/// A player of a challenge or a game.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// The name in small letters.
    #[serde(default)]
    pub id: Option<String>,
    /// The name as its owner writes it.
    #[serde(default)]
    pub name: Option<String>,
    /// `BOT`, `GM`, ...
    #[serde(default)]
    pub title: Option<String>,
    /// Rating at this kind of game.
    #[serde(default)]
    pub rating: Option<u32>,
    /// Level of the server's own engine.
    #[serde(default)]
    pub ai_level: Option<u32>,
}

impl User {
    /// Its name, or what it is.
    pub fn display_name(&self) -> String {
        match (&self.name, self.ai_level) {
            (_, Some(level)) => format!("the server's engine, level {level}"),
            (Some(name), None) => name.clone(),
            (None, None) => self.id.clone().unwrap_or_else(|| "Anonymous".to_owned()),
        }
    }

    /// Whether it is a bot.
    pub fn is_bot(&self) -> bool {
        self.title.as_deref() == Some("BOT")
    }
}

/// The time control of a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum TimeControl {
    /// Seconds at the start and after each move.
    Clock { limit: u32, increment: u32 },
    /// Days a move.
    Correspondence {},
    /// None.
    Unlimited {},
}

/// A game; all but its state stays the same.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GameFull {
    /// Its id.
    pub id: String,
    /// The kind of chess.
    pub variant: Variant,
    /// The clock, where there is one.
    #[serde(default)]
    pub clock: Option<GameClock>,
    /// Whether it counts for ratings.
    #[serde(default)]
    pub rated: bool,
    /// When it was made, in milliseconds since 1970.
    #[serde(default)]
    pub created_at: i64,
    /// Who has White.
    pub white: User,
    /// Who has Black.
    pub black: User,
    /// `startpos`, or a FEN.
    #[serde(default = "startpos")]
    pub initial_fen: String,
    /// Its state.
    pub state: GameState,
}

fn startpos() -> String {
    "startpos".to_owned()
}

fn milliseconds<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    Ok(u64::deserialize(from)?.min(1000 * MAX_SECONDS))
}

/// The clock of a game, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct GameClock {
    /// At the start.
    #[serde(deserialize_with = "milliseconds")]
    pub initial: u64,
    /// Added after each move.
    #[serde(deserialize_with = "milliseconds")]
    pub increment: u64,
}

impl Challenge {
    /// Who wants to play what.
    pub fn summary(&self) -> String {
        let Challenge { challenger, variant, rated, time_control, .. } = self;
        let rating = challenger.rating.map_or(String::new(), |rating| format!(" ({rating})"));
        let bot = if challenger.is_bot() { "BOT " } else { "" };
        let time = match time_control {
            TimeControl::Clock { limit, increment } => format!("{limit}+{increment} s"),
            TimeControl::Correspondence {} => "correspondence".to_owned(),
            TimeControl::Unlimited {} => "unlimited".to_owned(),
        };
        let mode = if *rated { "rated" } else { "casual" };
        format!("by {bot}{}{rating}, {time} {mode} {}", challenger.display_name(), variant.key)
    }
}

/// The state of a game.
#[derive(Clone, Debug, Deserialize)]
pub struct GameState {
    /// All moves in UCI notation.
    pub moves: String,
    /// Milliseconds on White's clock.
    #[serde(default, deserialize_with = "milliseconds")]
    pub wtime: u64,
    /// Milliseconds on Black's clock.
    #[serde(default, deserialize_with = "milliseconds")]
    pub btime: u64,
    /// Milliseconds that White gains a move.
    #[serde(default, deserialize_with = "milliseconds")]
    pub winc: u64,
    /// Milliseconds that Black gains a move.
    #[serde(default, deserialize_with = "milliseconds")]
    pub binc: u64,
    /// `started`, `mate`, `resign`, ...
    pub status: String,
    /// `white` or `black`.
    #[serde(default)]
    pub winner: Option<String>,
    /// The first moves must be made in time.
    #[serde(default)]
    pub expiration: Option<Expiration>,
}

/// How long the first move may take.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Expiration {
    /// Milliseconds since the last move.
    #[serde(default, deserialize_with = "milliseconds")]
    pub idle_millis: u64,
    /// Milliseconds that are given.
    #[serde(default, deserialize_with = "milliseconds")]
    pub millis_to_move: u64,
}

impl GameState {
    /// Whether the game continues.
    pub fn is_on(&self) -> bool {
        matches!(self.status.as_str(), "created" | "started")
    }

    /// Moves made so far.
    pub fn plies(&self) -> usize {
        self.moves.split_whitespace().count()
    }
}

/// Reads a line of the stream of events.
///
/// # Errors
/// When it is no JSON, or lacks what an event of its type has.
pub fn incoming(line: &str) -> Result<Incoming, serde_json::Error> {
    let mut value: Value = serde_json::from_str(line)?;
    let kind = value["type"].as_str().unwrap_or_default().to_owned();
    let id = |value: &Value, key: &str| -> Result<String, serde_json::Error> {
        // The id of a game has two names.
        let known = value[key]["gameId"].as_str().or(value[key]["id"].as_str());
        known.map(str::to_owned).ok_or_else(|| serde::de::Error::missing_field("id"))
    };
    Ok(match kind.as_str() {
        "gameStart" => {
            let opponent = value["game"]["opponent"]["id"].as_str().map(str::to_owned);
            Incoming::GameStart { id: id(&value, "game")?, opponent }
        }
        "gameFinish" => Incoming::GameFinish(id(&value, "game")?),
        "challenge" => Incoming::Challenge(serde_json::from_value(value["challenge"].take())?),
        "challengeCanceled" | "challengeDeclined" => Incoming::Canceled(id(&value, "challenge")?),
        _ => Incoming::Other(kind),
    })
}

/// Reads a line of the stream of a game.
///
/// # Errors
/// When it is no JSON, or lacks what a line of its type has.
pub fn game_line(line: &str) -> Result<GameLine, serde_json::Error> {
    let value: Value = serde_json::from_str(line)?;
    let kind = value["type"].as_str().unwrap_or_default().to_owned();
    Ok(match kind.as_str() {
        "gameFull" => GameLine::Full(serde_json::from_value(value)?),
        "gameState" => GameLine::State(serde_json::from_value(value)?),
        "opponentGone" => {
            let gone = value["gone"].as_bool().unwrap_or(false);
            let seconds = value["claimWinInSeconds"].as_u64().filter(|_| gone);
            GameLine::OpponentGone(seconds.map(|seconds| seconds.min(MAX_SECONDS)))
        }
        _ => GameLine::Other(kind),
    })
}

/// Whether an id can stand in an address: the server's are letters and digits.
pub fn is_id(id: &str) -> bool {
    (1..=32).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_description_are_read() {
        let line = r#"{"type":"challenge","challenge":{"id":"jWAgu6ga","url":"https://lichess.org/jWAgu6ga","status":"created","challenger":{"name":"Adriana","id":"adriana","rating":734},"destUser":{"name":"Gabriela","patron":true,"id":"gabriela","rating":1528},"variant":{"key":"standard","name":"Standard","short":"Std"},"rated":false,"speed":"correspondence","timeControl":{"type":"unlimited"},"color":"random","finalColor":"black","perf":{"icon":"","name":"Correspondence"}},"compat":{"bot":false,"board":true}}"#;
        let Ok(Incoming::Challenge(challenge)) = incoming(line) else { panic!("a challenge") };
        assert_eq!(challenge.time_control, TimeControl::Unlimited {});
        assert_eq!(challenge.challenger.rating, Some(734));
        let clock = line.replace(
            r#""timeControl":{"type":"unlimited"}"#,
            r#""timeControl":{"type":"clock","limit":300,"increment":25,"show":"5+25"}"#,
        );
        let Ok(Incoming::Challenge(challenge)) = incoming(&clock) else { panic!("a challenge") };
        assert_eq!(challenge.time_control, TimeControl::Clock { limit: 300, increment: 25 });
        let line = r#"{"type":"gameStart","game":{"fullId":"rCRw1AuAvonq","gameId":"rCRw1AuA","color":"black","opponent":{"id":"philippe","rating":1790,"username":"Philippe"},"id":"rCRw1AuA"}}"#;
        let Ok(Incoming::GameStart { id, opponent }) = incoming(line) else { panic!("a game") };
        assert_eq!((id.as_str(), opponent.as_deref()), ("rCRw1AuA", Some("philippe")));
        let line = r#"{"id":"BEOucQJo","variant":{"key":"standard","name":"Standard","short":"Std"},"speed":"rapid","perf":{"name":"Rapid"},"rated":false,"createdAt":1745112707998,"white":{"id":"bobby","name":"Bobby","title":null,"rating":1751},"black":{"id":"mary","name":"Mary","title":null,"rating":1021},"initialFen":"startpos","clock":{"initial":900000,"increment":0},"type":"gameFull","state":{"type":"gameState","moves":"d2d3","wtime":900000,"btime":900000,"winc":0,"binc":0,"status":"started"}}"#;
        let Ok(GameLine::Full(full)) = game_line(line) else { panic!("a game") };
        assert_eq!((full.state.plies(), full.white.display_name().as_str()), (1, "Bobby"));
        let line = r#"{"type":"opponentGone","gone":true,"claimWinInSeconds":8}"#;
        assert!(matches!(game_line(line), Ok(GameLine::OpponentGone(Some(8)))));
        let line =
            r#"{"type":"chatLine","username":"thibault","text":"Good luck","room":"player"}"#;
        assert!(matches!(game_line(line), Ok(GameLine::Other(kind)) if kind == "chatLine"));
    }

    #[test]
    fn times_beyond_all_measure_are_shortened() {
        let most = u64::MAX;
        let line = format!(r#"{{"type":"opponentGone","gone":true,"claimWinInSeconds":{most}}}"#);
        let Ok(GameLine::OpponentGone(seconds)) = game_line(&line) else { panic!("{line}") };
        assert_eq!(seconds, Some(MAX_SECONDS));
        let line = format!(
            r#"{{"type":"gameState","moves":"","wtime":{most},"btime":{most},"winc":{most},"binc":{most},"status":"started","expiration":{{"idleMillis":{most},"millisToMove":{most}}}}}"#
        );
        let Ok(GameLine::State(state)) = game_line(&line) else { panic!("{line}") };
        let expiration = state.expiration.expect("it is there");
        for time in [
            state.wtime,
            state.btime,
            state.winc,
            state.binc,
            expiration.idle_millis,
            expiration.millis_to_move,
        ] {
            assert_eq!(time, 1000 * MAX_SECONDS);
        }
    }

    #[test]
    fn what_is_no_line_is_an_error_and_what_is_unknown_is_not() {
        for wrong in ["", "{", "[1]x", r#"{"type":"challenge"}"#, r#"{"type":"gameStart"}"#] {
            assert!(incoming(wrong).is_err(), "{wrong}");
        }
        assert!(matches!(incoming(r#"{"type":"newThing","x":1}"#), Ok(Incoming::Other(_))));
        assert!(matches!(incoming("[]"), Ok(Incoming::Other(_))));
        assert!(game_line(r#"{"type":"gameState","moves":7}"#).is_err());
        assert!(!is_id("../../x") && !is_id("") && is_id("5IrD6Gzz"));
    }
}
