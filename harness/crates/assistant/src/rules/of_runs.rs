//! Rules about runs of the test bench.

use crate::intent::Intent;
use crate::manner::Manner;
use crate::slots::Sentence;
use crate::tags::Tagged;
use crate::{kinds, verbs};

use super::Decision;

/// Applies those about what is done with runs.
pub fn apply(decision: &mut Decision, sentence: &Sentence<'_>, manner: &Manner) {
    let words = sentence.words;
    // "What went wrong in the latest training": no game of it was lost.
    if decision.intent == Intent::WhyLost && kinds::has_no_games(words) {
        decision.intent = Intent::RunStatus;
    }
    if decision.intent == Intent::ResumeRun && verbs::repeats(words) {
        decision.refuse("again");
    }
    if decision.intent == Intent::RunStatus && names_page_of_run(words) {
        decision.decide(Intent::OpenPage);
    }
    if clears_text_of_run(sentence) && *manner == Manner::Wish {
        decision.refuse("text of a run");
    }
}

/// Applies those about what is asked of runs. `asks`: the sentence is a question.
pub fn apply_to_questions(decision: &mut Decision, sentence: &Sentence<'_>, asks: bool) {
    let words = sentence.words;
    if asks_for_options(words) && (asks || !decision.intent.is_of_runs()) {
        decision.decide(Intent::Help);
    }
    if is_figure_of_run(words) && decision.intent.is_run() {
        decision.decide(Intent::RunStatus);
    }
    let begins = decision.intent.is_run() || decision.intent == Intent::OpenPage;
    if asks && begins && is_past_question(words) {
        decision.decide(match names_two_runs(sentence) {
            true => Intent::CompareRuns,
            false => Intent::RunStatus,
        });
    }
    if asks && decision.intent.is_of_runs() && is_of_history(sentence) {
        decision.refuse("outside");
    }
}

/// "Clear the note of run 23": the text of a run is changed, and not taken away.
fn clears_text_of_run(sentence: &Sentence<'_>) -> bool {
    const REMOVING: [&str; 7] = ["clear", "remove", "delete", "erase", "wipe", "rid", "drop"];
    const TEXTS: [&str; 8] =
        ["note", "notes", "comment", "remark", "description", "name", "title", "label"];
    let words = sentence.words;
    let verb = words.iter().position(|word| REMOVING.contains(&word.as_str()));
    let text = words.iter().position(|word| TEXTS.contains(&word.as_str()));
    let run = words.iter().rposition(|word| kinds::is_of_run(word));
    let has_move = words.iter().any(|word| word == "move");
    let order = verb.zip(text).zip(run);
    order.is_some_and(|((verb, text), run)| verb < text && text < run && text < verb + 4)
        && !has_move
        && !sentence.tagged.iter().any(|token| token.text == "{text}")
}

/// "Which options can I tack on to an SPRT": what can be asked for.
fn asks_for_options(words: &[String]) -> bool {
    const OPTIONS: [&str; 7] =
        ["options", "settings", "flags", "parameters", "details", "arguments", "switches"];
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let options = words.iter().position(|word| OPTIONS.contains(&word.as_str()));
    let is_asked = |at: usize| {
        (0..at).any(|at| matches!(word(at), "which" | "what"))
            && matches!(
                word(at + 1),
                "can" | "could" | "may" | "do" | "does" | "has" | "have" | "are"
            )
            && matches!(word(at + 2), "i" | "we" | "you" | "one" | "a" | "an" | "there" | "be")
    };
    options.is_some_and(|at| at < 4 && is_asked(at))
}

/// "Elo with its margin for run 18": figures of a run, with no verb.
pub fn is_figure_of_run(words: &[String]) -> bool {
    const FIGURES: [&str; 7] = ["elo", "score", "llr", "los", "result", "results", "margin"];
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let first = usize::from(word(0) == "the");
    let is_number = |at: usize| word(at).starts_with(|sign: char| sign.is_ascii_digit());
    FIGURES.contains(&word(first))
        && (first + 1..words.len()).any(|at| {
            matches!(word(at), "for" | "of" | "in" | "from")
                && word(at + 1) == "run"
                && is_number(at + 2)
        })
}

/// "Which positions were solved in run 15": a question about what a run has done, which begins none.
fn is_past_question(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_past = |word: &str| matches!(word, "did" | "was" | "were");
    let is_number = |at: usize| word(at).starts_with(|sign: char| sign.is_ascii_digit());
    let is_last = |at: usize| matches!(word(at), "last" | "latest" | "newest" | "previous");
    let names_run = (1..words.len()).any(|at| {
        matches!(word(at), "run" | "runs") && is_number(at + 1)
            || (is_last(at - 1) && kinds::command(word(at)).is_some())
    });
    // "Did HEAD beat main in the last test? Start another" is a wish.
    names_run && words.iter().any(|word| is_past(word))
}

/// "Open the page of run 23": its page, and not only how it is.
pub fn names_page_of_run(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    (0..words.len()).any(|at| {
        let article = usize::from(matches!(word(at + 2), "the" | "my" | "our"));
        word(at) == "page"
            && matches!(word(at + 1), "of" | "for")
            && (word(at + 2 + article) == "run" || matches!(word(at + 3), "last" | "latest"))
    })
}

/// Whether two runs are named by their numbers or ids.
fn names_two_runs(sentence: &Sentence<'_>) -> bool {
    let is_run = |token: &&Tagged| {
        let before = token.from.checked_sub(1).map_or("", |at| &*sentence.words[at]);
        token.text == "{run}" || (token.text == "{n}" && matches!(before, "run" | "runs"))
    };
    sentence.tagged.iter().filter(is_run).count() > 1
}

/// "Who won the match in Reykjavik in 1972": a question about a year of history, which is no run.
fn is_of_history(sentence: &Sentence<'_>) -> bool {
    let words = sentence.words;
    let asks = words.iter().take(2).any(|word| matches!(&**word, "who" | "where" | "when"));
    let is_year = |token: &Tagged| {
        let before = token.from.checked_sub(1).map_or("", |at| &*words[at]);
        let year = words[token.from].parse::<u32>().ok();
        token.text == "{n}"
            && matches!(before, "in" | "of" | "from" | "since")
            && year.is_some_and(|year| (1450..2100).contains(&year))
    };
    asks && sentence.tagged.iter().any(is_year)
}
