//! The warnings of fastchess about what engines print, in its words: fishtest ends a test by them.

use crate::arena::{FlawKind, Termination};
use crate::runs::games::KeptGame;

/// A player of a game: its name, and its colour.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// Its name.
    pub name: &'a str,
    /// `White` or `Black`.
    pub colour: &'a str,
}

/// Where a search took place.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The start position; `None`: the usual one.
    pub fen: Option<&'a str>,
    /// The moves since, in UCI, with spaces between them.
    pub moves: &'a str,
}

/// The parts of a warning, which stand in lines of their own or in one.
pub fn flaw(
    kind: &FlawKind,
    line: &str,
    mover: Named<'_>,
    other: Named<'_>,
    place: Place<'_>,
) -> Vec<String> {
    let name = mover.name;
    let with_move = |what: &str, played: &dyn std::fmt::Display| {
        format!("Warning; {what} - move {played} from {name}")
    };
    let (head, infos) = match kind {
        FlawKind::NoScoredLine => {
            let text =
                format!("Warning; No info line available to extract score from engine {name}");
            return vec![text];
        }
        FlawKind::UnreadableScore(text) => {
            return vec![format!("Warning; Could not extract score from engine {name}: {text}")];
        }
        FlawKind::IllegalMove(played) => (with_move("Illegal PV move", played), "Info"),
        FlawKind::AfterRepetition(played) => {
            (with_move("PV continues after threefold repetition", played), "Info")
        }
        FlawKind::AfterFiftyMoves(played) => {
            (with_move("PV continues after fifty-move rule", played), "Info")
        }
        FlawKind::AfterCheckmate(played) => {
            (with_move("PV continues after checkmate", played), "Info")
        }
        FlawKind::AfterStalemate(played) => {
            (with_move("PV continues after stalemate", played), "Info")
        }
        FlawKind::IncompleteMate => {
            (format!("Warning; Incomplete mating PV - from {name}"), "Info")
        }
        FlawKind::TooLongMate => (format!("Warning; Too long mating PV - from {name}"), "Info"),
        FlawKind::NoMate => {
            (format!("Warning; Mating PV does not end with checkmate - from {name}"), "Info")
        }
        FlawKind::OtherBestMove(played) => {
            (with_move("Bestmove does not match beginning of last PV", played), "Info")
        }
        FlawKind::MateSigns(theirs, ours) => {
            let text = format!(
                "Warning; Sign mismatch in mate scores {theirs} and {ours} from {} ({}) and {name} \
                 ({})",
                other.name, other.colour, mover.colour
            );
            (text, "Infos")
        }
    };
    let start = place.fen.map_or_else(|| "startpos".to_owned(), |fen| format!("fen {fen}"));
    vec![
        head,
        format!("{infos}; {line}"),
        format!("Position; {start}"),
        format!("Moves; {}", place.moves),
    ]
}

/// The warnings about the end of a game by the engine `name`, a line each.
pub fn end(game: &KeptGame<'_>, name: &str) -> Vec<String> {
    let illegal = |played: &str| format!("Warning; Illegal move {played} played by {name}");
    match game.termination {
        Termination::Stall => vec![format!("Warning; Engine {name} is not responsive")],
        Termination::IllegalMove => {
            let (_, played) = game.reason.rsplit_once(": ").unwrap_or_default();
            vec![illegal(played)]
        }
        Termination::NoMove => {
            let printed = game.reason.split('`').nth(1).unwrap_or("bestmove");
            match printed.split_whitespace().nth(1) {
                Some(word) => vec![
                    format!(
                        "Warning; Move does not match uci move format, lowercase and 4/5 chars. Move \
                         {word} played by {name}"
                    ),
                    illegal(word),
                ],
                None => vec![
                    format!(
                        "Warning; No bestmove found from {name} because: it names no move. Last line \
                         was: {printed}"
                    ),
                    illegal("<none>"),
                ],
            }
        }
        _ => Vec::new(),
    }
}
