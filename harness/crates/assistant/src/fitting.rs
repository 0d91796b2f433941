//! Where a name fits best among the words of a sentence.
//!
//! P. Sellers, "The theory and computation of evolutionary distances: pattern recognition", Journal of
//! Algorithms 1, 1980: the edit distance of a pattern to the part of a text that is nearest to it.

use super::words::letters;

/// More edits than this share of a name do not fit.
const EDITS: f32 = 0.5;

/// The letters of a sentence without spaces, each with its word.
#[derive(Debug)]
pub struct Line {
    letters: Vec<u8>,
    /// Where each word begins, and the end of the last.
    starts: Vec<usize>,
}

impl Line {
    /// Of the words of a sentence.
    pub fn new(words: &[String]) -> Line {
        let mut line = Line { letters: Vec::new(), starts: vec![0] };
        for word in words {
            line.letters.extend(letters(word).bytes());
            line.starts.push(line.letters.len());
        }
        line
    }

    /// The words, from and to, where the letters of a name fit best; none if they do not.
    pub fn best(&self, name: &str) -> Option<(usize, usize)> {
        let (distance, from, to) = nearest_part(name.as_bytes(), &self.letters);
        if distance as f32 > EDITS * name.len() as f32 {
            return None;
        }
        // The word boundaries next to the part.
        let boundary =
            |place: usize| (0..self.starts.len()).min_by_key(|at| self.starts[*at].abs_diff(place));
        let from = boundary(from)?;
        let to = boundary(to)?;
        (from < to).then_some((from, to))
    }
}

/// Edits from a pattern to the nearest part of a text, and where that part begins and ends.
fn nearest_part(pattern: &[u8], text: &[u8]) -> (u32, usize, usize) {
    // Of each part of the text that ends here: edits, and where it begins.
    let mut row: Vec<(u32, usize)> = (0..=text.len()).map(|at| (0, at)).collect();
    for letter in pattern {
        let mut diagonal = row[0];
        row[0].0 += 1;
        for at in 1..row.len() {
            let above = row[at];
            let changed = (diagonal.0 + u32::from(text[at - 1] != *letter), diagonal.1);
            let dropped = (above.0 + 1, above.1);
            let added = (row[at - 1].0 + 1, row[at - 1].1);
            let mut best = changed;
            for other in [dropped, added] {
                if other.0 < best.0 {
                    best = other;
                }
            }
            row[at] = best;
            diagonal = above;
        }
    }
    let best = row.iter().enumerate().min_by_key(|(_, (distance, _))| *distance);
    best.map_or((u32::MAX, 0, 0), |(to, (distance, from))| (*distance, *from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_found_between_whole_words() {
        for (sentence, name, expected) in [
            ("play the sissilian now", "sicilian", Some((2, 3))),
            ("lets play the car o can", "carokann", Some((3, 6))),
            ("show the queens gambit declined", "queensgambitdeclined", Some((2, 5))),
            ("show the queensgambit declnied please", "queensgambitdeclined", Some((2, 4))),
            ("turn the board", "grunfeldindian", None),
        ] {
            let words: Vec<String> = sentence.split(' ').map(str::to_owned).collect();
            assert_eq!(Line::new(&words).best(name), expected, "{sentence}");
        }
    }
}
