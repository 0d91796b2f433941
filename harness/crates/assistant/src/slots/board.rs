//! The slots of what is asked of a board.

use super::Filler;
use super::editor::{is_piece, is_square};
use crate::intent::Intent;
use crate::names;
use crate::tags::Tagged;

impl Filler<'_> {
    /// The slots of what is asked of a board.
    pub fn fill_for_board(&mut self) {
        match self.intent {
            Intent::PlayOpening => {
                let opening = self.opening();
                self.set("opening", opening);
                let side = self.side();
                self.set("side", side);
                if side.is_some() {
                    self.has(&["side"]);
                }
                // That is the opening itself.
                self.phrase("main line");
                self.refused_game();
            }
            Intent::Flip => {
                self.leave_own_side();
                let side = self.side_below().or_else(|| self.side_of_corner());
                // Half a turn is all there is.
                self.number_if(&["degree", "degrees", ""], 180);
                self.has(&["degree", "degrees", "colour"]);
                // "Why is black below, turn it": that side is there.
                let is_there = self.word(0) == "why";
                self.set("side", side.filter(|_| !is_there));
            }
            Intent::Move => {
                let text = self.sentence.text.trim();
                self.set("move", Some(text));
                self.mark(0..self.sentence.words.len());
            }
            Intent::TakeBack => self.take_back(),
            // "I lay down my king".
            Intent::Resign => drop(self.has(&["king"])),
            Intent::CommentGame => self.name_side_alone(),
            Intent::GoTo => self.go_to(),
            Intent::NewGame => self.new_game(),
            Intent::SetLevel => self.set_level(),
            Intent::Hint | Intent::Evaluate | Intent::Threat => self.answer(),
            Intent::EngineOn => self.engine_on(),
            Intent::EditPosition => self.edit_position(),
            Intent::PlayOut => self.play_out(),
            Intent::Practice => self.practice(),
            Intent::Export => {
                let what = self.export();
                self.set("what", Some(what));
                self.exported_file(what);
            }
            _ => {}
        }
    }

    /// The side that is below: of "White at the top" Black.
    pub(super) fn side_below(&mut self) -> Option<&'static str> {
        let side = self.side()?;
        let is_above = self.has(&["top", "upper", "above", "uppermost"]);
        Some(match (is_above, side) {
            (true, "white") => "black",
            (true, _) => "white",
            (false, side) => side,
        })
    }

    /// "But I stay White": a turned board changes no player.
    fn leave_own_side(&mut self) {
        let words = self.sentence.words;
        let is_who = |at: &usize| matches!(self.word(*at), "i" | "me" | "user");
        let stays = |at: usize| {
            matches!(
                self.word(at),
                "stay" | "remain" | "keep" | "still" | "staying" | "remaining" | "continue"
            )
        };
        let is_link = |at: usize| {
            stays(at)
                || matches!(
                    self.word(at),
                    "am" | "play" | "playing" | "the" | "as" | "with" | "have"
                )
        };
        let found = (0..words.len()).filter(is_who).find_map(|who| {
            let side = (who + 1..words.len()).find(|at| !is_link(*at))?;
            let is_side = matches!(self.word(side), "white" | "black");
            (is_side && (who + 1..side).any(stays)).then_some((who, side))
        });
        if let Some((who, side)) = found {
            let but = usize::from(who > 0 && matches!(self.word(who - 1), "but" | "and"));
            self.mark(who - but..side + 1);
        }
    }

    /// "H1 ought to be in the lower right": the side at whose end of the board a square is.
    fn side_of_corner(&mut self) -> Option<&'static str> {
        let words = self.sentence.words;
        let square = (0..words.len()).find(|at| is_square(self.word(*at)))?;
        let is_below = match self.word(square).as_bytes()[1] {
            b'1' => true,
            b'8' => false,
            _ => return None,
        };
        let low = self.has(&["lower", "bottom", "below", "near", "nearest"]);
        let high = !low && self.has(&["upper", "top", "above", "far"]);
        if !low && !high {
            return None;
        }
        self.mark(square..square + 1);
        self.has(&["left", "right", "corner", "hand"]);
        Some(if is_below == low { "white" } else { "black" })
    }

    /// "But don't start a game": an opening is put on the board without one in any case.
    fn refused_game(&mut self) {
        const VERBS: [&str; 8] =
            ["start", "starting", "begin", "beginning", "play", "playing", "have", "having"];
        let words = self.sentence.words;
        let Some(not) = words.iter().position(|word| matches!(&**word, "not" | "without" | "no"))
        else {
            return;
        };
        let is_between = |at: &usize| {
            VERBS.contains(&self.word(*at)) || matches!(self.word(*at), "a" | "any" | "the" | "new")
        };
        let noun = (not + 1..).find(|at| !is_between(at)).unwrap_or(not);
        if matches!(self.word(noun), "game" | "games") {
            let from =
                (0..not).rev().take_while(|at| matches!(self.word(*at), "but" | "do")).last();
            self.mark(from.unwrap_or(not)..noun + 1);
        }
    }

    /// "Only the mistakes of Black", "Black's worst decision", "but not the bot's": a review is of both sides.
    fn name_side_alone(&mut self) {
        let sides = self.places(&["white", "black", "whites", "blacks"]);
        let is_alone = ["only", "just", "alone"].iter().any(|word| self.place_of(word).is_some());
        let owns = |at: &usize| {
            let before = at.checked_sub(1).map_or("", |at| self.word(at));
            self.word(*at).ends_with('s') || matches!(before, "of" | "by" | "for" | "from")
        };
        let found: Vec<usize> = match sides.first() {
            Some(first) if is_alone => vec![*first],
            _ => sides.into_iter().filter(owns).collect(),
        };
        for at in found {
            self.mark(at..at + 1);
            self.filled.named.push(at..at + 1);
        }
    }

    /// Whether an engine is named that is to answer: not by a word that is a little like its name ("touch"), nor by "my
    /// stuff".
    pub(super) fn names_analyst(&self) -> bool {
        /// A word more like a name than this is that name.
        const LIKE: f32 = 0.6;
        let names = |token: &Tagged| {
            let typed = self.typed(token.from);
            token.text == "{engine}"
                && self.engine_of(token).is_some_and(|name| {
                    let likeness = names::among(&typed, [name.as_str()]);
                    name.starts_with(&typed.to_lowercase())
                        || likeness.is_some_and(|found| found.similarity > LIKE)
                })
        };
        let own = ["engine", "build", "version", "patch", "branch", "head"];
        let says_own = self.sentence.words.iter().any(|word| own.contains(&word.as_str()));
        says_own || self.sentence.tagged.iter().any(|token| token.text == "{rev}" || names(token))
    }

    /// "Copy the FEN, not the PGN": what is not meant beside what is, is no detail.
    pub(super) fn refused_other(&mut self, others: &[&str]) {
        let not = self.sentence.words.iter().position(|word| word == "not");
        let Some(not) = not.filter(|not| *not > 0) else { return };
        let noun = (not + 1..).find(|at| {
            !matches!(self.word(*at), "the" | "a" | "at" | "to" | "its" | "whole" | "entire")
        });
        let noun = noun.filter(|at| others.contains(&self.word(*at)));
        if let Some(noun) = noun {
            self.mark(not..noun + 1);
        }
    }

    /// Position that a board is set up with; where single squares are emptied, another word has to say that all
    /// are.
    pub(super) fn preset(&mut self, is_of_all: bool) -> Option<&'static str> {
        let whole = [
            "clear the board",
            "nothing on the board",
            "board with no pieces",
            "board without pieces",
            "empty the board",
            "clear everything",
            "remove everything",
            "take everything off",
            "everything off",
        ];
        // "Remove all black pawns" and "the h-pawns" leave the others.
        let names_piece = self.sentence.words.iter().any(|word| is_piece(word));
        // "Clear the board of black pieces" leaves the others.
        let is_of_some = self.place_of("board of").is_some();
        let emptied = (!is_of_some && whole.iter().any(|phrase| self.phrase(phrase)))
            || (is_of_all && !names_piece && self.has(&["empty", "clear", "remove", "wipe"]));
        // Exactly: "black" is like "blank".
        let empty = self.phrase("clean") || self.phrase("blank") || emptied;
        let has_fen = self.filled.slots.contains_key("fen");
        let start =
            self.has(&["start", "starting", "initial", "standard", "beginning"]) && !has_fen;
        if empty { Some("empty") } else { start.then_some("start") }
    }
}
