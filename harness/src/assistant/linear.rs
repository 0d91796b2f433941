//! Softmax regression from the words, pairs of words and parts of words of a sentence to its intent,
//! trained on the example sentences when first used.
//!
//! The parts are the pairs, triples and fours of letters of a word with its ends, so that a misspelt word
//! keeps most of its own (P. Bojanowski and others, "Enriching word vectors with subword information",
//! 2017).

use std::collections::HashMap;
use std::sync::OnceLock;

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::intent::INTENTS;
use super::templates::{self, Template};

/// Passes over the examples.
const PASSES: usize = 6;

/// Sentences of one line of the examples that are learnt.
const SENTENCES: usize = 3;

/// Length of a step at the first pass; it falls to none with the last.
const STEP: f32 = 1.5;

/// What a sentence is told by.
type Feature = u64;

/// A weight for each intent.
type Weights = [f32; INTENTS];

struct Model {
    /// Number of each feature, and how much it tells.
    features: HashMap<Feature, (u32, f32)>,
    weights: Vec<Weights>,
    bias: Weights,
}

fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(Model::train)
}

/// A hash of the parts of a feature (FNV-1a), the kind of it first.
fn feature(kind: u8, parts: &[&[u8]]) -> Feature {
    let bytes = parts.iter().flat_map(|part| part.iter().copied().chain([b' ']));
    [kind].into_iter().chain(bytes).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Words and pairs of words of a sentence, and parts of its words, each once.
fn features(words: &[&str]) -> [Vec<Feature>; 2] {
    let ends = [&["<"][..], words, &[">"]].concat();
    let single = words.iter().map(|word| feature(1, &[word.as_bytes()]));
    let pairs = ends.windows(2).map(|pair| feature(2, &[pair[0].as_bytes(), pair[1].as_bytes()]));
    let mut whole: Vec<Feature> = single.chain(pairs).collect();
    let mut parts = Vec::new();
    for word in words {
        if word.starts_with('{') {
            parts.push(feature(3, &[word.as_bytes()]));
            continue;
        }
        let padded = format!("<{word}>");
        for length in 2..=4 {
            parts.extend(padded.as_bytes().windows(length).map(|part| feature(3, &[part])));
        }
    }
    for list in [&mut whole, &mut parts] {
        list.sort_unstable();
        list.dedup();
    }
    [whole, parts]
}

/// A sentence as words, its intent, and the share of a step that it is worth: one of a template that
/// stands for many is worth less.
type Taught<'a> = (Vec<&'a str>, usize, f32);

/// Some sentences of a template, of which all differ little.
fn sentences(template: &Template) -> Vec<Taught<'_>> {
    let share = 1.0 / (template.sentences.len() as f32).sqrt();
    let every = template.sentences.len().div_ceil(SENTENCES).max(1);
    let some = template.sentences.iter().step_by(every);
    let words = some.map(|words| words.iter().map(String::as_str).collect());
    words.map(|words| (words, template.intent as usize, share)).collect()
}

