//! A stored game, move by move, as the viewer needs it.

mod clock;
pub mod comment;
mod scan;
pub mod swing;

use std::io;

use miette::Diagnostic;
use shakmaty::Color;
use thiserror::Error;

use clock::GameClock;
use comment::MoveComment;
pub use scan::largest_fall;
pub use swing::Fall;
use swing::{Falls, larger};

use crate::tagged_for_mover;
use crate::tree::{Annotations, take_commands};
use harness_arena::{OpeningError, Referee, StartTags};
use harness_base::text::decode;
use harness_base::text::fen::is_black_to_move;
use harness_ledger::StoredGame;
use harness_notation::pgn::{Event, Lexer, Tag};
use harness_outcome::{ViewedGame, ViewedPly};
use harness_stats::GameScore;

/// A stored game that cannot be shown.
#[derive(Debug, Error, Diagnostic)]
#[error("game {key} is damaged: {reason}")]
pub struct ViewError {
    /// Its place in the run, as in [`ViewedGame::key`].
    pub key: String,
    /// Description of the fault.
    #[source]
    pub reason: GameDamage,
}

/// Faults of the text of a game.
#[derive(Debug, Error)]
pub enum GameDamage {
    /// No game in the text.
    #[error("there is no game in its text")]
    Empty,
    /// Not PGN.
    #[error("its text is not PGN: {0}")]
    NotPgn(io::Error),
    /// It does not start at a legal position, or is of another variant.
    #[error(transparent)]
    Start(OpeningError),
    /// A move that is not legal.
    #[error("move `{san}` (ply {ply}) is illegal")]
    Move {
        /// Which, from 1.
        ply: usize,
        /// The move.
        san: String,
    },
    /// More than two half points.
    #[error("it has {0} half points")]
    Result(u8),
}

/// A stored game as the viewer needs it.
///
/// # Errors
/// When its text is damaged.
pub fn view(game: &StoredGame) -> Result<ViewedGame, ViewError> {
    let key = key(game.pair, game.game);
    match viewed(game, &key) {
        Ok(viewed) => Ok(viewed),
        Err(reason) => Err(ViewError { key, reason }),
    }
}

/// The place of a game in its run, both numbers from 1.
pub fn key(pair: u64, game: u8) -> String {
    format!("{}.{}", pair.saturating_add(1), game.saturating_add(1))
}

/// White's result of a stored game.
pub fn white_result(game: &StoredGame) -> Option<GameScore> {
    Some(game.score()?.seen_from(Color::from_white(game.first_is_white)))
}

fn viewed(game: &StoredGame, key: &str) -> Result<ViewedGame, GameDamage> {
    let result = white_result(game).ok_or(GameDamage::Result(game.first_half_points))?;
    let read = read(game.pgn.as_bytes())?;
    let mut viewed = ViewedGame {
        key: key.to_owned(),
        white: game.white.clone(),
        black: game.black.clone(),
        result: result.pgn(),
        ending: game.termination.replace('_', " "),
        reason: read.reason,
        variant: read.variant,
        start: read.start,
        swing: None,
        plies: read.plies,
    };
    viewed.swing = all_falls(&viewed).map(Some).fold(None, larger).map(|fall| fall.ply);
    Ok(viewed)
}

/// The falls of the loser's expected score (in a draw, of both players' scores) by at least this many
/// thousandths of a point, largest first.
pub fn falls(game: &ViewedGame, at_least: i32) -> Vec<Fall> {
    let mut falls: Vec<Fall> = all_falls(game).filter(|fall| fall.size >= at_least).collect();
    falls.sort_by_key(|fall| (-fall.size, fall.ply));
    falls
}

fn all_falls(game: &ViewedGame) -> impl Iterator<Item = Fall> + '_ {
    let result = GameScore::of_text(game.result).unwrap_or(GameScore::Draw);
    let white_begins = !is_black_to_move(&game.start);
    let mut falls = Falls::new(result);
    game.plies.iter().enumerate().filter_map(move |(ply, played)| {
        let mover = Color::from_white((ply % 2 == 0) == white_begins);
        falls.add(ply, mover, mover.fold_wb(1, -1) * played.cp?)
    })
}

#[derive(Default)]
struct Tags {
    start: StartTags,
    /// Clocks of Black and White.
    clocks: [Option<GameClock>; 2],
    /// Comments before the first move.
    comment: String,
}

struct Draft {
    referee: Referee,
    clocks: [Option<GameClock>; 2],
    /// Comments on the last move, or before the first one.
    comment: String,
    read: Read,
}

/// A game read from its text.
struct Read {
    variant: Option<&'static str>,
    start: String,
    plies: Vec<ViewedPly>,
    reason: String,
}

