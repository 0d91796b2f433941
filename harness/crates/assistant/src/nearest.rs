//! The intent of the examples that are nearest to a sentence.
//!
//! Sentences are compared by the cosine of their words weighted by TF-IDF (K. Spärck Jones, "A
//! statistical interpretation of term specificity", 1972), where words that are alike count as the
//! same in part (soft TF-IDF: W. Cohen, P. Ravikumar and S. Fienberg, "A comparison of string distance
//! metrics for name-matching tasks", 2003).

use std::collections::HashMap;
use std::sync::OnceLock;

use super::intent::{INTENTS, Intent};
use super::linear;
use super::similar::{Lexicon, Near};
use super::templates::{self, OPENING};
use super::thesaurus;

/// Words less alike than this have nothing in common.
const ALIKE: f32 = 0.7;

/// Likeness of words that mean about the same.
const SYNONYM: f32 = 0.85;

/// Like words of the examples that a word is compared with.
const NEAR: usize = 6;

/// A word less like another is not that one, misspelt.
const MISSPELT: f32 = 0.8;

/// Weight of a word that is like none of the examples, as a share of the greatest.
const UNKNOWN: f32 = 0.8;

/// An intent that is certain by its words is as near as an example with this cosine.
const CERTAIN: f32 = 0.9;

/// An example with a greater cosine has just these words.
const EXACT: f32 = 0.97;

/// Share of the second and third best examples of an intent in its score.
const OTHERS: f32 = 0.12;

/// An example sentence.
struct Example {
    intent: Intent,
    /// Subject of one that is no business of a board.
    subject: &'static str,
    /// Length of the vector of its weights.
    length: f32,
    /// Whether an opening is named in it.
    opening: bool,
}

/// The examples, by their words.
struct Examples {
    lexicon: Lexicon,
    /// Weight of each word.
    weights: Vec<f32>,
    /// Examples that have a word.
    with: Vec<Vec<u32>>,
    examples: Vec<Example>,
    /// Of each word, how many templates of each intent have it.
    templates: Vec<[u16; INTENTS]>,
}

fn examples() -> &'static Examples {
    static EXAMPLES: OnceLock<Examples> = OnceLock::new();
    EXAMPLES.get_or_init(Examples::read)
}

impl Examples {
    fn read() -> Examples {
        let templates = templates::all();
        let mut lexicon = Lexicon::default();
        let mut sentences = Vec::new();
        let mut counts: Vec<[u16; INTENTS]> = Vec::new();
        // A word counts once for each template, however many sentences that stands for.
        let mut templates_with: HashMap<u32, u32> = HashMap::new();
        for template in templates {
            let mut own = Vec::new();
            for sentence in &template.sentences {
                let mut ids: Vec<u32> = sentence.iter().map(|word| lexicon.add(word)).collect();
                ids.sort_unstable();
                ids.dedup();
                own.extend(&ids);
                sentences.push((template.intent, template.subject, ids));
            }
            own.sort_unstable();
            own.dedup();
            counts.resize(lexicon.len(), [0; INTENTS]);
            for id in own {
                counts[id as usize][template.intent as usize] += 1;
                *templates_with.entry(id).or_default() += 1;
            }
        }
        let count = templates.len() as f32;
        let weight = |id: u32| (1.0 + count / templates_with[&id] as f32).ln();
        let weights: Vec<f32> = (0..lexicon.len() as u32).map(weight).collect();
        let of_opening = lexicon.id(OPENING);
        let mut with = vec![Vec::new(); lexicon.len()];
        let mut examples = Vec::new();
        for (index, (intent, subject, ids)) in sentences.iter().enumerate() {
            let length: f32 = ids.iter().map(|id| weights[*id as usize].powi(2)).sum();
            let opening = ids.iter().any(|id| Some(*id) == of_opening);
            examples.push(Example { intent: *intent, subject, length: length.sqrt(), opening });
            for id in ids {
                with[*id as usize].push(index as u32);
            }
        }
        Examples { lexicon, weights, with, examples, templates: counts }
    }

