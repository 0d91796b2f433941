//! Rights to castle of a position that is set up.

use super::Filler;
use super::editor::is_square;

/// Words that take a right away, before it or behind it.
const REMOVING: [&str; 22] = [
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
];

/// Words of a right that say nothing more.
const OF_RIGHT: [&str; 15] = [
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
        let wing =
            match (said(&["long", "queenside", "o-o-o"]), said(&["short", "kingside", "o-o"])) {
                (Some(long), None) => (Some(long), "q"),
                (None, Some(short)) => (Some(short), "k"),
                _ => (None, "kq"),
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
        let nearest =
            (at.saturating_sub(12)..near.end).filter(is_side).min_by_key(|side| side.abs_diff(at));
        let side = nearest.filter(|_| !both);
        let of_white = wing.1.to_uppercase();
        let rights = match side.map(|at| self.word(at).starts_with("white")) {
            Some(true) => of_white,
            Some(false) => wing.1.to_owned(),
            None => format!("{of_white}{}", wing.1),
        };
        let removes = near.clone().find(|at| REMOVING.contains(&self.word(*at)));
        let only = said(&["only", "just"]);
        // Which side "that side" is, another word says.
        let is_open = self.place_of("that side").is_some();
        let value = match (removes.filter(|_| !is_open), only) {
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
        for at in [Some(at), wing.0, side, removes, only].into_iter().flatten() {
            self.mark(at..at + 1);
        }
        // "No castling rights, no castling for either side" says it twice.
        places.iter().for_each(|at| self.mark(*at..at + 1));
        for at in near.filter(|at| OF_RIGHT.contains(&self.word(*at))).collect::<Vec<_>>() {
            self.mark(at..at + 1);
        }
        self.set("rights", Some(value));
    }
}
