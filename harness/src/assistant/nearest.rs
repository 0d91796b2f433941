//! The intent of the examples that are nearest to a sentence.
//!
//! Sentences are compared by the cosine of their words weighted by TF-IDF (K. Spärck Jones, "A
//! statistical interpretation of term specificity", 1972), where words that are alike count as the
//! same in part (soft TF-IDF: W. Cohen, P. Ravikumar and S. Fienberg, "A comparison of string distance
//! metrics for name-matching tasks", 2003).

use std::collections::HashMap;
use std::sync::OnceLock;

use super::intent::Intent;
use super::similar::Lexicon;
use super::templates;

/// Words less alike than this have nothing in common.
const ALIKE: f32 = 0.7;

/// Like words of the examples that a word is compared with.
const NEAR: usize = 6;

/// Share of the second and third best examples of an intent in its score.
const OTHERS: f32 = 0.12;

/// The examples, by their words.
struct Examples {
    lexicon: Lexicon,
    /// Weight of each word.
    weights: Vec<f32>,
    /// Examples that have a word.
    with: Vec<Vec<u32>>,
    /// Intent and length of each example.
    examples: Vec<(Intent, f32)>,
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
        // A word counts once for each template, however many sentences that stands for.
        let mut templates_with: HashMap<u32, u32> = HashMap::new();
        for template in &templates {
            let mut own = Vec::new();
            for sentence in &template.sentences {
                let mut ids: Vec<u32> = sentence.iter().map(|word| lexicon.add(word)).collect();
                ids.sort_unstable();
                ids.dedup();
                own.extend(&ids);
                sentences.push((template.intent, ids));
            }
            own.sort_unstable();
            own.dedup();
            for id in own {
                *templates_with.entry(id).or_default() += 1;
            }
        }
        let count = templates.len() as f32;
        let weight = |id: u32| (1.0 + count / templates_with[&id] as f32).ln();
        let weights: Vec<f32> = (0..lexicon.len() as u32).map(weight).collect();
        let mut with = vec![Vec::new(); lexicon.len()];
        let mut examples = Vec::new();
        for (index, (intent, ids)) in sentences.iter().enumerate() {
            let length: f32 = ids.iter().map(|id| weights[*id as usize].powi(2)).sum();
            examples.push((*intent, length.sqrt()));
            for id in ids {
                with[*id as usize].push(index as u32);
            }
        }
        Examples { lexicon, weights, with, examples }
    }
}

/// Does an example have this word?
pub fn is_known(word: &str) -> bool {
    examples().lexicon.id(word).is_some()
}

/// The intent of the examples nearest to the words and tokens of a sentence, and how near the nearest is.
pub fn intent<'a>(words: impl Iterator<Item = &'a str>) -> (Intent, f32) {
    let known = examples();
    let rarest = known.weights.iter().copied().fold(0.0, f32::max);
    let mut scores = vec![0.0_f32; known.examples.len()];
    let mut best_of = vec![0.0_f32; known.examples.len()];
    let mut length = 0.0;
    let mut words: Vec<&str> = words.collect();
    words.sort_unstable();
    words.dedup();
    for word in words {
        let near = match known.lexicon.id(word) {
            Some(id) => vec![super::similar::Near { id, similarity: 1.0 }],
            None => known.lexicon.near(word, ALIKE, NEAR),
        };
        let own = near.first().map_or(rarest * 0.6, |near| known.weights[near.id as usize]);
        length += own * own;
        // Of the words of an example the most alike counts.
        let mut touched = Vec::new();
        for near in &near {
            let value = near.similarity * own * known.weights[near.id as usize];
            for example in &known.with[near.id as usize] {
                let index = *example as usize;
                if best_of[index] == 0.0 {
                    touched.push(index);
                }
                best_of[index] = best_of[index].max(value);
            }
        }
        for index in touched {
            scores[index] += best_of[index];
            best_of[index] = 0.0;
        }
    }
    if length == 0.0 {
        return (Intent::Unknown, 0.0);
    }
    let mut best: HashMap<Intent, [f32; 3]> = HashMap::new();
    for (score, (intent, norm)) in scores.iter().zip(&known.examples) {
        let cosine = score / (norm * length.sqrt());
        let top = best.entry(*intent).or_default();
        if cosine > top[2] {
            top[2] = cosine;
            top.sort_by(|a, b| b.total_cmp(a));
        }
    }
    let total = |top: &[f32; 3]| top[0] + OTHERS * (top[1] + top[2]);
    let winner = best.iter().max_by(|a, b| total(a.1).total_cmp(&total(b.1)));
    winner.map_or((Intent::Unknown, 0.0), |(intent, top)| (*intent, top[0]))
}
