//! Natural language: what a sentence asks of the board or of the test bench.
//!
//! Local and instant, without a model of language: a sentence is cut into words ([`words`]), names and
//! numbers in it become tokens ([`tags`]), and two classifiers that know the example sentences give the
//! intent: nearest neighbours by soft TF-IDF ([`nearest`]), and softmax regression on words, word pairs and
//! character n-grams ([`linear`]). Where words may name an opening, the sentence is read with the
//! name and without, and the reading that is more like an example counts. Then the names and numbers
//! are the slots of the intent ([`slots`]). A sentence that names a legal move is that move ([`moves`]).
//!
//! | module | subject |
//! |---|---|
//! | [`intent`], [`manner`] | what can be asked for; wishes, questions, and what is not to be done |
//! | [`words`], [`numbers`], [`limits`] | sentences as words; numbers; clocks and limits |
//! | [`sound`], [`similar`], [`spelling`] | words that are alike; slips of the fingers |
//! | [`templates`] | the example sentences |
//! | [`nearest`], [`linear`] | the classifiers: nearest neighbours, softmax regression |
//! | [`names`], [`grams`], [`fitting`] | openings and engines by misspelt names, and where they stand |
//! | [`endpoint`] | a language model for what is not understood, if its user configures one |
//! | [`context`], [`tags`], [`slots`], [`shown`] | names that may be mentioned; names in sentences; the slots; the command for people |
//! | [`elsewhere`] | commands of the test bench that a board does not have |
//! | [`labelled`] | sentences with what they mean, by which all this is measured |
//! | [`coverage`] | words that nothing was made of, which are asked about |

mod context;
mod coverage;
mod elsewhere;
pub mod endpoint;
mod fitting;
mod grams;
mod intent;
pub mod labelled;
mod limits;
mod linear;
mod manner;
mod moves;
pub mod names;
mod nearest;
mod numbers;
mod shown;
mod similar;
mod slots;
mod sound;
mod spelling;
mod tags;
mod templates;
mod words;

pub use context::Context;
pub use intent::Intent;
pub use limits::flag as limit_flag;
pub use shown::flags;
pub use slots::{LEVELS, Slots};

use std::ops::Range;

use manner::Manner;
use moves::Named;
use tags::Tagged;

/// A sentence that was understood, or [`Intent::Unknown`].
#[derive(Clone, Debug, serde::Serialize)]
pub struct Understood {
    /// Intent.
    pub intent: Intent,
    /// Names and numbers of it.
    pub slots: Slots,
    /// Action in words, for people; of [`Intent::Unknown`] why nothing is done, if there is a reason.
    pub shown: String,
    /// How like the nearest example it is: 1 for the same.
    pub confidence: f32,
    /// Parts of the sentence that are in no slot, as they were typed: they are asked about.
    pub unread: Vec<String>,
    /// Whether the action is asked about before it is done.
    pub confirm: Confirm,
}

/// Whether an action is asked about before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirm {
    /// It shows something, or is undone by the opposite.
    No,
    /// It changes a game that is being played; elsewhere it does no harm.
    InGame,
    /// It ends a game, or the sentence leaves a doubt.
    Always,
}

impl Understood {
    /// A sentence after which nothing is done, for a reason.
    fn unknown(reason: String, unread: Vec<String>) -> Understood {
        Understood {
            intent: Intent::Unknown,
            slots: Slots::new(),
            shown: reason,
            confidence: 0.0,
            unread,
            confirm: Confirm::No,
        }
    }
}

/// Words of a sentence at most.
const MAX_WORDS: usize = 100;

/// A sentence less like every example than this is not understood.
const MIN_CONFIDENCE: f32 = 0.4;

/// An action that changes something is asked about when the sentence is less like an example than this.
const SURE: f32 = 0.55;

/// A sentence more like an example than this is understood, whatever else it says: that is asked about.
const LIKELY: f32 = 0.6;

/// Of another sentence more of whose words than this are not accounted for nothing is understood.
const MAX_UNREAD: f32 = 0.6;

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

