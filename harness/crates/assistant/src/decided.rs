//! The intent of a sentence: that of the examples which it is most like, unless a verb, a command or a rule says another one.

use std::ops::Range;

use super::chosen::{likeliest, of_its_kind};
use super::context::Context;
use super::intent::Intent;
use super::manner::{self, Manner};
use super::reading::Reading;
use super::rules::{self, Decision};
use super::slots::{self, Sentence};
use super::words::Word;
use super::{LIKELY, MIN_CONFIDENCE, SURE};
use super::{choice, elsewhere, general, kinds, position, verbs};

/// A sentence with its names and its intent.
pub struct ReadSentence<'a> {
    pub sentence: Sentence<'a>,
    pub intent: Intent,
    /// Topic of a question, if that is no answer to it.
    pub topic: Intent,
    pub confidence: f32,
    /// Why nothing is done, if there is a reason.
    pub reason: String,
    /// Intents that are about as likely, and what their values are below that of this one.
    pub rivals: Vec<(Intent, f32)>,
    /// Words of another wish, which is named.
    pub other_wish: Option<Range<usize>>,
}

/// A sentence as words, and what may be mentioned in it.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    pub text: &'a str,
    pub split: &'a [Word],
    pub words: &'a [String],
    pub context: &'a Context,
    /// Whether reasons are looked for in it.
    pub has_reasons: bool,
}

/// Reads the intent of a sentence. `reading` has its names.
pub fn read<'a>(said: Said<'a>, reading: &Reading, manner: &Manner) -> ReadSentence<'a> {
    let Said { text, split, words, context, .. } = said;
    let (tagged, opening) = (reading.tagged.clone(), reading.opening.clone());
    let sentence = Sentence { text, split, words, tagged, opening, context };
    let kinds = kinds::of_first_wish(&reading.tagged);
    let kinds: Vec<Intent> =
        kinds.into_iter().filter(|kind| reading.has_place(*kind, words)).collect();
    let compared = likeliest(reading, &sentence);
    let (confidence, reason) = (compared.nearness, String::new());
    let intent = of_its_kind(compared.best(), &kinds, reading, words, manner);
    let mut decision = Decision { intent, confidence, reason };
    // "500 games of A and B, save them to games.pgn".
    if let Some(kind) = kinds.first().filter(|kind| matches!(kind, Intent::Sprt | Intent::Match))
        && *manner == Manner::Wish
        && reading.names_match()
        && !decision.intent.is_of_runs()
    {
        decision.intent = *kind;
    }
    let topic = decision.intent;
    let asks = matches!(manner, Manner::Question | Manner::Definition);
    if asks && topic.acts() && !topic.is_run() {
        answer_instead(&mut decision, reading, &sentence);
    }
    if decision.confidence < MIN_CONFIDENCE {
        decision.intent = Intent::Unknown;
    }
    let ended = end_of_a_run(&mut decision, words, manner);
    apply_commands(&mut decision, reading, words, ended.is_some());
    rules::apply_of_boards(&mut decision, &sentence, manner);
    rules::apply_of_runs(&mut decision, &sentence, manner);
    if general::asks_worth(decision.intent, &sentence) {
        decision.refuse("worth");
    }
    if decision.intent == Intent::Generate && reading.names_games(words) {
        decision.intent = Intent::Unknown;
        decision.reason = elsewhere::of_command("data import");
    }
    if decision.intent == Intent::Unknown && decision.reason.is_empty() {
        // "Queen takes f7 and it is mate" asks nothing.
        let is_asked = *manner != Manner::Wish || text.contains('?') || !reading.is_about("worth");
        decision.reason = reading.reason().filter(|_| is_asked).unwrap_or_default();
    }
    if *manner == Manner::Wish {
        apply_players(&mut decision, reading, text, &kinds);
    }
    rules::apply_to_questions_about_runs(&mut decision, &sentence, asks);
    if general::is_general(decision.intent, topic, &sentence, manner) {
        decision.intent = Intent::Unknown;
        let is_term = decision.reason.is_empty() || general::names_term(&sentence);
        if *manner == Manner::Definition && is_term {
            decision.refuse("glossary");
        }
    }
    if asks {
        answer_of_position(&mut decision, words, context);
    }
    let Decision { intent, confidence, reason } = decision;
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

