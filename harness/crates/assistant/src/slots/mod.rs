//! The names and numbers of a sentence, as its intent needs them, and which words they are.

mod analysis;
mod answers;
mod bench;
mod board;
mod bounds;
mod castling;
mod compared;
mod counts;
mod described;
mod editor;
mod export;
mod forms;
mod games;
mod here;
mod hypotheses;
mod left_out;
mod limit;
mod listed;
mod new_game;
mod notes;
mod of_one;
mod opening;
mod pages;
mod places;
mod play_out;
mod played;
mod players;
mod practice;
mod rates;
mod references;
mod removed;
mod revised;
mod rounds;
mod runs;
mod strength;
mod take_back;
mod turn;

use std::ops::Range;

use serde_json::{Map, Value, json};

pub use self::bounds::has_bounds;
pub use self::counts::COUNTED;
pub use self::editor::is_square;
pub use self::listed::CHOOSING;
pub use self::new_game::NO_CLOCK;
pub use self::strength::LEVELS;
use super::context::Context;
use super::intent::Intent;
use super::tags::{SUITES, Tagged, chunk};
use super::templates::OPENING;
use super::words::Word;
use super::{coverage, nearest, numbers, past};

/// Names and numbers by the names of the slots.
pub type Slots = Map<String, Value>;

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
#[derive(Clone)]
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
    /// The slots of other readings of a number: games or rounds.
    pub others: Vec<Slots>,
    /// Of each word, whether it is in a slot.
    pub used: Vec<bool>,
    /// Words that stand where the name of an engine stands, but are no known one.
    pub unknown_players: Vec<usize>,
    /// Words that are named whatever examples have them: a second suite, an option of one engine.
    pub named: Vec<Range<usize>>,
}

