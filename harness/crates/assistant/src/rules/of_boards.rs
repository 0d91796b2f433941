//! Rules about what is asked of a board.

use crate::intent::Intent;
use crate::manner::Manner;
use crate::slots::{Sentence, is_square};
use crate::tags::{Tagged, is_move};
use crate::{moves, numbers, verdicts};

use super::Decision;

/// Applies them.
pub fn apply(decision: &mut Decision, sentence: &Sentence<'_>, manner: &Manner) {
    let words = sentence.words;
    let is_wish = *manner == Manner::Wish;
    if is_wish
        && verdicts::gives_way(decision.intent)
        && verdicts::is_said(sentence.text, sentence.split, words)
    {
        decision.decide(Intent::MarkMove);
    }
    if decision.intent == Intent::TakeBack && refuses_takeback(words) {
        decision.intent = Intent::GoTo;
    }
    let may_go = matches!(
        decision.intent,
        Intent::Move | Intent::Unknown | Intent::EngineOff | Intent::EditPosition | Intent::Hint
    );
    if may_go && is_wish && goes_to_moment(words) {
        decision.decide(Intent::GoTo);
    }
    // "Undo my knight to c3", "please take back only Black's pawn to a6".
    if decision.intent == Intent::Move && is_wish && moves::takes_back(words) {
        decision.decide(Intent::TakeBack);
    }
    if decision.intent == Intent::GoTo && takes_all_back(words) {
        decision.intent = Intent::TakeBack;
    }
    if decision.intent == Intent::TakeBack && names_sign(words) {
        decision.decide(Intent::MarkMove);
    }
    if decision.intent == Intent::Export && writes_remark(sentence) {
        decision.decide(Intent::CommentMove);
    }
    let may_comment = matches!(
        decision.intent,
        Intent::CommentMove | Intent::SetLevel | Intent::Unknown | Intent::EngineOn
    );
    if may_comment && annotates_moves(sentence) {
        decision.decide(Intent::CommentGame);
    }
    if decision.intent == Intent::GoTo && lets_a_comment_go(words) {
        decision.decide(Intent::CommentMove);
    }
    if is_wish && takes_back_until_piece_stands(words) {
        decision.decide(Intent::TakeBack);
    }
    if is_wish && sets_rating(words) {
        decision.decide(Intent::SetLevel);
    }
    if is_wish && decision.intent == Intent::PlayOpening && takes_right_to_castle(words) {
        decision.decide(Intent::EditPosition);
    }
    if decision.intent == Intent::EngineOff && is_wish && kept_engine(sentence).is_some() {
        decision.intent = Intent::EngineOn;
    }
}

/// "View 2 plies earlier, without takeback": a position is shown, and nothing is taken back.
fn refuses_takeback(words: &[String]) -> bool {
    let refuses = |word: &String| matches!(&**word, "without" | "no" | "not" | "never");
    let is_deletion = |word: &String| {
        matches!(&**word, "takeback" | "takebacks" | "undoing" | "undo" | "retracting")
    };
    let said = words.windows(2).any(|pair| refuses(&pair[0]) && is_deletion(&pair[1]));
    let shows = ["view", "show", "look", "see", "go", "jump", "display"];
    said && words.iter().any(|word| shows.contains(&word.as_str()))
}

/// "Jump to the point where I took on d4", "let me see when my knight went to f6": a place in the game, and no move.
pub fn goes_to_moment<T: AsRef<str>>(words: &[T]) -> bool {
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
    let word = |at: usize| words.get(at).map_or("", AsRef::as_ref);
    let is_link = |at: usize| matches!(word(at), "where" | "when" | "after" | "before");
    let begins = |at: usize| {
        let is_moment = NOUNS.contains(&word(at)) && is_link(at + 1);
        let is_place = matches!(word(at), "see" | "me" | "to" | "back") && is_link(at + 1);
        is_moment || is_place
    };
    let place = (1..words.len()).find(|at| begins(*at));
    place.is_some_and(|place| {
        words[..=place].iter().any(|word| VERBS.contains(&word.as_ref()))
            && words[place..].iter().any(|word| DONE.contains(&word.as_ref()))
            && words[place..]
                .iter()
                .map(AsRef::as_ref)
                .any(|word| is_move(word) || word == "castled")
    })
}

