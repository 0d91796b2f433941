//! Another wish that is meant instead of the first: "turn the board, no wait, copy the FEN".

use super::super::context::Context;
use super::super::intent::Intent;
use super::super::words::Word;
use super::super::{LIKELY, Understood, understand_part};

/// Words behind which another wish begins.
const MARKERS: [&[&str]; 12] = [
    &["no", "wait"],
    &["wait", "no"],
    &["no", "sorry"],
    &["sorry", "no"],
    &["actually", "no"],
    &["no", "actually"],
    &["oh", "no"],
    &["scratch", "that"],
    &["strike", "that"],
    &["forget", "that"],
    &["on", "second", "thought"],
    &["on", "second", "thoughts"],
];

/// The answer to the second wish, if both are clear and not of one kind.
pub fn read(text: &str, split: &[Word], context: &Context) -> Option<Understood> {
    let says = |at: usize, said: &&[&str]| {
        let words = split.get(at..at + said.len());
        words.is_some_and(|words| {
            words.iter().map(|word| word.text.as_str()).eq(said.iter().copied())
        })
    };
    let (at, end) = (1..split.len()).find_map(|at| {
        let said = MARKERS.iter().find(|said| says(at, said))?;
        Some((at, at + said.len()))
    })?;
    let rest = text.get(split.get(end)?.chunk.0..)?;
    let before = text[..split[at].chunk.0].trim_end_matches([' ', ',', ';', '.', '-']);
    let meant = understand_part(rest, context, false);
    let is_clear = !matches!(meant.intent, Intent::Unknown | Intent::Move)
        && meant.confidence >= LIKELY
        && meant.unread.is_empty()
        && meant.others.is_empty();
    if !is_clear {
        return None;
    }
    let first = understand_part(before, context, false);
    let is_other = first.intent != meant.intent && first.intent != Intent::Unknown;
    (is_other && first.confidence >= LIKELY).then_some(meant)
}

#[cfg(test)]
mod tests {
    use super::super::super::understand;
    use super::*;

    #[test]
    fn the_second_wish_is_meant_where_both_are_whole() {
        for (text, intent) in [
            ("turn the board, no wait, copy the fen", Intent::Export),
            ("resign, no wait, offer a draw", Intent::OfferDraw),
            ("stop run 4, sorry, no, delete run 5", Intent::DeleteRun),
            ("undo, on second thoughts, give me a hint", Intent::Hint),
        ] {
            let found = understand(text, &Context::default());
            assert_eq!(found.intent, intent, "{text}: {found:?}");
            assert!(found.unread.is_empty(), "{text}: {found:?}");
        }
        let text = "sprt HEAD main at 10+0.1, no wait, 8+0.08";
        let found = understand(text, &Context::default());
        assert_eq!(found.shown, "harness sprt HEAD main --tc 8+0.08");
    }
}
