//! The events of PGN: where games begin and end, and what stands in them.
//!
//! A game ends behind its result, or where tags begin. Blank lines mean nothing within a game, with
//! one exception: without a result, a line that begins with move 1 behind a blank line is the next
//! game. What is inside a comment or a variation ends nothing, but tags outside of comments always
//! begin a game, also where a variation was not closed.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memchr2};
use shakmaty::Outcome;

use super::glyphs::Nags;
use super::tag::{self, Tag};
use super::token::{self, Token};
use super::window::Window;
use harness_base::text::{TextSource, decode};

/// Most bytes of a comment that are kept.
pub const MAX_COMMENT_BYTES: usize = 1 << 20;

/// Most bytes of a word that are kept.
const MAX_WORD_BYTES: usize = 255;

/// Bytes that are looked at together: a word, and what follows it.
const AHEAD: usize = 2 * MAX_WORD_BYTES;

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comment<'a> {
    /// The text between the braces, or behind the semicolon.
    pub bytes: &'a [u8],
    /// It is longer than [`MAX_COMMENT_BYTES`] bytes: only its beginning is here.
    pub cut: bool,
}

impl<'a> Comment<'a> {
    /// Its text.
    pub fn text(&self) -> Cow<'a, str> {
        decode(self.bytes)
    }
}

