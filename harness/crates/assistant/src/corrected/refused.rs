//! A value that is refused beside the one that is meant: "not toga2 but ethereal", "HEAD~2, not HEAD~1".

use super::super::context::Context;
use super::super::tags::{self, Tagged};
use super::super::words::Word;
use super::{FILLERS, NEAR, NUMBERED, kind};

/// The sentence with the value that is meant in the place of one that is refused: of "weiss against toga2, no, not toga2
/// but ethereal" it is "weiss against ethereal".
pub fn rewritten(text: &str, split: &[Word], context: &Context) -> Option<String> {
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let tagged = tags::tag(text, split, &words, context);
    let value_behind = |at: usize| {
        let at = (at..words.len()).find(|at| !FILLERS.contains(&words[*at].as_str()))?;
        tagged.iter().find(|token| token.from == at && kind(token).is_some())
    };
    (1..words.len()).filter(|at| words[*at] == "not").find_map(|not| {
        let refused = value_behind(not + 1)?;
        let said = &words[refused.from..refused.to];
        let is_same = |token: &&Tagged| {
            token.to <= not && kind(token) == kind(refused) && words[token.from..token.to] == *said
        };
        let before = tagged.iter().rfind(is_same)?;
        // "Not 4 threads but 2 threads".
        let noun = words.get(before.to).filter(|noun| Some(*noun) == words.get(refused.to));
        let behind = refused.to + usize::from(noun.is_some() && kind(refused) == Some("{n}"));
        let link =
            usize::from(words.get(behind).is_some_and(|word| word == "but" || word == "rather"));
        let meant = value_behind(behind + link).filter(|meant| kind(meant) == kind(refused))?;
        let noun = noun.filter(|noun| Some(*noun) == words.get(meant.to));
        let end = meant.to + usize::from(noun.is_some() && kind(refused) == Some("{n}"));
        let begin = (0..not).rev().take_while(|at| words[*at] == "no").last().unwrap_or(not);
        let typed = |from: usize, to: usize| &text[split[from].chunk.0..split[to - 1].chunk.1];
        let beginning = text[..split[begin].chunk.0].trim_end_matches([' ', ',', ';', '-', '.']);
        Some(format!(
            "{}{}{}{}",
            &text[..split[before.from].chunk.0],
            typed(meant.from, meant.to),
            beginning.get(split[before.to - 1].chunk.1..).unwrap_or_default(),
            &text[split[end - 1].chunk.1..],
        ))
    })
}

/// The sentence without what is refused beside the value that is meant: "but not with builtin, with HEAD", "d4, not e4".
pub fn without_refused(text: &str, split: &[Word], context: &Context) -> Option<String> {
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let tagged = tags::tag(text, split, &words, context);
    let value_behind = |from: usize| {
        let at = (from..words.len()).find(|at| {
            // "Run 18, not run 20".
            let is_noun = NUMBERED.contains(&words[*at].as_str());
            !is_noun && !FILLERS.contains(&words[*at].as_str())
        })?;
        // "Not that, run 5": what is meant stands behind the sign.
        let is_apart = (from + 1..=at).any(|at| super::has_sign(text, split, at));
        tagged.iter().find(|token| !is_apart && token.from == at && kind(token).is_some())
    };
    let refuses = |at: usize| match words[at].as_str() {
        "not" => true,
        "instead" => words.get(at + 1).is_some_and(|next| next == "of"),
        "rather" => words.get(at + 1).is_some_and(|next| next == "than"),
        _ => false,
    };
    let not = (1..words.len()).find(|at| refuses(*at) && value_behind(at + 1).is_some())?;
    let refused = value_behind(not + 1)?;
    // "Against weiss instead of toga2": which engine is not meant is named.
    if words[not] != "not" && kind(refused) == Some("player") {
        return None;
    }
    let is_meant = |token: &Tagged| kind(token) == kind(refused);
    let begin = not - usize::from(words[not - 1] == "but");
    let before = &text[..split[begin].chunk.0];
    let before = before.trim_end_matches([' ', ',', ';']);
    // A move beside the one that is made.
    let is_move = kind(refused) == Some("{move}") && refused.to == words.len();
    if is_move && tagged.iter().any(|token| token.to <= not && is_meant(token)) {
        return Some(before.to_owned());
    }
    let behind = &text[split[refused.to - 1].chunk.1..];
    let is_next = behind.starts_with(',') && value_behind(refused.to).is_some_and(is_meant);
    if is_next && begin > 0 {
        return Some(format!("{before}{behind}"));
    }
    // "HEAD~2, not HEAD~1": what is refused is another one than the value right before.
    let mut values = tagged.iter().filter(|token| token.to <= not && token.to + NEAR > not);
    let meant = values.rfind(|token| is_meant(token))?;
    let noun = |token: &Tagged| words.get(token.to).filter(|_| token.to != not);
    let ends = |at: usize| at == words.len() || super::has_sign(text, split, at);
    let has_noun = !ends(refused.to) && noun(meant) == noun(refused);
    let end = refused.to + usize::from(has_noun);
    let is_other = words[meant.from..meant.to] != words[refused.from..refused.to];
    let is_contrast = is_other && ends(end) && meant.to + 2 > begin && words[not - 1] != "but";
    is_contrast.then(|| format!("{before}{}", &text[split[end - 1].chunk.1..]))
}

