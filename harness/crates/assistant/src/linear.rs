//! Softmax regression from the words, pairs of words and character n-grams of a sentence to its intent,
//! trained on the example sentences when first used.
//!
//! The n-grams are two to four letters of a word with its ends, so that a misspelt word keeps most of its
//! own (P. Bojanowski and others, "Enriching word vectors with subword information", 2017).

use std::collections::HashMap;
use std::sync::OnceLock;

use rand_pcg::Pcg64Mcg;

use super::intent::INTENTS;
use super::templates::{self, Template};
use super::thesaurus;
use harness_stats::random::order::{below, shuffled_by};
use harness_stats::random::stream;

/// Epochs of training.
const EPOCHS: usize = 6;

/// Sentences of one template in the training set.
const SENTENCES: usize = 3;

/// Learning rate of the first epoch; it falls linearly to 0.
const LEARNING_RATE: f32 = 1.5;

/// Learning rate of the biases, as a share of that of the weights.
const BIAS_RATE: f32 = 0.1;

/// A hash of a word, a pair of words, or letters of a word.
type Feature = u64;

/// A weight for each intent.
type Weights = [f32; INTENTS];

/// The known features with their index and their IDF weight.
type Vocabulary = HashMap<Feature, (u32, f32)>;

/// The values of the known features of a sentence, by their index; the others are 0.
type FeatureVector = Vec<(u32, f32)>;

struct Model {
    vocabulary: Vocabulary,
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

/// Words, pairs of words and classes of words of a sentence, and character n-grams of its words, each once.
fn features(words: &[&str]) -> [Vec<Feature>; 2] {
    let ends = [&["<"][..], words, &[">"]].concat();
    let single = words.iter().map(|word| feature(1, &[word.as_bytes()]));
    let pairs = ends.windows(2).map(|pair| feature(2, &[pair[0].as_bytes(), pair[1].as_bytes()]));
    let classes = words.iter().flat_map(|word| thesaurus::classes(word));
    let classes = classes.map(|class| feature(4, &[&class.to_le_bytes()]));
    let mut whole: Vec<Feature> = single.chain(pairs).chain(classes).collect();
    let mut grams = Vec::new();
    for word in words {
        if word.starts_with('{') {
            grams.push(feature(3, &[word.as_bytes()]));
            continue;
        }
        let padded = format!("<{word}>");
        for length in 2..=4 {
            grams.extend(padded.as_bytes().windows(length).map(|gram| feature(3, &[gram])));
        }
    }
    for list in [&mut whole, &mut grams] {
        list.sort_unstable();
        list.dedup();
    }
    [whole, grams]
}

/// A sentence of the training set.
struct TrainingExample<'a> {
    words: Vec<&'a str>,
    /// Its class.
    intent: usize,
    /// Sample weight: 1/sqrt(expansions of its template).
    weight: f32,
}

/// Some sentences of a template, which differ little from each other.
fn examples_of(template: &Template) -> Vec<TrainingExample<'_>> {
    let weight = 1.0 / (template.sentences.len() as f32).sqrt();
    let every = template.sentences.len().div_ceil(SENTENCES).max(1);
    let some = template.sentences.iter().step_by(every);
    let words = some.map(|words| words.iter().map(String::as_str).collect());
    let intent = template.intent as usize;
    words.map(|words| TrainingExample { words, intent, weight }).collect()
}