/// An event of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event<'a> {
    /// A game begins.
    Begin,
    /// A tag pair.
    Tag(Tag<'a>),
    /// A word that may be a move, without its number; read it by [`find_move`](super::find_move).
    Move(&'a [u8]),
    /// A numeric annotation glyph, `$14`; 65,535 stands for larger ones.
    Nag(u16),
    /// Signs that stand alone: `±`, `!?`.
    Glyphs(Nags),
    /// A comment.
    Comment(Comment<'a>),
    /// A variation of the last move begins.
    VariationBegin,
    /// It ends. One that is not closed ends with its game.
    VariationEnd,
    /// The result at the end of the moves.
    Result(Outcome),
    /// Text that is no PGN: the game cannot be read on.
    Unknown(&'a [u8]),
    /// The game ends.
    End {
        /// A comment or a variation was not closed.
        unclosed: bool,
    },
}

/// The events of a source. Memory is bounded: by the longest comment that is kept.
#[derive(Debug)]
pub struct Lexer<R> {
    window: Window<R>,
    /// Where the last event stands.
    at: usize,
    /// Games begun.
    number: u64,
    game: Option<Game>,
    main_line_only: bool,
    /// Line ends since the last word or comment; more than three count as three.
    line_ends: u8,
}

/// State of the game that is being read.
#[derive(Clone, Copy, Debug, Default)]
struct Game {
    tagged: bool,
    /// Behind the tags: a word.
    in_moves: bool,
    /// Behind a tag: a comment in braces.
    commented: bool,
    /// Before the tags: a bracket that begins none.
    rubbish: bool,
    /// A move was read, or what may be one.
    moved: bool,
    /// Its result was read.
    finished: bool,
    /// Of which of the usual tags it has one, by their bits.
    names: u8,
    /// Variations that are open.
    depth: u32,
    unclosed: bool,
}

/// An event, with the places of its text.
#[derive(Debug)]
enum EventRange {
    Begin,
    Tag { name: Range<usize>, value: Range<usize>, cut: bool },
    Move(Range<usize>),
    Nag(u16),
    Glyphs(Nags),
    Comment { text: Range<usize>, cut: bool },
    VariationBegin,
    VariationEnd,
    Result(Outcome),
    Unknown(Range<usize>),
    End { unclosed: bool },
}

impl<R: Read> Lexer<R> {
    /// From the beginning of a source. One in UTF-16, as its byte order mark says, is decoded;
    /// offsets are then those of its text in UTF-8.
    pub fn new(source: R) -> Lexer<R> {
        Lexer::from_source(TextSource::in_place(source), 0, 0)
    }

    /// Of a part of a source that begins at a byte, with that number of lines before it; not in
    /// UTF-16.
    pub fn within(source: R, offset: u64, lines: u64) -> Lexer<R> {
        Lexer::from_source(TextSource::within(source), offset, lines)
    }

    fn from_source(source: TextSource<R>, offset: u64, lines: u64) -> Lexer<R> {
        Lexer {
            window: Window::new(source, offset, lines),
            at: 0,
            number: 0,
            game: None,
            main_line_only: false,
            line_ends: 2,
        }
    }

    /// Without the events of variations.
    #[must_use]
    pub fn main_line(self) -> Lexer<R> {
        Lexer { main_line_only: true, ..self }
    }

    /// The number of the game, from 1; 0 before the first.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Where the last event stands in the source, in bytes; of the end of a game: where what
    /// follows it begins.
    pub fn offset(&self) -> u64 {
        self.window.offset(self.at)
    }

    /// The line of the last event, from 1.
    pub fn line(&self) -> u64 {
        self.window.line(self.at)
    }

    /// The next event; `None` at the end of the source.
    ///
    /// # Errors
    /// When the source cannot be read.
    #[inline]
    pub fn next_event(&mut self) -> io::Result<Option<Event<'_>>> {
        let found = loop {
            let Some(found) = self.find()? else { return Ok(None) };
            let inside = self.main_line_only && self.game.is_some_and(|game| game.depth > 0);
            let ends = matches!(found, EventRange::VariationEnd) && self.main_line_only;
            if !inside && !ends || matches!(found, EventRange::End { .. }) {
                break found;
            }
        };
        Ok(Some(self.event(found)))
    }

    /// Reads on to the end of the game.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn skip_game(&mut self) -> io::Result<()> {
        while self.game.is_some() {
            self.find()?;
        }
        Ok(())
    }

    fn event(&self, found: EventRange) -> Event<'_> {
        let bytes = |range: Range<usize>| self.window.bytes(range);
        match found {
            EventRange::Begin => Event::Begin,
            EventRange::Tag { name, value, cut } => {
                Event::Tag(Tag { name: bytes(name), value: bytes(value), cut })
            }
            EventRange::Move(word) => Event::Move(bytes(word)),
            EventRange::Nag(nag) => Event::Nag(nag),
            EventRange::Glyphs(nags) => Event::Glyphs(nags),
            EventRange::Comment { text, cut } => {
                Event::Comment(Comment { bytes: bytes(text), cut })
            }
            EventRange::VariationBegin => Event::VariationBegin,
            EventRange::VariationEnd => Event::VariationEnd,
            EventRange::Result(outcome) => Event::Result(outcome),
            EventRange::Unknown(word) => Event::Unknown(bytes(word)),
            EventRange::End { unclosed } => Event::End { unclosed },
        }
    }

    fn find(&mut self) -> io::Result<Option<EventRange>> {
        loop {
            self.skip_blanks()?;
            self.at = self.window.begin();
            let Some(&first) = self.window.rest().first() else { return Ok(self.end_game()) };
            if self.game.is_none() {
                return Ok(Some(self.begin_game()));
            }
            if self.ends_before(first) {
                return Ok(self.end_game());
            }
            let found = match first {
                b'{' => Some(self.braces()?),
                b';' => Some(self.semicolon()?),
                b'[' => Some(self.bracket()?),
                b'(' => self.open(),
                b')' => self.close(),
                b'$' => Some(self.nag()),
                b'*' => self.asterisk(),
                b'}' | b']' => Some(self.unknown()),
                _ => self.word()?,
            };
            self.line_ends = 0;
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// Skips blanks, byte order marks, and lines that begin with `%`.
    fn skip_blanks(&mut self) -> io::Result<()> {
        loop {
            self.window.ensure(AHEAD)?;
            let rest = self.window.rest();
            match *rest {
                [b' ', ..] => self.window.consume(1),
                [b'\r', b'\n', ..] => self.end_line(2),
                [b'\n' | b'\r', ..] => self.end_line(1),
                // 0x1a is the end of a file of DOS.
                [b'\t' | b'\0' | b'\x0b' | b'\x0c' | b'\x1a', ..] => self.window.consume(1),
                [b'%', ..] if self.is_line_start() => self.skip_line()?,
                [0x80..=0xff, ..] => match token::wide_blank(rest) {
                    0 => return Ok(()),
                    length => self.window.consume(length),
                },
                _ => return Ok(()),
            }
        }
    }

    fn end_line(&mut self, bytes: usize) {
        self.window.consume(bytes);
        self.line_ends = (self.line_ends + 1).min(3);
    }

    fn is_line_start(&self) -> bool {
        // A byte order mark before it is none of the line.
        matches!(self.window.previous(), b'\n' | b'\r' | 0xbf) && self.line_ends > 0
    }

    /// Skips a line with its end, which does not count: the line is as good as not there.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let rest = self.window.rest();
            let end = memchr2(b'\n', b'\r', rest);
            self.window.consume(end.unwrap_or(rest.len()));
            if end.is_some() || self.window.has_ended() {
                break;
            }
            self.window.more()?;
        }
        self.window.ensure(2)?;
        self.window.consume(if self.window.rest().starts_with(b"\r\n") { 2 } else { 1 });
        Ok(())
    }

    fn begin_game(&mut self) -> EventRange {
        self.game = Some(Game::default());
        self.number += 1;
        EventRange::Begin
    }

    fn end_game(&mut self) -> Option<EventRange> {
        let game = self.game.take()?;
        Some(EventRange::End { unclosed: game.unclosed || game.depth > 0 })
    }

    /// Whether the game ends before what begins with a byte.
    #[inline]
    fn ends_before(&self, first: u8) -> bool {
        let Some(game) = self.game else { return false };
        if first == b'[' {
            // Tags belong to the comments before them, but to no other game.
            let ends =
                if game.tagged { game.in_moves || self.other_tags(game) } else { game.rubbish };
            return (game.moved || game.finished || ends) && self.is_tag();
        }
        if !game.finished || game.depth > 0 {
            return false;
        }
        // A comment or sign behind the result belongs to it, unless a blank line stands between.
        self.line_ends > 1 || !matches!(first, b'{' | b';' | b'$' | b'(' | b')')
    }

    /// The text of the event.
    fn ahead(&self) -> &[u8] {
        let rest = self.window.rest();
        &rest[..rest.len().min(AHEAD)]
    }

    /// Whether a tag pair comes next, as far as is looked ahead.
    fn is_tag(&self) -> bool {
        tag::begins(self.ahead())
    }

    /// Whether tags behind tags are those of another game, which has no moves: they stand behind
    /// two blank lines, or behind one and begin again; behind a comment one of both is enough.
    fn other_tags(&self, game: Game) -> bool {
        let begin_again = || game.names & tag::usual_name(self.ahead()) != 0;
        match self.line_ends {
            0 | 1 => game.commented && begin_again(),
            2 => game.commented || begin_again(),
            _ => true,
        }
    }

    fn game(&mut self) -> &mut Game {
        self.game.get_or_insert_default()
    }

    /// Reads until `ends` finds the end in the rest, which has `skip` bytes before; gives it, and
    /// whether something was cut. Without an end it is the end of the source.
    fn until(
        &mut self,
        skip: usize,
        longest: usize,
        ends: impl Fn(&[u8]) -> Option<usize>,
    ) -> io::Result<(usize, Option<usize>, bool)> {
        let mut from = skip;
        let mut cut = false;
        let mut kept = None;
        loop {
            let found = ends(&self.window.rest()[from..]).map(|end| from + end);
            let end = found.unwrap_or(self.window.rest().len());
            if found.is_some() || self.window.has_ended() {
                let text_end = kept.unwrap_or(end.min(skip + longest));
                return Ok((text_end, found, cut || end > skip + longest));
            }
            if end > skip + longest {
                self.window.cut(skip + longest);
                (cut, kept) = (true, Some(skip + longest));
            }
            from = self.window.rest().len();
            self.window.more()?;
        }
    }

    fn braces(&mut self) -> io::Result<EventRange> {
        // One before the tags is followed by them.
        let game = self.game();
        game.commented = game.tagged;
        let (end, close, cut) = self.until(1, MAX_COMMENT_BYTES, |text| memchr(b'}', text))?;
        // What is read on moves the window.
        self.at = self.window.begin();
        let text = self.at + 1..self.at + end;
        self.game().unclosed |= close.is_none();
        self.window.consume(close.map_or(usize::MAX >> 1, |close| close + 1));
        Ok(EventRange::Comment { text, cut })
    }

    fn semicolon(&mut self) -> io::Result<EventRange> {
        let line_end = |text: &[u8]| memchr2(b'\n', b'\r', text);
        let (end, close, cut) = self.until(1, MAX_COMMENT_BYTES, line_end)?;
        self.at = self.window.begin();
        self.window.consume(close.unwrap_or(usize::MAX >> 1));
        Ok(EventRange::Comment { text: self.at + 1..self.at + end, cut })
    }

    /// A tag pair, or what has a bracket and is none.
    fn bracket(&mut self) -> io::Result<EventRange> {
        if self.game().in_moves && !self.is_tag() {
            return Ok(self.unknown());
        }
        let line_end = |text: &[u8]| memchr2(b'\n', b'\r', text);
        self.window.ensure(tag::MAX_TAG_BYTES)?;
        self.at = self.window.begin();
        let rest = self.window.rest();
        let part = &rest[..rest.len().min(tag::MAX_TAG_BYTES)];
        // A line of many games may be longer than any tag.
        if line_end(part).is_none()
            && let Some(pair) = tag::parse(part).filter(|pair| pair.length < part.len())
        {
            let usual = tag::usual_name(part);
            self.window.consume(pair.length);
            let game = self.game();
            (game.tagged, game.commented, game.names) = (true, false, game.names | usual);
            let place = |part: Range<usize>| self.at + part.start..self.at + part.end;
            return Ok(EventRange::Tag {
                name: place(pair.name),
                value: place(pair.value),
                cut: false,
            });
        }
        let (end, close, cut) = self.until(0, tag::MAX_TAG_BYTES, line_end)?;
        self.at = self.window.begin();
        let whole = close.unwrap_or(usize::MAX >> 1);
        let Some(pair) = tag::parse(&self.window.rest()[..end]) else {
            let shown = self.window.rest()[..end.min(MAX_WORD_BYTES)].trim_ascii_end().len();
            self.window.consume(whole);
            // Before the tags it is no part of their game.
            let game = self.game();
            game.rubbish |= !game.tagged;
            return Ok(EventRange::Unknown(self.at..self.at + shown));
        };
        let usual = tag::usual_name(&self.window.rest()[..end]);
        // The rest of a line that was cut is gone.
        self.window.consume(if cut { whole } else { pair.length });
        let game = self.game();
        (game.tagged, game.commented, game.names) = (true, false, game.names | usual);
        let place = |part: Range<usize>| self.at + part.start..self.at + part.end;
        Ok(EventRange::Tag { name: place(pair.name), value: place(pair.value), cut })
    }

    fn open(&mut self) -> Option<EventRange> {
        self.window.consume(1);
        let game = self.game();
        (game.in_moves, game.moved) = (true, true);
        game.depth = game.depth.saturating_add(1);
        Some(EventRange::VariationBegin)
    }

    /// Without a variation that is open it closes nothing.
    fn close(&mut self) -> Option<EventRange> {
        self.window.consume(1);
        let game = self.game();
        let open = game.depth.checked_sub(1)?;
        game.depth = open;
        Some(EventRange::VariationEnd)
    }

    fn nag(&mut self) -> EventRange {
        let digits = self.window.rest()[1..].iter().take(MAX_WORD_BYTES);
        let digits = digits.map_while(|byte| byte.is_ascii_digit().then(|| byte - b'0'));
        let (length, nag) = digits.fold((1, 0_u16), |(length, sum), digit| {
            (length + 1, sum.saturating_mul(10).saturating_add(digit.into()))
        });
        if length == 1 {
            return self.unknown();
        }
        self.window.consume(length);
        self.game().in_moves = true;
        EventRange::Nag(nag)
    }

    fn asterisk(&mut self) -> Option<EventRange> {
        self.window.consume(1);
        self.finish(Outcome::Unknown)
    }

    /// A result ends the game, unless a variation is open.
    fn finish(&mut self, outcome: Outcome) -> Option<EventRange> {
        let game = self.game();
        game.in_moves = true;
        let ends = game.depth == 0;
        game.finished |= ends;
        ends.then_some(EventRange::Result(outcome))
    }

    /// A sign that is no PGN here, and the word behind it.
    fn unknown(&mut self) -> EventRange {
        let behind = &self.window.rest()[1..];
        let length = 1 + token::word_length(&behind[..behind.len().min(MAX_WORD_BYTES - 1)]);
        self.take_move(length);
        EventRange::Unknown(self.at..self.at + length)
    }

    fn word(&mut self) -> io::Result<Option<EventRange>> {
        let length = token::word_length(self.window.rest());
        if length > MAX_WORD_BYTES {
            return self.long_word().map(Some);
        }
        let found = match token::classify(&self.window.rest()[..length]) {
            Token::Move => {
                self.take_move(length);
                return Ok(Some(EventRange::Move(self.at..self.at + length)));
            }
            Token::Number { number: 1, black: false, behind } if self.begins_again(behind) => {
                return Ok(self.end_game());
            }
            // The rest of the word comes next.
            Token::Number { behind, .. } => (behind, None),
            Token::Result(outcome) => (length, self.finish(outcome)),
            Token::Glyphs(nags) => (length, Some(EventRange::Glyphs(nags))),
        };
        self.window.consume(found.0);
        self.game().in_moves = true;
        Ok(found.1)
    }

    fn take_move(&mut self, length: usize) {
        self.window.consume(length);
        let game = self.game();
        (game.in_moves, game.moved) = (true, true);
    }

    /// Whether move number 1 is one of the next game: behind a blank line, and without more dots.
    fn begins_again(&self, behind: usize) -> bool {
        let is_over = |game: Game| game.moved && game.depth == 0;
        let next = self.ahead()[behind..].iter().find(|byte| !byte.is_ascii_whitespace());
        let is_white = !matches!(next, Some(b'.' | 0xe2 | 0x85));
        self.line_ends > 1 && is_white && self.game.is_some_and(is_over)
    }

    /// A word of more bytes than are looked at together: its beginning is shown.
    fn long_word(&mut self) -> io::Result<EventRange> {
        let end = |text: &[u8]| text.iter().position(|&byte| token::is_delimiter(byte));
        let (length, close, _) = self.until(0, MAX_WORD_BYTES, end)?;
        self.at = self.window.begin();
        self.take_move(close.unwrap_or(usize::MAX >> 1));
        Ok(EventRange::Unknown(self.at..self.at + length))
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