/// Reads the game of a text.
fn read(pgn: &[u8]) -> Result<Read, GameDamage> {
    let mut lexer = Lexer::new(pgn).main_line();
    let mut tags = Tags::default();
    let mut draft: Option<Draft> = None;
    while let Some(event) = lexer.next_event().map_err(GameDamage::NotPgn)? {
        match event {
            Event::Tag(tag) => tags.take(tag),
            Event::Move(word) | Event::Unknown(word) => {
                started(&mut draft, &mut tags)?.play(word)?
            }
            Event::Comment(comment) => {
                let said = draft.as_mut().map_or(&mut tags.comment, |draft| &mut draft.comment);
                said.push_str(&comment.text());
                said.push(' ');
            }
            Event::End { .. } => {
                started(&mut draft, &mut tags)?;
                break;
            }
            _ => {}
        }
    }
    let mut draft = draft.ok_or(GameDamage::Empty)?;
    let reason = draft.end_move();
    Ok(Read { reason, ..draft.read })
}

/// The draft, begun at the start position of the tags.
fn started<'a>(draft: &'a mut Option<Draft>, tags: &mut Tags) -> Result<&'a mut Draft, GameDamage> {
    let begun = match draft.take() {
        Some(draft) => draft,
        None => {
            let start = &tags.start;
            let other = || OpeningError::OtherVariant(start.variant().to_owned());
            let rules = start.rules().ok_or_else(other).map_err(GameDamage::Start)?;
            let referee = Referee::new(start.fen(), rules).map_err(GameDamage::Start)?;
            let (variant, start) = (rules.tag(), fen(&referee));
            let read = Read { variant, start, plies: Vec::new(), reason: String::new() };
            let comment = std::mem::take(&mut tags.comment);
            Draft { referee, clocks: tags.clocks, comment, read }
        }
    };
    Ok(draft.insert(begun))
}

impl Tags {
    fn take(&mut self, tag: Tag<'_>) {
        let [black, white] = &mut self.clocks;
        match tag.name {
            b"TimeControl" => {
                (*black, *white) = (GameClock::of_tag(&tag.text()), GameClock::of_tag(&tag.text()))
            }
            b"WhiteTimeControl" => *white = GameClock::of_tag(&tag.text()),
            b"BlackTimeControl" => *black = GameClock::of_tag(&tag.text()),
            _ => self.start.take(tag),
        }
    }
}

impl Draft {
    fn play(&mut self, word: &[u8]) -> Result<(), GameDamage> {
        self.end_move();
        let Some(legal) = self.referee.position().of_word(word) else {
            let ply = self.read.plies.len() + 1;
            let san = decode(word).into_owned();
            return Err(GameDamage::Move { ply, san });
        };
        let made = self.referee.make(legal);
        self.read.plies.push(ViewedPly {
            san: made.san.to_string(),
            uci: made.uci.to_string(),
            fen: fen(&self.referee),
            cp: None,
            score: None,
            depth: None,
            ms: None,
            nodes: None,
            clock: None,
            book: false,
        });
        Ok(())
    }

    /// Takes over the comment on the last move; gives what it says besides numbers.
    fn end_move(&mut self) -> String {
        let comment = std::mem::take(&mut self.comment);
        let mut marks = Annotations::default();
        let text = take_commands(&comment, &mut marks);
        let tagged = |mover| tagged_for_mover(comment.as_bytes(), mover);
        let mut comment = comment::parse(&text);
        if let Some(played) = self.read.plies.last_mut() {
            let mover = !self.referee.turn();
            comment.eval = comment.eval.or_else(|| tagged(mover));
            annotate(played, &comment, mover);
            let clock = &mut self.clocks[usize::from(mover.is_white())];
            if !comment.book {
                // After a move without its time, what is left is unknown.
                *clock = clock.filter(|_| comment.milliseconds.is_some());
                let milliseconds = comment.milliseconds.unwrap_or(0);
                played.clock = clock.as_mut().map(|clock| clock.after(milliseconds));
            }
            if let Some(left) = marks.clock.as_deref().and_then(clock::left) {
                played.clock = Some(left);
            }
        }
        comment.rest.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Adds what the comment of a move says.
fn annotate(ply: &mut ViewedPly, comment: &MoveComment<'_>, mover: Color) {
    ply.book = comment.book;
    ply.ms = comment.milliseconds;
    ply.nodes = comment.nodes;
    let Some(eval) = comment.eval else { return };
    let score = eval.score.for_white(mover);
    ply.cp = Some(mover.fold_wb(1, -1) * comment::centipawns(eval.score));
    ply.score = Some(comment::score_text(score));
    ply.depth = Some(u32::from(eval.depth));
}

fn fen(referee: &Referee) -> String {
    referee.position().fen()
}

#[cfg(test)]
mod tests;
