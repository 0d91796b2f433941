//! A stored game, move by move, as the viewer needs it.

mod clock;
pub mod comment;
mod scan;
pub(crate) mod swing;

use std::io;
use std::ops::ControlFlow;

use miette::Diagnostic;
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::Color;
use thiserror::Error;

use clock::GameClock;
use comment::MoveComment;
pub use scan::largest_fall;
pub use swing::Fall;
use swing::{Falls, larger};

use crate::arena::{OpeningError, Referee, Rules};
use crate::ledger::StoredGame;
use crate::outcome::{ViewedGame, ViewedPly};
use crate::stats::GameScore;

/// A stored game that cannot be shown.
#[derive(Debug, Error, Diagnostic)]
#[error("game {key} is damaged: {reason}")]
pub struct ViewError {
    /// Its place in the run, as in [`ViewedGame::key`].
    pub key: String,
    /// What is wrong.
    #[source]
    pub reason: GameDamage,
}

/// What is wrong with the text of a game.
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
pub(crate) fn white_result(game: &StoredGame) -> Option<GameScore> {
    Some(game.score()?.seen_from(Color::from_white(game.first_is_white)))
}

fn viewed(game: &StoredGame, key: &str) -> Result<ViewedGame, GameDamage> {
    let result = white_result(game).ok_or(GameDamage::Result(game.first_half_points))?;
    let mut reader = Reader::new(io::Cursor::new(game.pgn.as_bytes()));
    let read = reader.read_game(&mut ViewVisitor).map_err(GameDamage::NotPgn)?;
    let read = read.ok_or(GameDamage::Empty)??;
    let mut viewed = ViewedGame {
        key: key.to_owned(),
        white: game.white.clone(),
        black: game.black.clone(),
        result: result.pgn(),
        ending: game.termination.replace('_', " "),
        reason: read.reason,
        start: read.start,
        swing: None,
        plies: read.plies,
    };
    viewed.swing = all_falls(&viewed).map(Some).fold(None, larger).map(|fall| fall.ply);
    Ok(viewed)
}

/// The falls of the loser's score (in a draw, of both players' scores) by at least this many
/// centipawns, largest first.
pub fn falls(game: &ViewedGame, at_least: i32) -> Vec<Fall> {
    let mut falls: Vec<Fall> = all_falls(game).filter(|fall| fall.size >= at_least).collect();
    falls.sort_by_key(|fall| (-fall.size, fall.ply));
    falls
}

fn all_falls(game: &ViewedGame) -> impl Iterator<Item = Fall> + '_ {
    let result = GameScore::of_text(game.result).unwrap_or(GameScore::Draw);
    let white_begins = game.start.split(' ').nth(1) != Some("b");
    let mut falls = Falls::new(result);
    game.plies.iter().enumerate().filter_map(move |(ply, played)| {
        let mover = Color::from_white((ply % 2 == 0) == white_begins);
        falls.add(ply, mover, mover.fold_wb(1, -1) * played.cp?)
    })
}

#[derive(Default)]
struct Tags {
    fen: Option<String>,
    rules: Rules,
    /// Clocks of Black and White.
    clocks: [Option<GameClock>; 2],
}

struct Draft {
    referee: Referee,
    clocks: [Option<GameClock>; 2],
    /// Comments on the last move, or before the first one.
    comment: String,
    read: Read,
}

/// What the text of a game gives.
struct Read {
    start: String,
    plies: Vec<ViewedPly>,
    reason: String,
}

struct ViewVisitor;

impl Visitor for ViewVisitor {
    type Tags = Tags;
    type Movetext = Draft;
    type Output = Result<Read, GameDamage>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(
        &mut self,
        tags: &mut Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let text = || value.decode_utf8_lossy().into_owned();
        let [black, white] = &mut tags.clocks;
        match name {
            b"FEN" => tags.fen = Some(text()),
            b"TimeControl" => {
                (*black, *white) = (GameClock::of_tag(&text()), GameClock::of_tag(&text()))
            }
            b"WhiteTimeControl" => *white = GameClock::of_tag(&text()),
            b"BlackTimeControl" => *black = GameClock::of_tag(&text()),
            b"Variant" => match Rules::of_tag(&text()) {
                Some(rules) => tags.rules = rules,
                None => {
                    let other = OpeningError::OtherVariant(text());
                    return ControlFlow::Break(Err(GameDamage::Start(other)));
                }
            },
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, Draft> {
        match Referee::new(tags.fen.as_deref(), tags.rules) {
            Ok(referee) => {
                let read = Read { start: fen(&referee), plies: Vec::new(), reason: String::new() };
                let (clocks, comment) = (tags.clocks, String::new());
                ControlFlow::Continue(Draft { referee, clocks, comment, read })
            }
            Err(error) => ControlFlow::Break(Err(GameDamage::Start(error))),
        }
    }

    fn san(&mut self, draft: &mut Draft, san: SanPlus) -> ControlFlow<Self::Output> {
        draft.end_move();
        let Some(legal) = draft.referee.position().of_san(&san.san) else {
            let (ply, san) = (draft.read.plies.len() + 1, san.to_string());
            return ControlFlow::Break(Err(GameDamage::Move { ply, san }));
        };
        let made = draft.referee.make(legal);
        draft.read.plies.push(ViewedPly {
            san: made.san.to_string(),
            uci: made.uci.to_string(),
            fen: fen(&draft.referee),
            cp: None,
            score: None,
            depth: None,
            ms: None,
            nodes: None,
            clock: None,
            book: false,
        });
        ControlFlow::Continue(())
    }

    fn partial_comment(
        &mut self,
        draft: &mut Draft,
        comment: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        draft.comment.push_str(&String::from_utf8_lossy(comment.as_bytes()));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, draft: &mut Draft, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        draft.comment.push_str(&String::from_utf8_lossy(comment.as_bytes()));
        draft.comment.push(' ');
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Draft) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, mut draft: Draft) -> Self::Output {
        let reason = draft.end_move();
        Ok(Read { reason, ..draft.read })
    }
}

impl Draft {
    /// Takes over the comment on the last move; gives what it says besides numbers.
    fn end_move(&mut self) -> String {
        let text = std::mem::take(&mut self.comment);
        let comment = comment::parse(&text);
        if let Some(played) = self.read.plies.last_mut() {
            let mover = !self.referee.turn();
            played.annotate(&comment, mover);
            let clock = &mut self.clocks[usize::from(mover.is_white())];
            if !comment.book {
                // After a move without its time, what is left is unknown.
                *clock = clock.filter(|_| comment.milliseconds.is_some());
                let milliseconds = comment.milliseconds.unwrap_or(0);
                played.clock = clock.as_mut().map(|clock| clock.after(milliseconds));
            }
        }
        comment.rest.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl ViewedPly {
    fn annotate(&mut self, comment: &MoveComment<'_>, mover: Color) {
        self.book = comment.book;
        self.ms = comment.milliseconds;
        self.nodes = comment.nodes;
        let Some(eval) = comment.eval else { return };
        let score = eval.score.for_white(mover);
        self.cp = Some(mover.fold_wb(1, -1) * comment::centipawns(eval.score));
        self.score = Some(comment::score_text(score));
        self.depth = Some(u32::from(eval.depth));
    }
}

fn fen(referee: &Referee) -> String {
    referee.position().fen()
}

#[cfg(test)]
mod tests;
