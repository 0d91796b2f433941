//! Linear support vector machines from the words, pairs of words and character n-grams of a sentence to its
//! intent, one against the others for each intent, trained on the example sentences when first used.
//!
//! The n-grams are two to four letters of a word with its ends, so that a misspelt word keeps most of its
//! own (P. Bojanowski and others, "Enriching word vectors with subword information", 2017). The squared
//! hinge loss is minimised by coordinate descent in the dual (C.-J. Hsieh and others, "A dual coordinate
//! descent method for large-scale linear SVM", 2008, algorithm 1).

use std::collections::HashMap;
use std::sync::OnceLock;

use rand_pcg::Pcg64Mcg;

use super::intent::INTENTS;
use super::templates::{self, Template};
use super::thesaurus;
use harness_stats::random::order::{below, shuffled_by};
use harness_stats::random::stream;

/// Passes over the examples.
const PASSES: usize = 4;

/// Sentences of one template in the training set.
const SENTENCES: usize = 3;

/// Cost of an error of a sentence as people say it (C).
const COST: f32 = 1.0;

/// Cost of an error of a template, as a share of that.
const TEMPLATES: f32 = 0.3;

/// Cost of an error of a sentence of a template with typing errors.
const TYPED: f32 = 0.1;

/// Factor from margins to logarithms of probabilities: of those above 0.9, 98 % are right of sentences by others than who
/// wrote the examples.
const SHARPNESS: f32 = 7.0;

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
    /// Of each feature; then those of the constant 1.
    weights: Vec<Weights>,
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

/// The class of a word, or else the word.
fn meaning(word: &str) -> Vec<u8> {
    match thesaurus::classes(word).first() {
        Some(class) => class.to_le_bytes().to_vec(),
        None => word.as_bytes().to_vec(),
    }
}

/// Words, classes of words, pairs of both of a sentence, and character n-grams of its words, each once.
fn features(words: &[&str]) -> [Vec<Feature>; 2] {
    let ends = [&["<"][..], words, &[">"]].concat();
    let single = words.iter().map(|word| feature(1, &[word.as_bytes()]));
    let pairs = ends.windows(2).map(|pair| feature(2, &[pair[0].as_bytes(), pair[1].as_bytes()]));
    let classes = words.iter().flat_map(|word| thesaurus::classes(word));
    let classes = classes.map(|class| feature(4, &[&class.to_le_bytes()]));
    let meanings: Vec<Vec<u8>> = ends.iter().map(|word| meaning(word)).collect();
    let alike = meanings.windows(2).map(|pair| feature(5, &[&pair[0], &pair[1]]));
    let mut whole: Vec<Feature> = single.chain(pairs).chain(classes).chain(alike).collect();
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
    /// Cost of an error.
    cost: f32,
}

/// Some sentences of a template, which differ little from each other.
fn examples_of(template: &Template, cost: f32) -> Vec<TrainingExample<'_>> {
    let cost = cost / (template.sentences.len() as f32).sqrt();
    let every = template.sentences.len().div_ceil(SENTENCES).max(1);
    let some = template.sentences.iter().step_by(every);
    let words = some.map(|words| words.iter().map(String::as_str).collect());
    let intent = template.intent as usize;
    words.map(|words| TrainingExample { words, intent, cost }).collect()
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

/// An example while the machines are trained.
struct Sample {
    values: FeatureVector,
    /// Its class.
    intent: usize,
    /// What is added to its dual for the squares of errors: 1 / 2C.
    diagonal: f32,
    /// The dual variables of the machines.
    dual: Weights,
}

impl Sample {
    fn new(values: FeatureVector, intent: usize, cost: f32) -> Sample {
        Sample { values, intent, diagonal: 0.5 / cost, dual: [0.0; INTENTS] }
    }
}

impl Model {
    /// Trains on the example sentences, one of each template with typing errors, too.
    fn train() -> Model {
        let templates = templates::all().iter().map(|it| (it, TEMPLATES * COST));
        let said = templates::said().iter().map(|it| (it, COST));
        let examples: Vec<TrainingExample<'_>> =
            templates.chain(said).flat_map(|(it, cost)| examples_of(it, cost)).collect();
        let vocabulary = vocabulary(&examples);
        let sample = |example: &TrainingExample<'_>| {
            let values = feature_vector(&vocabulary, &example.words);
            Sample::new(values, example.intent, example.cost)
        };
        let mut samples: Vec<Sample> = examples.iter().map(sample).collect();
        let mut random = stream("typing errors", 1, 0);
        for template in templates::all() {
            let Some(words) = template.sentences.first() else { continue };
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let typed = with_typos(&words, &mut random);
            let words = typed.iter().map(String::as_str).collect();
            let intent = template.intent as usize;
            samples.push(sample(&TrainingExample { words, intent, cost: TYPED }));
        }
        let weights = vec![[0.0; INTENTS]; vocabulary.len() + 1];
        let mut model = Model { vocabulary, weights };
        let mut random = stream("order of examples", 1, 0);
        for _ in 0..PASSES {
            for at in shuffled_by(samples.len(), &mut random) {
                model.descend(&mut samples[at as usize]);
            }
        }
        model
    }

    /// Minimises the dual of each machine in the variable of one example.
    fn descend(&mut self, sample: &mut Sample) {
        let margins = self.margins(&sample.values);
        let square: f32 = sample.values.iter().map(|(_, value)| value * value).sum();
        let curvature = square + 1.0 + sample.diagonal;
        let mut steps = [0.0; INTENTS];
        let mut is_still = true;
        for (intent, step) in steps.iter_mut().enumerate() {
            let side = if intent == sample.intent { 1.0 } else { -1.0 };
            let dual = sample.dual[intent];
            let gradient = side * margins[intent] - 1.0 + sample.diagonal * dual;
            let next = (dual - gradient / curvature).max(0.0);
            sample.dual[intent] = next;
            *step = (next - dual) * side;
            is_still &= *step == 0.0;
        }
        if is_still {
            return;
        }
        let constant = (self.weights.len() as u32 - 1, 1.0);
        for (index, value) in sample.values.iter().chain([&constant]) {
            for (weight, step) in self.weights[*index as usize].iter_mut().zip(&steps) {
                *weight += value * step;
            }
        }
    }

    /// The margin of each machine.
    fn margins(&self, values: &[(u32, f32)]) -> Weights {
        let mut sums = self.weights[self.weights.len() - 1];
        for (index, value) in values {
            for (sum, weight) in sums.iter_mut().zip(&self.weights[*index as usize]) {
                *sum += value * weight;
            }
        }
        sums
    }

    /// Probability of each intent, from the margins by a softmax.
    fn probabilities(&self, values: &[(u32, f32)]) -> Weights {
        let margins = self.margins(values);
        let most = margins.iter().copied().fold(f32::MIN, f32::max);
        let powers = margins.map(|margin| (SHARPNESS * (margin - most)).exp());
        let total: f32 = powers.iter().sum();
        powers.map(|power| power / total)
    }
}

/// Probability of each intent, in the order of the enumeration.
pub fn probabilities(words: &[&str]) -> [f32; INTENTS] {
    let model = model();
    model.probabilities(&feature_vector(&model.vocabulary, words))
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
