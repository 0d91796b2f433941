//! The names and numbers of a sentence, as its intent needs them, and which words they are.

mod bench;
mod board;
mod editor;

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::context::Context;
use super::intent::Intent;
use super::tags::{REVISION_NOUNS, REVISIONS, SUITES, Tagged, chunk, engines};
use super::templates::OPENING;
use super::words::Word;
use super::{limits, names, nearest, numbers};

/// Names and numbers by the names of the slots.
pub type Slots = Map<String, Value>;

/// Nouns that numbers count or number. A number of one of these is no number of another: of "analyse with 3
/// lines" the three is no depth, and of "take back at level 3" no count of moves.
pub const COUNTED: [&str; 68] = [
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
    "levels",
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

/// Words for a limit before it.
const LIMIT_NAMES: [&str; 5] = ["tc", "time", "control", "limit", "clock"];

/// A name of an opening beside a sentence that is understood without it has to be so like it.
const SURE_OPENING: f32 = 0.95;

/// Variants as they are said and as the harness names them.
const VARIANTS: [(&str, &str); 9] = [
    ("atomic", "atomic"),
    ("antichess", "antichess"),
    ("crazyhouse", "crazyhouse"),
    ("king of the hill", "king-of-the-hill"),
    ("koth", "king-of-the-hill"),
    ("racing kings", "racing-kings"),
    ("three check", "three-check"),
    ("horde", "horde"),
    ("3 check", "three-check"),
];

/// Own work as it is said, and its revision.
const OWN: [(&str, &str); 17] = [
    ("working tree", "."),
    ("working copy", "."),
    ("working version", "."),
    ("working directory", "."),
    ("uncommitted changes", "."),
    ("uncommitted work", "."),
    ("my changes", "."),
    ("my engine", "."),
    ("our engine", "."),
    ("last commit", "HEAD"),
    ("latest commit", "HEAD"),
    ("current commit", "HEAD"),
    ("newest commit", "HEAD"),
    ("this commit", "HEAD"),
    ("my commit", "HEAD"),
    ("current branch", "HEAD"),
    ("this branch", "HEAD"),
];

/// Suites by their long names.
const SUITE_NAMES: [(&str, &str); 6] = [
    ("win at chess", "wac"),
    ("bratko kopec", "bk"),
    ("bratko kopek", "bk"),
    ("eigenmann rapid engine test", "eret"),
    ("eigenmann", "eret"),
    ("strategic test suite", "sts"),
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

    /// The opening that is named; also beside a sentence that is understood without it, if it is sure.
    fn opening(&mut self) -> Option<String> {
        if let Some(named) = self.sentence.tagged.iter().find(|tagged| tagged.text == OPENING) {
            self.mark(named.from..named.to);
            return self.sentence.opening.clone();
        }
        let is_free = |mention: &names::Mention| {
            let mut words = mention.from..mention.to;
            mention.found.similarity > SURE_OPENING
                && words.clone().all(|at| !self.filled.used[at])
                && words.any(|at| names::is_of_opening(self.word(at)))
        };
        let mention = names::mentions(self.sentence.words).into_iter().find(is_free)?;
        self.mark(mention.from..mention.to);
        Some(mention.found.name)
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
        let is_noun = |at: &usize| COUNTED.contains(&self.word(*at)) && !self.is_apart(*at);
        let next = Some(number.to).filter(is_noun);
        next.filter(is_plural).or_else(|| self.numbered(number)).or_else(|| {
            let between = |at: &usize| BETWEEN.contains(&self.word(*at)) && !self.is_apart(*at);
            let behind = (number.to..).take(3).find(|at| !between(at))?;
            if self.is_apart(behind) {
                return None;
            }
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
        let is_apart = (before + 1..=number.from).any(|at| self.is_apart(at));
        (NUMBERED.contains(&self.word(before)) && !is_apart).then_some(before)
    }

    /// Whether a sign stands between a word and the one before: in "64 MB hash, one thread" the hash is not one.
    fn is_apart(&self, at: usize) -> bool {
        let split = self.sentence.split;
        let (Some(before), Some(word)) =
            (at.checked_sub(1).and_then(|at| split.get(at)), split.get(at))
        else {
            return false;
        };
        let between = self.sentence.text.get(before.chunk.1..word.chunk.0);
        between.is_some_and(|between| between.contains([',', ';', '.']))
    }

    /// The first number of one of these; with an empty text among them also one of which it is not said
    /// what it counts.
    fn number(&mut self, of: &[&str]) -> Option<u32> {
        let counted = self.unused("{n}").into_iter().find_map(|number| {
            let noun = self.counted(&number)?;
            let wanted = of.contains(&self.word(noun)) && !self.is_of_games_at_once(noun);
            wanted.then_some((number, Some(noun)))
        });
        let (number, noun) = counted.or_else(|| {
            let mut plain = self.unused("{n}").into_iter();
            let is_plain = |number: &Tagged| {
                self.counted(number).is_none() && !self.counts_something_else(number)
            };
            let plain = of.contains(&"").then(|| plain.find(is_plain)).flatten();
            Some((plain?, None))
        })?;
        let count = numbers::at(self.sentence.words, number.from)?.count()?;
        self.mark(number.from..number.to);
        match noun {
            // "Run nr 18".
            Some(at) if at < number.from => self.mark(at..number.from),
            Some(at) => self.mark(at..at + 1),
            None => {}
        }
        Some(count)
    }

    /// The number of one of these, if there is one: "one with 2 threads, the other with 4" is asked about.
    fn number_once(&mut self, of: &[&str]) -> Option<u32> {
        let is_of = |number: &&Tagged| {
            self.counted(number).is_some_and(|noun| of.contains(&self.word(noun)))
        };
        let count = self.unused("{n}").iter().filter(is_of).count();
        if count == 1 { self.number(of) } else { None }
    }

    /// The number right behind a word: "mate in five".
    fn number_behind(&mut self, word: &str) -> Option<u32> {
        let is_behind = |number: &&Tagged| number.from > 0 && self.word(number.from - 1) == word;
        let number = self.unused("{n}").iter().find(is_behind)?.clone();
        let count = numbers::at(self.sentence.words, number.from)?.count()?;
        self.mark(number.from..number.to);
        Some(count)
    }

    /// "Sixteen games in parallel" are not sixteen games.
    fn is_of_games_at_once(&self, noun: usize) -> bool {
        matches!(self.word(noun), "game" | "games" | "pair" | "pairs")
            && self.at_once(noun + 1).is_some()
    }

    /// "5 kilograms", "5000 iterations": a number of something that no example of the intent speaks of.
    fn counts_something_else(&self, number: &Tagged) -> bool {
        let next = self.sentence.tagged.iter().find(|token| token.from == number.to);
        next.is_some_and(|token| {
            let word = token.text.as_str();
            !self.is_apart(token.from)
                && !word.starts_with('{')
                && !super::coverage::is_plain(word, self.intent)
        })
    }

    /// `name=value` among the words, as on a command line, or a name with its value behind it: `-elo0 -3`.
    fn assigned(&mut self, names: &[&str]) -> Option<String> {
        let found = (0..self.sentence.words.len()).find_map(|at| {
            let word = self.word(at).trim_start_matches("option.");
            if let Some((name, value)) = word.split_once('=') {
                return names.contains(&name).then(|| (at..at + 1, value.to_owned()));
            }
            let is_flag = names.contains(&word) && !self.is_apart(at + 1);
            let number = numbers::at(self.sentence.words, at + 1).filter(|_| is_flag)?;
            let sign = if self.is_behind(at + 1, '-') { "-" } else { "" };
            Some((at..at + 1 + number.words, format!("{sign}{}", numbers::short(number.value))))
        });
        let (words, value) = found?;
        self.mark(words);
        Some(value)
    }

    /// The limit, unless it has none of the kind that is wanted.
    fn limit_as(&mut self, read: impl Fn(&limits::Meant) -> Option<String>) -> Option<String> {
        let limits = self.unused("{limit}");
        // "STC 10+0.1": the name of a preset beside its limit says nothing more.
        let is_preset = |token: &&Tagged| {
            limits::PRESETS.iter().any(|(name, _)| *name == self.word(token.from))
        };
        let mut exact = limits.iter().filter(|token| !is_preset(token));
        let tagged = exact.next().or(limits.first())?.clone();
        // "10 seconds for one, and 20 for the other": neither is that of both.
        if exact.any(|token| {
            self.sentence.words[token.from..token.to] != self.sentence.words[tagged.from..tagged.to]
        }) {
            return None;
        }
        if let Some(preset) = limits.iter().find(is_preset).cloned() {
            self.mark(preset.from..preset.to);
        }
        let mut meant = limits::at(self.sentence.words, tagged.from)?.meant;
        let mut to = tagged.to;
        let is_link = |at: &usize| {
            matches!(self.word(*at), "a" | "per" | "each" | "every" | "for" | "in" | "on" | "the")
        };
        let links = (to..to + 2).take_while(is_link).count();
        let noun = to + links;
        let is_each = links > 0;
        match self.word(noun) {
            "move" | "moves" | "position" | "positions" | "ply" if is_each => {
                to = noun + 1;
                if let limits::Meant::Seconds(seconds) = meant {
                    meant = limits::Meant::MoveSeconds(seconds);
                }
            }
            "game" | "side" | "player" | "everybody" | "everyone" | "total" if is_each => {
                if let limits::Meant::Seconds(base) = meant {
                    meant = limits::Meant::GameSeconds { base, increment: 0.0 };
                }
                to = noun + 1;
            }
            _ if matches!(self.word(to), "each" | "apiece") => to += 1,
            _ => {}
        }
        let found = read(&meant)?;
        self.mark(tagged.from..to);
        // "Time is 8 seconds", "tc 8+0.08".
        let named = [1, 2].map(|by| tagged.from.checked_sub(by)).into_iter().flatten();
        for at in named {
            if LIMIT_NAMES.contains(&self.word(at)) {
                self.mark(at..at + 1);
            }
        }
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

    /// An engine by the name that the harness knows it by.
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
        self.first_players(usize::MAX)
    }

    /// The first of them; those beyond this number stay unread.
    fn first_players(&mut self, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        for (index, token) in self.sentence.tagged.iter().enumerate() {
            if found.len() == most {
                break;
            }
            if self.filled.used[token.from] {
                continue;
            }
            let mut words = token.from..token.to;
            let player = if let Some((own, revision)) = self.own_work(index) {
                words = own;
                Some(revision.to_owned())
            } else if token.text == "{engine}" {
                self.engine_of(token)
            } else if token.text == "{rev}" {
                Some(self.revision(token))
            } else {
                self.unknown_player(index).map(|(name, of_name)| {
                    self.filled.unknown_players.push(of_name.start);
                    words = of_name;
                    name
                })
            };
            let Some(player) = player else { continue };
            self.mark(words.clone());
            for at in [words.start.wrapping_sub(1), words.end] {
                if REVISION_NOUNS.contains(&self.word(at)) {
                    self.mark(at..at + 1);
                }
            }
            // "Demolito against weiss, where demolito has two threads".
            if found.len() < 2 || !found.contains(&player) {
                found.push(player);
            }
        }
        found
    }

    /// Own work in words, "my last commit", and its revision; "my current branch see-pruning" has its name.
    fn own_work(&self, index: usize) -> Option<(Range<usize>, &'static str)> {
        let from = self.sentence.tagged[index].from;
        OWN.iter().find_map(|(said, revision)| {
            let to = from + said.split(' ').count();
            let words = self.sentence.words.get(from..to)?;
            let is_named =
                self.sentence.tagged.iter().any(|next| next.from == to && next.text == "{rev}");
            (words.iter().eq(said.split(' ')) && !is_named).then_some((from..to, *revision))
        })
    }

    fn revision(&self, token: &Tagged) -> String {
        let typed = self.typed(token.from);
        // A slip that was put right.
        let word = self.word(token.from);
        let typed = match REVISIONS.contains(&word) && !typed.to_lowercase().starts_with(word) {
            true => word.to_owned(),
            false => typed,
        };
        let written = typed.trim_matches([',', '?', '!']).trim_end_matches('.');
        let head = written.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("head"));
        let rest = written.get(4..).unwrap_or_default();
        let is_head = head && !rest.starts_with(|c: char| c.is_alphanumeric());
        if is_head { format!("HEAD{rest}") } else { written.to_owned() }
    }

    /// An unknown word in the place of a player, "match houdini against stockfish", or a name of several words
    /// there, `my-branch`; and its words.
    fn unknown_player(&self, index: usize) -> Option<(String, Range<usize>)> {
        let tagged = &self.sentence.tagged;
        let token = &tagged[index];
        let word = token.text.as_str();
        let chunk = self.sentence.split[token.from].chunk;
        let parts = tagged[index..].iter().take_while(|token| {
            self.sentence.split[token.from].chunk == chunk && !token.text.starts_with('{')
        });
        let parts = parts.count();
        let is_first = token.from == 0 || self.sentence.split[token.from - 1].chunk != chunk;
        let is_joined =
            parts > 1 && is_first && self.sentence.text[chunk.0..chunk.1].contains(['-', '_', '/']);
        let is_ordinary = nearest::is_known(word)
            || REVISION_NOUNS.contains(&word)
            || super::coverage::is_plain(word, self.intent)
            || names::is_of_opening(word);
        let before = index.checked_sub(1).map_or("", |at| tagged[at].text.as_str());
        // "A game without takebacks against weiss".
        let is_refused = matches!(before, "no" | "without");
        if word.starts_with('{') || word.len() < 2 || is_refused || (is_ordinary && !is_joined) {
            return None;
        }
        let text = |index: Option<usize>| {
            index.and_then(|at| tagged.get(at)).map_or("", |token| &*token.text)
        };
        let is_player = |text: &str| matches!(text, "{engine}" | "{rev}");
        let behind = index + parts.max(1);
        // "Fastchess style: stockfish against ethereal".
        let is_title = self.sentence.text[chunk.1..].starts_with(':');
        let next = if is_title { "" } else { text(Some(behind)) };
        let joined = |link: &str, other: &str| link == "and" && is_player(other);
        let two_before = text(index.checked_sub(2));
        let is_beside =
            matches!(
                before,
                "against" | "between" | "than" | "match" | "sprt" | "engine" | "engines"
            ) || matches!(next, "against" | "beats" | "beat" | "plays" | "engine" | "gains")
                || (before == "is" && matches!(two_before, "new" | "old" | "base"))
                || joined(before, two_before)
                || joined(next, text(Some(behind + 1)));
        let typed = self.typed(token.from);
        let typed = typed.trim_end_matches("'s").trim_end_matches("\u{2019}s");
        let to = token.from + parts.max(1);
        // A name of one word: with a capital, or where this intent has an engine.
        let is_name = !is_joined
            && !word.contains('=')
            && match self.intent {
                // One of a list, or the first word.
                Intent::Match => {
                    let is_listed = self.is_apart(token.from) && is_player(before);
                    let is_listing = index == 0 || self.is_apart(to);
                    let is_link = super::coverage::links(word);
                    let is_in_list = is_listed || (is_listing && is_player(next));
                    (is_in_list && !is_link) || is_capital(index, typed)
                }
                Intent::EngineOn | Intent::PlayOut | Intent::Suite | Intent::ListGames => {
                    is_capital(index, typed)
                        || matches!(before, "with" | "by" | "let" | "using" | "for" | "on" | "did")
                }
                _ => false,
            };
        // `history-bonus` where engines play.
        let is_new = || {
            let mut parts = tagged[index..index + parts].iter();
            parts.any(|part| !super::coverage::is_plain(&part.text, self.intent))
        };
        let is_branch = is_joined
            && matches!(self.intent, Intent::Sprt | Intent::Match)
            && word != "non"
            && is_new();
        (is_beside || is_name || is_branch).then(|| (typed.to_owned(), token.from..to))
    }

    fn suite(&mut self) -> Option<String> {
        if let Some((_, suite)) = SUITE_NAMES.iter().find(|(name, _)| self.phrase(name)) {
            return Some((*suite).to_owned());
        }
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

    /// What is said of engines and of how they play: threads, hash, games at once, a variant.
    fn options(&mut self) {
        let jobs = self.games_at_once();
        self.set("jobs", jobs);
        self.variant();
        let threads = self.number_once(&["thread", "threads", "core", "cores", "cpus"]);
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

impl Filler<'_> {
    /// Games that are played at once: "concurrency 8", "8 games in parallel", "four at a time".
    fn games_at_once(&mut self) -> Option<u32> {
        if let Some(jobs) = self.assigned(&["concurrency", "jobs"]) {
            return jobs.parse().ok();
        }
        let number = self.unused("{n}").into_iter().find(|number| {
            let noun = usize::from(self.counted(number) == Some(number.to));
            self.at_once(number.to + noun).is_some()
        })?;
        let noun = usize::from(self.counted(&number) == Some(number.to));
        let words = self.at_once(number.to + noun)?;
        let count = numbers::at(self.sentence.words, number.from)?.count()?;
        self.mark(number.from..number.to + noun + words);
        Some(count)
    }

    /// The words of "in parallel", "at once", "at a time" from a place on.
    fn at_once(&self, at: usize) -> Option<usize> {
        match [0, 1, 2].map(|by| self.word(at + by)) {
            ["at", "a" | "one", "time"] => Some(3),
            ["in", "parallel", _] | ["at", "once", _] => Some(2),
            ["concurrent" | "parallel" | "concurrently" | "simultaneously", ..] => Some(1),
            _ => None,
        }
    }

    /// The variant that is played, or Chess960.
    fn variant(&mut self) {
        if self.has(&["chess960", "960", "frc", "fischerandom"]) || self.phrase("fischer random") {
            self.set("chess960", Some(true));
        }
        if let Some((_, variant)) = VARIANTS.iter().find(|(said, _)| self.phrase(said)) {
            self.set("variant", Some(*variant));
            self.has(&["variant", "rules"]);
        }
    }
}

/// Whether a word within a sentence has a capital.
fn is_capital(index: usize, typed: &str) -> bool {
    index > 0 && typed.starts_with(char::is_uppercase)
}

/// A list as a value, or none of an empty one.
fn listed(values: &[String]) -> Option<Value> {
    (!values.is_empty()).then(|| json!(values))
}