/// "At long rather than short time control", "a rook ending instead of a pawn ending": words that are compared as the
/// other of a pair, of which the first is meant.
pub fn contrasted(text: &str, split: &[Word]) -> Option<String> {
    const PAIRS: [[&str; 2]; 4] =
        [["long", "short"], ["fast", "slow"], ["harder", "easier"], ["stronger", "weaker"]];
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    (1..split.len()).find_map(|at| {
        let end = match (word(at), word(at + 1)) {
            ("rather", "than") | ("instead", "of") | ("and", "not") => at + 2,
            ("not", _) => at + 1,
            _ => return None,
        };
        let end = end + usize::from(matches!(word(end), "a" | "the" | "at"));
        let is_pair = |pair: &[&str; 2]| {
            pair.contains(&word(at - 1)) && pair.contains(&word(end)) && word(at - 1) != word(end)
        };
        PAIRS.iter().any(is_pair).then(|| {
            let behind = split.get(end + 1).map_or("", |next| &text[next.chunk.0..]);
            format!("{} {behind}", &text[..split[at - 1].chunk.1])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::words;
    use super::*;

    #[test]
    fn a_refused_value_is_replaced_by_the_one_that_is_meant() {
        for (text, expected) in [
            (
                "match weiss against toga2, no, not toga2 but ethereal, 40 games",
                Some("match weiss against ethereal, 40 games"),
            ),
            ("analyse with 3 lines, not 3 but 5", Some("analyse with 5 lines")),
            ("sprt HEAD main at 8+0.08, not 8+0.08, 10+0.1", Some("sprt HEAD main at 10+0.1")),
            ("tune a.yaml with spsa, no not spsa, bayes", Some("tune a.yaml with bayes")),
            (
                "sprt HEAD main 4 threads, not 4 threads but 2 threads",
                Some("sprt HEAD main 2 threads"),
            ),
            ("show 4 lines, not 2", None),
            ("sprt HEAD against main, not toga2", None),
        ] {
            let found = rewritten(text, &words::split(text), &Context::default());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_refused_beside_the_value_that_is_meant_is_left_out() {
        for (text, expected) in [
            ("make 500 games, but not with builtin, with HEAD", Some("make 500 games, with HEAD")),
            ("pawn to d4, not e4", Some("pawn to d4")),
            ("sprt HEAD against main, not toga2", Some("sprt HEAD against main")),
            ("HEAD versus HEAD~2, not HEAD~1, at STC", Some("HEAD versus HEAD~2, at STC")),
            ("mate in 4, not in 2", Some("mate in 4")),
            ("resume run 18, not run 20", Some("resume run 18")),
            ("sprt HEAD main with 2 threads, not 4 threads", Some("sprt HEAD main with 2 threads")),
            ("copy the fen, not the pgn", Some("copy the fen")),
            ("all runs but not run 8", None),
            ("not e4, play d4", None),
        ] {
            let found = without_refused(text, &words::split(text), &Context::default());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
