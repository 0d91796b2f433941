//! Natural language: what a sentence asks of the board or of the test bench.
//!
//! Local and instant, without a model of language: a sentence is cut into words ([`words`]), names and
//! numbers in it become tokens ([`tags`]), and two classifiers that know the example sentences give the
//! intent: nearest neighbours by soft TF-IDF ([`nearest`]), and support vector machines on words, word pairs
//! and character n-grams ([`linear`]). Where words may name an opening, the sentence is read with the
//! name and without, and the reading that is more like an example counts. Then the names and numbers
//! are the slots of the intent ([`slots`]). A sentence that names a legal move is that move ([`moves`]).
//!
//! | module | subject |
//! |---|---|
//! | [`intent`], [`manner`] | what can be asked for; wishes, questions, and what is not to be done |
//! | [`verbs`], [`kinds`], [`past`] | verbs that have to be said before something is ended or deleted; words that say the kind of a run; runs counted from the end |
//! | [`terms`], [`general`] | terms whose meaning is asked for; questions about something in general |
//! | [`words`], [`numbers`], [`limits`], [`own`] | sentences as words; numbers; clocks and limits; own work |
//! | [`sound`], [`similar`], [`spelling`] | words that are alike; slips of the fingers |
//! | [`templates`] | the example sentences |
//! | [`answer`] | slots, what is named, and whether it is asked about |
//! | [`reading`], [`choice`], [`chosen`], [`decided`] | a sentence that is compared with them; the intent that accounts for most of it, and the one that is taken |
//! | [`rules`] | rules that say another intent than the examples |
//! | [`either`] | readings that are about as likely, of which one is asked for |
//! | [`nearest`], [`linear`], [`opinion`] | the classifiers: nearest neighbours, support vector machines; where the rules come to something else |
//! | [`names`], [`grams`], [`fitting`] | openings and engines by misspelt names, and where they stand |
//! | [`endpoint`] | a language model for what is not understood, if its user configures one |
//! | [`context`], [`tags`], [`slots`], [`shown`] | names that may be mentioned; names in sentences; the slots; the command for people |
//! | [`elsewhere`] | commands of the test bench that a board does not have |
//! | [`labelled`] | sentences with what they mean, by which all this is measured |
//! | [`dictated`] | a text that is dictated: a comment, the name of a run |
//! | [`everyday`] | words for pieces and moves, as beginners say them |
//! | [`instead`] | "do not resign, just offer a draw": what is to be done instead |
//! | [`heard`] | a sentence that is dictated: signs, letters, squares and numbers as they are said |
//! | [`thesaurus`] | other words and phrases for what is asked |
//! | [`short`] | figures that stand for words: "g 53" for a game |
//! | [`whys`], [`reasons`] | clauses that say why; another reason or purpose beside a wish |
//! | [`position`] | questions that the position on the board answers |
//! | [`verdicts`] | what is said of a move that was played: a sign at it |
//! | [`conditions`], [`clauses`] | what a wish is to wait for, which is named; words that begin a clause |
//! | [`kept`], [`several`] | what is to stay as it is beside a wish, which is named; more runs than the one that is meant |
//! | [`corrected`], [`courtesy`], [`asides`] | values that are taken back as soon as they are said; politeness before a wish; "oops", "I was stupid" |
//! | [`people`] | others who take part, and those who are spoken to |
//! | [`coverage`], [`ordinary`], [`field`] | words that nothing was made of, which are asked about; ordinary ones, which are only named; words of the field |

mod answer;
mod asides;
mod choice;
mod chosen;
mod clauses;
mod conditions;
mod context;
mod corrected;
mod courtesy;
mod coverage;
mod decided;
mod dictated;
mod either;
mod elsewhere;
pub mod endpoint;
mod everyday;
mod field;
mod fitting;
mod general;
mod grams;
mod heard;
mod instead;
mod intent;
mod kept;
mod kinds;
pub mod labelled;
mod limits;
mod linear;
mod manner;
mod moves;
pub mod names;
mod nearest;
mod numbers;
mod opinion;
mod ordinary;
mod own;
mod past;
mod people;
mod position;
mod reading;
mod reasons;
mod rules;
mod several;
mod short;
mod shown;
mod similar;
mod slots;
mod sound;
mod spelling;
mod tags;
mod templates;
mod terms;
mod thesaurus;
mod verbs;
mod verdicts;
mod whys;
mod words;

