//! Openings as the beginnings of PGN games.

use std::io::{self, Read};

use super::super::opening_error::OpeningError;
use super::super::record::Opening;
use super::super::referee::Referee;
use super::super::start_tags::StartTags;
use super::super::variant::Rules;
use super::text::{Span, Text};
use harness_base::text::decode;
use harness_notation::pgn::{Event, Lexer};

/// The places of all games. Comments alone are none.
pub fn index(text: &Text) -> io::Result<Vec<Span>> {
    let mut lexer = Lexer::new(text.reader()).main_line();
    let mut spans = Vec::new();
    let mut offset = 0;
    let mut line = 0;
    let mut is_game = false;
    loop {
        let Some(event) = lexer.next_event()? else { return Ok(spans) };
        match event {
            Event::Begin => (offset, line, is_game) = (lexer.offset(), lexer.line(), false),
            Event::End { .. } if is_game => {
                let length = u32::try_from(lexer.offset() - offset).unwrap_or(u32::MAX);
                spans.push(Span { offset, length, line });
            }
            Event::Comment(_) | Event::End { .. } => {}
            _ => is_game = true,
        }
    }
}

/// The first `plies` plies of a game that is not over then.
pub fn opening(game: &[u8], plies: Option<u32>, rules: Rules) -> Result<Opening, OpeningError> {
    let opening = moves(game, plies, rules)?;
    Referee::at(&opening, rules)?;
    Ok(opening)
}

/// The first `plies` plies of a game, which may be over then.
pub fn moves(game: &[u8], plies: Option<u32>, rules: Rules) -> Result<Opening, OpeningError> {
    let plies = plies.unwrap_or(u32::MAX) as usize;
    read(Lexer::new(game).main_line(), plies, rules)
        .map_err(|error| OpeningError::NotRead(error.to_string()))?
        .ok_or(OpeningError::NoGame)?
}

/// Start position and moves of an opening that is being read.
struct Draft {
    plies: usize,
    rules: Rules,
    start: StartTags,
    /// Once the start position is set.
    referee: Option<Referee>,
    moves: Vec<shakmaty::uci::UciMove>,
}

/// The opening of the first game; `None` if there is none.
fn read(
    mut lexer: Lexer<impl Read>,
    plies: usize,
    rules: Rules,
) -> io::Result<Option<Result<Opening, OpeningError>>> {
    let start = StartTags::default();
    let mut draft = Draft { plies, rules, start, referee: None, moves: Vec::new() };
    while let Some(event) = lexer.next_event()? {
        let taken = match event {
            Event::Tag(tag) => {
                draft.start.take(tag);
                Ok(())
            }
            Event::Move(word) | Event::Unknown(word) if draft.wants_more() => draft.play(word),
            Event::End { unclosed: true } if draft.wants_more() => Err(OpeningError::Unclosed),
            Event::Move(_) | Event::End { .. } => return Ok(Some(draft.finish())),
            _ => Ok(()),
        };
        if let Err(error) = taken {
            return Ok(Some(Err(error)));
        }
    }
    Ok(None)
}

impl Draft {
    fn wants_more(&self) -> bool {
        self.moves.len() < self.plies
    }

    /// Whether the game is one of what is played; those of Chess960 may not say so.
    fn fits(&self) -> bool {
        let named = self.start.rules();
        let both_chess = |rules: Rules| rules.is_chess() && self.rules.is_chess();
        named.is_some_and(|rules| rules == self.rules || both_chess(rules))
            || self.start.variant().is_empty()
    }

    /// At the start position, if nothing was played yet.
    fn referee(&mut self) -> Result<&mut Referee, OpeningError> {
        let referee = match self.referee.take() {
            Some(referee) => referee,
            None if !self.fits() => {
                return Err(OpeningError::OtherVariant(self.start.variant().to_owned()));
            }
            None => Referee::new(self.start.fen(), self.rules)?,
        };
        Ok(self.referee.insert(referee))
    }

    fn play(&mut self, word: &[u8]) -> Result<(), OpeningError> {
        let number = self.moves.len() + 1;
        let referee = self.referee()?;
        let Some(legal) = referee.position().of_word(word) else {
            return Err(OpeningError::Move { number, text: decode(word).into_owned() });
        };
        let made = referee.make(legal);
        self.moves.push(made.uci);
        Ok(())
    }

    fn finish(mut self) -> Result<Opening, OpeningError> {
        self.referee()?;
        Ok(Opening { fen: self.start.fen().map(str::to_owned), moves: self.moves })
    }
}
