//! Openings as the beginnings of PGN games.

use std::io;
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};

use super::super::record::Opening;
use super::super::referee::{OpeningError, Referee};
use super::super::variant::Rules;
use super::text::{Span, Text};

/// The places of all games: each begins with the first of its tags.
pub fn index(text: &Text) -> io::Result<Vec<Span>> {
    let mut starts: Vec<(u64, u64)> = Vec::new();
    let mut end = 0;
    let mut in_tags = false;
    let mut in_comment = false;
    text.each_line(|line, offset, number| {
        end = offset + line.len() as u64;
        let is_tag = !in_comment && line.starts_with(b"[");
        if is_tag && !in_tags {
            starts.push((offset, number));
        }
        if !is_tag {
            in_comment = ends_in_comment(line, in_comment);
        }
        // Empty lines between tags do not begin a new game; moves do end the tags.
        in_tags = is_tag || (in_tags && line.is_empty());
    })?;
    let ends = starts.iter().skip(1).map(|start| start.0).chain([end]);
    let spans = starts.iter().zip(ends).map(|(&(offset, line), end)| Span {
        offset,
        length: u32::try_from(end - offset).unwrap_or(u32::MAX),
        line,
    });
    Ok(spans.collect())
}

fn ends_in_comment(line: &[u8], begins_in_comment: bool) -> bool {
    line.iter().fold(begins_in_comment, |inside, byte| match byte {
        b'{' => true,
        b'}' => false,
        _ => inside,
    })
}

/// The first `plies` plies of a game that is not over then.
pub fn opening(game: &[u8], plies: Option<u32>, rules: Rules) -> Result<Opening, OpeningError> {
    let opening = moves(game, plies, rules)?;
    Referee::at(&opening, rules)?;
    Ok(opening)
}

/// The first `plies` plies of a game, which may be over then.
pub fn moves(game: &[u8], plies: Option<u32>, rules: Rules) -> Result<Opening, OpeningError> {
    let mut visitor = FirstPlies { plies: plies.unwrap_or(u32::MAX) as usize, rules };
    let read = Reader::new(io::Cursor::new(game)).read_game(&mut visitor);
    let not_read = |reason: String| OpeningError::NotFen { fen: "game".to_owned(), reason };
    read.map_err(|error| not_read(error.to_string()))?
        .ok_or_else(|| not_read("there is no game".to_owned()))?
}

struct FirstPlies {
    plies: usize,
    rules: Rules,
}

struct Moves {
    referee: Referee,
    opening: Opening,
}

impl FirstPlies {
    /// Whether a `Variant` tag names what is played; games of Chess960 may not say so.
    fn fits(&self, tag: &str) -> bool {
        Rules::of_tag(tag)
            .is_some_and(|rules| rules == self.rules || rules.is_chess() && self.rules.is_chess())
    }
}

impl Visitor for FirstPlies {
    type Tags = Option<String>;
    type Movetext = Moves;
    type Output = Result<Opening, OpeningError>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(None)
    }

    fn tag(
        &mut self,
        fen: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let text = || value.decode_utf8_lossy().into_owned();
        match name {
            b"FEN" => *fen = Some(text()),
            b"Variant" if !self.fits(&text()) => {
                return ControlFlow::Break(Err(OpeningError::OtherVariant(text())));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, fen: Self::Tags) -> ControlFlow<Self::Output, Moves> {
        match Referee::new(fen.as_deref(), self.rules) {
            Ok(referee) => ControlFlow::Continue(Moves {
                referee,
                opening: Opening { fen, moves: Vec::new() },
            }),
            Err(error) => ControlFlow::Break(Err(error)),
        }
    }

    fn san(&mut self, moves: &mut Moves, san: SanPlus) -> ControlFlow<Self::Output> {
        let done = &mut moves.opening.moves;
        if done.len() >= self.plies {
            return ControlFlow::Break(Ok(std::mem::take(&mut moves.opening)));
        }
        let Some(legal) = moves.referee.position().of_san(&san.san) else {
            let (number, text) = (done.len() + 1, san.to_string());
            return ControlFlow::Break(Err(OpeningError::Move { number, text }));
        };
        done.push(moves.referee.make(legal).uci);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Moves) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, moves: Moves) -> Self::Output {
        Ok(moves.opening)
    }
}