    /// The words of the examples that are like a word: itself, those that mean about the same, or those of which it may be
    /// another spelling.
    fn like(&self, word: &str) -> Vec<Near> {
        let own = self.lexicon.id(word).map(|id| Near { id, similarity: 1.0 });
        let meaning = thesaurus::alike(word).filter_map(|other| self.lexicon.id(other));
        let meaning = meaning.map(|id| Near { id, similarity: SYNONYM });
        let like: Vec<Near> = own.into_iter().chain(meaning).collect();
        if like.is_empty() { self.lexicon.near(word, ALIKE, NEAR) } else { like }
    }
}

/// Does an example have this word?
pub fn is_known(word: &str) -> bool {
    examples().lexicon.id(word).is_some()
}

/// All words of the examples, and how many templates have each.
pub fn words() -> impl Iterator<Item = (&'static str, u32)> {
    let known = examples();
    let count = |counts: &[u16; INTENTS]| counts.iter().copied().map(u32::from).sum();
    (0..).zip(&known.templates).map(move |(id, counts)| (known.lexicon.text(id), count(counts)))
}

/// How many templates of an intent have this word.
pub fn templates_with(word: &str, intent: Intent) -> u16 {
    let known = examples();
    known.lexicon.id(word).map_or(0, |id| known.templates[id as usize][intent as usize])
}

/// A word with this share of its examples in an intent says that intent.
pub const EVIDENT: f32 = 0.25;

/// The share of an intent in the templates with a word, or with one that it is like.
pub fn share(word: &str, intent: Intent) -> f32 {
    let near = examples().like(word);
    let Some(near) = near.first() else { return 0.0 };
    let counts = &examples().templates[near.id as usize];
    let all: u16 = counts.iter().sum();
    f32::from(counts[intent as usize]) / f32::from(all.max(1))
}

/// The words of the examples of an intent.
pub fn words_of(intent: Intent) -> impl Iterator<Item = &'static str> {
    let known = examples();
    let ids = (0..).zip(&known.templates).filter(move |(_, counts)| counts[intent as usize] > 0);
    ids.map(|(id, _)| known.lexicon.text(id))
}

/// Whether a word that no example has is like a word of this intent, misspelt.
pub fn is_like_one_of(word: &str, intent: Intent) -> bool {
    let known = examples();
    let near = known.lexicon.near(word, MISSPELT, NEAR);
    // "Fork" is not "for".
    let is_long = |near: &Near| known.lexicon.text(near.id).len() > 3;
    let is_of_intent = |near: &Near| known.templates[near.id as usize][intent as usize] > 0;
    near.iter().any(|near| is_long(near) && is_of_intent(near))
}

/// How near the examples of each intent are to a sentence.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// The cosines of the nearest three of each intent.
    cosines: [[f32; 3]; INTENTS],
    /// Subject of the nearest example that is no business of a board.
    subject: &'static str,
}

impl Nearest {
    /// How near those of the nearest intent are; compares readings of one sentence.
    pub fn score(&self) -> f32 {
        self.cosines.iter().map(together).fold(0.0, f32::max)
    }

    /// The intent of an example with just these words.
    pub fn exact(&self) -> Option<Intent> {
        let all = Intent::ALL.into_iter().chain([Intent::Unknown]);
        all.into_iter().find(|intent| self.cosines[*intent as usize][0] > EXACT)
    }

    /// Subject of the nearest example that is no business of a board, and how near it is.
    pub fn subject(&self) -> (&'static str, f32) {
        (self.subject, self.cosines[Intent::Unknown as usize][0])
    }