/// The slots of a sentence with an intent.
pub fn fill(intent: Intent, sentence: &Sentence<'_>) -> Filled {
    let filled = Filled {
        slots: Slots::new(),
        others: Vec::new(),
        used: vec![false; sentence.words.len()],
        unknown_players: Vec::new(),
        named: Vec::new(),
    };
    let mut filler = Filler { sentence, intent, filled };
    filler.fill_for_board();
    filler.fill_for_bench();
    filler.fill_forms();
    filler.fill_notes();
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

    /// The slots with another value instead of one of them: which one is meant is asked.
    fn or(&mut self, name: &str, other: &str, value: impl Into<Value>) {
        let mut slots = self.filled.slots.clone();
        slots.remove(name);
        slots.insert(other.to_owned(), value.into());
        self.filled.others.push(slots);
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
        let is_free = |tagged: &&Tagged| {
            !self.filled.used[tagged.from] && self.refusal(tagged.from).is_none()
        };
        unused.filter(is_free).cloned().collect()
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
            // Nor is a piece: `pawns` are not `pins`.
            let may_be_misspelt =
                !nearest::is_known(word) && crate::templates::token(word).is_none();
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
        let place = self.place_of(wanted);
        place.is_some_and(|place| {
            self.mark(place);
            true
        })
    }

    /// Where these words follow each other.
    fn place_of(&self, wanted: &str) -> Option<Range<usize>> {
        let wanted: Vec<&str> = wanted.split(' ').collect();
        let mut words = self.sentence.words.windows(wanted.len());
        let at = words.position(|words| words.iter().eq(&wanted))?;
        Some(at..at + wanted.len())
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

    /// `name=value` among the words, as on a command line, or a name with its value behind it: `-elo0 -3`.
    fn assigned(&mut self, names: &[&str]) -> Option<String> {
        let found = (0..self.sentence.words.len()).find_map(|at| {
            let word = self.word(at).trim_start_matches("option.");
            if let Some((name, value)) = word.split_once('=') {
                return names.contains(&name).then(|| (at..at + 1, value.to_owned()));
            }
            // A letter alone names nothing: `t=4`, but not "t 4".
            let is_flag = names.contains(&word) && word.len() > 1 && !self.is_apart(at + 1);
            let link =
                usize::from(is_flag && matches!(self.word(at + 1), "is" | "of" | "to" | "at"));
            let place = at + 1 + link;
            let is_free = self.filled.used.get(place) == Some(&false);
            let number = numbers::at(self.sentence.words, place).filter(|_| is_flag && is_free)?;
            let sign = if self.is_behind(place, '-') { "-" } else { "" };
            Some((at..place + number.words, format!("{sign}{}", numbers::short(number.value))))
        });
        let (words, value) = found?;
        self.mark(words);
        Some(value)
    }

    /// The same as a count; another value stays unread.
    fn assigned_count(&mut self, names: &[&str]) -> Option<u32> {
        self.attempt(|filler| filler.assigned(names)?.parse().ok())
    }

    /// Reads something; the words of what cannot be used stay unread.
    fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let used = self.filled.used.clone();
        let found = read(self);
        if found.is_none() {
            self.filled.used = used;
        }
        found
    }

    fn suite(&mut self) -> Option<String> {
        let mut names: Vec<(Range<usize>, &str)> = SUITE_NAMES
            .iter()
            .filter_map(|(name, suite)| Some((self.place_of(name)?, *suite)))
            .collect();
        names.sort_by_key(|(place, _)| place.start);
        // "Eigenmann" within its long name.
        names.dedup_by(|next, first| next.0.start < first.0.end);
        let tokens = self.unused("{suite}");
        let is_first = |place: &Range<usize>| tokens.iter().all(|token| token.from >= place.start);
        if let Some(((place, suite), others)) = names.split_first() {
            // A run has one suite: another one is named.
            for (place, _) in others {
                self.mark(place.clone());
                self.filled.named.push(place.clone());
            }
            let is_first = is_first(place);
            self.mark(place.clone());
            if is_first {
                return Some((*suite).to_owned());
            }
            self.filled.named.push(place.clone());
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
        // "The run before the last one".
        if let Some(place) = self.before_last_run() {
            self.mark(place);
            return Some(past::PREVIOUS.to_owned());
        }
        let named = self.written_run().or_else(|| self.oldest_run());
        let named = named.or_else(|| self.run_as_subject());
        let named = named.or_else(|| self.run_behind_kind()).or_else(|| {
            let number = self.attempt(|filler| {
                let number = filler.number(&["run", "runs", "test", ""])?;
                // No run has the number zero: "not from zero".
                (number > 0).then_some(number)
            })?;
            Some(number.to_string())
        });
        named.or_else(|| self.unknown_run())
    }

    /// The id of a run, or its beginning.
    fn written_run(&mut self) -> Option<String> {
        self.written("{run}").map(|id| id.trim_end_matches(['.', ',', '!', '?']).to_owned())
    }

    /// Another name behind "run": there is no such run, and the last one is not meant.
    fn unknown_run(&mut self) -> Option<String> {
        let tagged = &self.sentence.tagged;
        let compares = self.intent == Intent::CompareRuns;
        let is_run = |token: &Tagged| token.text == "run" || (compares && token.text == "runs");
        let is_link = |token: &Tagged| {
            matches!(token.text.as_str(), "number" | "id" | "called" | "named" | "nr")
        };
        let run = tagged.iter().position(is_run)?;
        let behind = tagged[run + 1..].iter().find(|token| !is_link(token))?.clone();
        let is_free = (behind.from..behind.to).all(|at| !self.filled.used[at]);
        let is_end = matches!(self.word(behind.to), "" | "as" | "to" | "and" | "with" | "please");
        // `lmr-test` has several words.
        let chunk = self.sentence.split[behind.from].chunk;
        let split = self.sentence.split[behind.from..].iter();
        let to = behind.from + split.take_while(|word| word.chunk == chunk).count();
        let is_joined = to > behind.to && self.sentence.text[chunk.0..chunk.1].contains(['-', '_']);
        let is_name = match behind.text.as_str() {
            "{rev}" => true,
            _ if is_joined => true,
            word => {
                is_end
                    && !word.starts_with('{')
                    && !coverage::is_plain(word, self.intent)
                    && !coverage::TIMES.contains(&word)
                    && !nearest::is_known(word)
            }
        };
        let is_apart = (run + 1..=behind.from).any(|at| self.is_apart(at));
        if !is_free || !is_name || is_apart {
            return None;
        }
        self.mark(behind.from..to.max(behind.to));
        Some(self.typed(behind.from))
    }

    /// Options of engines and of their games: threads, hash, games at once, a variant.
    fn options(&mut self) {
        // "On 4 cores": games at once, and threads of a suite.
        let cores = ["core", "cores", "cpus"];
        let is_suite = self.intent == Intent::Suite;
        let jobs = self.games_at_once();
        let jobs = if is_suite { jobs } else { jobs.or_else(|| self.number_once(&cores)) };
        self.set("jobs", jobs);
        self.variant();
        self.leave_options_of_one();
        let threads = self.number_once(&["thread", "threads"]);
        let threads = if is_suite { threads.or_else(|| self.number_once(&cores)) } else { threads };
        let threads = threads.or_else(|| self.assigned_count(&["threads", "t"]));
        // Training data is played by one thread for each game.
        let is_data = self.intent == Intent::Generate && jobs.is_none();
        let each = self.places(&["each", "engine"]).is_empty();
        let (jobs, threads) = if is_data && each { (threads, None) } else { (jobs, threads) };
        self.set("jobs", jobs);
        self.set("threads", threads);
        let gigabytes = self.number_once(&["gb", "gib", "gigabyte", "gigabytes"]);
        let hash = gigabytes.and_then(|gigabytes| gigabytes.checked_mul(1024));
        let sizes = ["hash", "mb", "mib", "megabyte", "megabytes"];
        // Training games of "at most 100 MB" are a file.
        let is_of_file = self.intent == Intent::Generate
            && self.places(&["hash"]).is_empty()
            && ["at most", "up to", "no more than"]
                .iter()
                .any(|said| self.place_of(said).is_some());
        let hash = if is_of_file { hash } else { hash.or_else(|| self.number_once(&sizes)) };
        let hash = hash.or_else(|| self.assigned_count(&["hash", "h"]));
        if hash.is_some() {
            self.has(&["hash", "mb", "mib", "megabyte", "megabytes"]);
        }
        self.set("hash", hash);
        let is_set = hash.is_some() || threads.is_some();
        if is_set && self.filled.named.is_empty() {
            let all = ["both sides", "both engines", "both players"];
            if !all.iter().any(|said| self.phrase(said)) {
                self.both();
            }
        }
    }
}

impl Filler<'_> {
    /// "Both with 2 threads", "2 threads for both": options are those of all engines.
    fn both(&mut self) {
        let is_of_all = |at: &usize| {
            let next = self.word(at + 1);
            self.word(*at) == "both"
                && (matches!(next, "" | "with" | "at" | "get" | "have" | "use" | "on" | "using")
                    || numbers::at(self.sentence.words, at + 1).is_some())
        };
        if let Some(at) = (0..self.sentence.words.len()).find(is_of_all) {
            self.mark(at..at + 1);
        }
    }

    /// The variant that is played, or Chess960.
    fn variant(&mut self) {
        let said = ["chess960", "960", "frc", "fischerandom"];
        let refused = self.places(&said).into_iter().find_map(|at| {
            // "No chess960".
            let no = at.checked_sub(1).filter(|no| self.word(*no) == "no");
            Some(self.refusal(at).or(no)?..at + 1)
        });
        if let Some(refused) = refused {
            // Games are of ordinary chess where nothing else is said.
            self.mark(refused);
            return;
        }
        if self.has(&said) || self.phrase("fischer random") {
            self.set("chess960", Some(true));
        }
        if let Some((_, variant)) = VARIANTS.iter().find(|(said, _)| self.phrase(said)) {
            self.set("variant", Some(*variant));
            self.has(&["variant", "rules"]);
        }
    }
}

/// A list as a value, or none of an empty one.
fn listed(values: &[String]) -> Option<Value> {
    (!values.is_empty()).then(|| json!(values))
}
