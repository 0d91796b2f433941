//! Rights to castle of a position that is set up.

use std::ops::Range;

use super::Filler;
use super::editor::is_square;

/// Words that take a right away, before it or behind it.
const REMOVING: [&str; 26] = [
    "no",
    "not",
    "without",
    "strike",
    "remove",
    "cancel",
    "lose",
    "loses",
    "lost",
    "never",
    "away",
    "revoke",
    "forbid",
    "forbidden",
    "neither",
    "delete",
    "drop",
    "clear",
    "off",
    "gone",
    "forfeits",
    "forfeited",
    "bin",
    "scrap",
    "scratch",
    "withdraw",
];

/// Words of a wing whose right is kept.
const STAYING: [&str; 8] =
    ["stay", "stays", "remain", "remains", "keep", "keeps", "kept", "untouched"];

/// Words between a side and "castle": "Black may no longer castle".
const MODALS: [&str; 18] = [
    "may", "can", "could", "must", "should", "shall", "will", "is", "be", "allowed", "to", "no",
    "not", "longer", "never", "only", "still", "now",
];

/// Words of a right that say nothing more.
const OF_RIGHT: [&str; 16] = [
    "right",
    "rights",
    "to",
    "his",
    "her",
    "the",
    "for",
    "can",
    "may",
    "any",
    "side",
    "out",
    "either",
    "permitted",
    "both",
    "longer",
];