/// The features of sentences, numbered, with more weight for those of few sentences.
fn telling(sentences: &[Taught<'_>]) -> HashMap<Feature, (u32, f32)> {
    let mut counts: HashMap<Feature, u32> = HashMap::new();
    for (words, ..) in sentences {
        for feature in features(words).concat() {
            *counts.entry(feature).or_default() += 1;
        }
    }
    // In an order that is the same each time: so are the sums, then, and the answers.
    let mut ordered: Vec<(Feature, u32)> = counts.into_iter().collect();
    ordered.sort_unstable();
    let weight = |count: u32| 1.0 + (sentences.len() as f32 / count as f32).ln();
    let numbered = (0..).zip(ordered);
    numbered.map(|(id, (feature, count))| (feature, (id, weight(count)))).collect()
}

/// The known features of a sentence: those of words, and those of parts, each a vector of length 1.
fn scaled(features: &HashMap<Feature, (u32, f32)>, words: &[&str]) -> Vec<(u32, f32)> {
    let mut values = Vec::new();
    for group in self::features(words) {
        let known: Vec<(u32, f32)> =
            group.iter().filter_map(|feature| features.get(feature).copied()).collect();
        let length = known.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        values.extend(known.iter().map(|(id, weight)| (*id, weight / length)));
    }
    values
}

/// A sentence with slips of the fingers: in about a third of its words two letters are exchanged, or one is
/// left out, doubled or another.
fn slipped(words: &[&str], random: &mut Pcg64Mcg) -> Vec<String> {
    let slip = |word: &&str| {
        let mut letters = word.as_bytes().to_vec();
        let plain = letters.len() > 2 && letters.iter().all(u8::is_ascii_lowercase);
        if plain && random.random_bool(0.3) {
            let at = random.random_range(0..letters.len() - 1);
            match random.random_range(0..4) {
                0 => letters.swap(at, at + 1),
                1 => drop(letters.remove(at)),
                2 => letters.insert(at, letters[at]),
                _ => letters[at] = random.random_range(b'a'..=b'z'),
            }
        }
        String::from_utf8(letters).unwrap_or_default()
    };
    words.iter().map(slip).collect()
}

impl Model {
    /// Learns the example sentences, each as it is and once with slips.
    fn train() -> Model {
        let templates = templates::all();
        let sentences: Vec<Taught<'_>> = templates.iter().flat_map(sentences).collect();
        let features = telling(&sentences);
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut examples = Vec::new();
        for (words, intent, share) in &sentences {
            examples.push((scaled(&features, words), *intent, *share));
            let slipped: Vec<String> = slipped(words, &mut random);
            let words: Vec<&str> = slipped.iter().map(String::as_str).collect();
            examples.push((scaled(&features, &words), *intent, *share));
        }
        let weights = vec![[0.0; INTENTS]; features.len()];
        let mut model = Model { features, weights, bias: [0.0; INTENTS] };
        for pass in 0..PASSES {
            examples.shuffle(&mut random);
            let step = STEP * (1.0 - pass as f32 / PASSES as f32);
            for (values, intent, share) in &examples {
                model.learn(values, *intent, step * share);
            }
        }
        model
    }

    /// One step towards an example.
    fn learn(&mut self, values: &[(u32, f32)], intent: usize, step: f32) {
        let mut error = self.shares(values);
        error[intent] -= 1.0;
        for (sum, error) in self.bias.iter_mut().zip(&error) {
            *sum -= 0.1 * step * error;
        }
        for (id, value) in values {
            for (weight, error) in self.weights[*id as usize].iter_mut().zip(&error) {
                *weight -= step * value * error;
            }
        }
    }

    /// Probability of each intent.
    fn shares(&self, values: &[(u32, f32)]) -> Weights {
        let mut sums = self.bias;
        for (id, value) in values {
            for (sum, weight) in sums.iter_mut().zip(&self.weights[*id as usize]) {
                *sum += value * weight;
            }
        }
        let most = sums.iter().copied().fold(f32::MIN, f32::max);
        let powers = sums.map(|sum| (sum - most).exp());
        let total: f32 = powers.iter().sum();
        powers.map(|power| power / total)
    }
}

/// Probability of each intent, in the order of the enumeration.
pub fn probabilities(words: &[&str]) -> [f32; INTENTS] {
    let model = model();
    model.shares(&scaled(&model.features, words))
}

#[cfg(test)]
mod tests {
    use super::super::intent::Intent;
    use super::*;

    #[test]
    fn a_misspelt_sentence_is_told_by_parts_of_its_words() {
        for (sentence, intent) in [
            ("trun teh baord arond", Intent::Flip),
            ("offfer you a drwa", Intent::OfferDraw),
            ("resingn", Intent::Resign),
            ("exlpain why we lsot game {n}", Intent::WhyLost),
        ] {
            let words: Vec<&str> = sentence.split(' ').collect();
            let chances = probabilities(&words);
            assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-3);
            let most = chances.iter().copied().fold(0.0, f32::max);
            assert_eq!(chances[intent as usize], most, "{sentence}: {chances:?}");
        }
    }
}