/// "Take back everything after move 3", "take everything back": no place is gone to.
fn takes_all_back(words: &[String]) -> bool {
    let verb = words.iter().position(|word| word == "take");
    verb.is_some_and(|verb| {
        let behind = &words[verb + 1..(verb + 5).min(words.len())];
        behind.iter().any(|word| word == "back")
            && behind.iter().any(|word| matches!(&**word, "everything" | "all"))
    })
}

/// "Take back until the black queen is on d8": no piece is put there.
pub fn takes_back_until_piece_stands(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_verb = |at: &usize| {
        matches!(word(*at), "undo" | "retract")
            || (word(*at) == "take" && (at + 1..at + 4).any(|at| word(at) == "back"))
    };
    let verb = (0..words.len()).find(is_verb);
    let behind = |from: usize| (from + 1..words.len()).find(|at| is_until(word(*at), word(at + 1)));
    let until = verb.and_then(behind);
    until.is_some_and(|until| {
        (until..words.len()).any(|at| word(at) == "on" && is_square(word(at + 1)))
    })
}

/// "Set the engine's Elo to 2150", "limit its rating to 1500".
pub fn sets_rating(words: &[String]) -> bool {
    const VERBS: [&str; 10] =
        ["set", "make", "put", "change", "limit", "cap", "turn", "lower", "raise", "reduce"];
    let is_verb = |word: &String| VERBS.contains(&word.as_str());
    let verb = words.iter().take(4).position(is_verb);
    let elo = words.iter().position(|word| matches!(&**word, "elo" | "rating" | "uci_elo"));
    verb.zip(elo).is_some_and(|(verb, elo)| {
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        let number = elo + 1 + usize::from(matches!(word(elo + 1), "to" | "at"));
        let value = numbers::at(words, number).and_then(|number| number.count());
        verb < elo && elo < verb + 5 && value.is_some_and(|value| (700..=3000).contains(&value))
    })
}

/// "No castling for Black": rights of a position, and no opening.
pub fn takes_right_to_castle(words: &[String]) -> bool {
    const OTHERS: [&str; 10] = [
        "no", "not", "without", "remove", "castling", "castle", "rights", "for", "either", "right",
    ];
    let is_side = |word: &str| matches!(word, "white" | "black" | "both" | "side" | "sides");
    words.len() > 1
        && words.iter().any(|word| matches!(&**word, "no" | "not" | "without" | "remove"))
        && words.iter().any(|word| matches!(&**word, "castling" | "castle"))
        && words.iter().all(|word| OTHERS.contains(&word.as_str()) || is_side(word))
}

/// Whether words begin a condition on a position: "until", "so that".
pub fn is_until(word: &str, next: &str) -> bool {
    matches!(word, "until" | "till") || (word == "so" && next == "that")
}

/// "Remove the exclamation mark from move 5": a sign, and no move.
fn names_sign(words: &[String]) -> bool {
    words.iter().any(|word| matches!(&**word, "exclamation" | "exclam" | "{sign}"))
        || words.windows(2).any(|pair| pair[0] == "question" && pair[1] == "mark")
}

/// "Store the remark "ask about Bg5" with this position": a comment, and no file.
fn writes_remark(sentence: &Sentence<'_>) -> bool {
    let is_text = |word: &String| matches!(&**word, "remark" | "comment" | "note" | "annotation");
    sentence.tagged.iter().any(|token| token.text == "{text}") && sentence.words.iter().any(is_text)
}

/// "Annotate moves 1 to 5": the game is commented, and no text is written.
fn annotates_moves(sentence: &Sentence<'_>) -> bool {
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
fn lets_a_comment_go(words: &[String]) -> bool {
    let is_text = |word: &String| matches!(&**word, "comment" | "text" | "note" | "remark");
    let goes =
        |pair: &[String]| matches!(&*pair[0], "can" | "should" | "must" | "may") && pair[1] == "go";
    words.iter().any(is_text) && words.windows(2).any(goes)
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