    /// The intents by the examples and by its words together, the likeliest first.
    pub fn ranked<'a>(&self, words: impl Iterator<Item = &'a str>) -> Vec<Ranked> {
        let words: Vec<&str> = words.collect();
        let likely = linear::probabilities(&words);
        let all = Intent::ALL.into_iter().chain([Intent::Unknown]);
        let mut ranked: Vec<Ranked> = all
            .map(|intent| {
                let top = &self.cosines[intent as usize];
                let likely = likely[intent as usize];
                let nearness = top[0].max(CERTAIN * likely);
                // What is an example word for word is that, whatever its words say elsewhere.
                let exact = if top[0] > EXACT { 1.0 } else { 0.0 };
                Ranked { intent, score: together(top) + likely.max(exact), nearness, likely }
            })
            .filter(|ranked| ranked.nearness > 0.0)
            .collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
        ranked
    }
}

/// An intent, and how likely it is that of a sentence.
#[derive(Clone, Copy, Debug)]
pub struct Ranked {
    /// The intent.
    pub intent: Intent,
    /// By the nearest examples and by the words.
    pub score: f32,
    /// Cosine of its nearest example, or what its probability is as good as.
    pub nearness: f32,
    /// Its probability by the words.
    pub likely: f32,
}

/// The nearest example, and the next ones by a share.
fn together(top: &[f32; 3]) -> f32 {
    top[0] + OTHERS * (top[1] + top[2])
}

/// Words like those of a sentence, kept from one reading of it to the next.
pub type Alike = HashMap<String, Vec<Near>>;

/// A word or token of a sentence.
#[derive(Clone, Copy, Debug)]
pub struct Weighed<'a> {
    /// The word.
    pub text: &'a str,
    /// How sure it is that it was meant, from 0 to 1.
    pub sure: f32,
    /// How many words it stands for.
    pub words: usize,
}

/// The examples nearest to the words and tokens of a sentence. One that names an opening is like those
/// examples only that name one, and another like the others.
pub fn near<'a>(words: impl Iterator<Item = Weighed<'a>>, alike: &mut Alike) -> Nearest {
    let known = examples();
    let rarest = known.weights.iter().copied().fold(0.0, f32::max);
    let mut scores = vec![0.0_f32; known.examples.len()];
    let mut best_of = vec![0.0_f32; known.examples.len()];
    let mut touched = Vec::new();
    let mut length = 0.0;
    let mut words: Vec<Weighed<'a>> = words.collect();
    words.sort_unstable_by(|a, b| a.text.cmp(b.text));
    words.dedup_by(|a, b| a.text == b.text);
    let opening = words.iter().any(|word| word.text == OPENING);
    for Weighed { text: word, sure, words } in words {
        if !alike.contains_key(word) {
            alike.insert(word.to_owned(), known.like(word));
        }
        let near = &alike[word];
        let own = near.first().map_or(rarest * UNKNOWN, |near| known.weights[near.id as usize]);
        // An intent that has no place for a name must not win by its other words.
        let own = own * words as f32;
        length += own * own;
        // Of the words of an example the most alike counts.
        for near in near {
            let value = sure * near.similarity * own * known.weights[near.id as usize];
            for example in &known.with[near.id as usize] {
                let index = *example as usize;
                if best_of[index] == 0.0 {
                    touched.push(index);
                }
                best_of[index] = best_of[index].max(value);
            }
        }
        for index in touched.drain(..) {
            scores[index] += best_of[index];
            best_of[index] = 0.0;
        }
    }
    let length = length.max(f32::MIN_POSITIVE);
    let mut best = [[0.0_f32; 3]; INTENTS];
    let mut subject = "";
    let comparable = scores.iter().zip(&known.examples).filter(|(_, one)| one.opening == opening);
    for (score, example) in comparable {
        let cosine = score / (example.length * length.sqrt());
        let top = &mut best[example.intent as usize];
        if example.intent == Intent::Unknown && cosine > top[0] {
            subject = example.subject;
        }
        if cosine > top[2] {
            top[2] = cosine;
            top.sort_unstable_by(|a, b| b.total_cmp(a));
        }
    }
    Nearest { cosines: best, subject }
}
