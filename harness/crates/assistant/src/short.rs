//! Games of a run in short: "g 53 last match", "lost g8 run 15 why"; and short forms that mean something only beside
//! other words: "bk uho.epd", "50 it x 64 gms", "r12 gm 102", "a single line".

use super::words::{self, Word};
use super::{kinds, numbers};

/// Nouns that are counted, of which "a single" one is one.
const COUNTED_SINGLE: [&str; 8] =
    ["line", "variation", "game", "thread", "core", "worker", "pv", "iteration"];

/// The words of a sentence with short forms written out by the words beside them.
pub fn expanded(split: &[Word]) -> Vec<Word> {
    (0..split.len())
        .flat_map(|at| {
            let said = long_form(split, at);
            let said = said.unwrap_or_else(|| vec![split[at].text.clone()]);
            said.into_iter().map(move |text| Word { text, chunk: split[at].chunk })
        })
        .collect()
}

/// The words that a short form stands for beside others; `None` of a word that stands for itself.
fn long_form(split: &[Word], at: usize) -> Option<Vec<String>> {
    if let Some(pieces) = pieces_of_ending(split, at) {
        return Some(pieces);
    }
    let word = |at: Option<usize>| at.and_then(|at| split.get(at)).map_or("", |word| &*word.text);
    let (before, next) = (word(at.checked_sub(1)), word(Some(at + 1)));
    let is_number = |text: &str| numbers::at(&[text.to_owned()], 0).is_some();
    let digits = |letter: char| {
        let number = split[at].text.strip_prefix(letter)?;
        (number.len() < 4 && number.parse::<u32>().is_ok()).then(|| number.to_owned())
    };
    let one = |text: &str| Some(vec![text.to_owned()]);
    match split[at].text.as_str() {
        // "Bk uho.epd", but "bk with weiss" is a suite.
        "bk" if words::file_extension(next).is_some() => one("book"),
        "it" if is_number(before) && matches!(next, "x" | "of") => one("iterations"),
        "x" if matches!(before, "it" | "iterations" | "rounds") && is_number(next) => one("of"),
        // "The fish", but "stock fish" is one name.
        "fish" | "fishes" if before != "stock" => one("stockfish"),
        "mega" | "megas" if is_number(before) => one("mb"),
        "parties" if is_number(before) => one("games"),
        "gm" if is_number(next) || !matches!(before, "a" | "the" | "like" | "real") => one("game"),
        "alt" if matches!(next, "colours" | "sides") => one("alternating"),
        "single" if !matches!(before, "every" | "any") && !is_number(before) => {
            let noun = if next == "best" { word(Some(at + 2)) } else { next };
            one("1").filter(|_| COUNTED_SINGLE.contains(&noun))
        }
        _ => {
            let is_puzzle = || split.iter().any(|word| matches!(&*word.text, "puzzle" | "puzzles"));
            let run = digits('r').map(|number| vec!["run".to_owned(), number]);
            let mate = || digits('m').filter(|_| is_puzzle());
            run.or_else(|| Some(vec!["mate".to_owned(), "in".to_owned(), mate()?]))
        }
    }
}

/// "KBN v K", "KRP vs KR": the pieces of one side of an ending, in words.
fn pieces_of_ending(split: &[Word], at: usize) -> Option<Vec<String>> {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let is_side = |word: &str| {
        word.starts_with('k')
            && word.len() < 6
            && word[1..].bytes().all(|one| b"qrbnp".contains(&one))
    };
    let is_link = |word: &str| matches!(word, "v" | "vs" | "versus" | "against" | "x");
    let is_ending = |first: usize| {
        let (one, other) = (word(first), word(first + 2));
        is_side(one) && is_link(word(first + 1)) && is_side(other) && one.len() + other.len() > 2
    };
    let behind = || at.checked_sub(2).is_some_and(is_ending);
    let pieces = word(at);
    if !is_ending(at) && !behind() {
        return None;
    }
    let names = [('q', "queen"), ('r', "rook"), ('b', "bishop"), ('n', "knight"), ('p', "pawn")];
    let mut said = Vec::new();
    for (letter, name) in names {
        let count = pieces.matches(letter).count();
        if count > 0 && !said.is_empty() {
            said.push("and".to_owned());
        }
        match count {
            0 => {}
            1 => said.push(name.to_owned()),
            count => said.extend([count.to_string(), format!("{name}s")]),
        }
    }
    Some(if said.is_empty() { vec!["king".to_owned()] } else { said })
}

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
            // "Open 16 game 2".
            _ if is_number(&word.text)
                && next == "game"
                && split.get(at + 2).is_some_and(|number| is_number(&number.text))
                && matches!(
                    words.last().map(|word| &*word.text),
                    None | Some("open" | "show" | "view" | "load" | "in" | "of" | "from")
                ) =>
            {
                words.extend([said("run"), word.clone()]);
            }
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
            ("open 16 game 2", "open run 16 game 2"),
            ("open run 16 game 2", "open run 16 game 2"),
            ("match weiss toga2 1+0.01 x 500", "match weiss toga2 1+0.01 500 games"),
        ] {
            let found: Vec<String> =
                games(&words::split(text)).into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn short_forms_are_written_out_by_the_words_beside_them() {
        for (text, expected) in [
            ("sprt head main bk uho.epd", "sprt head main book uho.epd"),
            ("bk with weiss", "bk with weiss"),
            ("bayes a.yaml 50 it x 64 gms", "bayes a.yaml 50 iterations of 64 games"),
            ("r12 gm 102", "run 12 game 102"),
            ("like a gm", "like a gm"),
            ("a single best line", "a 1 best line"),
            ("every single game", "every single game"),
            ("the single worst move", "the single worst move"),
            ("60 000 parties", "60 000 games"),
            ("m3 puz", "mate in 3 puzzle"),
            ("let the fish think", "let the stockfish think"),
            ("stock fish", "stock fish"),
            ("KBN v K", "bishop and knight against king"),
            ("krpp vs kr", "rook and 2 pawns against rook"),
            ("K v K", "k against k"),
        ] {
            let found: Vec<String> =
                expanded(&words::split(text)).into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
