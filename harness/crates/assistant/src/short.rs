//! Games of a run in short: "g 53 last match", "lost g8 run 15 why".

use super::kinds;
use super::words::Word;

/// The words of a sentence about a run, with its games as they are numbered elsewhere.
pub fn games(split: &[Word]) -> Vec<Word> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_of_run = split.iter().any(|word| kinds::is_of_run(&word.text));
    let mut words: Vec<Word> = Vec::with_capacity(split.len());
    for (at, word) in split.iter().enumerate() {
        let next = split.get(at + 1).map_or("", |next| next.text.as_str());
        let said = |text: &str| Word { text: text.to_owned(), chunk: word.chunk };
        match word.text.strip_prefix('g') {
            Some("") if is_of_run && is_number(next) => words.push(said("game")),
            // "Match weiss toga2 x 500".
            _ if is_of_run && word.text == "x" && is_number(next) && at + 2 == split.len() => {}
            _ if is_of_run
                && is_number(&word.text)
                && at + 1 == split.len()
                && at.checked_sub(1).is_some_and(|before| split[before].text == "x") =>
            {
                words.extend([word.clone(), said("games")]);
            }
            Some(number) if is_of_run && is_number(number) => {
                words.extend([said("game"), said(number)]);
            }
            _ => words.push(word.clone()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn a_game_of_a_run_in_short_is_a_game() {
        for (text, expected) in [
            ("g 53 last match", "game 53 last match"),
            ("lost g8 run 15 why", "lost game 8 run 15 why"),
            ("rook to g8", "rook to g8"),
            ("match weiss toga2 1+0.01 x 500", "match weiss toga2 1+0.01 500 games"),
        ] {
            let found: Vec<String> =
                games(&words::split(text)).into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