/// The features of the examples, with index and IDF weight.
fn vocabulary(examples: &[TrainingExample<'_>]) -> Vocabulary {
    let mut counts: HashMap<Feature, u32> = HashMap::new();
    for example in examples {
        for feature in features(&example.words).concat() {
            *counts.entry(feature).or_default() += 1;
        }
    }
    // In an order that is the same each time: so are the sums, then, and the answers.
    let mut ordered: Vec<(Feature, u32)> = counts.into_iter().collect();
    ordered.sort_unstable();
    let idf = |count: u32| 1.0 + (examples.len() as f32 / count as f32).ln();
    let numbered = (0..).zip(ordered);
    numbered.map(|(index, (feature, count))| (feature, (index, idf(count)))).collect()
}

/// The known features of a sentence weighted by IDF: words and pairs of words as one vector of length
/// 1, character n-grams as another.
fn feature_vector(vocabulary: &Vocabulary, words: &[&str]) -> FeatureVector {
    let mut values = Vec::new();
    for group in features(words) {
        let known: Vec<(u32, f32)> =
            group.iter().filter_map(|feature| vocabulary.get(feature).copied()).collect();
        let length = known.iter().map(|(_, idf)| idf * idf).sum::<f32>().sqrt();
        values.extend(known.iter().map(|(index, idf)| (*index, idf / length)));
    }
    values
}

/// Data augmentation: a sentence with typing errors. In three words of ten two letters are exchanged, or
/// one is left out, doubled or replaced.
fn with_typos(words: &[&str], random: &mut Pcg64Mcg) -> Vec<String> {
    let typed = |word: &&str| {
        let mut letters = word.as_bytes().to_vec();
        let plain = letters.len() > 2 && letters.iter().all(u8::is_ascii_lowercase);
        if plain && below(random, 10) < 3 {
            match below(random, 4) {
                0 => {
                    let at = below(random, letters.len() - 1);
                    letters.swap(at, at + 1);
                }
                kind => {
                    let at = below(random, letters.len());
                    match kind {
                        1 => drop(letters.remove(at)),
                        2 => letters.insert(at, letters[at]),
                        _ => letters[at] = b'a' + below(random, 26) as u8,
                    }
                }
            }
        }
        String::from_utf8(letters).unwrap_or_default()
    };
    words.iter().map(typed).collect()
}

impl Model {
    /// Trains on the example sentences, each as it is and once with typing errors.
    fn train() -> Model {
        let examples: Vec<TrainingExample<'_>> =
            templates::all().iter().flat_map(examples_of).collect();
        let vocabulary = vocabulary(&examples);
        let mut random = stream("typing errors", 1, 0);
        let mut samples = Vec::new();
        for TrainingExample { words, intent, weight } in &examples {
            samples.push((feature_vector(&vocabulary, words), *intent, *weight));
            let typed: Vec<String> = with_typos(words, &mut random);
            let words: Vec<&str> = typed.iter().map(String::as_str).collect();
            samples.push((feature_vector(&vocabulary, &words), *intent, *weight));
        }
        let weights = vec![[0.0; INTENTS]; vocabulary.len()];
        let mut model = Model { vocabulary, weights, bias: [0.0; INTENTS] };
        let mut random = stream("order of examples", 1, 0);
        for epoch in 0..EPOCHS {
            let rate = LEARNING_RATE * (1.0 - epoch as f32 / EPOCHS as f32);
            for at in shuffled_by(samples.len(), &mut random) {
                let (values, intent, weight) = &samples[at as usize];
                model.sgd_step(values, *intent, rate * weight);
            }
        }
        model
    }

    /// Stochastic gradient step of the cross-entropy loss of an example.
    fn sgd_step(&mut self, values: &[(u32, f32)], intent: usize, rate: f32) {
        // Gradient by the sums before the softmax.
        let mut gradient = self.softmax(values);
        gradient[intent] -= 1.0;
        for (bias, partial) in self.bias.iter_mut().zip(&gradient) {
            *bias -= BIAS_RATE * rate * partial;
        }
        for (index, value) in values {
            for (weight, partial) in self.weights[*index as usize].iter_mut().zip(&gradient) {
                *weight -= rate * value * partial;
            }
        }
    }

    /// Probability of each intent.
    fn softmax(&self, values: &[(u32, f32)]) -> Weights {
        let mut sums = self.bias;
        for (index, value) in values {
            for (sum, weight) in sums.iter_mut().zip(&self.weights[*index as usize]) {
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
    model.softmax(&feature_vector(&model.vocabulary, words))
}

#[cfg(test)]
mod tests {
    use super::super::intent::Intent;
    use super::*;

    #[test]
    fn a_misspelt_sentence_is_classified_by_the_n_grams_of_its_words() {
        for (sentence, intent) in [
            ("trun the baord round", Intent::Flip),
            ("offfer you a drwa", Intent::OfferDraw),
            ("i resingn", Intent::Resign),
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
