//! A wish that is taken back as a whole, or refused as soon as it is asked: "turn the board, no, leave it", "resign? never".

use super::super::words::Word;

/// What is taken back as a whole at the end of a sentence: "turn the board, no, leave it as it is".
pub fn withdrawn(split: &[Word]) -> bool {
    const ENDS: [&[&str]; 13] = [
        &["leave", "it", "as", "it", "is"],
        &["leave", "it", "like", "that"],
        &["leave", "it", "like", "this"],
        &["leave", "it", "alone"],
        &["leave", "it"],
        &["forget", "it"],
        &["forget", "that"],
        &["never", "mind"],
        &["nevermind"],
        &["scratch", "that"],
        &["cancel", "that"],
        &["better", "not"],
        &["do", "not"],
    ];
    let words: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    if is_denied(&words) || is_left(&words) {
        return true;
    }
    ENDS.iter().any(|end| words.len() > end.len() + 1 && words.ends_with(end))
}

/// "What are those numbers, turn them off": a question before the wish about the same.
pub fn ends_in_command(text: &str, split: &[Word]) -> bool {
    let has_sign =
        |at: &usize| crate::words::between(text, split, *at).contains([',', ';', '.', '?', '!']);
    let Some(begin) = (1..split.len()).rev().find(has_sign) else { return false };
    let word = |at: usize| split.get(begin + at).map_or("", |word| word.text.as_str());
    let begin = usize::from(matches!(word(0), "please" | "just" | "now"));
    !text.trim_end().ends_with('?')
        && matches!(word(begin), "turn" | "switch" | "stop" | "take" | "flip" | "close" | "hide")
        // The thesaurus has put "take back the move" in the place of "take that back".
        && matches!(
            word(begin + 1),
            "it" | "them" | "that" | "this" | "those" | "the" | "back" | "reading"
        )
}

/// "I resign, no wait, I do not resign": the verb that is denied is the one that was said.
fn is_denied(words: &[&str]) -> bool {
    let is_marker = |word: &str| {
        matches!(
            word,
            "no" | "wait"
                | "sorry"
                | "actually"
                | "nope"
                | "oops"
                | "stop"
                | "but"
                | "thought"
                | "thoughts"
        )
    };
    (1..words.len()).filter(|at| is_marker(words[*at])).any(|at| {
        let lead = words[at..].iter().take_while(|word| is_marker(word)).count();
        let rest = &words[at + lead..];
        let rest = match rest {
            ["i" | "we", rest @ ..] => rest,
            rest => rest,
        };
        match rest {
            ["do" | "will" | "would" | "shall", "not", rest @ ..] => {
                let rest = match rest {
                    ["want" | "like" | "wish", "to" | "a" | "the" | "any", rest @ ..] => rest,
                    rest => rest,
                };
                let said = |verb: &&str| words[..at].contains(verb) || *verb == "it";
                let is_end = rest.len() < 2
                    || words[..at].ends_with(rest)
                    || matches!(rest[1..], ["yet" | "now" | "it" | "that"]);
                rest.first().is_none_or(said) && is_end
            }
            _ => false,
        }
    })
}

/// "Turn the board no leave it, white is fine": what stands behind says that it is good as it is.
fn is_left(words: &[&str]) -> bool {
    let is_one = |at: &usize| {
        matches!(words[at - 1], "no" | "wait" | "sorry" | "actually" | "oh" | "nope")
            && matches!(words[*at..], ["leave", "it" | "that" | "them", ..])
    };
    let Some(at) = (2..words.len()).find(is_one) else { return false };
    let rest = &words[at + 2..];
    let is_fine = |word: &&str| {
        matches!(
            *word,
            "fine"
                | "good"
                | "ok"
                | "okay"
                | "better"
                | "right"
                | "stays"
                | "running"
                | "going"
                | "alone"
                | "there"
        )
    };
    rest.iter().take(6).any(is_fine) && !rest.iter().any(|word| matches!(*word, "and" | "then"))
}

/// "I resign, no hang on, I would rather play on": the game continues.
pub fn plays_on(split: &[Word]) -> bool {
    let words: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    let ends = |word: &&str| {
        matches!(*word, "resign" | "draw" | "up" | "towel" | "surrender" | "quit" | "resigning")
    };
    let is_marker = |at: &usize| {
        matches!(
            words[*at],
            "no" | "wait" | "hang" | "hold" | "actually" | "sorry" | "nope" | "but"
        )
    };
    let Some(marker) = (1..words.len()).find(is_marker) else { return false };
    let goes_on = |pair: &[&str]| {
        matches!(
            pair,
            ["play" | "go" | "carry" | "fight" | "battle", "on"]
                | ["keep", "playing" | "going" | "fighting"]
                | ["continue", _]
        )
    };
    let rest = &words[marker..];
    words[..marker].iter().any(ends)
        && (rest.windows(2).any(goes_on) || rest.last() == Some(&"continue"))
        && rest.len() < 12
}

/// "Resign? Never", "a draw? no way": what is asked is refused at once.
pub fn refused_at_once(text: &str, split: &[Word]) -> bool {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let is_asked = |at: &usize| {
        let between = crate::words::between(text, split, *at);
        between.contains('?')
    };
    let begin = (1..split.len().min(6)).find(is_asked);
    begin.is_some_and(|at| match (word(at), word(at + 1)) {
        ("never", next) => next != "mind",
        ("no", "way" | "chance") | ("not", "yet" | "now" | "today" | "me" | "at") => true,
        ("certainly" | "surely" | "of", "not" | "course") => {
            word(at + 1) == "not" || word(at + 2) == "not"
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::words;
    use super::*;

    #[test]
    fn a_wish_that_is_denied_or_left_is_none() {
        for text in [
            "i resign no wait i do not resign",
            "offer a draw, no, I don't want to",
            "turn the board, sorry, do not turn the board",
            "draw, no wait, I don't want a draw",
            "stop the last match, no, leave it running",
            "turn the board no leave it white is fine at the bottom",
        ] {
            assert!(withdrawn(&words::split(text)), "{text}");
        }
        for text in [
            "I do not resign",
            "turn the board, no, do not take back the move",
            "undo, no, leave it, show me the sicilian and analyse",
            "no, do not resign but offer a draw",
        ] {
            assert!(!withdrawn(&words::split(text)), "{text}");
        }
    }

    #[test]
    fn who_would_rather_play_on_takes_the_end_of_the_game_back() {
        for text in [
            "I resign, no hang on, I would rather play on",
            "offer a draw, wait, let us keep playing",
        ] {
            assert!(plays_on(&words::split(text)), "{text}");
        }
        for text in ["I resign", "let us play on", "no, I want to play on, do not resign"] {
            assert!(!plays_on(&words::split(text)), "{text}");
        }
    }

    #[test]
    fn a_wish_that_is_refused_at_once_is_none() {
        for text in ["Resign? Never!", "a draw? no way", "new game? not yet, wait"] {
            assert!(refused_at_once(text, &words::split(text)), "{text}");
        }
        for text in ["ready? new game", "is it a draw? never mind", "draw?"] {
            assert!(!refused_at_once(text, &words::split(text)), "{text}");
        }
    }
}
