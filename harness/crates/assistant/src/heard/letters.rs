//! Words that are said letter by letter: "pea gee en", "s p r t", "double you a see".

use super::rewritten::Tokens;

/// Words that are spelled, the longest first.
const SPELLED: [&str; 13] = [
    "sprt", "spsa", "eret", "vltc", "nnue", "wac", "sts", "pgn", "fen", "stc", "ltc", "frc", "elo",
];

/// Writes the words.
pub fn write(tokens: &mut Tokens) {
    let mut at = 0;
    while at < tokens.len() {
        let spelled = SPELLED.iter().find_map(|word| Some((word, spells(tokens, at, word)?)));
        if let Some((word, count)) = spelled {
            tokens.replace(at, at + count, word);
        }
        at += 1;
    }
}

/// How many words spell another one, letter by letter, from a place on.
pub fn spells(tokens: &Tokens, at: usize, word: &str) -> Option<usize> {
    let mut used = 0;
    for letter in word.chars() {
        let is_double = letter == 'w'
            && tokens.word(at + used) == "double"
            && matches!(tokens.word(at + used + 1), "you" | "u");
        if is_double {
            used += 2;
        } else if is_letter(tokens.word(at + used), letter) {
            used += 1;
        } else {
            return None;
        }
        let is_last = at + used == tokens.len();
        if !is_last && tokens.ends(at + used - 1) && letter != word.chars().last()? {
            return None;
        }
    }
    Some(used)
}

/// Whether a word is a letter, or the name of one.
fn is_letter(word: &str, letter: char) -> bool {
    let names: &[&str] = match letter {
        'a' => &["ay", "eh", "alpha"],
        'c' => &["see", "sea", "cee", "charlie"],
        'e' => &["ee", "echo"],
        'f' => &["eff", "ef", "foxtrot"],
        'g' => &["gee", "jee", "golf"],
        'i' => &["eye"],
        'l' => &["el", "ell", "lima"],
        'n' => &["en", "an", "november"],
        'o' => &["oh"],
        'p' => &["pea", "pee", "papa"],
        'r' => &["are", "ar", "romeo"],
        's' => &["es", "ess", "sierra"],
        't' => &["tea", "tee", "ti", "tango"],
        'u' => &["you"],
        'v' => &["vee", "victor"],
        'w' => &["whiskey"],
        'd' => &["dee", "delta"],
        'm' => &["em", "mike"],
        'y' => &["why", "yankee"],
        _ => &[],
    };
    word.len() == 1 && word.starts_with(letter) || names.contains(&word)
}
