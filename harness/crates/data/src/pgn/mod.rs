//! Games of PGN with the scores in their comments.

mod draft;
mod termination;

use std::io::{self, Read};

use super::chunks::Chunk;
use super::flaws::{Example, Flaw, Flaws};
use super::formats::format::{Format, Reads, Spec, Writes, fused};
use super::formats::{FormatError, Place};
use super::game::Game;
use draft::{Draft, Rejected};
use harness_notation::pgn::{Event, Lexer};

/// The format: games with scores in their comments.
pub const FORMAT: Format = Format(&Spec::new(
    "PGN",
    &["pgn"],
    Reads::Games(|path, source, flaws| fused(Reader::new(path, source, flaws))),
    Writes::Nothing("PGN is read, and not written"),
));

/// Reads games one after the other. Games with flaws are counted; those that are of no use are
/// dropped, and the reader continues with the next. With strict [`Flaws`] the first of them is an
/// error.
pub struct Reader<R> {
    path: String,
    lexer: Lexer<R>,
    results_only: bool,
    flaws: Flaws,
    /// Something was read that is PGN.
    any: bool,
    /// The line on which the game begins.
    begun: u64,
}

impl<'a> Reader<&'a [u8]> {
    /// Of a part of a file; `path` names it in errors.
    pub fn of_chunk(path: &str, chunk: Chunk<'a>, flaws: &Flaws) -> Reader<&'a [u8]> {
        let lexer = Lexer::within(chunk.text, chunk.offset, chunk.lines);
        Reader::of_lexer(path, lexer, flaws)
    }
}

impl<R: Read> Reader<R> {
    /// From the beginning of a file; `path` names it in errors.
    pub fn new(path: &str, source: R, flaws: &Flaws) -> Reader<R> {
        Reader::of_lexer(path, Lexer::new(source), flaws)
    }

    fn of_lexer(path: &str, lexer: Lexer<R>, flaws: &Flaws) -> Reader<R> {
        Reader {
            path: path.to_owned(),
            lexer: lexer.main_line(),
            results_only: false,
            flaws: flaws.clone(),
            any: false,
            begun: 1,
        }
    }

    /// Reads names, results and openings only. A game that ended off the board (time, a crash) keeps its
    /// declared result. After an illegal move the board is unknown and the game is still read.
    pub fn results_only(self) -> Reader<R> {
        Reader { results_only: true, ..self }
    }

    /// Games read so far, including dropped ones.
    pub fn number(&self) -> u64 {
        self.lexer.number()
    }

    /// The next game, or why it is none; `None` at the end of the file.
    fn read(&mut self) -> io::Result<Option<Result<Draft, Rejected>>> {
        let mut draft = Draft::new(self.results_only);
        while let Some(event) = self.lexer.next_event()? {
            let taken = match event {
                Event::Tag(tag) => {
                    draft.tag(tag);
                    Ok(())
                }
                Event::Move(word) => draft.play(word),
                Event::Comment(comment) => {
                    draft.comment(comment);
                    Ok(())
                }
                Event::Result(outcome) => {
                    draft.end_of_moves(outcome);
                    Ok(())
                }
                Event::Unknown(word) => draft.unknown(word),
                Event::End { unclosed } => {
                    draft.unclosed = unclosed;
                    self.any |= draft.is_pgn();
                    return Ok(Some(draft.finish()));
                }
                Event::Begin => {
                    self.begun = self.lexer.line();
                    Ok(())
                }
                Event::Nag(_) | Event::Glyphs(_) | Event::VariationBegin | Event::VariationEnd => {
                    Ok(())
                }
            };
            if let Err(rejected) = taken {
                // What is wrong with the start is wrong with the game as a whole.
                let of_start = matches!(rejected.flaw, Flaw::OtherVariant | Flaw::IllegalPosition);
                let line = if of_start { self.begun } else { self.lexer.line() };
                self.any |= draft.is_pgn();
                self.lexer.skip_game()?;
                return Ok(Some(Err(Rejected { line: Some(line), ..rejected })));
            }
        }
        Ok(None)
    }

    fn bad(&self, reason: String) -> FormatError {
        let place = Place::Game(self.number().max(1));
        FormatError::Bad { path: self.path.clone(), place, reason }
    }

    /// Counts a game that is dropped; an error where none may be.
    fn drop_game(&self, rejected: Rejected) -> Result<(), FormatError> {
        let Rejected { flaw, text, line } = rejected;
        let line = line.unwrap_or(self.begun);
        if self.flaws.are_errors() && flaw != Flaw::NoGame {
            let text = if text.is_empty() { flaw.to_string() } else { text };
            return Err(self.bad(format!("line {line}: {text}")));
        }
        self.flaws.add(flaw, Example { path: self.path.clone(), line, text });
        Ok(())
    }

    fn accept(&self, mut draft: Draft) -> Game {
        for flaw in draft.flaws() {
            self.flaws.add(flaw, self.example());
        }
        draft.game.has_moves = draft.moved();
        draft.game
    }

    fn example(&self) -> Example {
        Example { path: self.path.clone(), line: self.begun, text: String::new() }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Game, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.read() {
                Ok(Some(Ok(draft))) => return Some(Ok(self.accept(draft))),
                Ok(Some(Err(rejected))) => {
                    if let Err(error) = self.drop_game(rejected) {
                        return Some(Err(error));
                    }
                }
                Ok(None) if self.number() == 0 || self.any => return None,
                Ok(None) => {
                    // It is said once.
                    self.any = true;
                    let error = FormatError::Bad {
                        path: self.path.clone(),
                        place: Place::Game(1),
                        reason: "neither tags nor moves: this is not PGN".to_owned(),
                    };
                    return Some(Err(error));
                }
                Err(error) => return Some(Err(self.bad(error.to_string()))),
            }
        }
    }
}

#[cfg(test)]
mod tests;