/// Understands a sentence.
pub fn understand(text: &str, context: &Context) -> Understood {
    if let Some(sign) = manner::markup(text) {
        let reason = format!("`{sign}` is no plain English: nothing is done");
        return Understood::unknown(reason, Vec::new());
    }
    let split = words::split(text);
    if split.len() > MAX_WORDS {
        let reason = format!("a sentence has {MAX_WORDS} words at most: nothing is done");
        return Understood::unknown(reason, Vec::new());
    }
    let split = spelling::corrected(text, &split);
    let manner = manner::of(text, &split);
    let named = match manner {
        Manner::Wish | Manner::Question => moves::named_move(text, &split, &context.legal),
        _ => Named::None,
    };
    if let Named::One(uci, san) = named {
        let slots = Slots::from_iter([
            ("move".to_owned(), san.as_str().into()),
            ("uci".to_owned(), uci.into()),
        ]);
        let asks = manner == Manner::Question || (split.len() > 1 && text.contains('?'));
        let confirm = if asks { Confirm::Always } else { Confirm::No };
        let (unread, shown) = (Vec::new(), san);
        return Understood { intent: Intent::Move, slots, shown, confidence: 1.0, unread, confirm };
    }
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let understood = match &manner {
        Manner::Negated { from, to } => negated(text, &split, &words, (*from, *to), context),
        manner => finish(&read(text, &split, &words, manner, context), manner),
    };
    match named {
        // "Put a knight on e4" may be no move at all.
        Named::Several(moves) if matches!(understood.intent, Intent::Move | Intent::Unknown) => {
            one_of(&moves)
        }
        _ => understood,
    }
}

/// A move that may be one of several: which one is asked.
fn one_of(moves: &[(String, String)]) -> Understood {
    let names: Vec<&str> = moves.iter().map(|(_, san)| san.as_str()).collect();
    let (last, others) =
        names.split_last().map_or(("", names.as_slice()), |(last, rest)| (*last, rest));
    let shown = format!("Which move: {} or {last}?", others.join(", "));
    let which = moves.iter().map(|(uci, san)| serde_json::json!({ "uci": uci, "san": san }));
    Understood {
        intent: Intent::Move,
        slots: Slots::from_iter([("which".to_owned(), which.collect::<Vec<_>>().into())]),
        shown,
        confidence: 1.0,
        unread: Vec::new(),
        confirm: Confirm::No,
    }
}

/// A sentence with its names and its intent.
struct ReadSentence<'a> {
    sentence: slots::Sentence<'a>,
    intent: Intent,
    /// Topic of a question, if that is no answer to it.
    topic: Intent,
    confidence: f32,
    /// Why nothing is done, if there is a reason.
    reason: String,
}

