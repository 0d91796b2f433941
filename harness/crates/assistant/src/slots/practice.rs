//! The slots of what is practised: a theme, and of it the moves or the piece.

use std::ops::Range;

use serde_json::{Value, json};

use super::Filler;
use super::editor::is_piece;
use crate::numbers;

/// Moves of a mate that a puzzle may have.
const MOST_MOVES: u32 = 15;

impl Filler<'_> {
    pub(super) fn practice(&mut self) {
        self.leave_corrected();
        self.name_motifs();
        self.name_role();
        let mate = self.has_wanted(&[
            "mate",
            "mates",
            "checkmate",
            "checkmates",
            "mating",
            "checkmating",
            "finishing",
        ]);
        let ending = self.has_wanted(&["ending", "endings", "endgame", "endgames"]);
        let mistakes = self.has(&[
            "wrong",
            "mistakes",
            "failed",
            "missed",
            "mistake",
            "errors",
            "blundered",
            "blunders",
            "messed",
            "wrongly",
            "incorrectly",
        ]);
        let against = self.pieces_against_each_other();
        let ending =
            ending || against.is_some() || self.wants_another_ending() || self.leaves_pieces();
        let short = self.short_mate().or_else(|| self.win());
        let mate = mate || short.is_some();
        let games = !mistakes
            && ["own lost games", "lost games", "my own games", "own games", "my games"]
                .iter()
                .any(|said| self.phrase(said));
        let theme = if games {
            "games"
        } else if mistakes {
            "mistakes"
        } else if mate {
            "mate"
        } else if ending {
            "ending"
        } else {
            "tactics"
        };
        self.set("theme", Some(theme));
        if theme == "mate" {
            self.refused_number();
            let moves = self.number_behind("in").or(short);
            // "Mate in two goes".
            if moves.is_some() {
                self.has_exactly_one(&["moves", "goes", "turns", "steps"]);
            }
            // "Within the fifty moves of the rule" is no mate in fifty.
            let moves = moves.or_else(|| {
                self.attempt(|filler| {
                    let moves = filler.number(&["move", "moves", "goes", "turns", ""])?;
                    (moves <= MOST_MOVES).then_some(moves)
                })
            });
            self.set("mate_in", moves);
            self.mark_number_again(moves);
        }
        // "A puzzle" is one of them.
        self.number_if(&["puzzle", "position"], 1);
        if ending {
            let piece = self.ending_piece();
            self.set("piece", piece);
        }
    }

    /// Marks words as they are written.
    fn has_exactly_one(&mut self, wanted: &[&str]) {
        for at in 0..self.sentence.words.len() {
            if wanted.contains(&self.word(at)) {
                self.mark(at..at + 1);
            }
        }
    }

    /// Whether one of these words is said and not refused: "anything but a mate in 2, a pawn ending". Where it is
    /// refused, so is the number behind it.
    fn has_wanted(&mut self, wanted: &[&str]) -> bool {
        let (refused, places): (Vec<usize>, Vec<usize>) = self
            .places(wanted)
            .into_iter()
            .filter(|at| !self.filled.used[*at])
            .partition(|at| self.refused_theme(*at).is_some());
        for at in &refused {
            let first = self.refused_theme(*at).unwrap_or(*at);
            let numbered = self.word(at + 1) == "in";
            let number = numbers::at(self.sentence.words, at + 2).filter(|_| numbered);
            let words = first..at + 1 + number.map_or(0, |number| 1 + number.words);
            if self.names_theme(&words) {
                self.mark(words);
            }
        }
        places.iter().for_each(|at| self.mark(*at..at + 1));
        !places.is_empty()
    }

    /// The word that refuses a theme: "no mate", "not a rook ending".
    fn refused_theme(&self, at: usize) -> Option<usize> {
        let from = at - usize::from(at > 0 && is_piece(self.word(at - 1)));
        let more = from - usize::from(from > 0 && self.word(from - 1) == "more");
        let no = more.checked_sub(1).filter(|at| self.word(*at) == "no" && !self.is_apart(from));
        // "I do not like a rook ending".
        let dislike = (from.saturating_sub(4)..from)
            .find(|at| self.word(*at) == "not" && matches!(self.word(at + 1), "like" | "want"));
        let nothing = from.checked_sub(2).filter(|at| self.word(*at) == "nothing");
        no.or(dislike).or(nothing).or_else(|| self.refusal(from))
    }

    /// Whether a theme is named outside some words, so that what they refuse is not what is shown.
    fn names_theme(&self, refused: &Range<usize>) -> bool {
        let themes = ["mate", "mates", "ending", "endings", "mistakes", "tactic", "tactics"];
        let is_theme = |at: &usize| themes.contains(&self.word(*at)) && !refused.contains(at);
        (0..self.sentence.words.len()).any(|at| is_theme(&at))
    }

    /// "Mate in 4, no, mate in 1": the first is taken back.
    fn leave_corrected(&mut self) {
        let words = self.sentence.words;
        let is_theme = |at: usize| matches!(self.word(at), "mate" | "mates" | "ending" | "endings");
        let is_no = |at: &usize| words[*at] == "no" && self.is_apart(at + 1);
        let no = (1..words.len()).rev().find(is_no).filter(|no| (0..*no).any(is_theme));
        let meant = no.and_then(|no| (no + 1..words.len()).find(|at| is_theme(*at)));
        let first = (0..words.len()).find(|at| is_theme(*at));
        if let Some((first, meant)) = first.zip(meant) {
            self.mark(first..meant);
        }
    }

    /// Motifs of tactics, of which a puzzle is not chosen: they are named.
    fn name_motifs(&mut self) {
        const MOTIFS: [&str; 26] = [
            "lucena",
            "philidor",
            "philidors",
            "vancura",
            "saavedra",
            "reti",
            "fork",
            "forks",
            "pin",
            "pins",
            "skewer",
            "skewers",
            "sacrifice",
            "sacrifices",
            "deflection",
            "deflections",
            "decoy",
            "decoys",
            "zugzwang",
            "overload",
            "interference",
            "discovered",
            "clearance",
            "trap",
            "traps",
            "promotion",
        ];
        // "Hit two pieces at once".
        let fork = ["two pieces", "both pieces", "two things", "two men"];
        let fork = fork.iter().find_map(|said| self.place_of(said));
        if let Some(place) = fork.filter(|place| {
            let behind = [self.word(place.end), self.word(place.end + 1), self.word(place.end + 2)];
            matches!(behind, ["at", "once", _] | ["at", "the", "same"])
        }) {
            self.mark(place.clone());
            self.filled.named.push(place);
        }
        for at in self.places(&MOTIFS) {
            let from =
                at - usize::from(at > 0 && matches!(self.word(at - 1), "no" | "without" | "not"));
            self.mark(from..at + 1);
            self.filled.named.push(from..at + 1);
        }
    }

    /// "I hold", "I am the defender": who has which side is not chosen, and so is named.
    fn name_role(&mut self) {
        const ROLES: [&str; 12] = [
            "hold",
            "holding",
            "defend",
            "defends",
            "defending",
            "defender",
            "defence",
            "attack",
            "attacking",
            "attacker",
            "holder",
            "defended",
        ];
        for at in self.places(&ROLES) {
            let who = usize::from(at > 0 && matches!(self.word(at - 1), "i" | "me"));
            self.mark(at - who..at + 1);
            self.filled.named.push(at - who..at + 1);
        }
    }

    /// "I do not like a rook ending, one with bishops": the ending of another piece.
    fn wants_another_ending(&mut self) -> bool {
        let endings = self.places(&["ending", "endings"]);
        let refused: Vec<Range<usize>> = endings
            .iter()
            .filter_map(|at| self.refused_theme(*at).map(|first| first..at + 1))
            .collect();
        let is_other = |at: usize| {
            is_piece(self.word(at)) && !self.filled.used[at] && self.refused_theme(at).is_none()
        };
        let is_one = !endings.is_empty()
            && refused.len() == endings.len()
            && (0..self.sentence.words.len())
                .any(|at| is_other(at) && !refused.iter().any(|range| range.contains(&at)));
        if is_one {
            refused.into_iter().for_each(|range| self.mark(range));
        }
        is_one
    }

    /// `m3`: mate in three.
    fn short_mate(&mut self) -> Option<u32> {
        let words = self.sentence.words;
        let moves = |word: &String| {
            let digit = word.strip_prefix('m').or_else(|| word.strip_prefix('#'))?;
            digit.parse::<u32>().ok().filter(|moves| (1..10).contains(moves))
        };
        let (at, moves) =
            words.iter().enumerate().find_map(|(at, word)| Some((at, moves(word)?)))?;
        self.mark(at..at + 1);
        Some(moves)
    }

    /// "Where I win in one move": a mate.
    fn win(&mut self) -> Option<u32> {
        let said = ["win in", "wins in", "winning in", "win within"];
        let place = said.iter().find_map(|said| self.place_of(said))?;
        let number = numbers::at(self.sentence.words, place.end)?;
        let moves = number.count().filter(|moves| (1..10).contains(moves))?;
        let noun =
            matches!(self.word(place.end + number.words), "move" | "moves" | "turn" | "turns");
        self.mark(place.start..place.end + number.words + usize::from(noun));
        Some(moves)
    }

    /// "A mate in 4, not in 2".
    fn refused_number(&mut self) {
        let Some(place) = self.place_of("not in") else { return };
        if let Some(number) = numbers::at(self.sentence.words, place.end) {
            self.mark(place.start..place.end + number.words);
        }
    }

    /// "Queen against rook": an ending, of which the second piece is named.
    fn pieces_against_each_other(&mut self) -> Option<()> {
        if self.against_bare_king().is_some() {
            return Some(());
        }
        let words = self.sentence.words;
        let is_link = |at: &usize| {
            words[*at] == "against" && is_piece(&words[at - 1]) && is_piece(self.word(at + 1))
        };
        let link = (1..words.len()).find(is_link)?;
        self.mark(link..link + 2);
        self.filled.named.push(link..link + 2);
        Some(())
    }

    /// "King and queen against a lonely king": the ending of the other piece.
    fn against_bare_king(&mut self) -> Option<()> {
        let link = self.place_of("against")?.start;
        let is_lone = |at: &usize| {
            matches!(self.word(*at), "a" | "the" | "lone" | "lonely" | "bare" | "single" | "naked")
        };
        let king = (link + 1..).find(|at| !is_lone(at))?;
        let before = link.checked_sub(1)?;
        if !matches!(self.word(king), "king") || !is_piece(self.word(before)) {
            return None;
        }
        self.mark(link..king + 1);
        Some(())
    }

    /// "Only rooks and kings at the end", "with only pawns left": an ending.
    fn leaves_pieces(&mut self) -> bool {
        let names_piece = self.sentence.words.iter().any(|word| is_piece(word));
        let said = ["at the end", "are left", "left over", "left on the board", "left"];
        names_piece && said.iter().any(|said| self.phrase(said))
    }

    fn ending_piece(&mut self) -> Option<Value> {
        // "King and pawn endings" are those of pawns.
        if let Some(place) =
            self.place_of("king and").filter(|place| is_piece(self.word(place.end)))
        {
            self.mark(place);
        }
        let pieces = ["king", "queen", "rook", "bishop", "knight", "pawn"];
        let words = self.sentence.words.iter().enumerate();
        let mut found = words.filter_map(|(at, word)| {
            let singular = if word == "brook" { "rook" } else { word.trim_end_matches('s') };
            let piece = pieces.iter().find(|piece| **piece == singular)?;
            (!self.filled.used[at] && self.refused_theme(at).is_none()).then_some((at, *piece))
        });
        // Kings are in every ending: "kings and rooks".
        let first = found.next()?;
        let (at, piece) = match first.1 {
            "king" => found.next().unwrap_or(first),
            _ => first,
        };
        self.mark(at..at + 1);
        // "Rook and pawn endings" are those of rooks.
        if piece != "pawn"
            && self.word(at + 1) == "and"
            && matches!(self.word(at + 2), "pawn" | "pawns")
            && matches!(self.word(at + 3), "ending" | "endings")
        {
            self.mark(at + 2..at + 3);
        }
        let kings = self.places(&["king", "kings"]);
        if piece != "king" {
            kings.into_iter().for_each(|at| self.mark(at..at + 1));
        }
        Some(json!(piece))
    }
}
