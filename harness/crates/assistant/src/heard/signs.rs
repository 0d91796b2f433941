//! Signs that are said: "comma", "colon", "question mark" at the end of a question, "quote" and "unquote".

use super::rewritten::Tokens;

/// Words that say a sign behind the word before them.
const BEHIND: [(&[&str], &str); 4] =
    [(&["full", "stop"], "."), (&["comma"], ","), (&["semicolon"], ";"), (&["colon"], ":")];

/// Words that begin a quotation, and those that end one.
const OPENING: [&[&str]; 4] = [&["open", "quotes"], &["open", "quote"], &["quote"], &["quotes"]];
const CLOSING: [&[&str]; 6] = [
    &["unquote"],
    &["end", "of", "quote"],
    &["end", "quote"],
    &["close", "quote"],
    &["close", "quotes"],
    &["closing", "quote"],
];

/// Words with which a question begins.
const ASKING: [&str; 28] = [
    "what", "whats", "who", "whos", "whose", "which", "where", "why", "how", "when", "is", "are",
    "am", "was", "were", "do", "does", "did", "has", "have", "can", "could", "would", "should",
    "will", "shall", "may", "what's",
];

/// Words beside a sign that is put at a move.
const MARKING: [&str; 12] = [
    "put", "mark", "give", "add", "set", "annotate", "attach", "deserves", "deserve", "gets",
    "get", "sign",
];

/// Writes the signs.
pub fn write(tokens: &mut Tokens) {
    castling(tokens);
    quotes(tokens);
    let mut at = 1;
    while at < tokens.len() {
        let said = BEHIND.iter().find(|(said, _)| tokens.says(at, said));
        if let Some((said, sign)) = said.filter(|_| !is_spoken_of(tokens, at)) {
            tokens.attach(at, said.len(), sign);
            if *sign == ":" {
                tokens.keep_from(at);
            }
            continue;
        }
        at += 1;
    }
    end(tokens);
}

/// "A comma" is spoken of.
fn is_spoken_of(tokens: &Tokens, at: usize) -> bool {
    matches!(tokens.before(at), "a" | "the" | "without" | "full")
}

/// The sign at the end of the sentence.
fn end(tokens: &mut Tokens) {
    let Some(last) = tokens.len().checked_sub(1).filter(|last| *last > 0 && tokens.is_whole())
    else {
        return;
    };
    let is_period = tokens.word(last) == "period"
        && !matches!(tokens.before(last), "the" | "a" | "this" | "that" | "time" | "which");
    if is_period {
        return tokens.attach(last, 1, ".");
    }
    let has = |words: &[&str]| (0..last).any(|at| words.contains(&tokens.word(at)));
    let begins = tokens.before(last);
    if last < 2 || !matches!(tokens.word(last), "mark" | "point") || has(&MARKING) {
        return;
    }
    let is_free = !matches!(
        tokens.before(last - 1),
        "a" | "an" | "the" | "one" | "two" | "double" | "with" | "mark" | "as" | "move"
    );
    let asks = ASKING.iter().any(|word| (0..4.min(last)).any(|at| tokens.word(at) == *word));
    let is_at_move = ["move", "whites", "blacks", "white's", "black's", "mark"];
    let is_short = last < 4 && !(0..last).any(|at| is_at_move.contains(&tokens.word(at)));
    // "The knight takes on e five exclamation mark".
    let is_remark = !(0..last).any(|at| is_at_move.contains(&tokens.word(at)));
    if begins == "exclamation" && is_free && is_remark && last > 3 {
        return tokens.attach(last - 1, 2, "!");
    }
    if begins == "question" && is_free && (asks || is_short) {
        tokens.attach(last - 1, 2, "?");
    }
}

/// "Quote too slow unquote".
fn quotes(tokens: &mut Tokens) {
    let find = |all: &[&[&str]], from: usize| {
        (from..tokens.len()).find_map(|at| {
            let said = all.iter().find(|said| tokens.says(at, said))?;
            Some((at, said.len()))
        })
    };
    let Some((open, opening)) = find(&OPENING, 0) else { return };
    let Some((close, closing)) = find(&CLOSING, open + opening + 1) else { return };
    tokens.quote(open, opening, close, closing);
}

/// "Oh dash oh dash oh".
fn castling(tokens: &mut Tokens) {
    let is_o = |at: usize| matches!(tokens.word(at), "o" | "oh" | "zero" | "0");
    let is_dash = |at: usize| matches!(tokens.word(at), "dash" | "hyphen");
    let begins = |at: &usize| is_o(*at) && is_dash(at + 1) && is_o(at + 2);
    let Some(at) = (0..tokens.len()).find(begins) else { return };
    match is_dash(at + 3) && is_o(at + 4) {
        true => tokens.replace(at, at + 5, "O-O-O"),
        false => tokens.replace(at, at + 3, "O-O"),
    }
}
