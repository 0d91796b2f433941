//! A sentence with its names found: the reading of it that is most like an example.

mod places;

use std::ops::Range;

use super::context::Context;
use super::intent::Intent;
use super::tags::Tagged;
use super::{
    COMPLETE, LIKELY, SURE, coverage, elsewhere, names, nearest, ordinary, own, tags, templates,
    verbs, words,
};

/// Words less like the name of an opening than this do not name it.
const UNLIKE: f32 = 0.58;

/// Words that are a limit or an engine have to be so like the name of an opening to mean that.
const TAKEN: f32 = 0.9;

/// A name of one word has to be so like it: "matter" is no Cotter Gambit.
const ALONE: f32 = 0.72;

/// A name made of words that say nothing has to be so like it.
const EXACT: f32 = 0.97;

/// Share of the sureness that is left to a name made of ordinary words.
const ORDINARY: f32 = 0.6;

/// Places where an opening may be named that are tried.
const MENTIONS: usize = 6;

/// Probability of an intent by the words alone that stands for an example that is only so near.
const PROBABLE: f32 = 0.7;

/// Cosine of the nearest example of an intent that is probable.
const NEAR: f32 = 0.5;

/// Gain of the name of an opening that has another one within it.
const WHOLE: f32 = 0.15;

/// A sentence with its names found.
pub struct Reading {
    /// Its words and tokens.
    pub tagged: Vec<Tagged>,
    /// The opening that is named.
    pub opening: Option<String>,
    nearest: nearest::Nearest,
    /// The intents, the likeliest first.
    ranked: Vec<nearest::Ranked>,
    /// The next best: without the name, with it, or with another one.
    rival: Option<Box<Reading>>,
}

impl Reading {
    /// The words of a name or a number if the sentence has nothing else: it does not say what is to be done.
    pub fn only_name(&self) -> Option<Range<usize>> {
        // "Run".
        if let [only] = self.tagged.as_slice()
            && matches!(only.text.as_str(), "run" | "start" | "show" | "test" | "engine" | "board")
        {
            return Some(only.from..only.to);
        }
        let is_said = |token: &&Tagged| !coverage::is_empty(&token.text) && token.text != "against";
        let mut said = self.tagged.iter().filter(is_said);
        let first = said.next()?;
        let is_name =
            matches!(first.text.as_str(), "{rev}" | "{limit}" | "{n}" | "{engine}" | "{run}");
        // "Open 20261128-1530".
        let shows = |token: &Tagged| {
            matches!(token.text.as_str(), "open" | "show" | "see" | "view" | "display" | "find")
        };
        let is_shown = first.text == "{run}" && self.tagged.iter().any(shows);
        let is_alone = said.next().is_none() && self.tagged.len() < 3 && !is_shown;
        (is_name && is_alone).then_some(first.from..first.to)
    }

    /// Why nothing is done, if the sentence is like an example that is no business of a board.
    pub fn reason(&self) -> Option<String> {
        let (subject, likely) = self.nearest.subject();
        // Two engines and how they play are a match, unless it is said clearly.
        let least = if self.names_match() { COMPLETE } else { SURE };
        if likely < least { None } else { elsewhere::reason(subject) }
    }

    /// Whether the sentence is most like examples of this subject.
    pub fn is_about(&self, subject: &str) -> bool {
        self.nearest.subject().0 == subject
    }

    /// Whether two engines and how they play are named.
    pub fn names_match(&self) -> bool {
        let is_played = self.count(&["{limit}"]) > 0
            || (self.count(&["games"]) > 0 && self.count(&["{n}"]) > 0);
        self.count(&["{engine}", "{rev}"]) > 1 && is_played
    }

    /// How many players are named, "my engine" with them.
    fn players(&self, words: &[String]) -> usize {
        let (mut own, mut at) = (0, 0);
        while at < words.len() {
            let found = own::at(words, at);
            own += usize::from(found.is_some());
            at += found.map_or(1, |found| found.words);
        }
        self.count(&["{engine}", "{rev}"]) + own
    }

    /// How many of its words and tokens are one of these.
    pub fn count(&self, names: &[&str]) -> usize {
        self.tagged.iter().filter(|token| names.contains(&&*token.text)).count()
    }

