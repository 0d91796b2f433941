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
//! | [`intent`] | what can be asked for |
//! | [`words`], [`numbers`], [`limits`] | sentences as words; numbers; clocks and limits |
//! | [`sound`], [`similar`] | words that are alike |
//! | [`templates`] | the example sentences |
//! | [`nearest`], [`linear`] | the classifiers: nearest neighbours, softmax regression |
//! | [`names`], [`grams`], [`fitting`] | openings and engines by misspelt names, and where they stand |
//! | [`endpoint`] | a language model for what is not understood, if its user configures one |
//! | [`context`], [`tags`], [`slots`], [`shown`] | names that may be mentioned; names in sentences; the slots; the command for people |

mod context;
pub mod endpoint;
mod fitting;
mod grams;
mod intent;
mod limits;
mod linear;
mod moves;
pub mod names;
mod nearest;
mod numbers;
mod shown;
mod similar;
mod slots;
mod sound;
mod tags;
mod templates;
mod words;

pub use context::Context;
pub use intent::Intent;
pub use limits::flag as limit_flag;
pub use slots::Slots;

use tags::Tagged;

/// A sentence that was understood, or [`Intent::Unknown`].
#[derive(Clone, Debug, serde::Serialize)]
pub struct Understood {
    /// Intent.
    pub intent: Intent,
    /// Names and numbers of it.
    pub slots: Slots,
    /// Action in words, for people.
    pub shown: String,
    /// How like the nearest example it is: 1 for the same.
    pub confidence: f32,
}

/// A sentence less like every example than this is not understood.
const MIN_CONFIDENCE: f32 = 0.4;

/// Words less like the name of an opening than this do not name it.
const UNLIKE: f32 = 0.58;

/// Share of the sureness that is left to a name made of ordinary words.
const ORDINARY: f32 = 0.6;

/// Places where an opening may be named that are tried.
const MENTIONS: usize = 6;

/// Understands a sentence.
pub fn understand(text: &str, context: &Context) -> Understood {
    let split = words::split(text);
    if let Some((uci, san)) = moves::legal_move(text, &split, &context.legal) {
        let slots = Slots::from_iter([
            ("move".to_owned(), san.as_str().into()),
            ("uci".to_owned(), uci.into()),
        ]);
        return Understood { intent: Intent::Move, slots, shown: san, confidence: 1.0 };
    }
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let Reading { tagged, opening, intent, nearness: confidence } =
        reading(text, &split, &words, context);
    let intent = if confidence < MIN_CONFIDENCE { Intent::Unknown } else { intent };
    let sentence =
        slots::Sentence { text, split: &split, words: &words, tagged: &tagged, opening, context };
    let slots = slots::slots(intent, &sentence);
    let shown = shown::shown(intent, &slots);
    Understood { intent, slots, shown, confidence }
}

/// A sentence with its names found.
struct Reading {
    tagged: Vec<Tagged>,
    /// The opening that is named.
    opening: Option<String>,
    intent: Intent,
    /// How like the nearest example it is.
    nearness: f32,
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
        if sure <= 0.0 {
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
    let (tagged, nearest, mention) = best;
    let (intent, nearness) = nearest.intent(tagged.iter().map(|tagged| tagged.text.as_str()));
    let opening = mention.map(|mention| mention.found.name.clone());
    Reading { tagged, opening, intent, nearness }
}

/// A word or token of which it is sure that it was meant.
fn weighed(tagged: &Tagged) -> nearest::Weighed<'_> {
    nearest::Weighed { text: &tagged.text, sure: 1.0, words: 1 }
}

/// How sure it is that an opening is meant by words that are like its name.
fn sureness(words: &[String], mention: &names::Mention) -> f32 {
    let sure = ((mention.found.similarity - UNLIKE) / (1.0 - UNLIKE)).clamp(0.0, 1.0).sqrt();
    // Words that commands are made of are rather these: `open the games`.
    let is_ordinary = |word: &String| {
        nearest::is_known(word)
            || templates::token(word).is_some()
            || tags::SUITES.contains(&word.as_str())
    };
    let ordinary = words[mention.from..mention.to].iter().all(is_ordinary);
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
