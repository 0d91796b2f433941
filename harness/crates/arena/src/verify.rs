//! Checks games that others have played: that a record is one of its job, move by move, and that its result
//! is the one that the rules, the adjudication and the recorded scores give.
//!
//! What an engine did wrong (a crash, a late move) cannot be seen in a game: that it is the loss of the side
//! that was to move can.

use std::str::FromStr;

use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Color};
use thiserror::Error;

use super::adjudication::{AdjudicatedMove, Adjudicator};
use super::game::{Conduct, MAX_NODES};
use super::opening_error::OpeningError;
use super::pgn;
use super::record::{GameRecord, Leg, PairJob};
use super::referee::Referee;
use super::termination::Termination;
use harness_player::Score;
use harness_stats::GameScore;

/// The longest reason of an ending, in bytes.
const MAX_REASON: usize = 4_000;

/// The longest tag of which only the form is known, such as a time, in bytes.
const MAX_TAG: usize = 80;

/// The longest comment of a move, in bytes, without optional parts and with them.
const MAX_COMMENT: [usize; 2] = [96, 4_096];

/// The longest game, in seconds.
const MAX_SECONDS: u64 = 30 * 24 * 3600;

/// Why a record is none of its job.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Discrepancy {
    /// It is of another game, or of other players.
    #[error("it is of another game")]
    OtherGame,
    /// A text or number is larger than a game has.
    #[error("{0} is too large")]
    TooLarge(&'static str),
    /// The opening of the job cannot be played.
    #[error("{0}")]
    Opening(String),
    /// A tag is missing, has another value, or should not be there.
    #[error("the tag {0} is not that of the game")]
    Tag(String),
    /// The number of plies, or the mean nodes of a move, are not those of the moves.
    #[error("its plies or nodes are not those of its moves")]
    Numbers,
    /// The moves are not written as the harness does.
    #[error("the moves cannot be read at `{0}`")]
    Text(String),
    /// A move is not that of the opening, or is not legal.
    #[error("move {number} is `{text}`, which is {why}")]
    Move {
        /// Its number, from 1.
        number: usize,
        /// As it stands.
        text: String,
        /// The fault.
        why: &'static str,
    },
    /// The game was over before its last move.
    #[error("the game was over after move {0}, and continues")]
    Over(usize),
    /// The result is not that of the game.
    #[error("it states an end by {stated}, and the game ends by {found}")]
    Ending {
        /// As the record has it.
        stated: String,
        /// As it follows from the moves.
        found: String,
    },
}

/// Checks the record of a game of a pair, which is an event of this name.
///
/// # Errors
/// When it is not one that could have been played so.
pub fn verify_game(
    job: &PairJob,
    leg: Leg,
    (event, conduct): (&str, &Conduct),
    game: &GameRecord,
) -> Result<(), Discrepancy> {
    let sides = job.sides(leg);
    let is_it = (game.pair, game.leg, game.white, game.black)
        == (job.pair, leg, sides.white.number, sides.black.number);
    if !is_it {
        return Err(Discrepancy::OtherGame);
    }
    check_sizes(game)?;
    let (tags, text) = game.pgn.split_once("\n\n").unwrap_or((&game.pgn, ""));
    let mut replay = Replay::new(job, leg, conduct)?;
    replay.play(text, game)?;
    replay.check_ending(game, conduct)?;
    let expected = pgn::Tags {
        event,
        pair: job.pair,
        leg,
        names: ByColor { white: &sides.white.name, black: &sides.black.name },
    };
    let plies = replay.plies;
    pgn::check_tags(tags, &expected, job.opening(leg), conduct, (game, plies))
        .map_err(Discrepancy::Tag)
}

fn check_sizes(game: &GameRecord) -> Result<(), Discrepancy> {
    let sizes = [
        (game.reason.len() > MAX_REASON, "the reason of its end"),
        (has_control(&game.pgn), "a character of its text"),
        (game.took.as_secs() > MAX_SECONDS, "its time"),
        (game.nodes.iter().flatten().any(|&nodes| nodes > MAX_NODES), "its nodes"),
    ];
    match sizes.into_iter().find(|(is_too_large, _)| *is_too_large) {
        Some((_, what)) => Err(Discrepancy::TooLarge(what)),
        None => Ok(()),
    }
}

/// Whether a text has a control character, which the harness does not write into a game, but for ends of
/// lines.
fn has_control(text: &str) -> bool {
    let is_suspect = |byte: u8| !(b' '..=b'~').contains(&byte) && byte != b'\n';
    // Games are ASCII as a rule, and bytes are looked at much faster than characters.
    text.bytes().any(is_suspect) && text.chars().any(|letter| letter.is_control() && letter != '\n')
}

