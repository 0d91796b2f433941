//! The names and numbers of a sentence, as its intent needs them, and which words they are.

mod bench;
mod board;
mod editor;

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::context::Context;
use super::intent::Intent;
use super::tags::{REVISION_NOUNS, SUITES, Tagged, chunk, engines};
use super::templates::OPENING;
use super::words::Word;
use super::{limits, names, nearest, numbers};

/// Names and numbers by the names of the slots.
pub type Slots = Map<String, Value>;

/// Nouns that numbers count or number. A number of one of these is no number of another: of "analyse with 3
/// lines" the three is no depth, and of "take back at level 3" no count of moves.
const COUNTED: [&str; 67] = [
    "game",
    "games",
    "pair",
    "pairs",
    "round",
    "rounds",
    "line",
    "lines",
    "variation",
    "variations",
    "pv",
    "pvs",
    "thread",
    "threads",
    "core",
    "cores",
    "cpus",
    "mb",
    "mib",
    "megabyte",
    "megabytes",
    "gb",
    "gib",
    "gigabyte",
    "gigabytes",
    "people",
    "humans",
    "friends",
    "hash",
    "elo",
    "rating",
    "points",
    "move",
    "moves",
    "mover",
    "ply",
    "plies",
    "half",
    "halfmoves",
    "depth",
    "level",
    "strength",
    "difficulty",
    "engine",
    "engines",
    "player",
    "players",
    "position",
    "positions",
    "puzzle",
    "puzzles",
    "run",
    "runs",
    "test",
    "tests",
    "time",
    "times",
    "percent",
    "piece",
    "pieces",
    "pawns",
    "worker",
    "workers",
    "hour",
    "hours",
    "day",
    "days",
];

/// Words before their number.
const NUMBERED: [&str; 15] = [
    "game",
    "move",
    "level",
    "run",
    "runs",
    "hash",
    "depth",
    "test",
    "position",
    "puzzle",
    "line",
    "strength",
    "difficulty",
    "threads",
    "games",
];

/// Words between a number and what it counts.
const BETWEEN: [&str; 11] = [
    "best",
    "last",
    "more",
    "different",
    "fast",
    "top",
    "newest",
    "latest",
    "most",
    "recent",
    "half",
];

/// A tagged sentence.
pub struct Sentence<'a> {
    /// As it was typed.
    pub text: &'a str,
    /// Its words with their places.
    pub split: &'a [Word],
    /// Its words.
    pub words: &'a [String],
    /// Its words and tokens.
    pub tagged: Vec<Tagged>,
    /// The opening that is named.
    pub opening: Option<String>,
    /// Names and moves that it may mention.
    pub context: &'a Context,
}

/// The slots of a sentence, and what became of its words.
pub struct Filled {
    /// The slots.
    pub slots: Slots,
    /// Of each word, whether it is in a slot.
    pub used: Vec<bool>,
    /// Words that stand where the name of an engine stands, but are no known one.
    pub unknown_players: Vec<usize>,
}

/// The slots of a sentence with an intent.
pub fn fill(intent: Intent, sentence: &Sentence<'_>) -> Filled {
    let filled = Filled {
        slots: Slots::new(),
        used: vec![false; sentence.words.len()],
        unknown_players: Vec::new(),
    };
    let mut filler = Filler { sentence, intent, filled };
    filler.fill_for_board();
    filler.fill_for_bench();
    filler.filled
}

/// Fills the slots of a sentence, and marks the words of each.
struct Filler<'a> {
    sentence: &'a Sentence<'a>,
    intent: Intent,
    filled: Filled,
}