    /// Whether a word is said that is mostly in examples of the intent: "run" and "test" alone stop nothing.
    pub fn is_evident(&self, intent: Intent) -> bool {
        if intent == Intent::Suite && self.tagged.iter().any(|token| token.text == "{suite}") {
            return true;
        }
        let said = self
            .tagged
            .iter()
            .filter(|token| !tags::is_detail(&token.text) && !coverage::links(&token.text));
        said.into_iter().any(|token| nearest::share(&token.text, intent) >= nearest::EVIDENT)
    }

    /// Whether a file of games is named: of the intents of a board only the export has a place for one.
    pub fn names_games(&self, words: &[String]) -> bool {
        // "Book 8moves.pgn": games begin from it.
        let is_book = |token: &Tagged| {
            let before = token.from.checked_sub(1).map_or("", |at| words[at].as_str());
            matches!(before, "book" | "openings")
        };
        let is_pgn = |token: &Tagged| {
            token.text == "{file}"
                && words::file_extension(&words[token.from]) == Some("pgn")
                && !is_book(token)
        };
        self.tagged.iter().any(is_pgn)
    }

    /// A wish beside another one, "turn the board around and set the level to 6": the words of a part that is an
    /// example of another intent, word for word.
    pub fn other_wish(
        &self,
        intent: Intent,
        text: &str,
        split: &[words::Word],
    ) -> Option<Range<usize>> {
        let links = |token: &Tagged| matches!(token.text.as_str(), "and" | "then");
        if !self.tagged.iter().any(links) {
            return None;
        }
        let parts = tags::parts(&self.tagged, text, split);
        let mut parts = parts.flat_map(|part| part.split(links)).filter(|part| part.len() > 1);
        let mut alike = nearest::Alike::new();
        let is_other = |part: &&[Tagged]| {
            let exact = nearest::near(part.iter().map(weighed), &mut alike).exact();
            exact.is_some_and(|other| other != intent && other != Intent::Unknown)
        };
        let part = parts.find(is_other)?;
        Some(part.first()?.from..part.last()?.to)
    }

    /// Whether the words alone say an intent, and an example is near enough: the two classifiers agree.
    pub fn is_likely(&self, intent: Intent) -> bool {
        let is_it = |ranked: &&nearest::Ranked| ranked.intent == intent;
        let ranked = self.ranked.iter().find(is_it);
        ranked.is_some_and(|ranked| ranked.likely > PROBABLE && ranked.nearness > NEAR)
    }

    /// Whether an example has just its words.
    pub fn is_example(&self) -> bool {
        self.nearest.exact().is_some()
    }

    /// The intents, the likeliest first.
    pub fn ranked(&self) -> &[nearest::Ranked] {
        &self.ranked
    }

    /// How like an example it is; compares readings of one sentence.
    pub fn score(&self) -> f32 {
        self.nearest.score()
    }

    /// The next best reading, where words may name an opening: without the name, with it, or with another one.
    pub fn rival(&self) -> Option<&Reading> {
        self.rival.as_deref()
    }
}

