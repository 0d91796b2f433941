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
//! | [`reading`], [`choice`], [`chosen`] | a sentence that is compared with them; the intent that accounts for most of it |
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
//! | [`explored`] | whose games are meant where the explorer is asked for |
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
mod dictated;
mod either;
mod elsewhere;
pub mod endpoint;
mod everyday;
mod explored;
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
use chosen::{likeliest, of_its_kind};
use manner::Manner;
use moves::Named;
use reading::Reading;

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

/// A sentence with its names and its intent.
struct ReadSentence<'a> {
    sentence: slots::Sentence<'a>,
    intent: Intent,
    /// Topic of a question, if that is no answer to it.
    topic: Intent,
    confidence: f32,
    /// Why nothing is done, if there is a reason.
    reason: String,
    /// Intents that are about as likely, and what their values are below that of this one.
    rivals: Vec<(Intent, f32)>,
    /// Words of another wish, which is named.
    other_wish: Option<std::ops::Range<usize>>,
}

/// A sentence as words, and what may be mentioned in it.
#[derive(Clone, Copy)]
struct Said<'a> {
    text: &'a str,
    split: &'a [words::Word],
    words: &'a [String],
    context: &'a Context,
    /// Whether reasons are looked for in it.
    has_reasons: bool,
}

fn read<'a>(said: Said<'a>, reading: &Reading, manner: &Manner) -> ReadSentence<'a> {
    let Said { text, split, words, context, .. } = said;
    let (tagged, opening) = (reading.tagged.clone(), reading.opening.clone());
    let sentence = slots::Sentence { text, split, words, tagged, opening, context };
    let kinds = kinds::of_first_wish(&reading.tagged);
    let kinds: Vec<Intent> =
        kinds.into_iter().filter(|kind| reading.has_place(*kind, words)).collect();
    let compared = likeliest(reading, &sentence);
    let mut confidence = compared.nearness;
    let mut intent = of_its_kind(compared.best(), &kinds, reading, words, manner);
    // "500 games of A and B, save them to games.pgn".
    if let Some(kind) = kinds.first().filter(|kind| matches!(kind, Intent::Sprt | Intent::Match))
        && *manner == Manner::Wish
        && reading.names_match()
        && !intent.is_of_runs()
    {
        intent = *kind;
    }
    let topic = intent;
    let asks = matches!(manner, Manner::Question | Manner::Definition);
    if asks && intent.acts() && !intent.is_run() {
        // An answer is looked for, and no action.
        (intent, confidence) = match manner::asks_how(words) {
            true => (Intent::Help, confidence),
            false => {
                let answers = choice::intents(reading, &sentence, Intent::answers);
                (answers.best(), answers.nearness)
            }
        };
    }
    if confidence < MIN_CONFIDENCE {
        intent = Intent::Unknown;
    }
    let mut reason = String::new();
    let ended = verbs::about_a_run(words).filter(|_| *manner == Manner::Wish);
    if let Some(ended) = ended.filter(|ended| {
        verbs::wished_of_a_run(words).is_some()
            || intent.is_run()
            || intent.changes_runs()
            || matches!(intent, Intent::Unknown | Intent::Flip)
            || (*ended == Intent::OpenGame && intent != Intent::WhyLost)
    }) {
        (intent, confidence) = (ended, confidence.max(SURE));
    }
    let command = elsewhere::command(&reading.tagged, intent).filter(|_| ended.is_none());
    if let Some(command) = command {
        (intent, reason) = match elsewhere::form(command) {
            Some(form) if reading.has_place(form, words) => (form, String::new()),
            _ => (Intent::Unknown, elsewhere::reason(command).unwrap_or_default()),
        };
        confidence = if intent == Intent::Unknown { confidence } else { confidence.max(SURE) };
    } else if reading.names_games(words) && !intent.is_of_runs() && intent != Intent::Export {
        reason = elsewhere::reason("file").unwrap_or_default();
        intent = Intent::Unknown;
    } else if let Some(alone) = reading.only_name() {
        reason = format!("“{}”: what is to be done with it?", words[alone].join(" "));
        intent = Intent::Unknown;
    } else if (intent.changes_runs() || intent.answers())
        && confidence < LIKELY
        && !reading.is_evident(intent)
        && !reading.is_likely(intent)
        && ended.is_none()
    {
        intent = Intent::Unknown;
    }
    if *manner == Manner::Wish
        && verdicts::gives_way(intent)
        && verdicts::is_said(text, split, words)
    {
        (intent, confidence, reason) = (Intent::MarkMove, confidence.max(LIKELY), String::new());
    }
    // "View 2 plies earlier, w/o takeback".
    if intent == Intent::TakeBack && general::refuses_takeback(words) {
        intent = Intent::GoTo;
    }
    let may_go = matches!(
        intent,
        Intent::Move | Intent::Unknown | Intent::EngineOff | Intent::EditPosition | Intent::Hint
    );
    if may_go && *manner == Manner::Wish && general::goes_to_moment(words) {
        (intent, confidence, reason) = (Intent::GoTo, confidence.max(LIKELY), String::new());
    }
    // "Undo my knight to c3", "please take back only Black's pawn to a6".
    if intent == Intent::Move && *manner == Manner::Wish && moves::takes_back(words) {
        (intent, confidence) = (Intent::TakeBack, confidence.max(LIKELY));
    }
    // "Take back everything after move 3".
    if intent == Intent::GoTo && general::takes_all_back(words) {
        intent = Intent::TakeBack;
    }
    // "Remove the exclamation mark from move 5".
    if intent == Intent::TakeBack && general::names_sign(words) {
        (intent, confidence) = (Intent::MarkMove, confidence.max(LIKELY));
    }
    if intent == Intent::Export && general::writes_remark(&sentence) {
        (intent, confidence) = (Intent::CommentMove, confidence.max(LIKELY));
    }
    let may_comment = matches!(
        intent,
        Intent::CommentMove | Intent::SetLevel | Intent::Unknown | Intent::EngineOn
    );
    if may_comment && general::annotates_moves(&sentence) {
        (intent, confidence, reason) = (Intent::CommentGame, confidence.max(LIKELY), String::new());
    }
    if intent == Intent::GoTo && general::lets_a_comment_go(words) {
        (intent, confidence) = (Intent::CommentMove, confidence.max(LIKELY));
    }
    // "What went wrong in the latest training": no game of it was lost.
    if intent == Intent::WhyLost && kinds::has_no_games(words) {
        intent = Intent::RunStatus;
    }
    if intent == Intent::ResumeRun && verbs::repeats(words) {
        intent = Intent::Unknown;
        reason = elsewhere::reason("again").unwrap_or_default();
    }
    if general::clears_text_of_run(&sentence) && *manner == Manner::Wish {
        intent = Intent::Unknown;
        reason = elsewhere::reason("text of a run").unwrap_or_default();
    }
    if general::asks_worth(intent, &sentence) {
        intent = Intent::Unknown;
        reason = elsewhere::reason("worth").unwrap_or_default();
    }
    if intent == Intent::Generate && reading.names_games(words) {
        reason = elsewhere::of_command("data import");
        intent = Intent::Unknown;
    }
    if intent == Intent::Unknown && reason.is_empty() {
        // "Queen takes f7 and it is mate" asks nothing.
        let is_asked = *manner != Manner::Wish || text.contains('?') || !reading.is_about("worth");
        reason = reading.reason().filter(|_| is_asked).unwrap_or_default();
    }
    // Two engines with a number of games or a limit play each other, whatever else is said.
    let is_open = intent == Intent::Unknown
        || (confidence < SURE && !intent.is_run() && intent != Intent::EngineOn);
    if is_open && reason.is_empty() && matches!(manner, Manner::Wish) && reading.names_match() {
        let is_test = kinds.first() == Some(&Intent::Sprt)
            || (kinds.is_empty() && reading.count(&["{engine}"]) == 0);
        intent = if is_test { Intent::Sprt } else { Intent::Match };
        confidence = LIKELY;
    }
    // "HEAD vs main, [0, 3]": bounds are those of a test.
    let plays = intent == Intent::Match
        || (intent == Intent::Suite && reading.count(&["{engine}", "{rev}"]) > 1);
    if plays && *manner == Manner::Wish && slots::has_bounds(text) {
        intent = Intent::Sprt;
    }
    if general::asks_for_options(words) && (asks || !intent.is_of_runs()) {
        (intent, confidence, reason) = (Intent::Help, confidence.max(LIKELY), String::new());
    }
    if general::is_figure_of_run(words) && intent.is_run() {
        (intent, confidence) = (Intent::RunStatus, confidence.max(LIKELY));
    }
    if asks && general::is_past_question(words) && (intent.is_run() || intent == Intent::OpenPage) {
        let several = general::names_two_runs(&sentence);
        intent = if several { Intent::CompareRuns } else { Intent::RunStatus };
        (confidence, reason) = (confidence.max(LIKELY), String::new());
    }
    if asks && intent.is_of_runs() && general::is_of_history(&sentence) {
        intent = Intent::Unknown;
        reason = elsewhere::reason("outside").unwrap_or_default();
    }
    // "Kill the weiss kibitzer, but leave ethereal's lines up": one engine goes on.
    if intent == Intent::EngineOff
        && *manner == Manner::Wish
        && general::kept_engine(&sentence).is_some()
    {
        intent = Intent::EngineOn;
    }
    if general::is_general(intent, topic, &sentence, manner) {
        intent = Intent::Unknown;
        if *manner == Manner::Definition && (reason.is_empty() || general::names_term(&sentence)) {
            reason = elsewhere::reason("glossary").unwrap_or_default();
        }
    }
    // "Who is to move?" asks for no opinion.
    let asks_for_mover = position::asks_for_mover(words) && !intent.is_of_runs();
    if asks
        && let Some(answer) = match intent {
            Intent::Evaluate if !asks_for_mover => position::counts(words, context),
            _ if intent == Intent::Unknown || asks_for_mover => position::answer(words, context),
            _ => None,
        }
    {
        (intent, reason) = (Intent::Unknown, answer);
    }
    let mut rivals = compared.rivals(intent);
    // A number of games or a word says the kind of the run.
    if kinds.first() == Some(&intent) {
        rivals.retain(|(rival, _)| !rival.is_run() || kinds.contains(rival));
    }
    // So does a verb.
    if ended == Some(intent) {
        rivals.clear();
    }
    // A verb says that a run is stopped or deleted, which is asked about.
    if intent.changes_runs() {
        rivals.retain(|(rival, _)| rival.changes_runs());
    }
    let other_wish = reading.other_wish(intent, text, split);
    ReadSentence { sentence, intent, topic, confidence, reason, rivals, other_wish }
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
