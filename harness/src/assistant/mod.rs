//! Natural language: what a sentence asks of the board or of the test bench.
//!
//! Local and instant, without a model of language: a sentence is cut into words ([`words`]), names and
//! numbers in it become tokens ([`tags`]), and the nearest of many example sentences tells the intent
//! ([`nearest`]: TF-IDF over words that are alike by spelling or by sound). Then the names and numbers
//! are the slots of the intent ([`slots`]). A sentence that names a legal move is that move ([`moves`]).
//!
//! | module | subject |
//! |---|---|
//! | [`intent`] | what can be asked for |
//! | [`words`], [`numbers`], [`limits`] | sentences as words; numbers; clocks and limits |
//! | [`sound`], [`similar`] | words that are alike |
//! | [`templates`], [`nearest`] | the example sentences; the nearest ones |
//! | [`names`] | openings and engines by misspelt names |
//! | [`endpoint`] | a language model for what is not understood, if its user configures one |
//! | [`tags`], [`slots`], [`shown`] | names in sentences; the slots; the command for people |

pub mod endpoint;
mod intent;
mod limits;
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

pub use intent::Intent;
pub use limits::flag as limit_flag;
pub use slots::Slots;

/// What a sentence may speak of.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Legal moves of the position: as engines write them, as people do.
    pub legal: Vec<(String, String)>,
    /// Names of engines.
    pub engines: Vec<String>,
    /// Ids of runs, the newest first.
    pub runs: Vec<String>,
}

/// A sentence that was understood, or [`Intent::Unknown`].
#[derive(Clone, Debug, serde::Serialize)]
pub struct Understood {
    /// What it asks for.
    pub intent: Intent,
    /// Names and numbers of it.
    pub slots: Slots,
    /// What will be done, for people.
    pub shown: String,
    /// How like the nearest example it is: 1 for the same.
    pub confidence: f32,
}

/// A sentence less like every example than this is not understood.
const LEAST: f32 = 0.42;

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
    let tagged = tags::tag(text, &split, context);
    let (intent, confidence) = nearest::intent(tagged.iter().map(|tagged| tagged.text.as_str()));
    let intent = if confidence < LEAST { Intent::Unknown } else { intent };
    let slots = slots::slots(intent, text, &split, &tagged, context);
    let shown = shown::shown(intent, &slots);
    Understood { intent, slots, shown, confidence }
}

/// Reads the examples and names, so that the first sentence is understood as fast as later ones.
pub fn prepare() {
    understand("sikilian with stokfish", &Context::default());
    names::opening("sicilian", 1);
}

/// Example sentences, a few of each intent, for a page of help.
pub fn examples() -> Vec<(Intent, String)> {
    let plain = |line: &&str| !line.contains(['[', '{']);
    let mut found = Vec::new();
    for intent in Intent::ALL {
        let prefix = format!("{}\t", intent.name());
        let lines = templates::SENTENCES.lines().filter_map(|line| line.strip_prefix(&prefix));
        found.extend(lines.filter(plain).take(3).map(|line| (intent, line.to_owned())));
    }
    found
}

#[cfg(test)]
mod tests;
