//! One search for an answer: a hint, a threat, who is better.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, EnPassantMode, Position, Role};

use super::analysis::{LineView, Question, lines};
use super::engines::{Cancel, Engines};
use super::insight::{counted, reasons};
use super::scores;
use harness_player::{Go, Limit, Score, Timed};

/// Time of a search for an answer.
const SEARCH: Duration = Duration::from_millis(700);

/// The longest search for an answer, whatever limit is asked for.
const LONGEST: Duration = Duration::from_secs(60);

/// Chances in percent within which a position counts as equal.
const EQUAL: f64 = 6.0;

/// An answer in words, with an arrow.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// For people, and for speech.
    pub text: String,
    /// The move that it speaks of.
    pub arrow: Option<String>,
    /// The line behind it.
    pub line: Option<LineView>,
}

/// Question to an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// A good move.
    Hint,
    /// Who is better, and why.
    Evaluate,
    /// Best move of the other side if it were its turn.
    Threat,
}

impl Wish {
    /// From its name in addresses.
    pub fn parse(text: &str) -> Option<Wish> {
        [("hint", Wish::Hint), ("evaluate", Wish::Evaluate), ("threat", Wish::Threat)]
            .into_iter()
            .find_map(|(name, wish)| (name == text).then_some(wish))
    }
}

/// Answers from an engine's search.
///
/// # Errors
/// When the engine fails; in words for people.
pub fn answer(
    engines: &Engines,
    name: &str,
    wish: Wish,
    mut question: Question,
    limit: Option<Limit>,
) -> Result<Advice, String> {
    if question.position.is_game_over() {
        let text = "The game is over.".to_owned();
        return Ok(Advice { text, arrow: None, line: None });
    }
    if wish == Wish::Threat {
        let Some(passed) = passed(&question.position) else {
            let text = "You are in check: that is the threat.".to_owned();
            return Ok(Advice { text, arrow: None, line: None });
        };
        question.start = Fen::from_position(&passed, EnPassantMode::Legal).to_string();
        question.moves.clear();
        question.position = passed;
    }
    let cancel = Arc::<Cancel>::default();
    let found = lines(engines, name, &question, &go(limit)?, &cancel)?;
    let Some((score, line)) = found.into_iter().next() else {
        return Err(format!("{name} found no move"));
    };
    let arrow = line.moves.first().map(|first| first.uci.clone());
    let text = words(wish, &question.position, score, &line);
    Ok(Advice { text, arrow, line: Some(line) })
}

/// The search for an answer with a limit, or of the usual length.
///
/// # Errors
/// When the limit is the clock of a game; in words for people.
fn go(limit: Option<Limit>) -> Result<Go, String> {
    let longest = Some(Timed::MoveTime(LONGEST));
    Ok(match limit {
        None => Go::MoveTime(SEARCH),
        Some(Limit::MoveTime(time)) => Go::MoveTime(time.min(LONGEST)),
        Some(Limit::Nodes(nodes)) => {
            Go::Combined { time: longest, nodes: Some(nodes), depth: None }
        }
        Some(Limit::Depth(depth)) => {
            Go::Combined { time: longest, nodes: None, depth: Some(depth) }
        }
        Some(Limit::Clock(_) | Limit::Combined { .. }) => {
            return Err(
                "a search for an answer has a time, a depth or nodes as its limit".to_owned()
            );
        }
    })
}

/// The position with the other side to move; none in check.
fn passed(position: &Chess) -> Option<Chess> {
    if position.is_check() { None } else { position.clone().swap_turn().ok() }
}

fn words(wish: Wish, position: &Chess, score: Score, line: &LineView) -> String {
    let first = line.moves.first().map_or("no move", |first| first.san.as_str());
    let sans: Vec<&str> = line.moves.iter().take(6).map(|step| step.san.as_str()).collect();
    match wish {
        Wish::Hint => format!("{first} ({}).", line.score),
        Wish::Threat => format!("{} threatens {first}: {}.", side(position.turn()), sans.join(" ")),
        Wish::Evaluate => {
            let seen = score.for_white(position.turn());
            let chances = scores::chances(seen);
            let verdict = verdict(seen, chances);
            let leader = if chances >= 50.0 { Color::White } else { Color::Black };
            let level = (chances - 50.0).abs() < EQUAL;
            let why = if level { String::new() } else { reasons(position, leader) };
            let texts =
                [verdict, material(position), why, format!("Best play: {}.", sans.join(" "))];
            let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
            texts.join(" ")
        }
    }
}

fn side(side: Color) -> &'static str {
    side.fold_wb("White", "Black")
}

fn verdict(seen: Score, chances: f64) -> String {
    if let Score::Mate(moves) = seen {
        let who = if moves > 0 { "White" } else { "Black" };
        return format!("{who} mates in {}.", moves.abs());
    }
    let text = scores::text(seen);
    let (who, lead) =
        if chances >= 50.0 { ("White", chances - 50.0) } else { ("Black", 50.0 - chances) };
    let much = match lead {
        lead if lead < EQUAL => return format!("The position is equal ({text})."),
        lead if lead < 14.0 => "slightly better",
        lead if lead < 27.0 => "clearly better",
        _ => "winning",
    };
    format!("{who} is {much} ({text}).")
}

/// `White has a rook for a bishop.`
fn material(position: &Chess) -> String {
    let board = position.board();
    let mut more = [Vec::new(), Vec::new()];
    for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn] {
        let count = |color: Color| board.by_piece(role.of(color)).count() as i32;
        let lead = count(Color::White) - count(Color::Black);
        if lead != 0 {
            more[usize::from(lead < 0)].push(counted(lead.unsigned_abs(), role));
        }
    }
    let [white, black] = more.map(|list| list.join(" and "));
    match (white.is_empty(), black.is_empty()) {
        (true, true) => "Material is even.".to_owned(),
        (false, true) => format!("White has {white} more."),
        (true, false) => format!("Black has {black} more."),
        (false, false) => format!("White has {white}, Black {black}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leader_is_named_with_what_it_has() {
        assert_eq!(verdict(Score::Centipawns(10), 50.9), "The position is equal (+0.10).");
        assert!(verdict(Score::Mate(-2), 0.0).contains("Black mates in 2"));
        let fen: Fen = "4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1".parse().expect("a FEN");
        let position: Chess = fen.into_position(shakmaty::CastlingMode::Standard).expect("legal");
        assert_eq!(material(&position), "White has a rook and a pawn more.");
    }
}
