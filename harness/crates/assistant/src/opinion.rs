//! What the classifier of words says of a whole sentence, where the rules for it come to something else.

use super::intent::Intent;
use super::manner::Manner;
use super::reading::Reading;
use super::{LIKELY, ReadSentence, Understood, finish, linear, moves, rules, verbs};

/// Probability of an intent that counts where nothing was understood.
const OPEN: f32 = 0.3;

/// Probability of an intent that counts where something else was understood.
const CLEAR: f32 = 0.9;

/// A sentence with the intent that is the likeliest by its words alone, if they say it clearly.
pub fn second(
    reading: &Reading,
    read: &ReadSentence<'_>,
    manner: &Manner,
    found: Understood,
) -> Understood {
    // "Elo with its margin for run 18", "the gate should be stopped": what rules say for sure.
    let words = read.sentence.words;
    let is_sure = match found.intent {
        Intent::RunStatus => rules::is_figure_of_run(words),
        Intent::TakeBack => rules::takes_back_until_piece_stands(words),
        Intent::SetLevel => rules::sets_rating(words),
        Intent::EditPosition => rules::takes_right_to_castle(words),
        Intent::OpenPage => rules::names_page_of_run(words),
        intent => verbs::wished_of_a_run(words) == Some(intent),
    };
    if is_sure {
        return found;
    }
    let tokens: Vec<&str> = reading.tagged.iter().map(|token| token.text.as_str()).collect();
    let likely = linear::probabilities(&tokens);
    let by_words = |intent: Intent| likely[intent as usize];
    let Some(best) = Intent::ALL.into_iter().max_by(|a, b| by_words(*a).total_cmp(&by_words(*b)))
    else {
        return found;
    };
    // "Kill weiss, but leave ethereal's lines up": an engine goes on.
    let keeps = best == Intent::EngineOff
        && found.intent == Intent::EngineOn
        && rules::kept_engine(&read.sentence).is_some();
    if best == found.intent || keeps {
        return found;
    }
    // "Undo my knight to c3" makes no move.
    let words = read.sentence.words;
    if best == Intent::Move && (moves::takes_back(words) || rules::goes_to_moment(words)) {
        return found;
    }
    let is_open = found.intent == Intent::Unknown && found.shown.is_empty();
    let least = if is_open { OPEN } else { CLEAR };
    // "Did you delete run 4?" wishes nothing, "who is ready for another one? Three minutes" may; "how do I take back a
    // move?" has an answer.
    let asks = *manner == Manner::Question && !is_followed(read.sentence.text);
    if asks && !(is_open && best.answers()) {
        return found;
    }
    if by_words(best) < least || *manner == Manner::Definition || reading.is_example() {
        return found;
    }
    let other = ReadSentence {
        sentence: read.sentence.clone(),
        intent: best,
        topic: best,
        confidence: LIKELY,
        reason: String::new(),
        rivals: Vec::new(),
        other_wish: read.other_wish.clone(),
    };
    let other = finish(&other, manner);
    let has_answer = other.intent != Intent::Unknown || (is_open && !other.shown.is_empty());
    if has_answer { other } else { found }
}

/// Whether something is said behind a question.
fn is_followed(text: &str) -> bool {
    text.trim_end_matches(['.', '!']).rsplit_once('?').is_some_and(|(_, behind)| behind.len() > 1)
}
