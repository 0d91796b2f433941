//! The slots of a place in a game: a move by its number, the start, the next position.

use super::Filler;
use crate::limits::Meant;
use crate::{manner, numbers};

impl Filler<'_> {
    /// The move that is written with its number, unless another number says where to go.
    fn go_to_numbered(&mut self) -> Option<()> {
        let found = self.attempt(|filler| {
            filler.numbered_move()?;
            filler.unused("{n}").is_empty().then_some(())
        });
        self.filled.slots.remove("san");
        match found {
            Some(()) => {
                self.has(&["back", "ahead", "forward", "until"]);
                self.before_move();
            }
            None => {
                self.filled.slots.remove("move");
                self.filled.slots.remove("side");
            }
        }
        found
    }

    /// "The position before 12...Nd5": the one behind the half-move before it.
    fn before_move(&mut self) {
        if self.place_of("before").is_none() {
            return;
        }
        let number = self.filled.slots.get("move").and_then(serde_json::Value::as_u64);
        let Some(side) = self.filled.slots.get("side") else {
            // Whose move that is, is not said.
            for at in self.places(&["before"]) {
                self.filled.named.push(at..at + 1);
            }
            return;
        };
        let is_black = side == "black";
        let Some(number) = number.filter(|number| *number > 1 || is_black) else { return };
        let (number, side) = if is_black { (number, "white") } else { (number - 1, "black") };
        self.has(&["before"]);
        self.set("move", Some(number));
        self.set("side", Some(side));
    }

    pub(super) fn go_to(&mut self) {
        // "Ply 4" is the position behind this number of half-moves.
        let ply = (0..self.sentence.words.len()).find_map(|at| {
            let number = numbers::at(self.sentence.words, at + 1)?;
            (self.word(at) == "ply").then_some((at..at + 1 + number.words, number.count()?))
        });
        if let Some((words, ply)) = ply {
            self.mark(words);
            self.has(&["back", "ahead", "forward"]);
            self.set("ply", Some(ply));
            return;
        }
        // "Where I played 17...Rxd4": the move is found by its number.
        if self.go_to_numbered().is_some() {
            return;
        }
        if let Some(words) = manner::refused_deletion(self.sentence.words) {
            self.mark(words);
        }
        // "The position just before Black took on d4".
        if self.is_of_described_move() && self.described_move() {
            let before = self.place_of("before").is_some();
            self.set("before", before.then_some(true));
            self.has(&["before", "after", "just", "right", "immediately", "moment", "back"]);
            return;
        }
        if let Some(number) = self
            .unused("{n}")
            .iter()
            .find(|number| self.numbered(number).is_some_and(|at| self.word(at) == "move"))
        {
            // "Back to move 12", "skip ahead to move thirty".
            let to =
                numbers::at(self.sentence.words, number.from).and_then(|number| number.count());
            self.mark(number.from - 1..number.to);
            self.has(&["back", "ahead", "forward", "forwards", "until", "till"]);
            self.set("move", to);
            self.side_of_move();
            self.before_move();
            return;
        }
        // "Before Black's 20th move", "after the third move of White".
        let links = ["before", "after", "behind"];
        let is_place = links.iter().any(|link| self.place_of(link).is_some());
        let mut places = 0..self.sentence.words.len();
        let ordinal = places.find_map(|at| {
            let typed = &self.sentence.split[at].chunk;
            let typed = &self.sentence.text[typed.0..typed.1];
            let number = numbers::ordinal(self.word(at)).or_else(|| numbers::ordinal(typed))?;
            // "The position before the 20th".
            let is_word = typed.starts_with(|sign: char| sign.is_ascii_digit());
            let is_move = self.word(at + 1) == "move";
            (is_move || is_word).then_some((at..at + 1 + usize::from(is_move), number))
        });
        if let Some((words, number)) = ordinal.filter(|_| is_place) {
            self.mark(words);
            self.set("move", Some(number));
            self.side_of_move();
            self.before_move();
            return;
        }
        let place = self.place();
        self.set("place", place);
        self.refused_other(&["end", "start", "beginning"]);
        // "Three moves back" counts, and "move three" has its number.
        let count = self.number(&["moves"]);
        let back = place.is_none() && count.is_some() && self.has(&["rewind", "rewinds"]);
        match place.or(back.then_some("previous")) {
            Some(place @ ("next" | "previous")) => {
                let count = count.or_else(|| self.half_moves());
                let steps = ["move", "position", "positions", "step", "steps", ""];
                let count = count.or_else(|| self.number(&steps));
                self.set("place", Some(place));
                // "One move forward".
                self.set("count", count.filter(|count| *count != 1));
            }
            _ => {
                let number = self.number(&["move", ""]);
                self.set("move", number.or(count));
                if number.is_some() {
                    self.side_of_move();
                }
            }
        }
    }

    /// Whether a move is described, and no number says where to go.
    fn is_of_described_move(&self) -> bool {
        let is_number = |number: &crate::tags::Tagged| {
            self.numbered(number).is_some() || self.counted(number).is_some()
        };
        !self.unused("{n}").iter().any(is_number)
    }

    /// "Two plies" are steps; elsewhere they are a depth.
    pub(super) fn half_moves(&mut self) -> Option<u32> {
        let plies = |meant: &Meant| meant.limit().strip_prefix("depth=").map(str::to_owned);
        self.limit_as(plies)?.parse().ok()
    }

    /// "Black's 17th move", "move twelve, white".
    pub(super) fn side_of_move(&mut self) {
        let side = ["white", "black"].into_iter().find(|side| self.has_exactly(side));
        self.set("side", side);
    }

    /// Whether a side is said as it is written, and no other one.
    fn has_exactly(&mut self, side: &str) -> bool {
        let is_side = |word: &str, side: &str| word.strip_suffix('s').unwrap_or(word) == side;
        let other = if side == "white" { "black" } else { "white" };
        let words = self.sentence.words;
        let place = words.iter().position(|word| is_side(word, side));
        let is_one = !words.iter().any(|word| is_side(word, other));
        let place = place.filter(|_| is_one);
        place.is_some_and(|at| {
            self.mark(at..at + 1);
            true
        })
    }

    fn place(&mut self) -> Option<&'static str> {
        let places: [(&str, &[&str]); 4] = [
            (
                "start",
                &[
                    "start",
                    "beginning",
                    "first",
                    "begin",
                    "opening",
                    "began",
                    "started",
                    "starting",
                ],
            ),
            ("end", &["end", "last", "final", "latest", "finished", "ended"]),
            ("next", &["next", "forward", "forwards", "ahead"]),
            ("previous", &["previous", "back", "backward", "prior", "before"]),
        ];
        let untouched = ["anybody", "anyone", "any piece", "anything", "the first move"];
        let is_moving = |word: &str| {
            matches!(
                word,
                "" | "moved"
                    | "moves"
                    | "had"
                    | "has"
                    | "made"
                    | "played"
                    | "touched"
                    | "was"
                    | "happened"
            )
        };
        let untouched = untouched.iter().find_map(|said| self.place_of(&format!("before {said}")));
        if let Some(place) = untouched.filter(|place| is_moving(self.word(place.end))) {
            self.mark(place);
            self.has(&["back", "beginning", "start"]);
            return Some("start");
        }
        let now = ["where we are now", "where we are", "current position", "present position"];
        if now.iter().any(|said| self.phrase(said)) {
            self.has(&["back"]);
            return Some("end");
        }
        places.iter().find(|(_, words)| self.has(words)).map(|(place, _)| *place)
    }
}