/// The reading of a sentence that is most like an example: without an opening, or with one of those
/// that its words may name.
pub fn reading(text: &str, split: &[words::Word], words: &[String], context: &Context) -> Reading {
    let plain = tags::tag(text, split, words, context);
    let mut alike = nearest::Alike::new();
    let nearest = nearest::near(plain.iter().map(weighed), &mut alike);
    let mut best = (plain.clone(), nearest, None);
    let mut rival: Option<(Vec<Tagged>, nearest::Nearest, Option<&names::Mention>)> = None;
    // "The Slav without the exchange variation": what is refused is not named.
    let refused =
        words.iter().enumerate().skip(2).position(|(_, word)| {
            matches!(word.as_str(), "without" | "not" | "except" | "excluding")
        });
    let end = refused.map_or(words.len(), |at| at + 2);
    let end = end - usize::from(end < words.len() && words[end - 1] == "but");
    let mentions = names::mentions(&words[..end]);
    // What is refused is an opening, too, and says nothing of what is wished.
    let is_opening =
        |word: &String| names::is_of_opening(word) && !nearest::is_known(word) && word.len() > 4;
    let compared_to = if words[end..].iter().any(is_opening) { end } else { words.len() };
    for mention in mentions.iter().take(MENTIONS) {
        let sure = sureness(words, mention);
        // A limit or an engine that is said is no name of an opening, unless it is just that name.
        let is_taken = |token: &Tagged| {
            let text = token.text.as_str();
            matches!(text, "{limit}" | "{engine}" | "{rev}" | "{run}" | "{file}" | "{suite}")
                && token.from < mention.to
                && mention.from < token.to
        };
        // The engine weiss is no Weiss Variation.
        let is_engine = |token: &Tagged| {
            token.text == "{engine}" && token.from <= mention.from && mention.to <= token.to
        };
        // "The Sicilian, but not the Najdorf".
        let ends_in_link = words[mention.from..mention.to]
            .last()
            .is_some_and(|word| matches!(word.as_str(), "but" | "not" | "except" | "without"));
        let is_taken = ends_in_link
            || (plain.iter().any(is_taken) && mention.found.similarity < TAKEN)
            || plain.iter().any(is_engine);
        if sure <= 0.0 || is_taken {
            continue;
        }
        let named = tags::with_opening(&plain, words, mention);
        let compared = named.iter().filter(|tagged| tagged.from < compared_to);
        let weighed = compared.map(|tagged| match tagged.text.as_str() {
            templates::OPENING => {
                nearest::Weighed { sure, words: mention.to - mention.from, ..weighed(tagged) }
            }
            _ => weighed(tagged),
        });
        let other = nearest::near(weighed, &mut alike);
        // "The King's Indian" is no Indian.
        let gain = match best.2 {
            Some(known) if is_longer(mention, known) => WHOLE,
            Some(known) if is_longer(known, mention) => -WHOLE,
            _ => 0.0,
        };
        if other.score() + gain > best.1.score() {
            rival = Some(std::mem::replace(&mut best, (named, other, Some(mention))));
        } else if rival.as_ref().is_none_or(|rival| other.score() > rival.1.score()) {
            rival = Some((named, other, Some(mention)));
        }
    }
    let rival = rival.map(|(tagged, nearest, mention)| {
        let ranked = nearest.ranked(tagged.iter().map(|tagged| tagged.text.as_str()));
        let opening = mention.map(|mention| mention.found.name.clone());
        Box::new(Reading { tagged, opening, nearest, ranked, rival: None })
    });
    let (tagged, mut nearest, mention) = best;
    let opening = mention.map(|mention| mention.found.name.clone());
    let mut compared = tagged.clone();
    // Few examples have as many details as an exact user.
    let core = tags::without_details(&tagged);
    if mention.is_none() && nearest.score() < LIKELY && core.len() > 2 && core.len() < tagged.len()
    {
        let of_core = nearest::near(core.iter().map(weighed), &mut alike);
        if of_core.score() > nearest.score() {
            (compared, nearest) = (core, of_core);
        }
    }
    // Nor the words that say nothing of a board.
    let plain: Vec<Tagged> = compared.iter().filter(|token| !is_foreign(token)).cloned().collect();
    if mention.is_none() && plain.len() > 1 && plain.len() < compared.len() {
        let of_plain = nearest::near(plain.iter().map(weighed), &mut alike);
        if of_plain.score() > nearest.score() {
            (compared, nearest) = (plain, of_plain);
        }
    }
    // "I give up, you are too strong": one part says what is done, the other why.
    let is_open = mention.is_none() && nearest.score() < COMPLETE;
    let is_part = |part: &&[Tagged]| is_open && part.len() > 1 && part.len() < tagged.len();
    let ends = |intent: Intent| {
        intent.changes_runs() || matches!(intent, Intent::Resign | Intent::OfferDraw)
    };
    for part in tags::parts(&tagged, text, split).filter(is_part) {
        let of_part = nearest::near(part.iter().map(weighed), &mut alike);
        if of_part.exact().is_some_and(ends) {
            (compared, nearest) = (part.to_vec(), of_part);
            break;
        }
    }
    // "Compare the last two, but hide the draws": the first of two wishes.
    let first = verbs::of_first_wish(words).len();
    let wish: Vec<Tagged> = tagged.iter().filter(|token| token.to <= first).cloned().collect();
    if mention.is_none() && first < words.len() && wish.len() > 1 {
        let of_wish = nearest::near(wish.iter().map(weighed), &mut alike);
        if of_wish.score() > nearest.score() {
            (compared, nearest) = (wish, of_wish);
        }
    }
    // One part of a long sentence may say what the others detail.
    for part in tags::parts(&tagged, text, split) {
        let says = |token: &Tagged| {
            Intent::ALL.iter().any(|intent| nearest::share(&token.text, *intent) > 0.5)
        };
        let is_whole = part.len() > 2 || part.iter().any(says);
        if mention.is_none() && nearest.score() < SURE && is_whole {
            let of_part = nearest::near(part.iter().map(weighed), &mut alike);
            if of_part.score() > nearest.score() {
                (compared, nearest) = (part.to_vec(), of_part);
            }
        }
    }
    let ranked = nearest.ranked(compared.iter().map(|tagged| tagged.text.as_str()));
    Reading { tagged, opening, nearest, ranked, rival }
}