pub use context::Context;
pub use intent::Intent;
pub use limits::flag as limit_flag;
pub use past::{OLDEST, PREVIOUS};
pub use shown::flags;
pub use slots::{CHOOSING, LEVELS, NO_CLOCK, Slots};

use answer::{confirm, explained, finish};
use decided::{ReadSentence, Said, read};
use manner::Manner;
use moves::Named;

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
    /// Other readings that are about as likely and would do something else: which one is meant is asked.
    pub others: Vec<Understood>,
    /// Action in plain words, for a button beside those of the others; empty without them.
    pub choice: String,
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
            others: Vec::new(),
            choice: String::new(),
        }
    }

    /// Whether something is shown beside "not understood": an action, or a reason why nothing is done.
    fn has_reason(&self) -> bool {
        !self.shown.is_empty() && !self.shown.starts_with("not understood")
    }
}

/// Words of a sentence at most.
const MAX_WORDS: usize = 100;

/// A sentence less like every example than this is not understood.
const MIN_CONFIDENCE: f32 = 0.4;

/// An action that changes something is asked about when the sentence is less like an example than this.
const SURE: f32 = 0.55;

/// A sentence more like an example than this says one thing.
const COMPLETE: f32 = 0.95;

/// A sentence more like an example than this is understood, whatever else it says: that is asked about.
const LIKELY: f32 = 0.6;

/// Of another sentence more of whose words than this are not accounted for nothing is understood.
const MAX_UNREAD: f32 = 0.6;

/// The command of the kind of run that a sentence speaks of, if it is one: of "stop the SPRT, no, the match" `match`.
pub fn kind_of_run(text: &str) -> Option<&'static str> {
    let context = Context::default();
    let text = heard::written(text);
    let text = text.as_str();
    let split = prepared(text, &words::split(text), &context);
    if split.len() > MAX_WORDS {
        return None;
    }
    if let Some(meant) = corrected::meant(text, &split, &context) {
        return kind_of_run(&meant);
    }
    let split = corrected::without_withdrawn(text, split, &context);
    let words: Vec<String> = split.into_iter().map(|word| word.text).collect();
    kinds::command_of_all(&words)
}

/// The format of the run that a sentence speaks of, as the test bench names it: of "show me the last gauntlet" `gauntlet`.
pub fn format_of_run(text: &str) -> Option<&'static str> {
    kinds::format(&words::texts(&heard::written(text)))
}

/// The words of a sentence as they are meant: a dictated text in one, everyday words by their names, without slips, a greeting
/// and courtesy.
fn prepared(text: &str, split: &[words::Word], context: &Context) -> Vec<words::Word> {
    let split: Vec<words::Word> = everyday::named(heard::joined(&dictated::collapsed(
        text,
        short::games(&short::expanded(split)),
    )));
    let split = thesaurus::rewritten(text, split);
    let mut split = spelling::corrected(text, &people::left_out(text, split, context));
    split.drain(..manner::greeting(&split));
    split.drain(..courtesy::length(&split));
    split
}

/// Understands a sentence.
pub fn understand(text: &str, context: &Context) -> Understood {
    heard::better(text, context, understand_part(text, context, true))
}

