//! The intent of a sentence: the likeliest one that has a place for what is named, and whose kind and verb are said.

use super::intent::Intent;
use super::manner::Manner;
use super::reading::Reading;
use super::{MIN_CONFIDENCE, choice, kinds, slots, verbs};

/// The likeliest intents that have a place for what is named and whose verb is said.
pub fn likeliest(reading: &Reading, sentence: &slots::Sentence<'_>) -> choice::Compared {
    let words = sentence.words;
    let first = verbs::of_first_wish(words);
    let is_said = |intent| verbs::are_said(intent, first);
    let is_ended = verbs::about_a_run(words).is_some();
    let is_possible = |intent: Intent| {
        reading.has_place(intent, words) && is_said(intent) && !(is_ended && intent.is_run())
    };
    let mut all = choice::intents(reading, sentence, |_| true);
    if is_possible(all.best()) {
        all.intents.retain(|(intent, _)| is_possible(*intent));
        return all;
    }
    let possible = choice::intents(reading, sentence, is_possible);
    if possible.nearness >= MIN_CONFIDENCE {
        return possible;
    }
    all.intents.truncate(1);
    all.intents.retain(|(intent, _)| is_said(*intent));
    all
}

/// The intent by the words that say the kind of a run, if there are any.
pub fn of_its_kind(
    mut intent: Intent,
    kinds: &[Intent],
    reading: &Reading,
    words: &[String],
    manner: &Manner,
) -> Intent {
    let is_kind = matches!(intent, Intent::Sprt | Intent::Match | Intent::Suite | Intent::Tune);
    if is_kind && !kinds.contains(&intent) {
        // Versions of one engine are tested, engines play a match.
        let is_test = intent == Intent::Match
            && !matches!(words.first().map(String::as_str), Some("play" | "let"))
            && reading.count(&["{engine}"]) == 0
            && reading.has_place(Intent::Sprt, words);
        let likely = if is_test { Intent::Sprt } else { intent };
        intent = kinds.first().copied().unwrap_or(likely);
    }
    if intent == Intent::Match && kinds::is_from_here(words) {
        intent = Intent::PlayOut;
    }
    if intent == Intent::PlayOut && kinds::is_battle(words) {
        intent = Intent::Match;
    }
    // A wish with the word of a run is no wish about a board.
    match kinds.first() {
        Some(kind @ (Intent::Sprt | Intent::Tune))
            if *manner == Manner::Wish
                && (!intent.is_of_runs() || is_command(words, reading))
                && intent != Intent::Help
                && !(intent == Intent::Unknown
                    && reading.reason().is_some()
                    && !is_command(words, reading)) =>
        {
            *kind
        }
        _ => intent,
    }
}

/// "Sprt HEAD main with every tenth opening": the kind of a run is the verb.
fn is_command(words: &[String], reading: &Reading) -> bool {
    let is_kind = words.first().is_some_and(|word| matches!(word.as_str(), "sprt" | "spsa"));
    is_kind && reading.count(&["{engine}", "{rev}"]) > 1
}
