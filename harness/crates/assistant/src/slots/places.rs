//! The slots of a place in a game: a move by its number, the start, the next position.

use std::ops::Range;

use super::Filler;
use super::references::is_side;
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

    /// "Ply 4", "after the second half-move", "half-move 3": the position behind this number of half-moves.
    fn ply(&self) -> Option<(Range<usize>, u32)> {
        let words = self.sentence.words;
        let is_half = |at: usize| self.word(at) == "half" && self.word(at + 1).starts_with("move");
        let noun = |at: usize| match self.word(at) {
            "ply" | "plies" | "halfmove" | "halfmoves" => 1,
            _ if is_half(at) => 2,
            _ => 0,
        };
        (0..words.len()).find_map(|at| {
            let length = noun(at);
            let behind = numbers::at(words, at + length).filter(|_| length > 0);
            if let Some(number) = behind {
                return Some((at..at + length + number.words, number.count()?));
            }
            // "After two half-moves" counts from the start, "two half-moves back" does not.
            let ordinal = numbers::ordinal(self.word(at)).filter(|_| noun(at + 1) > 0);
            if let Some(number) = ordinal {
                return Some((at..at + 1 + noun(at + 1), number));
            }
            let number = numbers::at(words, at)?;
            let length = noun(at + number.words);
            let before = at.checked_sub(1).map_or("", |at| self.word(at));
            let is_place = length > 0 && matches!(before, "after" | "behind");
            Some((at..at + number.words + length, number.count()?)).filter(|_| is_place)
        })
    }

    /// "The second last position", "the last but one", "the penultimate position": how many half-moves before the end.
    fn before_end(&mut self) -> Option<u32> {
        let words = self.sentence.words;
        let is_free = |at: usize| !self.filled.used[at] && !self.is_apart(at + 1);
        let found = (0..words.len()).filter(|at| is_free(*at)).find_map(|at| {
            match (self.word(at), self.word(at + 1), self.word(at + 2)) {
                ("penultimate", ..) => Some((at..at + 1, 1)),
                ("antepenultimate", ..) => Some((at..at + 1, 2)),
                ("last", "but", count @ ("one" | "two" | "three")) => {
                    Some((at..at + 3, numbers::at(&[count.to_owned()], 0)?.count()?))
                }
                ("next", "to", "last") => Some((at..at + 3, 1)),
                (nth, "to", "last") => Some((at..at + 3, numbers::ordinal(nth)?.checked_sub(1)?)),
                (nth, "last", _) => Some((at..at + 2, numbers::ordinal(nth)?.checked_sub(1)?)),
                _ => None,
            }
        });
        if let Some(found) = self.before_last_move() {
            return Some(found);
        }
        // Of "my second last move" the other's moves do not count.
        let is_of_side = |place: &Range<usize>| {
            let before = place.start.checked_sub(1).map_or("", |at| self.word(at));
            matches!(before, "my" | "his" | "her" | "your" | "opponents" | "engines")
                || words.iter().any(|word| is_side(word))
        };
        let (place, back) = found.filter(|(place, back)| *back > 0 && !is_of_side(place))?;
        self.mark(place);
        self.has(&["position", "move"]);
        Some(back)
    }

    /// "Before my last move", "before the last move of Black": one's own may stand before the reply to it.
    fn before_last_move(&mut self) -> Option<u32> {
        let words = self.sentence.words;
        let place = self.place_of("last move")?;
        let before = place.start.checked_sub(2).filter(|at| self.word(*at) == "before")?;
        let of = usize::from(self.word(place.end) == "of");
        let behind = Some(place.end + 1).filter(|at| of > 0 && *at < words.len());
        let side = self.side_said(before + 1).or_else(|| self.side_said(behind?));
        if side.is_none() && self.word(before + 1) != "the" {
            return None;
        }
        let is_white_next = self.sentence.context.fen.split(' ').nth(1) == Some("w");
        let last = if is_white_next { "black" } else { "white" };
        let end = behind.filter(|at| self.side_said(*at).is_some()).map_or(place.end, |at| at + 1);
        let mut from = before;
        while from > 0 && matches!(self.word(from - 1), "just" | "right" | "position" | "the") {
            from -= 1;
        }
        self.mark(from..end);
        Some(if side.is_none_or(|side| side == last) { 1 } else { 2 })
    }

    /// "Move three with Black to play": the position in which that side is to move.
    fn with_mover(&mut self) -> Option<()> {
        let is_verb = |at: usize| matches!(self.word(at), "play" | "move" | "go");
        let words = self.sentence.words;
        let side = (1..words.len()).find(|at| {
            matches!(self.word(*at), "white" | "black")
                && self.word(at + 1) == "to"
                && is_verb(at + 2)
        })?;
        let numbers = self.unused("{n}");
        let token = numbers.iter().find(|number| {
            self.numbered(number).is_some_and(|at| self.word(at) == "move") && number.to <= side
        })?;
        let move_number = numbers::at(words, token.from)?.count()?;
        let (number, of) = match self.word(side) {
            "black" => (move_number, "white"),
            _ => (move_number.checked_sub(1).filter(|number| *number > 0)?, "black"),
        };
        let link = usize::from(self.word(side - 1) == "with");
        self.mark(token.from - 1..token.to);
        self.mark(side - link..side + 3);
        self.set("move", Some(number));
        self.set("side", Some(of));
        Some(())
    }

    /// "And take nothing back", "without playing anything": going somewhere changes no game.
    fn leave_untouched(&mut self) {
        if let Some(words) = manner::refused_deletion(self.sentence.words) {
            self.mark(words);
        }
        const SAID: [&str; 18] = [
            "take nothing back",
            "taking nothing back",
            "nothing taken back",
            "nothing is taken back",
            "undo nothing",
            "undoing nothing",
            "change nothing",
            "changing nothing",
            "without takeback",
            "without takebacks",
            "without a takeback",
            "no takeback",
            "without playing anything",
            "without playing a move",
            "without undoing anything",
            "leave the rest alone",
            "do not undo anything",
            "not undo anything",
        ];
        SAID.iter().any(|said| self.phrase(said));
    }

    /// "I had been looking at move two, so now bring me back": where one was, and not where to go.
    fn leave_past_place(&mut self) {
        let words = self.sentence.words;
        let was = (0..words.len()).find(|at| {
            let is_pronoun = matches!(self.word(*at), "i" | "we");
            is_pronoun
                && matches!(self.word(at + 1), "was" | "were" | "am" | "are" | "had" | "have")
        });
        let Some(was) = was else { return };
        let end = (was + 1..words.len()).find(|at| self.is_apart(*at)).unwrap_or(words.len());
        let looks = |end: &usize| {
            (was..*end)
                .any(|at| matches!(self.word(at), "looking" | "watching" | "studying" | "at"))
        };
        let names_place = |end: &usize| {
            (0..was).chain(*end..words.len()).any(|at| {
                matches!(self.word(at), "end" | "start" | "beginning" | "last" | "first" | "move")
            })
        };
        if let Some(end) = Some(end).filter(looks).filter(names_place) {
            self.mark(was..end);
        }
    }

    pub(super) fn go_to(&mut self) {
        self.leave_untouched();
        self.leave_past_place();
        if let Some(back) = self.before_end() {
            self.set("place", Some("end"));
            self.set("back", Some(back));
            return;
        }
        if let Some((words, ply)) = self.ply() {
            self.mark(words);
            self.has(&["back", "ahead", "forward"]);
            self.set("ply", Some(ply));
            return;
        }
        if self.with_mover().is_some() {
            return;
        }
        // "Where I played 17...Rxd4": the move is found by its number.
        if self.go_to_numbered().is_some() {
            return;
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
        let steps = !matches!(place, Some("start" | "end"));
        let count = if steps { self.number(&["moves"]) } else { None };
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
            // "Go 2 start": no number says more than the place.
            Some(_) => {}
            None => {
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

    /// "Black's 17th move", "move twelve, white": the only side that is said, or that beside the number.
    pub(super) fn side_of_move(&mut self) {
        let count = self.sentence.words.len();
        let is_free = |at: &usize| is_side(self.word(*at)) && !self.filled.used[*at];
        let places: Vec<usize> = (0..count).filter(is_free).collect();
        let not = |at: usize| {
            let article = usize::from(at > 0 && self.word(at - 1) == "the");
            (at - article).checked_sub(1).filter(|not| self.word(*not) == "not")
        };
        let (refused, places): (Vec<usize>, Vec<usize>) =
            places.into_iter().partition(|at| not(*at).is_some());
        let white: Vec<bool> =
            places.iter().map(|at| self.word(*at).starts_with("white")).collect();
        let is_numbered = |at: &&usize| {
            let next = self.word(**at + 1);
            next == "move"
                || numbers::ordinal(next).is_some()
                || numbers::at(self.sentence.words, **at + 1).is_some()
        };
        let is_one = white.windows(2).all(|pair| pair[0] == pair[1]);
        let chosen = if is_one { places.first() } else { places.iter().find(is_numbered) };
        let Some(at) = chosen.copied() else { return };
        let side = if self.word(at).starts_with("white") { "white" } else { "black" };
        let refused: Vec<_> = refused.into_iter().filter_map(|at| Some(not(at)?..at + 1)).collect();
        self.mark(at..at + 1);
        self.set("side", Some(side));
        // "Not White's": the other one, where one is meant.
        for words in refused {
            let is_other = self.word(words.end - 1).starts_with(side);
            if !is_other {
                self.mark(words);
            }
        }
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
            ("previous", &["previous", "back", "backward", "prior", "before", "earlier"]),
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
