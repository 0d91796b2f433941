//! Questions about something in general, which no board and no run answers: "how many games does an SPRT need".

use super::intent::Intent;
use super::kinds;
use super::manner::Manner;
use super::slots::Sentence;
use super::tags::{Tagged, is_move, is_piece};

/// Whether a question is about something in general: it is not answered by what a board or a run has.
pub fn is_general(intent: Intent, topic: Intent, sentence: &Sentence<'_>, manner: &Manner) -> bool {
    let words = sentence.words;
    let is_named = |token: &Tagged| {
        matches!(token.text.as_str(), "{engine}" | "{rev}" | "{suite}" | "{file}" | "{run}")
    };
    let names_one = sentence.tagged.iter().any(is_named);
    // "How many puzzles did I solve" sets nothing.
    let counts = words.len() > 1 && words[0] == "how" && matches!(&*words[1], "many" | "much");
    match manner {
        Manner::Question if words.get(1).is_some_and(|word| word == "one") => true,
        Manner::Question if counts && !topic.answers() && !topic.is_of_runs() => true,
        Manner::Definition => sentence.opening.is_none() && !names_one && intent != Intent::Hint,
        Manner::Question if !topic.answers() && !intent.is_run() && asks_for_a_reason(words) => {
            true
        }
        Manner::Question => !names_one && (intent.is_run() || is_of_any_run(intent, words)),
        _ => false,
    }
}

/// "Nf6, blunder?", "is that a mistake?": a question about a move, and no sign at it.
pub fn asks_worth(intent: Intent, sentence: &Sentence<'_>) -> bool {
    const MARKING: [&str; 14] = [
        "mark", "put", "give", "add", "set", "annotate", "attach", "change", "write", "deserve",
        "deserves", "replace", "label", "sign",
    ];
    // "Move 9 ?" has a sign.
    let asks =
        sentence.split.last().is_some_and(|last| sentence.text[last.chunk.1..].trim_end() == "?");
    let marks = sentence.words.iter().any(|word| MARKING.contains(&word.as_str()));
    // "Would it be silly to take on b7 with my queen?"
    let has_move = sentence.tagged.iter().any(|token| token.text == "{move}");
    // "Is my horse on d4 any good": how a piece stands.
    let stands = sentence.words.windows(3).any(|words| {
        is_piece(&words[0]) && words[1] == "on" && is_move(&words[2]) && words[2].len() == 2
    });
    let is_of_piece = stands && intent.answers();
    let is_about_worth = has_move
        && !is_of_piece
        && !intent.is_of_runs()
        && !matches!(intent, Intent::GoTo | Intent::PlayOpening | Intent::CommentMove)
        && sentence.words.iter().any(|word| WORTH.contains(&word.as_str()));
    asks && !marks && (intent == Intent::MarkMove || is_about_worth)
}

/// "View 2 plies earlier, without takeback": a position is shown, and nothing is taken back.
pub fn refuses_takeback(words: &[String]) -> bool {
    let refuses = |word: &String| matches!(&**word, "without" | "no" | "not" | "never");
    let is_deletion = |word: &String| {
        matches!(&**word, "takeback" | "takebacks" | "undoing" | "undo" | "retracting")
    };
    let said = words.windows(2).any(|pair| refuses(&pair[0]) && is_deletion(&pair[1]));
    let shows = ["view", "show", "look", "see", "go", "jump", "display"];
    said && words.iter().any(|word| shows.contains(&word.as_str()))
}

/// "Jump to the point where I took on d4", "let me see when my knight went to f6": a place in the game, and no move.
pub fn goes_to_moment(words: &[String]) -> bool {
    const VERBS: [&str; 13] = [
        "jump", "go", "show", "see", "bring", "return", "view", "display", "scroll", "skip",
        "take", "find", "rewind",
    ];
    const NOUNS: [&str; 7] = ["point", "moment", "instant", "position", "place", "spot", "time"];
    const DONE: [&str; 17] = [
        "took",
        "captured",
        "played",
        "went",
        "jumped",
        "pushed",
        "castled",
        "moved",
        "recaptured",
        "traded",
        "exchanged",
        "came",
        "developed",
        "ate",
        "advanced",
        "landed",
        "hopped",
    ];
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_link = |at: usize| matches!(word(at), "where" | "when" | "after" | "before");
    let begins = |at: usize| {
        let is_moment = NOUNS.contains(&word(at)) && is_link(at + 1);
        let is_place = matches!(word(at), "see" | "me" | "to" | "back") && is_link(at + 1);
        is_moment || is_place
    };
    let place = (1..words.len()).find(|at| begins(*at));
    place.is_some_and(|place| {
        words[..=place].iter().any(|word| VERBS.contains(&word.as_str()))
            && words[place..].iter().any(|word| DONE.contains(&word.as_str()))
            && words[place..].iter().any(|word| is_move(word) || word == "castled")
    })
}

