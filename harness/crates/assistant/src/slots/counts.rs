//! Numbers of a sentence, by the nouns that they count or number.

use rapidfuzz::distance::osa;

use super::Filler;
use crate::kinds::{at_once, is_concurrency};
use crate::tags::Tagged;
use crate::{coverage, numbers, words};

/// Nouns that numbers count or number. A number of one of these is no number of another: of "analyse with 3
/// lines" the three is no depth, and of "take back at level 3" no count of moves.
pub const COUNTED: [&str; 74] = [
    "px",
    "pixel",
    "pixels",
    "program",
    "programs",
    "multipv",
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
const NUMBERED: [&str; 17] = [
    "multipv",
    "lines",
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
const BETWEEN: [&str; 18] = [
    "paired",
    "training",
    "selfplay",
    "self",
    "play",
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
    "strongest",
    "other",
];

/// Whether a word is a plural that says something: "24 particles" are no games.
fn is_plural(word: &str) -> bool {
    let is_slip = || COUNTED.iter().any(|noun| osa::distance(word.bytes(), noun.bytes()) < 2);
    word.len() > 4
        && word.ends_with('s')
        && !coverage::links(word)
        && !coverage::is_empty(word)
        && !is_slip()
}

impl Filler<'_> {
    /// Noun that a number counts or numbers, by its place: "3 lines", "the three best lines", "level 3".
    pub(super) fn counted(&self, number: &Tagged) -> Option<usize> {
        // "Round 4 game 2": the number of a round, and that of a game.
        let before = number.from.checked_sub(1).map_or("", |at| self.word(at));
        if matches!(before, "round" | "pair" | "run" | "board")
            && self.word(number.to) == "game"
            && numbers::at(self.sentence.words, number.to + 1).is_some()
        {
            return Some(number.from - 1);
        }
        // "This position 50 times", "8 threads 256 mb".
        let is_plural = |at: &usize| {
            let word = self.word(*at);
            word.ends_with('s')
                || matches!(word, "mb" | "mib" | "gb" | "gib" | "megabyte" | "gigabyte")
        };
        // "10 depth 12" counts no depths.
        let is_noun = |at: &usize| {
            COUNTED.contains(&self.word(*at)) && !self.is_apart(*at) && !self.is_limit(*at)
        };
        // "8 game pairs".
        let is_pair = self.word(number.to) == "game"
            && matches!(self.word(number.to + 1), "pair" | "pairs" | "rounds");
        // "Runs 15 and 20: Elo" counts no Elo.
        let behind = number.to + usize::from(is_pair);
        let is_title = self.sentence.split.get(behind).is_some()
            && words::between(self.sentence.text, self.sentence.split, behind).contains(':');
        if is_title {
            return self.numbered(number);
        }
        let next = Some(behind).filter(is_noun);
        next.filter(is_plural).or_else(|| self.numbered(number)).or_else(|| {
            let between = |at: &usize| BETWEEN.contains(&self.word(*at)) && !self.is_apart(*at);
            let behind = (number.to..).take(3).find(|at| !between(at))?;
            if self.is_apart(behind) {
                return None;
            }
            if COUNTED.contains(&self.word(behind)) && !self.is_limit(behind) {
                return Some(behind);
            }
            // "1 and 2 threads".
            let is_list = matches!(self.word(behind), "and" | "or" | "to" | "against");
            let next = |token: &&Tagged| is_list && token.from == behind + 1 && token.text == "{n}";
            self.counted(self.sentence.tagged.iter().find(next)?)
        })
    }

    /// Whether a limit begins with a word: "depth 12".
    fn is_limit(&self, at: usize) -> bool {
        let mut tokens = self.sentence.tagged.iter();
        tokens.any(|token| token.from == at && token.text == "{limit}")
    }

    /// Noun that has the number: "game 5", "level of 3", "move number 23".
    pub(super) fn numbered(&self, number: &Tagged) -> Option<usize> {
        let is_link = |at: &usize| matches!(self.word(*at), "number" | "of" | "nr" | "to" | "no");
        let before = (0..number.from).rev().take(2).find(|at| !is_link(at))?;
        let is_apart = (before + 1..=number.from).any(|at| self.is_apart(at));
        // "From this position 10" numbers no position.
        let is_this =
            before.checked_sub(1).is_some_and(|at| matches!(self.word(at), "this" | "current"));
        // "Smoke test: 20 games" numbers no test.
        let is_title = self.word(before) == "test"
            && words::between(self.sentence.text, self.sentence.split, before + 1).contains(':');
        let is_apart = is_apart || is_this || is_title;
        (NUMBERED.contains(&self.word(before)) && !is_apart).then_some(before)
    }

    /// Whether a sign stands between a word and the one before: in "64 MB hash, one thread" the hash is not one.
    pub(super) fn is_apart(&self, at: usize) -> bool {
        words::between(self.sentence.text, self.sentence.split, at).contains([',', ';', '.'])
    }

    /// The first number of one of these; with an empty text among them also one of which it is not said
    /// what it counts.
    pub(super) fn number(&mut self, of: &[&str]) -> Option<u32> {
        let counted = self.unused("{n}").into_iter().find_map(|number| {
            let noun = self.counted(&number)?;
            let is_place = of.contains(&"run") && self.is_place_of_run(&number);
            let wanted =
                of.contains(&self.word(noun)) && !self.is_of_games_at_once(noun) && !is_place;
            wanted.then_some((number, Some(noun)))
        });
        let (number, noun) = counted.or_else(|| {
            let mut plain = self.unused("{n}").into_iter();
            let is_plain = |number: &Tagged| {
                self.counted(number).is_none()
                    && !self.counts_something_else(number)
                    && !self.is_value_of_something_else(number)
                    && !self.is_of_version(number)
                    && !self.is_age(number)
                    && !self.is_of_one_side(number)
                    && !self.is_of_all(number)
                    && !(of.contains(&"run") && self.is_place_of_run(number))
            };
            let plain = of.contains(&"").then(|| plain.find(is_plain)).flatten();
            Some((plain?, None))
        })?;
        let count = numbers::at(self.sentence.words, number.from)?.count()?;
        self.mark(number.from..number.to);
        if let Some(noun) = noun {
            self.mark_refused_count(self.word(noun).to_owned());
        }
        if noun.is_some() {
            self.mark_maximum(number.from);
            self.name_other_bound(number.from);
        }
        match noun {
            // "Run nr 18".
            Some(at) if at < number.from => self.mark(at..number.from),
            Some(at) => {
                self.mark(at..at + 1);
                // "Until 10000 games", "4 games per pairing".
                if matches!(self.word(at), "game" | "games") {
                    // "2000 paired games", as all are.
                    if self.word(at - 1) == "paired" {
                        self.mark(at - 1..at);
                    }
                    self.mark_beside_games(number.from, at + 1);
                }
            }
            None => {}
        }
        Some(count)
    }

    /// A number that says nothing more, if it is this one; another one stays unread.
    pub(super) fn number_if(&mut self, of: &[&str], expected: u32) {
        self.attempt(|filler| filler.number(of).filter(|count| *count == expected));
    }

    /// The number of one of these, if there is one: "one with 2 threads, the other with 4" is asked about.
    pub(super) fn number_once(&mut self, of: &[&str]) -> Option<u32> {
        let is_of = |number: &&Tagged| {
            self.counted(number).is_some_and(|noun| of.contains(&self.word(noun)))
        };
        let count = self.unused("{n}").iter().filter(is_of).count();
        if count == 1 { self.number(of) } else { None }
    }

    /// "My student is only nine": the age of a person.
    fn is_age(&self, number: &Tagged) -> bool {
        let is_filler = |at: &usize| matches!(self.word(*at), "only" | "just" | "now" | "already");
        let fillers = (0..number.from).rev().take_while(is_filler).count();
        let Some(verb) = number.from.checked_sub(fillers + 1) else { return false };
        let Some(subject) = verb.checked_sub(1) else { return false };
        let is_person = !matches!(
            self.word(subject),
            "level"
                | "strength"
                | "difficulty"
                | "elo"
                | "rating"
                | "it"
                | "that"
                | "this"
                | "which"
        );
        matches!(self.word(verb), "is" | "am" | "turned" | "aged") && is_person
    }

    /// "Four engines" says nothing more where as many are named; another number stays unread.
    pub(super) fn count_of(&mut self, players: usize) {
        if let Some(number) = self.unused("{n}").into_iter().find(|number| self.is_of_all(number))
            && self.counted(&number).is_none()
            && numbers::at(self.sentence.words, number.from)
                .is_some_and(|said| said.count() == u32::try_from(players).ok())
        {
            self.mark(number.from..number.to);
        }
        self.attempt(|filler| {
            let count = filler
                .number(&["engine", "engines", "player", "players", "program", "programs"])?;
            (count as usize == players).then_some(())
        });
    }

    /// The number right behind a word: "mate in five".
    pub(super) fn number_behind(&mut self, word: &str) -> Option<u32> {
        let is_behind = |number: &&Tagged| number.from > 0 && self.word(number.from - 1) == word;
        let number = self.unused("{n}").iter().find(is_behind)?.clone();
        let count = numbers::at(self.sentence.words, number.from)?.count()?;
        self.mark(number.from..number.to);
        Some(count)
    }

    /// "Sixteen games in parallel" are not sixteen games.
    pub(super) fn is_of_games_at_once(&self, noun: usize) -> bool {
        matches!(self.word(noun), "game" | "games" | "pair" | "pairs")
            && self.at_once(noun + 1).is_some()
    }

    /// "5 kilograms", "5000 iterations": a number of something that no example of the intent speaks of.
    pub(super) fn counts_something_else(&self, number: &Tagged) -> bool {
        let next = self.sentence.tagged.iter().find(|token| token.from == number.to);
        next.is_some_and(|token| {
            let word = token.text.as_str();
            !self.is_apart(token.from)
                && !word.starts_with('{')
                && !coverage::links(word)
                && (!coverage::is_plain(word, self.intent) || is_plural(word))
        })
    }

    /// "Population 16", "seed 42": a number behind a word that no example of the intent has.
    fn is_value_of_something_else(&self, number: &Tagged) -> bool {
        let before = self.sentence.tagged.iter().find(|token| token.to == number.from);
        before.is_some_and(|token| {
            let word = token.text.as_str();
            !self.is_apart(number.from)
                && !word.starts_with('{')
                && !coverage::links(word)
                && !coverage::is_plain(word, self.intent)
                && !NUMBERED.iter().any(|noun| osa::distance(word.bytes(), noun.bytes()) < 2)
        })
    }

    /// "All three play each other": a number of players.
    fn is_of_all(&self, number: &Tagged) -> bool {
        number.from.checked_sub(1).is_some_and(|at| self.word(at) == "all")
    }

    /// "10 minutes for me and 5 for you": a number of one side.
    fn is_of_one_side(&self, number: &Tagged) -> bool {
        self.word(number.to) == "for"
            && matches!(self.word(number.to + 1), "me" | "you" | "him" | "her" | "white" | "black")
    }

    /// "Stockfish 12 against toga2": the number of a version.
    fn is_of_version(&self, number: &Tagged) -> bool {
        let mut tokens = self.sentence.tagged.iter();
        matches!(self.word(number.to), "against" | "and")
            && tokens.any(|token| token.to == number.from && token.text == "{engine}")
    }

    /// Games that are played at once: "concurrency 8", "8 games in parallel", "four at a time".
    pub(super) fn games_at_once(&mut self) -> Option<u32> {
        if let Some(jobs) = self.assigned_count(&["concurrency", "conc", "jobs", "c"]) {
            return Some(jobs);
        }
        if self.in_sequence() {
            return Some(1);
        }
        if let Some(number) = self.unused("{n}").into_iter().find(|number| {
            let before = number.from.checked_sub(1).map_or("", |at| self.word(at));
            // "In parallel 6".
            is_concurrency(before)
                || (at_once(&[before]).is_some() && self.counted(number).is_none())
        }) {
            let link = usize::from(number.from > 1 && self.word(number.from - 2) == "in");
            self.mark(number.from - 1 - link..number.to);
            return numbers::at(self.sentence.words, number.from)?.count();
        }
        let number = self.unused("{n}").into_iter().find(|number| {
            let noun = usize::from(self.counted(number) == Some(number.to));
            // "10 conc".
            let is_named = is_concurrency(self.word(number.to)) && !self.is_apart(number.to);
            is_named || self.at_once(number.to + noun).is_some()
        })?;
        let noun = usize::from(self.counted(&number) == Some(number.to));
        let words = self.at_once(number.to + noun).unwrap_or(1);
        let count = numbers::at(self.sentence.words, number.from)?.count()?;
        let to = number.to + noun + words;
        // "8 simultaneous games".
        let games = usize::from(noun == 0 && matches!(self.word(to), "game" | "games"));
        self.mark(number.from..to + games);
        Some(count)
    }

    /// The words of "in parallel", "at once", "at a time" from a place on.
    pub(super) fn at_once(&self, at: usize) -> Option<usize> {
        let words = self.sentence.words.get(at..)?;
        let words: Vec<&str> = words.iter().take(4).map(String::as_str).collect();
        at_once(&words).or_else(|| (words.first() == Some(&"jobs")).then_some(1))
    }
}