impl Filler<'_> {
    fn set(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.filled.slots.insert(name.to_owned(), value.into());
        }
    }

    fn mark(&mut self, words: Range<usize>) {
        for at in words {
            if let Some(used) = self.filled.used.get_mut(at) {
                *used = true;
            }
        }
    }

    fn word(&self, at: usize) -> &str {
        self.sentence.words.get(at).map_or("", String::as_str)
    }

    /// The tokens of a kind whose words are in no slot yet.
    fn unused(&self, token: &str) -> Vec<Tagged> {
        let unused = self.sentence.tagged.iter().filter(|tagged| tagged.text == token);
        unused.filter(|tagged| !self.filled.used[tagged.from]).cloned().collect()
    }

    /// The opening that is named.
    fn opening(&mut self) -> Option<String> {
        let named = self.sentence.tagged.iter().find(|tagged| tagged.text == OPENING)?;
        self.mark(named.from..named.to);
        self.sentence.opening.clone()
    }

    /// Whether one of these words is said, if need be misspelt; it is marked then. Words of the name of an
    /// opening do not count: the Blackmar-Diemer Gambit has no side.
    fn has(&mut self, wanted: &[&str]) -> bool {
        let places = self.places(wanted);
        for at in &places {
            self.mark(*at..at + 1);
        }
        !places.is_empty()
    }

    /// Where one of these words is said, if need be misspelt.
    fn places(&self, wanted: &[&str]) -> Vec<usize> {
        let named = self.sentence.tagged.iter().find(|tagged| tagged.text == OPENING);
        let named = named.map_or(0..0, |tagged| tagged.from..tagged.to);
        let is_one = |word: &str| {
            // A word of the examples is no other one misspelt: `what` is not `white`.
            let may_be_misspelt = !nearest::is_known(word);
            wanted.iter().any(|wanted| {
                *wanted == word
                    || (may_be_misspelt
                        && wanted.len() > 3
                        && super::similar::similarity(word, wanted) > 0.82)
            })
        };
        let words = self.sentence.words.iter().enumerate();
        words.filter(|(at, word)| !named.contains(at) && is_one(word)).map(|(at, _)| at).collect()
    }

    /// Whether these words follow each other; they are marked then.
    fn phrase(&mut self, wanted: &str) -> bool {
        let wanted: Vec<&str> = wanted.split(' ').collect();
        let words = self.sentence.words.windows(wanted.len());
        let Some(at) = words.into_iter().position(|words| words.iter().eq(&wanted)) else {
            return false;
        };
        self.mark(at..at + wanted.len());
        true
    }

    /// Typed text of a token.
    fn written(&mut self, token: &str) -> Option<String> {
        let tagged = self.unused(token).into_iter().next()?;
        self.mark(tagged.from..tagged.to);
        Some(self.typed(tagged.from))
    }

    /// The typed form of a word.
    fn typed(&self, at: usize) -> String {
        chunk(self.sentence.text, &self.sentence.split[at]).to_owned()
    }

    /// Noun that a number counts or numbers, by its place: "3 lines", "the three best lines", "level 3".
    fn counted(&self, number: &Tagged) -> Option<usize> {
        // "This position 50 times".
        let is_plural = |at: &usize| self.word(*at).ends_with('s');
        let next = Some(number.to).filter(|at| COUNTED.contains(&self.word(*at)));
        next.filter(is_plural).or_else(|| self.numbered(number)).or_else(|| {
            let between = |at: &usize| BETWEEN.contains(&self.word(*at));
            let behind = (number.to..).take(3).find(|at| !between(at))?;
            if COUNTED.contains(&self.word(behind)) {
                return Some(behind);
            }
            // "1 and 2 threads".
            let is_list = matches!(self.word(behind), "and" | "or" | "to");
            let next = |token: &&Tagged| is_list && token.from == behind + 1 && token.text == "{n}";
            self.counted(self.sentence.tagged.iter().find(next)?)
        })
    }

    /// Noun that has the number: "game 5", "level of 3", "move number 23".
    fn numbered(&self, number: &Tagged) -> Option<usize> {
        let is_link = |at: &usize| matches!(self.word(*at), "number" | "of" | "nr" | "to" | "no");
        let before = (0..number.from).rev().take(2).find(|at| !is_link(at))?;
        NUMBERED.contains(&self.word(before)).then_some(before)
    }

    /// The first number of one of these; with an empty text among them also one of which it is not said
    /// what it counts.
    fn number(&mut self, of: &[&str]) -> Option<u32> {
        for number in self.unused("{n}") {
            let noun = self.counted(&number);
            let wanted = match noun {
                Some(at) => of.contains(&self.word(at)) && !self.is_of_games_at_once(at),
                None => of.contains(&"") && !self.counts_something_else(&number),
            };
            let count =
                numbers::at(self.sentence.words, number.from).and_then(|found| found.count());
            if let (true, Some(count)) = (wanted, count) {
                self.mark(number.from..number.to);
                if let Some(at) = noun {
                    self.mark(at..at + 1);
                }
                return Some(count);
            }
        }
        None
    }

    /// "Sixteen games in parallel" are not sixteen games.
    fn is_of_games_at_once(&self, noun: usize) -> bool {
        let behind = [1, 2, 3].map(|by| self.word(noun + by));
        matches!(self.word(noun), "game" | "games" | "pair" | "pairs")
            && matches!(
                behind,
                ["in", "parallel", _]
                    | ["at", "once", _]
                    | ["at", "a", "time"]
                    | ["at", "the", "same"]
                    | ["concurrently" | "simultaneously", ..]
            )
    }

    /// "5 kilograms", "5000 iterations": a number of something that no example of the intent speaks of.
    fn counts_something_else(&self, number: &Tagged) -> bool {
        let next = self.sentence.tagged.iter().find(|token| token.from == number.to);
        next.is_some_and(|token| {
            let word = token.text.as_str();
            let is_apart = self.sentence.text[self.sentence.split[number.to - 1].chunk.0..]
                .split_whitespace()
                .next()
                .is_some_and(|typed| typed.ends_with([',', '.', ';', ':']));
            !is_apart && !word.starts_with('{') && !super::coverage::is_plain(word, self.intent)
        })
    }

    /// `name=value` among the words, as on a command line.
    fn assigned(&mut self, names: &[&str]) -> Option<String> {
        let words = self.sentence.words.iter();
        let found = words.enumerate().find_map(|(at, word)| {
            let (name, value) = word.split_once('=')?;
            names.contains(&name).then(|| (at, value.to_owned()))
        });
        let (at, value) = found?;
        self.mark(at..at + 1);
        Some(value)
    }

    /// The limit, unless it has none of the kind that is wanted.
    fn limit_as(&mut self, read: impl Fn(&limits::Meant) -> Option<String>) -> Option<String> {
        let tagged = self.unused("{limit}").into_iter().next()?;
        let mut meant = limits::at(self.sentence.words, tagged.from)?.meant;
        let behind = [self.word(tagged.to), self.word(tagged.to + 1)];
        let mut to = tagged.to;
        match behind {
            [
                "a" | "per" | "each" | "every",
                "move" | "moves" | "position" | "positions" | "ply",
            ] => to += 2,
            ["per" | "a" | "each", "game"]
            | ["in", "total"]
            | ["a" | "per" | "each", "side" | "player"] => {
                if let limits::Meant::Seconds(base) = meant {
                    meant = limits::Meant::GameSeconds { base, increment: 0.0 };
                }
                to += 2;
            }
            ["each", _] => to += 1,
            _ => {}
        }
        let found = read(&meant)?;
        self.mark(tagged.from..to);
        Some(found)
    }

    /// The limit of a search.
    fn limit(&mut self) -> Option<String> {
        self.limit_as(|meant| Some(meant.limit()))
    }

    /// The side that is named, for the speaker: of "you take white" black.
    fn side(&mut self) -> Option<&'static str> {
        let mut white = self.places(&["white", "whites"]);
        let mut black = self.places(&["black", "blacks"]);
        // A word that is only like one of them counts if none is said.
        let is_exact =
            |at: &usize| matches!(self.word(*at), "white" | "whites" | "black" | "blacks");
        if white.iter().chain(&black).any(is_exact) {
            white.retain(is_exact);
            black.retain(is_exact);
        }
        let all = [(&white, "white", "black"), (&black, "black", "white")];
        let mut own = None;
        for (places, side, other) in all {
            for at in places {
                match self.speaker_before(*at) {
                    Some(true) => own = Some(side),
                    Some(false) => own = own.or(Some(other)),
                    None => {}
                }
            }
        }
        let side = match (white.is_empty(), black.is_empty()) {
            (false, true) => own.or(Some("white")),
            (true, false) => own.or(Some("black")),
            _ => own,
        };
        if side.is_some() {
            self.has(&["white", "whites", "black", "blacks"]);
        }
        side
    }

    /// Whose side is meant: true for the speaker's, false for the other one, by the pronoun before it.
    fn speaker_before(&self, at: usize) -> Option<bool> {
        let before = (at.saturating_sub(4)..at).rev();
        let mut verbs = false;
        for place in before {
            match self.word(place) {
                "i" | "me" | "my" | "we" | "myself" => return Some(true),
                // "You take white", but "against you as white".
                "you" | "it" | "opponent" | "computer" if verbs => return Some(false),
                "take" | "takes" | "play" | "plays" | "have" | "has" | "get" | "gets" | "with"
                | "as" => {
                    verbs = verbs || self.word(place) != "as" && self.word(place) != "with";
                }
                _ => {}
            }
        }
        None
    }

    /// The engines of the sentence, by the names that the harness knows them by.
    fn engines(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        for tagged in self.unused("{engine}") {
            if let Some(name) = self.engine_of(&tagged) {
                self.mark(tagged.from..tagged.to);
                found.push(name);
            }
        }
        found
    }

    fn engine_of(&self, tagged: &Tagged) -> Option<String> {
        let text = self.sentence.words[tagged.from..tagged.to].join("");
        let known = engines(self.sentence.context);
        // What the user calls so in harness.yaml goes before what is only like it.
        let typed = self.typed(tagged.from);
        if let Some(name) = known.iter().find(|name| name.eq_ignore_ascii_case(&typed)) {
            return Some((*name).to_owned());
        }
        names::among(&text, known).map(|found| found.name)
    }

    /// Engines, revisions and paths in their order, and words that stand in the place of one.
    fn players(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        for (index, token) in self.sentence.tagged.iter().enumerate() {
            if self.filled.used[token.from] {
                continue;
            }
            let player = match token.text.as_str() {
                "{engine}" => self.engine_of(token),
                "{rev}" => Some(self.revision(token)),
                _ if self.is_in_place_of_player(index) => {
                    self.filled.unknown_players.push(token.from);
                    Some(self.typed(token.from))
                }
                _ => None,
            };
            let Some(player) = player else { continue };
            self.mark(token.from..token.to);
            for at in [token.from.wrapping_sub(1), token.to] {
                if REVISION_NOUNS.contains(&self.word(at)) {
                    self.mark(at..at + 1);
                }
            }
            found.push(player);
        }
        found
    }

    fn revision(&self, token: &Tagged) -> String {
        let typed = self.typed(token.from);
        let written = typed.trim_matches([',', '?', '!']).trim_end_matches('.');
        let head = written.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("head"));
        let rest = written.get(4..).unwrap_or_default();
        let is_head = head && !rest.starts_with(|c: char| c.is_alphanumeric());
        if is_head { format!("HEAD{rest}") } else { written.to_owned() }
    }

    /// Whether an unknown word stands between those that go before and behind a player: "match houdini
    /// against stockfish".
    fn is_in_place_of_player(&self, index: usize) -> bool {
        let tagged = &self.sentence.tagged;
        let token = &tagged[index];
        let word = token.text.as_str();
        if word.starts_with('{') || word.len() < 3 || nearest::is_known(word) {
            return false;
        }
        let is_noun = REVISION_NOUNS.contains(&word);
        if is_noun || super::coverage::is_plain(word, self.intent) || names::is_of_opening(word) {
            return false;
        }
        let text = |index: Option<usize>| {
            index.and_then(|at| tagged.get(at)).map_or("", |token| &*token.text)
        };
        let is_player = |text: &str| matches!(text, "{engine}" | "{rev}");
        let (before, behind) = (text(index.checked_sub(1)), text(Some(index + 1)));
        let joined = |link: &str, other: &str| link == "and" && is_player(other);
        matches!(before, "against" | "between" | "than" | "match" | "sprt" | "engine" | "engines")
            || matches!(behind, "against" | "beats" | "beat" | "plays" | "engine")
            || (self.intent == Intent::Match && (is_player(before) || is_player(behind)))
            || joined(before, text(index.checked_sub(2)))
            || joined(behind, text(Some(index + 2)))
    }

    fn suite(&mut self) -> Option<String> {
        let tagged = self.unused("{suite}").into_iter().next()?;
        self.mark(tagged.from..tagged.to);
        let word = self.word(tagged.from);
        Some(match word {
            "bratko" => "bk".to_owned(),
            word if SUITES.contains(&word) => word.to_owned(),
            _ => self.typed(tagged.from),
        })
    }

    /// The run that is named or numbered.
    fn run(&mut self) -> Option<String> {
        self.written("{run}").or_else(|| {
            let number = self.number(&["run", "runs", "test", ""])?;
            Some(number.to_string())
        })
    }

    /// The numbers of a limit that is said of an engine, as options: threads and hash.
    fn options(&mut self) {
        let threads = self.number(&["thread", "threads", "core", "cores", "cpus"]);
        let threads = threads.or_else(|| self.assigned(&["threads"])?.parse().ok());
        self.set("threads", threads);
        let hash = self.number(&["hash", "mb", "mib", "megabyte", "megabytes"]);
        let hash = hash.or_else(|| self.assigned(&["hash"])?.parse().ok());
        let mut gigabytes = || self.number(&["gb", "gib", "gigabyte", "gigabytes"]);
        let hash = hash.or_else(|| gigabytes()?.checked_mul(1024));
        if hash.is_some() {
            self.has(&["hash", "mb", "mib", "megabyte", "megabytes"]);
        }
        self.set("hash", hash);
    }
}

/// A list as a value, or none of an empty one.
fn listed(values: &[String]) -> Option<Value> {
    (!values.is_empty()).then(|| json!(values))
}