fn read<'a>(
    text: &'a str,
    split: &'a [words::Word],
    words: &'a [String],
    manner: &Manner,
    context: &'a Context,
) -> ReadSentence<'a> {
    let reading = reading(text, split, words, context);
    let (mut intent, mut confidence) = reading.intent(|_| true);
    if !reading.has_place(intent, words) {
        let (other, likely) = reading.intent(|intent| reading.has_place(intent, words));
        if likely >= MIN_CONFIDENCE {
            (intent, confidence) = (other, likely);
        }
    }
    // Of the kinds of runs, and of their games, one has a word that says it.
    let kinds = [Intent::Sprt, Intent::Match, Intent::Suite, Intent::Tune, Intent::ListGames];
    if kinds.contains(&intent) && !reading.is_evident(intent) {
        let evident = kinds
            .into_iter()
            .find(|kind| reading.is_evident(*kind) && reading.has_place(*kind, words));
        // Versions of one engine are tested, engines play a match.
        let is_test = intent == Intent::Match && reading.count(&["{engine}"]) == 0;
        let likely = if is_test { Intent::Sprt } else { intent };
        intent = evident.unwrap_or(likely);
    }
    let topic = intent;
    let asks = matches!(manner, Manner::Question | Manner::Definition);
    if asks && intent.acts() && !intent.is_run() {
        // An answer is looked for, and no action.
        (intent, confidence) = match manner::asks_how(words) {
            true => (Intent::Help, confidence),
            false => reading.intent(Intent::answers),
        };
    }
    if confidence < MIN_CONFIDENCE {
        intent = Intent::Unknown;
    }
    let mut reason = String::new();
    if let Some(command) = elsewhere::command(&reading.tagged, intent) {
        reason = format!("`harness {command}` does this; a board does not");
        intent = Intent::Unknown;
    } else if let Some(alone) = reading.only_name() {
        reason = format!("“{}”: what is to be done with it?", words[alone].join(" "));
        intent = Intent::Unknown;
    } else if (intent.changes_runs() || intent.answers())
        && confidence < LIKELY
        && !reading.is_evident(intent)
    {
        intent = Intent::Unknown;
    }
    // Two engines with a number of games or a limit play each other, whatever else is said.
    let is_open = intent == Intent::Unknown
        || (confidence < SURE && !intent.is_run() && intent != Intent::EngineOn);
    if is_open && reason.is_empty() && matches!(manner, Manner::Wish) && reading.names_match() {
        (intent, confidence) = (Intent::Match, LIKELY);
    }
    let Reading { tagged, opening, .. } = reading;
    let is_named = |token: &Tagged| {
        matches!(token.text.as_str(), "{engine}" | "{rev}" | "{suite}" | "{file}" | "{run}")
    };
    let names_one = tagged.iter().any(is_named);
    let is_general = match manner {
        Manner::Question if words.get(1).is_some_and(|word| word == "one") => true,
        Manner::Definition => opening.is_none() && !names_one && intent != Intent::Hint,
        Manner::Question if !topic.answers() && !intent.is_run() && asks_for_a_reason(words) => {
            true
        }
        Manner::Question => !names_one && (intent.is_run() || is_of_any_run(intent, words)),
        _ => false,
    };
    if is_general {
        intent = Intent::Unknown;
    }
    let sentence = slots::Sentence { text, split, words, tagged, opening, context };
    ReadSentence { sentence, intent, topic, confidence, reason }
}

/// "Why is the Sicilian named after an island" does not want it on the board.
fn asks_for_a_reason(words: &[String]) -> bool {
    words.iter().take(2).any(|word| matches!(word.as_str(), "why" | "who" | "whose" | "when"))
}

/// "How many games does an SPRT need" is no question of a run that is there.
fn is_of_any_run(intent: Intent, words: &[String]) -> bool {
    let is_any = |pair: &[String]| {
        matches!(pair[0].as_str(), "a" | "an")
            && matches!(pair[1].as_str(), "sprt" | "match" | "test" | "run" | "suite" | "tuning")
    };
    intent == Intent::RunStatus && words.windows(2).any(is_any)
}

/// A negated wish: "do not read the moves" switches that off, and anything else is left as it is.
fn negated(
    text: &str,
    split: &[words::Word],
    words: &[String],
    (from, to): (usize, usize),
    context: &Context,
) -> Understood {
    let outside = |at: usize| at < from || at >= to;
    let rest: Vec<words::Word> = split
        .iter()
        .enumerate()
        .filter(|(at, _)| outside(*at))
        .map(|(_, word)| word.clone())
        .collect();
    let rest_words: Vec<String> = rest.iter().map(|word| word.text.clone()).collect();
    let mut wish = read(text, &rest, &rest_words, &Manner::Wish, context);
    wish.topic = wish.intent;
    wish.intent = match wish.intent {
        Intent::EngineOn => Intent::EngineOff,
        Intent::SpeechOn => Intent::SpeechOff,
        _ => {
            let not = words[from..to].join(" ");
            return Understood::unknown(format!("“{not}”: nothing is done"), Vec::new());
        }
    };
    finish(&wish, &Manner::Wish)
}