/// Whether a tag of which only the form is known may be written.
pub(super) fn is_short_tag(value: &str) -> bool {
    value.len() <= MAX_TAG && value.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

/// A game that is played again.
struct Replay<'a> {
    referee: Referee,
    adjudicator: Adjudicator<'a>,
    /// The opening, as its moves are written.
    book: Vec<String>,
    first: Color,
    plies: usize,
    /// The ending that follows from the last move by the rules and the scores.
    ending: Option<(GameScore, Termination)>,
    longest_comment: usize,
    /// Nodes that the first and the second player stated, and in how many moves.
    nodes: [(u64, u64); 2],
}

impl<'a> Replay<'a> {
    fn new(job: &PairJob, leg: Leg, conduct: &'a Conduct) -> Result<Replay<'a>, Discrepancy> {
        let opening = job.opening(leg);
        let (_, book) = Referee::at(opening, conduct.rules).map_err(unplayable)?;
        let referee = Referee::new(opening.fen.as_deref(), conduct.rules);
        let referee = referee.map_err(unplayable)?;
        Ok(Replay {
            first: referee.turn(),
            referee,
            adjudicator: Adjudicator::new(&conduct.adjudication),
            book: book.iter().map(|made| made.san.to_string()).collect(),
            plies: 0,
            ending: None,
            longest_comment: MAX_COMMENT[usize::from(!conduct.comments.is_empty())],
            nodes: [(0, 0); 2],
        })
    }

    /// Plays the moves of a text, which ends with the result.
    fn play(&mut self, text: &str, game: &GameRecord) -> Result<(), Discrepancy> {
        let mut words = Words(text);
        let mut is_first = true;
        loop {
            let Some(mut word) = words.next() else { return Err(unread("its end")) };
            if word.starts_with('{') && is_first {
                // Of a game without a move.
                self.check_length(word, MAX_REASON)?;
                word = words.next().ok_or_else(|| unread("its end"))?;
            }
            if word == game.result.pgn() {
                break;
            }
            let turn = self.referee.turn();
            if turn == Color::White || is_first {
                let number = format!("{}{}", self.referee.move_number(), turn.fold_wb(".", "..."));
                if word != number {
                    return Err(unread(word));
                }
                word = words.next().ok_or_else(|| unread("its end"))?;
            }
            is_first = false;
            let comment = words.next().ok_or_else(|| unread("its end"))?;
            self.make(word, comment)?;
        }
        match words.next() {
            Some(more) => Err(unread(more)),
            None if self.plies < self.book.len() => Err(unread("the end of the opening")),
            None => Ok(()),
        }
    }

    /// Makes a move with its comment.
    fn make(&mut self, text: &str, comment: &str) -> Result<(), Discrepancy> {
        if self.ending.is_some() {
            return Err(Discrepancy::Over(self.plies));
        }
        self.check_length(comment, self.longest_comment)?;
        let number = self.plies + 1;
        let wrong = |why| Discrepancy::Move { number, text: shorten(text), why };
        let book = self.book.get(self.plies);
        if book.is_some_and(|book| book != text) {
            return Err(wrong("not that of the opening"));
        }
        let is_book = book.is_some();
        let san = text.trim_end_matches(['+', '#']);
        let san = San::from_str(san).map_err(|_| wrong("no move"))?;
        let legal = self.referee.of_san(&san).ok_or_else(|| wrong("not legal"))?;
        let mover = self.referee.turn();
        let move_number = self.referee.move_number();
        let made = self.referee.make(legal);
        if made.san.to_string() != text {
            return Err(wrong("written in another way"));
        }
        self.plies += 1;
        let content = comment.strip_prefix('{').and_then(|comment| comment.strip_suffix('}'));
        let content = content.ok_or_else(|| unread(comment))?;
        if is_book {
            return match content.split(',').next() == Some("book") {
                true => Ok(()),
                false => Err(unread(comment)),
            };
        }
        let thought = Thought::read(content).ok_or_else(|| unread(comment))?;
        if let Some(nodes) = thought.nodes {
            if nodes > MAX_NODES {
                return Err(Discrepancy::TooLarge("a number of nodes"));
            }
            let (sum, count) = &mut self.nodes[(self.plies - self.book.len() + 1) % 2];
            *sum += nodes;
            *count += 1;
        }
        let played = AdjudicatedMove {
            mover,
            score: thought.score,
            irreversible: made.irreversible,
            number: move_number,
        };
        let by_rules = self.referee.ending();
        self.ending = by_rules.or_else(|| self.adjudicator.count_move(played));
        Ok(())
    }

    fn check_length(&self, comment: &str, most: usize) -> Result<(), Discrepancy> {
        // The reason of the end is in the last one.
        match comment.len() > most + MAX_REASON {
            true => Err(Discrepancy::TooLarge("a comment")),
            false => Ok(()),
        }
    }

    /// Checks how the game ends, and the numbers that follow from its moves.
    fn check_ending(&self, game: &GameRecord, conduct: &Conduct) -> Result<(), Discrepancy> {
        let stated = (game.result, game.termination);
        let in_words = |(result, termination): (GameScore, Termination)| {
            format!("{} ({})", termination.key(), result.pgn())
        };
        let words = game.termination.reason(game.result);
        let may_end = match self.ending {
            Some(found) => stated == found && game.reason == words,
            None if !game.reason.starts_with(&words) => false,
            None => self.may_end_without(game, conduct),
        };
        if !may_end {
            let found = self.ending.map_or("nothing that its moves show".to_owned(), in_words);
            return Err(Discrepancy::Ending { stated: in_words(stated), found });
        }
        let played = self.plies - self.book.len();
        let means = self.nodes.map(|(sum, count)| (count > 0).then(|| sum / count));
        let to_move = self.first_player();
        let expected = to_move.fold_wb(means, [means[1], means[0]]);
        let are_those = usize::try_from(game.plies) == Ok(played) && game.nodes == expected;
        match are_those {
            true => Ok(()),
            false => Err(Discrepancy::Numbers),
        }
    }

    /// Who made the first move after the opening.
    fn first_player(&self) -> Color {
        if self.book.len().is_multiple_of(2) { self.first } else { !self.first }
    }

    /// Whether a game may end as stated although its moves do not end it: by the fault of a player, or by
    /// tablebases.
    fn may_end_without(&self, game: &GameRecord, conduct: &Conduct) -> bool {
        let loser = match game.result {
            GameScore::Win => Some(Color::Black),
            GameScore::Loss => Some(Color::White),
            GameScore::Draw => None,
        };
        match game.termination {
            Termination::AdjudicatedWin | Termination::AdjudicatedDraw => {
                let is_draw = game.termination == Termination::AdjudicatedDraw;
                conduct.adjudication.tablebases.is_some()
                    && is_draw == loser.is_none()
                    && game.reason.ends_with(": SyzygyTB")
                    && self.plies > self.book.len()
            }
            termination if termination.is_fault() || termination == Termination::Resignation => {
                let Some(loser) = loser else { return false };
                // A player may fail to get ready, or think in the other's time.
                let is_any = self.plies == self.book.len() || conduct.ponder;
                (loser == self.referee.turn() || is_any)
                    && (termination != Termination::IllegalMove || self.is_illegal(&game.reason))
            }
            _ => false,
        }
    }

    /// Whether the move that a reason names is illegal.
    fn is_illegal(&self, reason: &str) -> bool {
        let text = reason.rsplit_once(": ").map_or("", |(_, text)| text);
        UciMove::from_str(text).is_ok_and(|uci| self.referee.legal(uci).is_none())
    }
}

/// The search of a move, as its comment has it.
struct Thought {
    score: Option<Score>,
    nodes: Option<u64>,
}

impl Thought {
    /// `+0.26/12 0.050s 12345n`, and whatever comes after a comma; `None` if it is something else.
    fn read(content: &str) -> Option<Thought> {
        // A long comment is broken into lines.
        let mut words = content.split(',').next()?.split_ascii_whitespace();
        let mut word = words.next()?;
        let mut score = None;
        if let Some((text, depth)) = word.split_once('/') {
            score = Some(read_score(text)?);
            depth.parse::<u32>().ok()?;
            word = words.next()?;
        }
        word.strip_suffix('s')?.parse::<f64>().ok().filter(|seconds| *seconds >= 0.0)?;
        let nodes = match words.next() {
            Some(nodes) => Some(nodes.strip_suffix('n')?.parse().ok()?),
            None => None,
        };
        words.next().is_none().then_some(Thought { score, nodes })
    }
}

/// A score as a comment has it: `+0.26`, `0.00`, `+M5`, `-M4`.
fn read_score(text: &str) -> Option<Score> {
    let (is_negative, size) = match text.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    // In 64 bits: the size of the least score of 32 bits has no place in 32.
    let signed = |size: i64| i32::try_from(if is_negative { -size } else { size }).ok();
    if let Some(plies) = size.strip_prefix('M') {
        return Score::mate_in_plies(plies.parse().ok()?, is_negative);
    }
    let (whole, hundredths) = size.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if hundredths.len() != 2 || !is_number(whole) || !is_number(hundredths) {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    let size = whole.checked_mul(100)?.checked_add(hundredths.parse().ok()?)?;
    signed(size).map(Score::Centipawns)
}

/// Words and comments of a text of moves.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        // A comment has blanks in it, and one behind it.
        let from = match text.chars().next()? {
            '{' => text.find('}').unwrap_or(text.len()),
            _ => 0,
        };
        let end = text[from..].find(char::is_whitespace).map(|at| from + at);
        let (word, rest) = text.split_at(end.unwrap_or(text.len()));
        self.0 = rest;
        Some(word)
    }
}

fn unplayable(error: OpeningError) -> Discrepancy {
    Discrepancy::Opening(error.to_string())
}

fn unread(text: &str) -> Discrepancy {
    Discrepancy::Text(shorten(text))
}

fn shorten(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests;
