//! Pieces that are taken away from a position, or replaced: those of a kind, and all but some.

use super::Filler;
use super::editor::{PIECES, PUTTING, REMOVING, edit, is_piece, is_square};

impl Filler<'_> {
    /// "Change the white queen on d1 into a black one": another piece on the square.
    pub(super) fn replaced(&mut self) -> Option<String> {
        let verbs = ["change", "turn", "convert", "replace", "swap", "make", "transform"];
        // "White queen d4 into a black one".
        let verb = self.places(&verbs).into_iter().next();
        let has_verb = verb.is_some();
        let verb = verb.or_else(|| self.place_of("into").map(|_| 0))?;
        let square = (verb + usize::from(has_verb)..self.sentence.words.len())
            .find(|at| is_square(self.word(*at)))?;
        // "Make the f6 knight a bishop".
        let link = square + 1 + usize::from(is_piece(self.word(square + 1)));
        // "Make the knight on c3 a bishop".
        let makes = self.word(verb) == "make" && matches!(self.word(link), "a" | "an");
        if !makes && !matches!(self.word(link), "into" | "to" | "by" | "with" | "for") {
            return None;
        }
        let link = link - usize::from(makes);
        let article = usize::from(matches!(self.word(link + 1), "a" | "an" | "the"));
        let side_at = |at: usize| matches!(self.word(at), "white" | "black").then_some(at);
        let piece_at = |at: usize| {
            let word = self.word(at).to_owned();
            PIECES.iter().find(|(name, _)| *name == word).map(|(_, letter)| *letter)
        };
        let side = side_at(link + 1 + article);
        let new = link + 1 + article + usize::from(side.is_some());
        let before = verb + usize::from(has_verb)..link;
        let there = self.sentence.context.piece_on(self.word(square));
        let side = side.or_else(|| before.clone().find_map(side_at));
        let is_white = match side {
            Some(side) => self.word(side) == "white",
            None => there?.is_ascii_uppercase(),
        };
        let piece = piece_at(new).or_else(|| before.clone().find_map(piece_at))?;
        let edit = edit(self.word(square), false, Some((square, is_white)), Some((new, piece)));
        self.mark(verb..new + 1);
        edit
    }

    /// "The rook on a1 ought to be a queen": another piece on the square, of the side that is said or stands there.
    pub(super) fn becomes(&mut self) -> Option<String> {
        const SAID: [&[&str]; 7] = [
            &["ought", "to", "be"],
            &["should", "be"],
            &["should", "have", "been"],
            &["has", "to", "be"],
            &["must", "be"],
            &["becomes"],
            &["is", "really"],
        ];
        let words = self.sentence.words;
        let square = (0..words.len()).find(|at| is_square(self.word(*at)))?;
        let behind = square + 1 + usize::from(is_piece(self.word(square + 1)));
        let said_at = |at: usize| {
            let is_said = |said: &&&[&str]| {
                let words = words.get(at..at + said.len());
                words.is_some_and(|words| words.iter().eq(said.iter()))
            };
            SAID.iter().find(is_said).map(|said| at + said.len())
        };
        // "Has the wrong colour, it must be black".
        let between = (square + 1..words.len()).take_while(|at| {
            is_piece(self.word(*at))
                || matches!(
                    self.word(*at),
                    "has"
                        | "is"
                        | "the"
                        | "wrong"
                        | "colour"
                        | "side"
                        | "it"
                        | "and"
                        | "but"
                        | "of"
                        | "that"
                )
        });
        let begin = between.last().map_or(square + 1, |last| last + 1);
        let Some(end) = said_at(behind).or_else(|| said_at(begin)) else {
            return self.has_wrong_colour(square);
        };
        let article = usize::from(matches!(self.word(end), "a" | "an" | "the"));
        let side_at = |at: usize| matches!(self.word(at), "white" | "black").then_some(at);
        let side = side_at(end + article);
        let new = end + article + usize::from(side.is_some());
        let before = square.saturating_sub(5)..square;
        let letter = |at: usize| {
            let name = self.word(at).to_owned();
            PIECES.iter().find(|(known, _)| *known == name).map(|(_, letter)| *letter)
        };
        let there = self.sentence.context.piece_on(self.word(square));
        // "The black pawn on d7 should be white".
        let own = before.clone().find_map(letter).or(there.map(|there| there.to_ascii_lowercase()));
        let is_new = letter(new).is_some();
        let piece = letter(new).or(own.filter(|_| side.is_some()))?;
        let new = if is_new { new } else { new - 1 };
        let said_before = before.clone().find_map(side_at);
        let is_white = match side.or(said_before) {
            Some(at) => self.word(at) == "white",
            None => there?.is_ascii_uppercase(),
        };
        let edit = edit(self.word(square), false, Some((square, is_white)), Some((new, piece)));
        let kind = before.clone().find(|at| {
            let word = self.word(*at).to_owned();
            PIECES.iter().any(|(known, _)| *known == word)
        });
        let first = said_before.or(kind).unwrap_or(square);
        self.mark(first..new + 1);
        edit
    }

    /// "The bishop on c4 has the wrong colour": the piece that stands there, of the other side.
    fn has_wrong_colour(&mut self, square: usize) -> Option<String> {
        let place = self.place_of("wrong colour").or_else(|| self.place_of("wrong side"))?;
        let there = self.sentence.context.piece_on(self.word(square))?;
        let other = if there.is_ascii_uppercase() {
            there.to_ascii_lowercase()
        } else {
            there.to_ascii_uppercase()
        };
        self.mark(square.saturating_sub(2)..square + 1);
        self.mark(place);
        Some(format!("{other}{}", self.word(square)))
    }

    /// "But not the one on e5": what is left out by its square stays, and is named.
    pub(super) fn name_excepted(&mut self) {
        let words = self.sentence.words;
        let removes = words.iter().position(|word| REMOVING.contains(&word.as_str()));
        let not = words.iter().position(|word| matches!(word.as_str(), "not" | "except" | "but"));
        let Some(not) = not.filter(|not| removes.is_some_and(|removes| removes < *not)) else {
            return;
        };
        let square = (not + 1..(not + 6).min(words.len())).find(|at| is_square(&words[*at]));
        let is_put = words[not..].iter().any(|word| PUTTING.contains(&word.as_str()));
        if let Some(square) = square.filter(|_| !is_put) {
            self.mark(not..square + 1);
            self.filled.named.push(not..square + 1);
        }
    }

    /// "Clear everything except the kings": the kinds of pieces that are removed, which are all others.
    pub(super) fn all_but_kept(&mut self) -> Option<Vec<String>> {
        let words = self.sentence.words;
        let except = self.places(&[
            "except",
            "but",
            "excluding",
            "besides",
            "save",
            "only",
            "apart",
            "aside",
            "keep",
            "keeping",
            "leave",
            "leaving",
        ]);
        let except = except.into_iter().find(|at| *at > 0)?;
        let is_all = |word: &String| {
            matches!(word.as_str(), "everything" | "all" | "board" | "pieces" | "every")
        };
        let removes = words[..except].iter().any(|word| {
            REMOVING.contains(&word.as_str())
                || matches!(word.as_str(), "goes" | "go" | "leaves" | "vanishes" | "disappears")
        });
        if !removes || !words[..except].iter().any(is_all) {
            return None;
        }
        // "Everything black": the others of this side alone.
        let sides = ["white", "black"].map(|side| {
            let is_side = |word: &String| word.strip_suffix('s').unwrap_or(word) == side;
            words[..except].iter().any(is_side)
        });
        let is_of_side = |piece: char| match sides {
            [true, false] => piece.is_ascii_uppercase(),
            [false, true] => piece.is_ascii_lowercase(),
            _ => true,
        };
        let (mut kept, mut side, mut is_apart) = (String::new(), None, false);
        let mut end = except + 1;
        for (at, word) in words.iter().enumerate().skip(except + 1) {
            // A reason behind it.
            if !kept.is_empty()
                && self.is_apart(at)
                && !PIECES.iter().any(|(name, _)| word.starts_with(name))
                && !matches!(word.as_str(), "and" | "white" | "black" | "the")
            {
                is_apart = true;
                break;
            }
            let singular = word.strip_suffix('s').unwrap_or(word);
            match singular {
                "white" | "black" => side = Some(singular),
                "the" | "from" | "for" | "two" | "both" | "and" | "all" | "only" | "leave"
                | "keep" | "spare" | "it" | "own" => {}
                // "Where they are", "stay": what is kept.
                "where" | "they" | "are" | "stay" | "stays" | "remain" | "alone" | "please"
                | "standing" | "there" | "in" | "place"
                    if !kept.is_empty() =>
                {
                    end = at + 1;
                }
                _ => {
                    let (_, letter) = PIECES.iter().find(|(name, _)| *name == singular)?;
                    let upper = letter.to_ascii_uppercase();
                    match side.take() {
                        Some("white") => kept.push(upper),
                        Some(_) => kept.push(*letter),
                        None => kept.extend([upper, *letter]),
                    }
                    end = at + 1;
                }
            }
        }
        if kept.is_empty() || (end < words.len() && !is_apart) {
            return None;
        }
        self.mark(0..end);
        let others = "QRBNPqrbnp"
            .chars()
            .chain("Kk".chars())
            .filter(|piece| !kept.contains(*piece) && is_of_side(*piece));
        Some(others.map(|piece| format!("-{piece}")).collect())
    }

    /// "Take the black queen off the board", "remove all white pawns": pieces that are removed wherever they stand, as
    /// `-q` and `-P`.
    pub(super) fn removed_kinds(&mut self) -> Vec<String> {
        let words = self.sentence.words;
        let removes = words.iter().any(|word| REMOVING.contains(&word.as_str()));
        // "Drop all pawns from the board".
        let drops = self.place_of("from the board").is_some() && self.place_of("drop").is_some();
        let puts =
            words.iter().any(|word| PUTTING.contains(&word.as_str()) && !(drops && word == "drop"));
        let removes = removes || drops;
        let is_free = |at: &usize| !self.filled.named.iter().any(|range| range.contains(at));
        let is_narrowed = |word: &String| {
            is_square(word)
                || matches!(
                    word.as_str(),
                    "except"
                        | "but"
                        | "second"
                        | "one"
                        | "not"
                        | "apart"
                        | "excluding"
                        | "besides"
                        | "aside"
                )
        };
        if !removes
            || puts
            || self.place_of("everything").is_some_and(|place| !self.filled.used[place.start])
            || (0..words.len()).filter(is_free).any(|at| is_narrowed(&words[at]))
        {
            return Vec::new();
        }
        let mut edits = Vec::new();
        for at in (1..words.len()).filter(is_free).collect::<Vec<_>>() {
            let singular = words[at].strip_suffix('s').unwrap_or(&words[at]);
            let named = PIECES.iter().find(|(name, _)| *name == singular);
            // "The queen side rook" is no queen.
            let named = named.filter(|_| words.get(at + 1).is_none_or(|word| word != "side"));
            let Some((_, letter)) = named else { continue };
            // "The bishops stay".
            let stays = matches!(self.word(at + 1), "stay" | "stays" | "remain" | "remains");
            if stays {
                let article = usize::from(matches!(self.word(at - 1), "the" | "his" | "my"));
                self.mark(at - article..at + 2);
                continue;
            }
            let side = words[at - 1].strip_suffix('s').unwrap_or(&words[at - 1]);
            let side_behind = words.get(at + 2);
            // "The h-pawns of black" are some of them.
            let is_whole = self.word(at + 1) == "of" && words[at - 1].len() > 1;
            let side_behind = side_behind.filter(|_| is_whole);
            let side_behind = side_behind.map_or("", |side| side.strip_suffix('s').unwrap_or(side));
            let upper = letter.to_ascii_uppercase();
            let letters = match (side, side_behind) {
                ("white", _) | (_, "white") => vec![upper],
                ("black", _) | (_, "black") => vec![*letter],
                // "Without the queens": those of both sides.
                ("the" | "all" | "both", _) if words[at].ends_with('s') => vec![upper, *letter],
                ("every" | "each", _) => vec![upper, *letter],
                _ => continue,
            };
            let is_all = at > 1 && matches!(self.word(at - 2), "all" | "both" | "every");
            let behind = if side_behind.is_empty() { 0 } else { 2 };
            self.mark(at - 1 - usize::from(is_all)..at + 1 + behind);
            edits.extend(letters.into_iter().map(|letter| format!("-{letter}")));
        }
        if !edits.is_empty() {
            self.has(&REMOVING);
            if drops {
                self.has(&["drop"]);
            }
        }
        edits
    }
}