/// Of a question an answer is looked for, and no action.
fn answer_instead(decision: &mut Decision, reading: &Reading, sentence: &Sentence<'_>) {
    if manner::asks_how(sentence.words) {
        decision.intent = Intent::Help;
        return;
    }
    let answers = choice::intents(reading, sentence, Intent::answers);
    (decision.intent, decision.confidence) = (answers.best(), answers.nearness);
}

/// The intent of a verb that ends, resumes or shows a run, which is taken.
fn end_of_a_run(decision: &mut Decision, words: &[String], manner: &Manner) -> Option<Intent> {
    let intent = decision.intent;
    let ended = verbs::about_a_run(words).filter(|_| *manner == Manner::Wish)?;
    let counts = verbs::wished_of_a_run(words).is_some()
        || intent.is_run()
        || intent.changes_runs()
        || matches!(intent, Intent::Unknown | Intent::Flip)
        || (ended == Intent::OpenGame && intent != Intent::WhyLost);
    if counts {
        (decision.intent, decision.confidence) = (ended, decision.confidence.max(SURE));
    }
    Some(ended)
}

/// Commands of the test bench that a board does not have, files of games, a name alone, and what is too little like an example.
/// `is_ended`: a verb says what is done with a run.
fn apply_commands(decision: &mut Decision, reading: &Reading, words: &[String], is_ended: bool) {
    let intent = decision.intent;
    if let Some(command) = elsewhere::command(&reading.tagged, intent).filter(|_| !is_ended) {
        match elsewhere::form(command).filter(|form| reading.has_place(*form, words)) {
            Some(form) => {
                decision.intent = form;
                decision.confidence = decision.confidence.max(SURE);
            }
            None => decision.refuse(command),
        }
    } else if reading.names_games(words) && !intent.is_of_runs() && intent != Intent::Export {
        decision.refuse("file");
    } else if let Some(alone) = reading.only_name() {
        decision.intent = Intent::Unknown;
        decision.reason = format!("“{}”: what is to be done with it?", words[alone].join(" "));
    } else if (intent.changes_runs() || intent.answers())
        && decision.confidence < LIKELY
        && !reading.is_evident(intent)
        && !reading.is_likely(intent)
        && !is_ended
    {
        decision.intent = Intent::Unknown;
    }
}

/// Two engines with a number of games or a limit play each other, whatever else is said; with bounds it is a test.
fn apply_players(decision: &mut Decision, reading: &Reading, text: &str, kinds: &[Intent]) {
    let intent = decision.intent;
    let is_open = intent == Intent::Unknown
        || (decision.confidence < SURE && !intent.is_run() && intent != Intent::EngineOn);
    if is_open && decision.reason.is_empty() && reading.names_match() {
        let is_test = kinds.first() == Some(&Intent::Sprt)
            || (kinds.is_empty() && reading.count(&["{engine}"]) == 0);
        decision.intent = if is_test { Intent::Sprt } else { Intent::Match };
        decision.confidence = LIKELY;
    }
    // "HEAD vs main, [0, 3]".
    let plays = decision.intent == Intent::Match
        || (decision.intent == Intent::Suite && reading.count(&["{engine}", "{rev}"]) > 1);
    if plays && slots::has_bounds(text) {
        decision.intent = Intent::Sprt;
    }
}

/// What the position on the board answers.
fn answer_of_position(decision: &mut Decision, words: &[String], context: &Context) {
    // "Who is to move?" asks for no opinion.
    let asks_for_mover = position::asks_for_mover(words) && !decision.intent.is_of_runs();
    let answer = match decision.intent {
        Intent::Evaluate if !asks_for_mover => position::counts(words, context),
        Intent::Unknown => position::answer(words, context),
        _ if asks_for_mover => position::answer(words, context),
        _ => None,
    };
    if let Some(answer) = answer {
        (decision.intent, decision.reason) = (Intent::Unknown, answer);
    }
}