/// As [`understand`], without a look for words that sound alike. `has_reasons`: whether reasons are looked for; what is read to
/// find one is read without, since a part has parts of its own, and reading all of them would take twice the time for each.
fn understand_part(text: &str, context: &Context, has_reasons: bool) -> Understood {
    if let Some(sign) = manner::markup(text) {
        let reason = format!("`{sign}` is no plain English: nothing is done");
        return Understood::unknown(reason, Vec::new());
    }
    let text = heard::written(text);
    let text = text.as_str();
    let split = words::split(text);
    if split.len() > MAX_WORDS {
        let reason = format!("a sentence has {MAX_WORDS} words at most: nothing is done");
        return Understood::unknown(reason, Vec::new());
    }
    let split = prepared(text, &split, context);
    if let Some(found) = has_reasons.then(|| whys::read(text, &split, context)).flatten() {
        return found;
    }
    if let Some(meant) = corrected::meant(text, &split, context) {
        return understand_part(&meant, context, has_reasons);
    }
    let split = corrected::without_withdrawn(text, split, context);
    let taken_back = || {
        let reason = "what is said is taken back: nothing is done".to_owned();
        Understood::unknown(reason, Vec::new())
    };
    if manner::plays_on(&split) {
        return taken_back();
    }
    let begun_again = || corrected::begun_again(text, &split, context);
    if let Some(found) = has_reasons.then(begun_again).flatten() {
        return found;
    }
    if manner::withdrawn(&split) || manner::refused_at_once(text, &split) {
        return taken_back();
    }
    let split = asides::without(text, split, context);
    if let Some(found) = conditions::read(text, &split, context, has_reasons) {
        return found;
    }
    if let Some(found) = kept::read(text, &split, context, has_reasons) {
        return found;
    }
    let manner = manner::of(text, &split);
    let said_move = match manner {
        Manner::Wish | Manner::Question => moves::said(text, &split, context),
        // "Not the a-rook, the other rook to d8".
        Manner::Negated { from, to } if to == from + 1 && split[from].text == "not" => {
            moves::said(text, &split, context).filter(|said| said.text.len() > 2)
        }
        _ => None,
    };
    let whole = said_move.as_ref().filter(|said| said.is_whole);
    if let Some(Named::One(uci, san)) = whole.map(|said| &said.named) {
        let asks = manner == Manner::Question || (split.len() > 1 && text.contains('?'));
        return answer::one_move(uci, san, asks);
    }
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let understood = match &manner {
        Manner::Negated { from, to } => {
            let said = Said { text, split: &split, words: &words, context, has_reasons };
            let place = (*from, *to);
            instead::read(said, place).unwrap_or_else(|| instead::negated(said, place))
        }
        manner => either::read(text, &split, &words, manner, context),
    };
    let is_wish = !matches!(manner, Manner::Question | Manner::Definition);
    let understood = match said_move.filter(|said| answer::is_move(&understood, said, is_wish)) {
        Some(said) => answer::of_move(said),
        None if manner != Manner::Definition && has_reasons => {
            reasons::without(text, &split, context, &understood).unwrap_or(understood)
        }
        None => understood,
    };
    let is_about_game = understood.intent != Intent::Unknown || !understood.has_reason();
    if is_about_game
        && !understood.slots.contains_key("variant")
        && elsewhere::is_of_other_game(&words, understood.intent.is_of_runs())
    {
        return Understood::unknown(
            elsewhere::reason("other games").unwrap_or_default(),
            Vec::new(),
        );
    }
    let on_board = (manner == Manner::Wish && !context.legal.is_empty())
        .then(|| on_board(text, &split, &words, context, &understood))
        .flatten();
    on_board.unwrap_or_else(|| explained(understood))
}

/// A wish of which little was understood as an edit of the position, or as a legal move that it describes.
fn on_board(
    text: &str,
    split: &[words::Word],
    words: &[String],
    context: &Context,
    understood: &Understood,
) -> Option<Understood> {
    // Where a game is played, the position is not edited.
    if answer::is_open(understood)
        && context.plays.is_none()
        && let Some(edit) = either::as_edit(text, split, words, context)
    {
        return Some(edit);
    }
    let may_be_move = answer::may_be_move(understood, context);
    may_be_move.then(|| moves::agreeing(text, split, context)).flatten().map(answer::of_agreeing)
}

/// A sentence as `data/said.tsv` has it: its words, with tokens in the place of names and numbers.
pub fn as_said(text: &str, context: &Context) -> String {
    let text = heard::written(text);
    let split = prepared(&text, &words::split(&text), context);
    let split = asides::without(&text, split, context);
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let read = reading::reading(&text, &split, &words, context);
    let tokens: Vec<&str> = read.tagged.iter().map(|token| token.text.as_str()).collect();
    tokens.join(" ")
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
        let lines = lines.map(|line| {
            line.replace(templates::OPENING, "caro kann")
                .replace(dictated::TEXT, "\u{201c}too slow\u{201d}")
        });
        found.extend(lines.filter(plain).take(3).map(|line| (intent, line)));
    }
    found
}

#[cfg(test)]
mod tests;
