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
    ENDS.iter().any(|end| words.len() > end.len() + 1 && words.ends_with(end))
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
    fn a_wish_that_is_refused_at_once_is_none() {
        for text in ["Resign? Never!", "a draw? no way", "new game? not yet, wait"] {
            assert!(refused_at_once(text, &words::split(text)), "{text}");
        }
        for text in ["ready? new game", "is it a draw? never mind", "draw?"] {
            assert!(!refused_at_once(text, &words::split(text)), "{text}");
        }
    }
}
