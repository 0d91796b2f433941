//! Texts that share pairs and triples of letters, or pairs of sounds, with another.

use std::collections::HashMap;

/// Which pairs and triples each of many texts has.
#[derive(Debug)]
pub struct Grams {
    /// The texts that have one, and how much it tells.
    with: HashMap<Gram, (f32, Vec<u32>)>,
    /// Total weight of all grams of a text.
    totals: Vec<f32>,
}

/// Two or three letters, or two letters of a code of sounds; the first byte tells them apart.
type Gram = [u8; 4];

/// The pairs and triples of a text and its code, each once.
fn grams(letters: &str, code: &str) -> Vec<Gram> {
    let pairs = letters.as_bytes().windows(2).map(|pair| [2, pair[0], pair[1], 0]);
    let triples = letters.as_bytes().windows(3).map(|three| [3, three[0], three[1], three[2]]);
    let sounds = code.as_bytes().windows(2).map(|pair| [1, pair[0], pair[1], 0]);
    let mut grams: Vec<Gram> = pairs.chain(triples).chain(sounds).collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

impl Grams {
    /// Of texts with their codes.
    pub fn new<'a>(texts: impl Iterator<Item = (&'a str, &'a str)>) -> Grams {
        let mut with: HashMap<Gram, (f32, Vec<u32>)> = HashMap::new();
        let mut count = 0;
        for (letters, code) in texts {
            for gram in grams(letters, code) {
                with.entry(gram).or_default().1.push(count);
            }
            count += 1;
        }
        let mut totals = vec![0.0; count as usize];
        for (weight, texts) in with.values_mut() {
            *weight = (1.0 + count as f32 / texts.len() as f32).ln();
            for text in texts {
                totals[*text as usize] += *weight;
            }
        }
        Grams { with, totals }
    }

    /// Numbers of the texts that share most with a text, the nearest first, at most `count`.
    ///
    /// Similarity: the square of the shared weight over the total of the other: of two of which the text
    /// has all, the longer comes first.
    pub fn nearest(&self, letters: &str, code: &str, count: usize) -> Vec<u32> {
        let mut shared = vec![0.0_f32; self.totals.len()];
        for (weight, texts) in grams(letters, code).iter().filter_map(|gram| self.with.get(gram)) {
            for text in texts {
                shared[*text as usize] += weight;
            }
        }
        let scores = shared.iter().zip(&self.totals).map(|(shared, total)| shared * shared / total);
        let mut scored: Vec<(f32, u32)> =
            scores.zip(0..).filter(|(score, _)| *score > 0.0).collect();
        let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if scored.len() > count {
            scored.select_nth_unstable_by(count, order);
            scored.truncate(count);
        }
        scored.sort_unstable_by(order);
        scored.into_iter().map(|(_, text)| text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_share_most_come_first_and_of_whole_ones_the_longest() {
        let texts = ["sicilian", "sicilianalapin", "french", "scandinavian"];
        let grams = Grams::new(texts.iter().map(|text| (*text, "")));
        assert_eq!(grams.nearest("playthesicilianalapin", "", 2), [1, 0]);
        assert_eq!(grams.nearest("sicillian", "", 1), [0]);
        assert_eq!(grams.nearest("frnch", "", 9), [2]);
        assert!(grams.nearest("xyz", "", 9).is_empty());
    }
}
