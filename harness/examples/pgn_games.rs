//! Reads texts in PGN, each in a line of the standard input as hexadecimal digits; writes the games of
//! each as a line of JSON: tags, moves of the main line in UCI, result, and what cannot be read.
//!
//! `harness/tests/pgn_against_chess.py` compares them with python-chess.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use harness::arena::Rules;
use harness::data::flaws::Flaws;
use harness::data::pgn::Reader;
use harness::pgn::{Event, Lexer, Tag, find_shakmaty_move};
use serde_json::{Value, json};
use shakmaty::{CastlingMode, Chess, Move, Position};

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(output, "{}", games(&bytes(&line?)))?;
    }
    output.flush()
}

/// The bytes of hexadecimal digits.
pub fn bytes(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}

/// The games of a text.
pub fn games(text: &[u8]) -> Value {
    let mut lexer = Lexer::new(text).main_line();
    let (mut games, mut game) = (Vec::new(), Game::default());
    while let Some(event) = lexer.next_event().expect("memory can be read") {
        match event {
            Event::Begin => game = Game::default(),
            Event::Tag(tag) => game.tag(tag),
            Event::Move(word) | Event::Unknown(word) => game.play(word),
            Event::Result(result) => game.ended = Some(result.to_string()),
            Event::End { .. } if game.is_one() => games.push(std::mem::take(&mut game)),
            _ => {}
        }
    }
    compare(text, &games);
    games.into_iter().map(Game::json).collect()
}

/// The reader of data finds the same moves with a board of its own.
fn compare(text: &[u8], games: &[Game]) {
    // The two boards differ in the start positions that they take: Chess960 in a game that does not
    // say so, or a FEN that is cut.
    if !games.iter().all(Game::starts_on_both_boards) {
        return;
    }
    let read = Reader::new("text", text, &Flaws::default()).filter_map(Result::ok);
    let read: Vec<Vec<String>> = read
        .map(|game| {
            let mut position = game.start;
            let moves = game.turns.iter().map(|turn| {
                let uci = position.uci(turn.played, true).to_string();
                position.play(turn.played);
                uci
            });
            moves.collect()
        })
        .collect();
    // Results that contradict each other are none of the moves' business.
    let sound = games.iter().filter(|game| !game.is_refused && !game.contradicts());
    let moves: Vec<Vec<String>> =
        sound.map(|game| uci(&game.moves, CastlingMode::Chess960)).collect();
    assert_eq!(read, moves, "{}", text.escape_ascii());
}

fn uci(moves: &[Move], mode: CastlingMode) -> Vec<String> {
    moves.iter().map(|played| played.to_uci(mode).to_string()).collect()
}

#[derive(Default)]
struct Game {
    tags: BTreeMap<String, String>,
    /// Once the start position is set.
    position: Option<Chess>,
    moves: Vec<Move>,
    ended: Option<String>,
    is_refused: bool,
    words: usize,
}

impl Game {
    fn tag(&mut self, tag: Tag<'_>) {
        let name = harness::text::decode(tag.name).into_owned();
        self.tags.insert(name, tag.text().into_owned());
    }

    /// Comments alone are none.
    fn is_one(&self) -> bool {
        !self.tags.is_empty() || self.words > 0 || self.ended.is_some()
    }

    fn rules(&self) -> Rules {
        self.tags.get("Variant").and_then(|tag| Rules::of_tag(tag)).unwrap_or_default()
    }

    /// `None` where the position is illegal, or of another variant.
    fn start(&self) -> Option<Chess> {
        let is_known = self.tags.get("Variant").is_none_or(|tag| Rules::of_tag(tag).is_some());
        if !is_known {
            return None;
        }
        let fen = self.tags.get("FEN").map(|fen| fen.as_str());
        Some(self.rules().position(fen).ok()?.chess()?.clone())
    }

    fn starts_on_both_boards(&self) -> bool {
        let fen = self.tags.get("FEN").map(|fen| engine::board::Position::from_fen(fen.trim()));
        self.start().is_some() && fen.is_none_or(|position| position.is_ok())
    }

    fn play(&mut self, word: &[u8]) {
        self.words += 1;
        if self.is_refused {
            return;
        }
        let position = self.position.take().or_else(|| self.start());
        let played = position.and_then(|at| Some((find_shakmaty_move(&at, word)?.0, at)));
        let Some((played, mut position)) = played else {
            self.is_refused = true;
            return;
        };
        self.moves.push(played);
        position.play_unchecked(played);
        self.position = Some(position);
    }

    /// Whether the reader of data drops the game.
    fn contradicts(&self) -> bool {
        let tag = self.tags.get("Result").map(|tag| tag.as_str()).filter(|tag| *tag != "*");
        let end = self.ended.as_deref().filter(|end| *end != "*");
        let is_over = self.position.as_ref().is_some_and(|at| at.legal_moves().is_empty());
        let empty = self.tags.is_empty() && self.moves.is_empty();
        empty || !is_over && tag.is_some() && end.is_some() && tag != end
    }

    fn json(self) -> Value {
        let tag = self.tags.get("Result").filter(|tag| *tag != "*");
        let result = tag.or(self.ended.as_ref()).map_or("*", |result| result.as_str());
        let moves = uci(&self.moves, self.rules().castling());
        json!({ "tags": self.tags, "moves": moves, "result": result, "error": self.is_refused })
    }
}