/// The slots of a sentence, and what remains of it.
fn finish(read: &ReadSentence<'_>, manner: &Manner) -> Understood {
    let ReadSentence { sentence, intent, topic, confidence, reason } = read;
    let (intent, topic, confidence) = (*intent, *topic, *confidence);
    if intent == Intent::Unknown {
        return Understood { confidence, ..Understood::unknown(reason.clone(), Vec::new()) };
    }
    let filled = slots::fill(intent, sentence);
    // What a question is about is no wish.
    let topics: &[Intent] = match manner {
        Manner::Question => &[topic, Intent::Resign, Intent::OfferDraw],
        _ => &[topic],
    };
    let coverage = coverage::coverage(intent, topics, sentence, &filled.used);
    let mut unread = coverage.unread;
    // An intent that only shows something is carried out without an ordinary word, which is named.
    let has_detail = coverage.has_detail || !(intent.answers() || intent.only_shows());
    if coverage.share > MAX_UNREAD && confidence < LIKELY {
        return Understood::unknown(String::new(), unread);
    }
    let typed = |at: &usize| tags::chunk(sentence.text, &sentence.split[*at]).to_owned();
    unread.extend(filled.unknown_players.iter().map(typed));
    let shown = shown::shown(intent, &filled.slots);
    let is_doubtful = !unread.is_empty() && (has_detail || !filled.unknown_players.is_empty());
    let confirm = confirm(intent, manner, confidence, is_doubtful);
    Understood { intent, slots: filled.slots, shown, confidence, unread, confirm }
}

fn confirm(intent: Intent, manner: &Manner, confidence: f32, has_unread: bool) -> Confirm {
    let sets_up = matches!(intent, Intent::Practice | Intent::EditPosition | Intent::Export);
    let asks = *manner != Manner::Wish && (intent.acts() || sets_up);
    let doubtful = intent.acts() && confidence < SURE;
    match intent {
        Intent::Resign | Intent::OfferDraw => Confirm::Always,
        _ if has_unread || asks || doubtful => Confirm::Always,
        Intent::TakeBack
        | Intent::NewGame
        | Intent::SetLevel
        | Intent::PlayOpening
        | Intent::Move => Confirm::InGame,
        _ => Confirm::No,
    }
}

/// A sentence with its names found.
struct Reading {
    tagged: Vec<Tagged>,
    /// The words and tokens by which it is compared with the examples.
    compared: Vec<Tagged>,
    /// The opening that is named.
    opening: Option<String>,
    nearest: nearest::Nearest,
}

impl Reading {
    /// The words of a name or a number if the sentence has nothing else: it does not say what is to be done.
    fn only_name(&self) -> Option<Range<usize>> {
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
        let is_alone = said.next().is_none() && self.tagged.len() < 3;
        (is_name && is_alone).then_some(first.from..first.to)
    }

    /// Whether an intent has a place for the suite, the position and the engines that are named.
    fn has_place(&self, intent: Intent, words: &[String]) -> bool {
        let count = |names: &[&str]| self.count(names);
        let is_of_runs = intent.is_run() || intent.changes_runs() || intent == Intent::Unknown;
        // A book is a file.
        let is_suite = |token: &Tagged| {
            token.text == "{suite}" && tags::SUITES.contains(&words[token.from].as_str())
        };
        let engines_play = matches!(intent, Intent::Sprt | Intent::Match);
        (count(&["{suite}"]) == 0 || is_of_runs || intent == Intent::OpenPage)
            && !(engines_play && self.tagged.iter().any(is_suite))
            && (count(&["bounds", "elo0", "elo1"]) == 0
                || !intent.is_run()
                || intent == Intent::Sprt)
            && (count(&["{move}"]) == 0 || !(is_of_runs && intent != Intent::Unknown))
            && (count(&["{fen}"]) == 0 || matches!(intent, Intent::EditPosition | Intent::Unknown))
            && (count(&["{engine}", "{rev}"]) < 2
                || match intent {
                    Intent::NewGame | Intent::Practice | Intent::PlayOpening => false,
                    Intent::Suite => {
                        count(&["{suite}", "suite", "positions", "eigenmann", "win"]) > 0
                    }
                    _ => true,
                })
    }