/// "Take back everything after move 3", "take everything back": no place is gone to.
pub fn takes_all_back(words: &[String]) -> bool {
    let verb = words.iter().position(|word| word == "take");
    verb.is_some_and(|verb| {
        let behind = &words[verb + 1..(verb + 5).min(words.len())];
        behind.iter().any(|word| word == "back")
            && behind.iter().any(|word| matches!(&**word, "everything" | "all"))
    })
}

/// "Remove the exclamation mark from move 5": a sign, and no move.
pub fn names_sign(words: &[String]) -> bool {
    words.iter().any(|word| matches!(&**word, "exclamation" | "exclam" | "{sign}"))
        || words.windows(2).any(|pair| pair[0] == "question" && pair[1] == "mark")
}

/// "Store the remark "ask about Bg5" with this position": a comment, and no file.
pub fn writes_remark(sentence: &Sentence<'_>) -> bool {
    let is_text = |word: &String| matches!(&**word, "remark" | "comment" | "note" | "annotation");
    sentence.tagged.iter().any(|token| token.text == "{text}") && sentence.words.iter().any(is_text)
}

/// "Annotate moves 1 to 5": the game is commented, and no text is written.
pub fn annotates_moves(sentence: &Sentence<'_>) -> bool {
    let words = sentence.words;
    let verb = words
        .iter()
        .take(4)
        .position(|word| matches!(&**word, "annotate" | "comment" | "commentate" | "gloss"));
    let is_moves = |at: usize| {
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        word(at) == "moves" || (matches!(word(at), "each" | "every") && word(at + 1) == "move")
    };
    verb.is_some_and(|verb| (verb + 1..verb + 5).any(is_moves))
        && !sentence.tagged.iter().any(|token| token.text == "{text}")
}

/// "The text next to move 17 can go": a comment is removed, and no move is looked for.
pub fn lets_a_comment_go(words: &[String]) -> bool {
    let is_text = |word: &String| matches!(&**word, "comment" | "text" | "note" | "remark");
    let goes =
        |pair: &[String]| matches!(&*pair[0], "can" | "should" | "must" | "may") && pair[1] == "go";
    words.iter().any(is_text) && words.windows(2).any(goes)
}

/// "Clear the note of run 23": the text of a run is changed, and not taken away.
pub fn clears_text_of_run(sentence: &Sentence<'_>) -> bool {
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
pub fn asks_for_options(words: &[String]) -> bool {
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
pub fn is_past_question(words: &[String]) -> bool {
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

/// Whether two runs are named by their numbers or ids.
pub fn names_two_runs(sentence: &Sentence<'_>) -> bool {
    let is_run = |token: &&Tagged| {
        let before = token.from.checked_sub(1).map_or("", |at| &*sentence.words[at]);
        token.text == "{run}" || (token.text == "{n}" && matches!(before, "run" | "runs"))
    };
    sentence.tagged.iter().filter(is_run).count() > 1
}

/// "Who won the match in Reykjavik in 1972": a question about a year of history, which is no run.
pub fn is_of_history(sentence: &Sentence<'_>) -> bool {
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

/// Words that say what a move is worth.
const WORTH: [&str; 19] = [
    "weaken", "weakens", "help", "lose", "hang", "cost", "win", "work", "good", "blunder",
    "mistake", "silly", "stupid", "crazy", "foolish", "sound", "playable", "unwise", "wise",
];

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

/// Whether a definition is of one thing, "what is a skewer": no example says what it is about.
pub fn names_term(sentence: &Sentence<'_>) -> bool {
    sentence.words.len() < 6 && sentence.words.iter().any(|word| matches!(&**word, "a" | "an"))
}

/// The engine that goes on where another one is to be stopped: "kill weiss, but leave ethereal's lines up".
pub fn kept_engine<'a>(sentence: &'a Sentence<'_>) -> Option<&'a Tagged> {
    let keeps =
        |word: &String| matches!(&**word, "keep" | "leave" | "retain" | "keeping" | "leaving");
    let at = sentence.words.iter().position(keeps)?;
    let engines = || sentence.tagged.iter().filter(|token| token.text == "{engine}");
    let kept = engines().find(|token| token.from > at && token.from < at + 6)?;
    let words = |token: &Tagged| &sentence.words[token.from..token.to];
    engines().any(|token| words(token) != words(kept)).then_some(kept)
}
