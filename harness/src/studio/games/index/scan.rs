//! Opening and swing of a stored game, without building all of its positions.

use std::io;
use std::ops::ControlFlow;

use engine::board::{Color, Position};
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Skip, Visitor};

use crate::arena::Rules;
use crate::data::eco::{self, Openings};
use crate::data::pgn::engine_eval;
use crate::data::viewed::comment::centipawns;
use crate::data::viewed::swing::{Fall, Falls, larger};
use crate::data::viewed::white_result;
use crate::ledger::StoredGame;
use crate::pgn::san;
use crate::stats::GameScore;

/// What the text of a game gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Number of the opening.
    pub opening: Option<u16>,
    /// The largest fall of the loser's score.
    pub swing: Option<Fall>,
}

/// Scans a game. What is damaged in it has neither opening nor swing.
pub fn scan(game: &StoredGame) -> Scanned {
    let result = white_result(game).unwrap_or(GameScore::Draw);
    let mut visitor = ScanVisitor { result, openings: eco::openings() };
    let read = Reader::new(io::Cursor::new(game.pgn.as_bytes())).read_game(&mut visitor);
    read.ok().flatten().unwrap_or_default()
}

struct ScanVisitor {
    result: GameScore,
    openings: &'static Openings,
}

struct Tags {
    fen: Option<String>,
    /// `None` if they are not known.
    rules: Option<Rules>,
}

struct Draft {
    scanned: Scanned,
    /// The position while the opening is looked for.
    position: Option<Position>,
    falls: Falls,
    plies: usize,
    side: Color,
    /// The last move has a comment.
    commented: bool,
}

impl Visitor for ScanVisitor {
    type Tags = Tags;
    type Movetext = Draft;
    type Output = Scanned;

    fn begin_tags(&mut self) -> ControlFlow<Scanned, Tags> {
        ControlFlow::Continue(Tags { fen: None, rules: Some(Rules::Chess) })
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Scanned> {
        match name {
            b"FEN" => tags.fen = Some(value.decode_utf8_lossy().into_owned()),
            b"Variant" => tags.rules = Rules::of_tag(&value.decode_utf8_lossy()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Scanned, Draft> {
        let fen = tags.fen.as_deref();
        let black_begins = fen.is_some_and(|fen| fen.split(' ').nth(1) == Some("b"));
        // Openings are those of chess.
        let rules = tags.rules.filter(|rules| rules.is_chess());
        let position = rules.and_then(|rules| eco::first_position(fen, rules == Rules::Chess960));
        let opening = position.as_ref().and_then(|position| self.openings.at(position));
        ControlFlow::Continue(Draft {
            scanned: Scanned { opening, swing: None },
            position,
            falls: Falls::new(self.result),
            plies: 0,
            side: Color::from_white(!black_begins),
            commented: true,
        })
    }

    fn san(&mut self, draft: &mut Draft, san: SanPlus) -> ControlFlow<Scanned> {
        draft.plies += 1;
        draft.side = !draft.side;
        draft.commented = false;
        let position = draft.position.take().filter(|_| draft.plies <= eco::PLIES);
        if let Some(mut position) = position
            && let Some(played) = san::resolve(&position, &san.san)
        {
            position.play(played);
            draft.scanned.opening = self.openings.at(&position).or(draft.scanned.opening);
            draft.position = Some(position);
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, draft: &mut Draft, comment: RawComment<'_>) -> ControlFlow<Scanned> {
        let is_first = !std::mem::replace(&mut draft.commented, true);
        if is_first && let Some(eval) = engine_eval(comment.as_bytes()) {
            let score = centipawns(eval.score);
            let fall = draft.falls.add(draft.plies - 1, !draft.side, score);
            draft.scanned.swing = larger(draft.scanned.swing, fall);
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Draft) -> ControlFlow<Scanned, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, draft: Draft) -> Scanned {
        draft.scanned
    }
}