impl Filler<'_> {
    /// Rights that are taken away, as `rights` of `-kq`, or that are the only ones, `=K`. Others follow from the kings
    /// and rooks that stand at home: what is said of them is named.
    pub(super) fn castling_rights(&mut self) {
        let count = self.sentence.words.len();
        let is_right = |at: &usize| {
            let link = usize::from(self.word(*at + 1) == "on");
            let is_verb = matches!(self.word(*at), "castle" | "castling" | "castles");
            let is_written = matches!(self.word(*at), "o-o" | "o-o-o");
            (is_verb || is_written)
                && !self.filled.used[*at]
                && !is_square(self.word(*at + 1 + link))
        };
        let places: Vec<usize> = (0..count).filter(is_right).collect();
        let Some(at) = places.first().copied() else { return };
        let near = at.saturating_sub(7)..(at + 6).min(count);
        let said = |words: &[&str]| {
            let mut found = near.clone().filter(|at| words.contains(&self.word(*at)));
            found.find(|at| !self.filled.used[*at])
        };
        let wings = self.wings();
        let (kept, wings): (Vec<_>, Vec<_>) =
            wings.into_iter().partition(|(words, _)| self.is_kept(words));
        let is_near = |(words, _): &&(Range<usize>, char)| near.contains(&words.start);
        let removed: Vec<_> = wings.iter().filter(is_near).cloned().collect();
        let has = |wings: &[(Range<usize>, char)], wing: char| {
            wings.iter().any(|(_, letter)| *letter == wing)
        };
        // "Bin the castling right, the queen's side stays": the other one.
        let named = if removed.is_empty() { &kept } else { &removed };
        let wing = match (has(named, 'q'), has(named, 'k')) {
            (true, true) | (false, false) => "kq",
            (of_queen, _) if of_queen != removed.is_empty() => "q",
            _ => "k",
        };
        let is_side = |at: &usize| {
            let word = self.word(*at);
            let word = word.strip_suffix('s').unwrap_or(word);
            // "Black to move" is no side of the right.
            matches!(word, "white" | "black") && self.word(at + 1) != "to"
        };
        // "Both castling rights of Black" are of one side.
        let both = near.clone().any(|at| {
            matches!(self.word(at), "either" | "both" | "neither")
                && matches!(
                    self.word(at + 1),
                    "side" | "sides" | "player" | "players" | "colour" | "colours" | ""
                )
        });
        let subject = self.subject_of(at).and_then(|at| match self.word(at) {
            // "Black to move, and he can't castle any more".
            "he" | "she" | "they" => {
                (0..at).rev().find(|at| matches!(self.word(*at), "white" | "black"))
            }
            _ => Some(at).filter(is_side),
        });
        let around = at.saturating_sub(12)..near.end;
        let in_clause = |side: &usize| {
            let (from, to) = (at.min(*side), at.max(*side));
            !(from + 1..=to).any(|at| self.is_apart(at))
        };
        let sides: Vec<usize> = (0..count).filter(is_side).collect();
        // "White king g1; Black king g8, no castling" is of both.
        let is_one =
            sides.windows(2).all(|pair| self.word(pair[0])[..1] == self.word(pair[1])[..1]);
        let nearest = around.filter(is_side).filter(|side| is_one || in_clause(side));
        let nearest = nearest.min_by_key(|side| side.abs_diff(at)).filter(|_| !both);
        let side = subject.or(nearest);
        let of = |wing: &str| match side.map(|at| self.word(at).starts_with("white")) {
            Some(true) => wing.to_uppercase(),
            Some(false) => wing.to_owned(),
            None => format!("{}{wing}", wing.to_uppercase()),
        };
        let rights = of(wing);
        let removes = near.clone().find(|at| REMOVING.contains(&self.word(*at)));
        let only = said(&["only", "just"]);
        // Which side "that side" is, another word says.
        let is_open = self.place_of("that side").is_some();
        let value = match (removes.filter(|_| !is_open), only) {
            // "Black may castle kingside only" says nothing of White.
            (None, Some(_)) if subject.is_some() && wing.len() == 1 => {
                format!("-{}", of(if wing == "k" { "q" } else { "k" }))
            }
            (None, Some(_)) => format!("={rights}"),
            (Some(_), _) => format!("-{rights}"),
            (None, None) => {
                let wing = matches!(self.word(at + 1), "kingside" | "queenside" | "short" | "long");
                let range = at..at + 1 + usize::from(wing);
                self.mark(range.clone());
                self.filled.named.push(range);
                return;
            }
        };
        for at in [Some(at), side, removes, only].into_iter().flatten() {
            self.mark(at..at + 1);
        }
        for (words, _) in removed {
            self.mark(words);
        }
        for (words, _) in kept {
            self.mark(words.clone());
            for at in words.end..(words.end + 3).min(count) {
                if STAYING.contains(&self.word(at)) {
                    self.mark(at..at + 1);
                }
            }
        }
        // "No castling rights, no castling for either side" says it twice.
        places.iter().for_each(|at| self.mark(*at..at + 1));
        for at in near.filter(|at| OF_RIGHT.contains(&self.word(*at))).collect::<Vec<_>>() {
            self.mark(at..at + 1);
        }
        self.set("rights", Some(value));
    }

    /// The side that stands before "castle" as who may or may not: "Black may no longer castle".
    fn subject_of(&self, castle: usize) -> Option<usize> {
        (0..castle).rev().find(|at| !MODALS.contains(&self.word(*at))).filter(|at| at + 1 < castle)
    }

    /// The wings that are said, "kingside", "on the queen's side", "Q-side", and their letters.
    fn wings(&self) -> Vec<(Range<usize>, char)> {
        let count = self.sentence.words.len();
        let wing = |at: usize| {
            let is_side = self.word(at + 1) == "side";
            match self.word(at) {
                "long" | "queenside" | "o-o-o" | "qside" => Some((at..at + 1, 'q')),
                "short" | "kingside" | "o-o" | "kside" => Some((at..at + 1, 'k')),
                "queen" | "queens" | "q" if is_side => Some((at..at + 2, 'q')),
                "king" | "kings" | "k" if is_side => Some((at..at + 2, 'k')),
                _ => None,
            }
        };
        (0..count).filter(|at| !self.filled.used[*at]).filter_map(wing).collect()
    }

    /// Whether the right to a wing stays: "Q-side stays".
    fn is_kept(&self, wing: &Range<usize>) -> bool {
        let before = (wing.start.saturating_sub(4)..=wing.start).rev();
        let before = before.skip(1).take_while(|at| !self.is_apart(at + 1));
        let behind = (wing.end..(wing.end + 4).min(self.sentence.words.len()))
            .take_while(|at| !self.is_apart(*at));
        before.chain(behind).any(|at| STAYING.contains(&self.word(at)))
    }
}
