//! The intent that accounts for most of a sentence, of those that are about as likely.

use super::intent::Intent;
use super::nearest::Ranked;
use super::reading::Reading;
use super::slots::{self, Sentence};
use super::{MIN_CONFIDENCE, coverage};

/// Intents whose scores differ by less than this are about as likely.
const CLOSE: f32 = 0.3;

/// How many of them are compared.
const COMPARED: usize = 3;

/// What a sentence of which nothing is accounted for loses of its score.
const LEFT_OVER: f32 = 0.4;

/// Intents that are about as likely, by what they account for.
pub struct Compared {
    /// The intents and their values, the best first.
    pub intents: Vec<(Intent, f32)>,
    /// How like its nearest example the sentence is.
    pub nearness: f32,
}

impl Compared {
    /// The best of them.
    pub fn best(&self) -> Intent {
        self.intents.first().map_or(Intent::Unknown, |(intent, _)| *intent)
    }

    /// The others and what their values are below that of the best, if that is the intent that was chosen.
    pub fn rivals(&self, chosen: Intent) -> Vec<(Intent, f32)> {
        let Some(((best, value), others)) = self.intents.split_first() else { return Vec::new() };
        if *best != chosen {
            return Vec::new();
        }
        others.iter().map(|(other, less)| (*other, value - less)).collect()
    }
}

/// The likeliest intents of those that are possible.
pub fn intents(
    reading: &Reading,
    sentence: &Sentence<'_>,
    is_possible: impl Fn(Intent) -> bool,
) -> Compared {
    let possible = reading.ranked().iter().filter(|ranked| is_possible(ranked.intent));
    let possible: Vec<&Ranked> = possible.collect();
    let Some(best) = possible.first() else {
        return Compared { intents: Vec::new(), nearness: 0.0 };
    };
    let nearness = possible.iter().map(|ranked| ranked.nearness).fold(0.0, f32::max);
    let is_close =
        |ranked: &&&Ranked| ranked.score > best.score - CLOSE && ranked.nearness >= MIN_CONFIDENCE;
    let close: Vec<&Ranked> = possible.iter().filter(is_close).take(COMPARED).copied().collect();
    let close = if close.len() < 2 { vec![*best] } else { close };
    let value = |ranked: &Ranked| ranked.score - left_over(ranked.intent, sentence);
    let mut intents: Vec<(Intent, f32)> =
        close.into_iter().map(|ranked| (ranked.intent, value(ranked))).collect();
    intents.sort_by(|a, b| b.1.total_cmp(&a.1));
    Compared { intents, nearness }
}

/// Loss of an intent for what it does not account for in a sentence.
pub fn left_over(intent: Intent, sentence: &Sentence<'_>) -> f32 {
    let used = slots::fill(intent, sentence).used;
    LEFT_OVER * coverage::coverage(intent, &[], sentence, &used).share
}

#[cfg(test)]
mod tests {
    use super::super::{Confirm, Context, understand};
    use super::*;

    #[test]
    fn of_close_intents_the_one_that_accounts_for_the_sentence_is_chosen() {
        for (text, intent) in [
            ("Delete the most recent run.", Intent::DeleteRun),
            ("I give up, you are too strong", Intent::Resign),
            ("too strong for me, i resign", Intent::Resign),
            ("v1.0, v1.1 and v1.2 should play each against each", Intent::Match),
            ("play it out between stockfish and toga2, 30 games", Intent::PlayOut),
            ("anything new from the sprt?", Intent::RunStatus),
            ("is HEAD losing?", Intent::RunStatus),
            ("list the games that ethereal drew", Intent::ListGames),
        ] {
            let found = understand(text, &Context::default());
            assert_eq!(found.intent, intent, "{text}: {found:?}");
        }
    }

    #[test]
    fn what_a_board_does_not_have_is_named_by_the_nearest_example() {
        for (text, reason) in [
            ("find which commit lost elo between v1.1 and v1.3", "bisect"),
            ("we lost elo somewhere, find the commit", "bisect"),
            ("watch the main branch", "watch"),
            ("rate my engine", "rate"),
            ("how much faster is HEAD than v1.0", "speed"),
            ("count the leaf nodes at depth 6", "perft"),
            ("what is LLR?", "glossary"),
            ("explain los", "glossary"),
            ("again with 8 threads", "repeated"),
            ("repeat run 4 with ltc", "repeated"),
        ] {
            let found = understand(text, &Context::default());
            assert_eq!(found.intent, Intent::Unknown, "{text}: {found:?}");
            assert_eq!(found.confirm, Confirm::No, "{text}");
            assert!(found.shown.contains(reason), "{text}: {}", found.shown);
        }
    }
}
