//! The slots of what is copied or saved: the position, the game, a link or a picture, and the file.

use std::ops::RangeInclusive;

use super::Filler;

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

    /// The form in which a game or a position is wanted.
    pub(super) fn export(&mut self) -> &'static str {
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
            self.refusal(*at).is_none()
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
            filler.places(&[word]).into_iter().all(|at| filler.refusal(at).is_some())
        };
        let fen = (!is_refused(self, "fen") || !is_refused(self, "position"))
            && self.has(&["fen", "position"]);
        let refused = self.places(&["pgn"]).into_iter().all(|at| self.refusal(at).is_some());
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
