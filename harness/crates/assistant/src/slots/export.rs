//! The slots of what is copied or saved: the position, the game, a link or a picture, and the file.

use std::ops::{Range, RangeInclusive};

use super::Filler;
use crate::numbers;

/// Widths of pictures; others stay unread.
const PIXELS: RangeInclusive<u32> = 50..=4000;

impl Filler<'_> {
    /// The file that is saved: by its name, or as the browser names it.
    pub(super) fn exported_file(&mut self, what: &str) {
        let named = self.written("{file}").or_else(|| self.written("{suite}"));
        if named.is_some() {
            self.has(&["as", "to", "into", "name", "called", "named", "under", "file", "save"]);
        }
        let saves = ["save", "download", "store", "file", "write", "dump"];
        let is_saved = what == "pgn" && saves.iter().any(|word| self.place_of(word).is_some());
        if is_saved {
            self.has(&saves);
        }
        self.set("file", named.or(is_saved.then(|| "game.pgn".to_owned())));
        if what == "picture" {
            let side = self.side_below();
            self.set("side", side);
            self.has(&["below", "bottom", "side"]);
            let pixels = self.attempt(|filler| {
                let pixels = filler.number(&["px", "pixel", "pixels"])?;
                PIXELS.contains(&pixels).then_some(pixels)
            });
            self.set("pixels", pixels);
        }
    }

    /// The words that refuse a form: "not the FEN", "no PGN", "FEN isn't needed".
    fn refused_format(&self, at: usize) -> Option<Range<usize>> {
        let is_needed = |at: usize| {
            matches!(
                self.word(at),
                "needed" | "necessary" | "wanted" | "required" | "need" | "want"
            )
        };
        // "The FEN is not needed", "I do not need the FEN".
        let behind = matches!(self.word(at + 1), "is" | "are") && self.word(at + 2) == "not";
        if behind && is_needed(at + 3) {
            return Some(at..at + 4);
        }
        let article = usize::from(at > 0 && matches!(self.word(at - 1), "the" | "a" | "any"));
        let before = |by: usize| (at - article).checked_sub(by).map_or("", |at| self.word(at));
        if before(2) == "not" && is_needed(at - article - 1) && !self.is_apart(at) {
            return Some(at - article - 2..at + 1);
        }
        if before(1) == "no" && !self.is_apart(at) {
            return Some(at - article - 1..at + 1);
        }
        self.refusal(at).map(|first| first..at + 1)
    }

    /// "As SVG": a file that the browser does not make is named, and so is the name of one without its end.
    fn name_formats(&mut self) {
        for at in self.places(&["svg", "jpg", "gif"]) {
            if matches!(self.word(at), "svg" | "jpg" | "gif") {
                self.filled.named.push(at..at + 1);
            }
        }
        // "The moves one to three": all moves are copied.
        let words = self.sentence.words;
        let part = (0..words.len()).find_map(|at| {
            let first = numbers::at(words, at + 1).filter(|_| self.word(at).starts_with("move"))?;
            let link = at + 1 + first.words;
            let last = numbers::at(words, link + 1)
                .filter(|_| matches!(self.word(link), "to" | "till" | "until" | "through" | "and"));
            Some(at..last.map_or(link, |last| link + 1 + last.words))
        });
        if let Some(part) = part {
            self.mark(part.clone());
            self.filled.named.push(part);
        }
    }

    /// The form in which a game or a position is wanted.
    pub(super) fn export(&mut self) -> &'static str {
        self.name_formats();
        const PICTURES: [&str; 10] = [
            "picture",
            "image",
            "screenshot",
            "photo",
            "png",
            "gif",
            "svg",
            "diagram",
            "pic",
            "jpg",
        ];
        let pictures = self.places(&PICTURES);
        let is_wanted = |at: &usize| {
            self.refused_format(*at).is_none()
                // "The FEN of this diagram".
                && !(self.word(*at) == "diagram" && *at > 0 && self.word(at - 1) == "this")
        };
        if pictures.iter().any(is_wanted) {
            self.has(&PICTURES);
            self.refused_other(&["pgn", "fen", "text", "words"]);
            self.has(&["board", "position", "diagram"]);
            return "picture";
        }
        let link = self.has(&["link", "url", "share", "address"]);
        let is_refused = |filler: &Self, word: &str| {
            filler.places(&[word]).into_iter().all(|at| filler.refused_format(at).is_some())
        };
        let fen = (!is_refused(self, "fen") || !is_refused(self, "position"))
            && self.has(&["fen", "position"]);
        let refused = self.places(&["pgn"]).into_iter().all(|at| self.refused_format(at).is_some());
        let formats = self.places(&["fen", "pgn", "position", "picture"]);
        let unwanted: Vec<_> =
            formats.into_iter().filter_map(|at| self.refused_format(at)).collect();
        unwanted.into_iter().for_each(|words| self.mark(words));
        // "The FEN and the PGN": one is copied, and the other named.
        if fen && !refused {
            for at in self.places(&["pgn"]) {
                self.filled.named.push(at..at + 1);
            }
        }
        self.has(&["pgn"]);
        self.refused_other(if fen { &["pgn", "game", "moves"] } else { &["fen", "position"] });
        if link {
            "link"
        } else if fen {
            "fen"
        } else {
            "pgn"
        }
    }
}
