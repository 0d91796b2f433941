//! The sentences of each intent: `data/sentences.tsv`, expanded.
//!
//! A line is an intent and a sentence; `unknown:bisect` is a sentence that asks for `harness bisect`, which a board does
//! not have ([`elsewhere`]). `[a|b|]` in a sentence stands for each of its alternatives, of
//! which one may be empty; `{engine}` and the like stand for a name or a number (see [`tags`]).
//!
//! [`tags`]: super::tags
//! [`elsewhere`]: super::elsewhere

use std::sync::OnceLock;

use super::intent::Intent;
use super::words;

/// The file.
pub const SENTENCES: &str = include_str!("data/sentences.tsv");

/// Sentences as people say them, in their words and tokens ([`super::as_said`]), for the support vector machines alone: their
/// words account for nothing in a sentence.
const SAID: &str = include_str!("data/said.tsv");

/// The token of an opening.
pub const OPENING: &str = "{opening}";

/// Expansions of one line at most.
const EXPANSIONS: usize = 48;

/// One line of the file.
#[derive(Debug)]
pub struct Template {
    /// Intent.
    pub intent: Intent,
    /// Subject of a sentence that is no business of a board; empty of others.
    pub subject: &'static str,
    /// The sentences it stands for, in words; names and numbers are tokens such as `{engine}`.
    pub sentences: Vec<Vec<String>>,
}

/// All lines, expanded once.
pub fn all() -> &'static [Template] {
    static TEMPLATES: OnceLock<Vec<Template>> = OnceLock::new();
    TEMPLATES.get_or_init(|| SENTENCES.lines().skip(1).filter_map(read).collect())
}

/// All sentences as people say them, read once.
pub fn said() -> &'static [Template] {
    static SAID_TEMPLATES: OnceLock<Vec<Template>> = OnceLock::new();
    SAID_TEMPLATES.get_or_init(|| SAID.lines().filter_map(read).collect())
}

/// Whether a sentence is one of the examples word for word, whatever its signs and capitals.
pub fn has(sentence: &str) -> bool {
    let words = tokens(sentence);
    all().iter().any(|template| template.sentences.contains(&words))
}

fn read(line: &'static str) -> Option<Template> {
    let (intent, text) = line.split_once('\t')?;
    let (intent, subject) = intent.split_once(':').unwrap_or((intent, ""));
    let intent = Intent::from_name(intent)?;
    let mut texts = vec![String::new()];
    expand(text, &mut texts);
    let mut sentences: Vec<Vec<String>> = texts.iter().map(|text| tokens(text)).collect();
    sentences.sort();
    sentences.dedup();
    Some(Template { intent, subject, sentences })
}

/// Appends each expansion of a text to each of the sentences so far.
fn expand(text: &str, sentences: &mut Vec<String>) {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((choice, after)) = after.split_once(']') else { break };
        let mut next = Vec::new();
        for sentence in &*sentences {
            for alternative in choice.split('|') {
                next.push(format!("{sentence}{before}{alternative}"));
            }
        }
        next.truncate(EXPANSIONS);
        *sentences = next;
        rest = after;
    }
    for sentence in sentences {
        sentence.push_str(rest);
    }
}

/// Words of a sentence, with the tokens that take the place of names, numbers, sides and pieces.
fn tokens(text: &str) -> Vec<String> {
    let text = text
        .replace("}s ", "} ")
        .replace("}'s ", "} ")
        .replace("{clock}", "{limit}")
        .replace("{n} minutes", "{limit}")
        .replace("{n} seconds", "{limit}")
        .replace("{n} nodes", "{limit}");
    let words = words::texts(&text);
    words.into_iter().map(|word| token(&word).map_or(word, str::to_owned)).collect()
}

/// The token of a word that stands for a side or a piece.
pub fn token(word: &str) -> Option<&'static str> {
    match word {
        "white" | "whites" | "black" | "blacks" => Some("{side}"),
        "king" | "queen" | "rook" | "bishop" | "knight" | "pawn" | "kings" | "queens" | "rooks"
        | "bishops" | "knights" | "pawns" | "horse" | "castles" => Some("{piece}"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_expanded_and_tokens_stand_for_names() {
        let template = read("flip\tturn [it|the board|] {side} [side|down]").expect("a line");
        assert_eq!(template.intent, Intent::Flip);
        let texts: Vec<String> = template.sentences.iter().map(|words| words.join(" ")).collect();
        assert_eq!(texts.len(), 6);
        assert!(texts.contains(&"turn it {side} down".to_owned()), "{texts:?}");
        assert!(texts.contains(&"turn {side} side".to_owned()), "{texts:?}");
    }

    #[test]
    fn every_line_of_the_file_is_read_and_every_intent_has_lines() {
        let templates = all();
        assert_eq!(templates.len() + 1, SENTENCES.lines().count());
        assert_eq!(said().len(), SAID.lines().count());
        for intent in Intent::ALL {
            let lines = templates.iter().filter(|template| template.intent == intent).count();
            assert!(lines >= 40, "{intent:?}: {lines}");
        }
    }
}