    /// Whether two engines and how they play are named.
    fn names_match(&self) -> bool {
        self.count(&["{engine}", "{rev}"]) > 1 && self.count(&["{limit}", "games"]) > 0
    }

    /// How many of its words and tokens are one of these.
    fn count(&self, names: &[&str]) -> usize {
        self.tagged.iter().filter(|token| names.contains(&&*token.text)).count()
    }

    /// Whether a word is said that is mostly in examples of the intent: "run" and "test" alone stop nothing.
    fn is_evident(&self, intent: Intent) -> bool {
        if intent == Intent::Suite && self.tagged.iter().any(|token| token.text == "{suite}") {
            return true;
        }
        let said = self
            .tagged
            .iter()
            .filter(|token| !tags::is_detail(&token.text) && !coverage::links(&token.text));
        said.into_iter().any(|token| nearest::share(&token.text, intent) >= nearest::EVIDENT)
    }

    /// The intent, of those that are allowed, and how like its nearest example the sentence is.
    fn intent(&self, is_allowed: impl Fn(Intent) -> bool) -> (Intent, f32) {
        self.nearest.intent(self.compared.iter().map(|tagged| tagged.text.as_str()), is_allowed)
    }
}

/// The reading of a sentence that is most like an example: without an opening, or with one of those
/// that its words may name.
fn reading(text: &str, split: &[words::Word], words: &[String], context: &Context) -> Reading {
    let plain = tags::tag(text, split, words, context);
    let mut alike = nearest::Alike::new();
    let nearest = nearest::near(plain.iter().map(weighed), &mut alike);
    let mut best = (plain.clone(), nearest, None);
    let mentions = names::mentions(words);
    for mention in mentions.iter().take(MENTIONS) {
        let sure = sureness(words, mention);
        // A limit or an engine that is said is no name of an opening, unless it is just that name.
        let is_taken = |token: &Tagged| {
            matches!(token.text.as_str(), "{limit}" | "{engine}" | "{rev}" | "{run}" | "{file}")
                && token.from < mention.to
                && mention.from < token.to
        };
        let is_taken = plain.iter().any(is_taken) && mention.found.similarity < TAKEN;
        if sure <= 0.0 || is_taken {
            continue;
        }
        let named = tags::with_opening(&plain, words, mention);
        let weighed = named.iter().map(|tagged| match tagged.text.as_str() {
            templates::OPENING => {
                nearest::Weighed { sure, words: mention.to - mention.from, ..weighed(tagged) }
            }
            _ => weighed(tagged),
        });
        let other = nearest::near(weighed, &mut alike);
        if other.score() > best.1.score() {
            best = (named, other, Some(mention));
        }
    }
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
    Reading { tagged, compared, opening, nearest }
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
    let is_alone = said.len() == 1 && mention.found.similarity < ALONE;
    if is_alone
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
    let ordinary = said.iter().all(is_ordinary);
    if ordinary { sure * ORDINARY } else { sure }
}

/// Reads the examples and names, so that the first sentence is understood as fast as later ones.
pub fn prepare() {
    understand("sikilian with stokfish", &Context::default());
    names::opening("sicilian", 1);
}

/// Whether a sentence is an example word for word: then it shows nothing of how others are understood.
pub fn is_example(sentence: &str) -> bool {
    templates::has(sentence)
}

/// Example sentences, a few of each intent, for a page of help.
pub fn examples() -> Vec<(Intent, String)> {
    let plain = |line: &String| !line.contains(['[', '{']);
    let mut found = Vec::new();
    for intent in Intent::ALL {
        let prefix = format!("{}\t", intent.name());
        let lines = templates::SENTENCES.lines().filter_map(|line| line.strip_prefix(&prefix));
        // No line asks for an opening without the place of its name.
        let lines = lines.map(|line| line.replace(templates::OPENING, "caro kann"));
        found.extend(lines.filter(plain).take(3).map(|line| (intent, line)));
    }
    found
}

#[cfg(test)]
mod tests;
