//! Opening and swing of a stored game, without building all of its positions.

use std::io;

use engine::board::{Color, Position};

use harness_arena::{Rules, StartTags};
use harness_base::text::fen::is_black_to_move;
use harness_games::eco::{self, Openings};
use harness_games::engine_eval;
use harness_games::viewed::comment::centipawns;
use harness_games::viewed::swing::{Fall, Falls, larger};
use harness_games::viewed::white_result;
use harness_ledger::StoredGame;
use harness_notation::pgn::{Comment, Event, Lexer, find_move};
use harness_stats::GameScore;

/// Facts from the text of a game.
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
    read(game.pgn.as_bytes(), result).unwrap_or_default()
}

fn read(pgn: &[u8], result: GameScore) -> io::Result<Scanned> {
    let mut lexer = Lexer::new(pgn).main_line();
    let mut tags = StartTags::default();
    let mut draft: Option<Draft> = None;
    while let Some(event) = lexer.next_event()? {
        match event {
            Event::Tag(tag) => tags.take(tag),
            Event::Move(word) => draft.get_or_insert_with(|| begin(&tags, result)).play(word),
            Event::Comment(comment) => {
                if let Some(draft) = &mut draft {
                    draft.comment(comment);
                }
            }
            // What is no PGN ends it.
            Event::End { .. } | Event::Unknown(_) => break,
            _ => {}
        }
    }
    // Without moves the start position may have an opening.
    Ok(draft.unwrap_or_else(|| begin(&tags, result)).scanned)
}

fn begin(tags: &StartTags, result: GameScore) -> Draft {
    let fen = tags.fen();
    let black_begins = fen.is_some_and(is_black_to_move);
    // Openings are those of chess.
    let rules = tags.rules().filter(|rules| rules.is_chess());
    let position = rules.and_then(|rules| eco::first_position(fen, rules == Rules::Chess960));
    let openings = eco::openings();
    let opening = position.as_ref().and_then(|position| openings.at(position));
    Draft {
        openings,
        scanned: Scanned { opening, swing: None },
        position,
        falls: Falls::new(result),
        plies: 0,
        side: Color::from_white(!black_begins),
        commented: true,
    }
}

struct Draft {
    openings: &'static Openings,
    scanned: Scanned,
    /// The position while the opening is looked for.
    position: Option<Position>,
    falls: Falls,
    plies: usize,
    side: Color,
    /// The last move has a comment.
    commented: bool,
}

impl Draft {
    fn play(&mut self, word: &[u8]) {
        self.plies += 1;
        self.side = !self.side;
        self.commented = false;
        let position = self.position.take().filter(|_| self.plies <= eco::PLIES);
        if let Some(mut position) = position
            && let Some((played, _)) = find_move(&position, word)
        {
            position.play(played);
            self.scanned.opening = self.openings.at(&position).or(self.scanned.opening);
            self.position = Some(position);
        }
    }

    fn comment(&mut self, comment: Comment<'_>) {
        let is_first = !std::mem::replace(&mut self.commented, true);
        if is_first && let Some(eval) = engine_eval(comment.bytes) {
            let score = centipawns(eval.score);
            let fall = self.falls.add(self.plies - 1, !self.side, score);
            self.scanned.swing = larger(self.scanned.swing, fall);
        }
    }
}