/// Whether a word is an ordinary one that no example has.
fn is_foreign(token: &Tagged) -> bool {
    ordinary::is_ordinary(&token.text) && !nearest::is_known(&token.text)
}

/// Whether one name is in a sentence as a whole, and has the other one at its end.
fn is_longer(one: &names::Mention, other: &names::Mention) -> bool {
    one.found.similarity > TAKEN && one.from < other.from && other.to == one.to
}

/// A word or token of which it is sure that it was meant.
fn weighed(tagged: &Tagged) -> nearest::Weighed<'_> {
    nearest::Weighed { text: &tagged.text, sure: 1.0, words: 1 }
}

/// How sure it is that an opening is meant by words that are like its name.
fn sureness(words: &[String], mention: &names::Mention) -> f32 {
    let says_nothing = |word: &String| {
        coverage::is_empty(word) || templates::token(word).is_some() || tags::is_move(word)
    };
    let said = &words[mention.from..mention.to];
    // "What is wrong with Bg5" names no line "with Bg5"; "four knights" is a name.
    let tells =
        |word: &&String| !coverage::is_empty(word) && !coverage::TURNING.contains(&word.as_str());
    let telling: Vec<&String> = said.iter().filter(tells).collect();
    // "A blitz" is no Platz Gambit.
    let is_known =
        telling.len() == 1 && nearest::is_known(telling[0]) && mention.found.similarity < TAKEN;
    let is_alone = is_known || (said.len() == 1 && mention.found.similarity < ALONE);
    // "Tomorrow" is no Pomar System.
    let names_time = said.iter().any(|word| coverage::TIMES.contains(&word.as_str()));
    // Nor has "the English 10 times" the ten in its name.
    let name = mention.found.name.to_lowercase();
    // "A pawn ending", "a sacrifice" and "check" are no lines.
    let names_exercise = mention.found.similarity < EXACT
        && said.iter().any(|word| {
            let words =
                ["ending", "endings", "mate", "mates", "puzzle", "sacrifice", "check", "mistakes"];
            words.contains(&word.as_str())
        });
    let has_number = said.iter().any(|word| {
        word.starts_with(|sign: char| sign.is_ascii_digit()) && !name.contains(word.as_str())
    });
    // "A game by clover" names who plays.
    let first = said.first().is_some_and(|word| word == "by");
    let is_by = first || mention.from.checked_sub(1).is_some_and(|at| words[at] == "by");
    if is_alone
        || (is_by && telling.len() == 1 && mention.found.similarity < TAKEN)
        || names_time
        || names_exercise
        || has_number
        || said.iter().all(says_nothing) && (said.len() < 2 || mention.found.similarity < EXACT)
    {
        return 0.0;
    }
    let sure = ((mention.found.similarity - UNLIKE) / (1.0 - UNLIKE)).clamp(0.0, 1.0).sqrt();
    // Words that commands are made of are rather these: `open the games`.
    let is_ordinary = |word: &String| {
        nearest::is_known(word)
            || templates::token(word).is_some()
            || tags::SUITES.contains(&word.as_str())
    };
    // "The King's Gambit" as a whole.
    let is_noun = said.last().is_some_and(|last| matches!(last.as_str(), "gambit" | "indian"));
    let is_exact =
        (said.len() > 2 || (said.len() == 2 && is_noun)) && mention.found.similarity > EXACT;
    let ordinary = !is_exact && said.iter().all(is_ordinary);
    if ordinary { sure * ORDINARY } else { sure }
}
