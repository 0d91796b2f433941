//! Which games of a run are meant: by their ending, their length, the colour of a player, and which of them comes first.

use std::ops::Range;

use super::Filler;
use crate::limits::{self, Meant};
use crate::tags::Tagged;
use crate::{numbers, past};

/// Slots that say which games of a list are meant, or which one of them comes first.
pub const CHOOSING: [&str; 9] =
    ["result", "player", "opening", "ending", "min_plies", "max_plies", "colour", "sort", "nth"];

/// Endings as they are said, the longer ones first, and their keys in the ledger.
const ENDINGS: [(&str, &str); 44] = [
    ("threefold repetition", "repetition"),
    ("by repetition", "repetition"),
    ("threefold", "repetition"),
    ("repetition", "repetition"),
    ("fifty move rule", "fifty_moves"),
    ("50 move rule", "fifty_moves"),
    ("fifty moves rule", "fifty_moves"),
    ("insufficient material", "insufficient_material"),
    ("illegal moves", "illegal_move"),
    ("illegal move", "illegal_move"),
    ("no move", "no_move"),
    ("lost connections", "disconnect"),
    ("lost connection", "disconnect"),
    ("disconnects", "disconnect"),
    ("disconnected", "disconnect"),
    ("disconnect", "disconnect"),
    ("crashes", "crash"),
    ("crashed", "crash"),
    ("crash", "crash"),
    ("stalls", "stall"),
    ("stalled", "stall"),
    ("hung", "stall"),
    ("hanging", "stall"),
    ("lose on time", "time_forfeit"),
    ("losses on time", "time_forfeit"),
    ("time losses", "time_forfeit"),
    ("time forfeits", "time_forfeit"),
    ("time forfeit", "time_forfeit"),
    ("out of time", "time_forfeit"),
    ("on time", "time_forfeit"),
    ("by time", "time_forfeit"),
    ("on the clock", "time_forfeit"),
    ("by the clock", "time_forfeit"),
    ("flagged", "time_forfeit"),
    ("flag", "time_forfeit"),
    ("timeouts", "time_forfeit"),
    ("timeout", "time_forfeit"),
    ("stalemates", "stalemate"),
    ("stalemate", "stalemate"),
    ("checkmates", "checkmate"),
    ("checkmated", "checkmate"),
    ("checkmate", "checkmate"),
    ("by mate", "checkmate"),
    ("maximum length", "max_moves"),
];

/// Games as they are called, also by their result.
pub const GAMES: [&str; 22] = [
    "game",
    "games",
    "one",
    "ones",
    "loss",
    "losses",
    "defeat",
    "defeats",
    "win",
    "wins",
    "victory",
    "victories",
    "draw",
    "draws",
    "lost",
    "won",
    "drawn",
    "decisive",
    "miniature",
    "miniatures",
    "white",
    "black",
];

/// Orders of games as they are said, and how the list of games has them.
const ORDERS: [(&str, &str); 17] = [
    ("most long", "-plies"),
    ("most short", "plies"),
    ("shortest", "plies"),
    ("quickest", "plies"),
    ("briefest", "plies"),
    ("fastest", "plies"),
    ("longest", "-plies"),
    ("wildest", "-swing"),
    ("craziest", "-swing"),
    ("most dramatic", "-swing"),
    ("biggest swing", "-swing"),
    ("largest swing", "-swing"),
    ("biggest swings", "-swing"),
    ("largest swings", "-swing"),
    ("biggest turnaround", "-swing"),
    ("biggest collapse", "-swing"),
    ("slowest", "-time"),
];

/// How the game before the last one is said.
const BEFORE_LAST: [&str; 10] = [
    "game before the last one",
    "game before the last",
    "game before last",
    "last game but one",
    "last but one game",
    "second to last game",
    "second last game",
    "next to last game",
    "penultimate game",
    "one before last",
];

/// The most plies of a miniature: 25 moves.
const MINIATURE: u32 = 50;

/// What a number of moves is: a bound, or both of them.
#[derive(Clone, Copy)]
enum Bound {
    Below,
    AtMost,
    Above,
    AtLeast,
}

/// Bounds as they are said before a number, the longer ones first.
const BEFORE: [(&str, Bound); 32] = [
    ("exceeded", Bound::Above),
    ("exceeding", Bound::Above),
    ("exceed", Bound::Above),
    ("no more than", Bound::AtMost),
    ("not more than", Bound::AtMost),
    ("no longer than", Bound::AtMost),
    ("not longer than", Bound::AtMost),
    ("no fewer than", Bound::AtLeast),
    ("no less than", Bound::AtLeast),
    ("no shorter than", Bound::AtLeast),
    ("less than", Bound::Below),
    ("fewer than", Bound::Below),
    ("shorter than", Bound::Below),
    ("more than", Bound::Above),
    ("longer than", Bound::Above),
    ("at most", Bound::AtMost),
    ("at least", Bound::AtLeast),
    ("up to", Bound::AtMost),
    ("maximum", Bound::AtMost),
    ("minimum", Bound::AtLeast),
    ("max", Bound::AtMost),
    ("min", Bound::AtLeast),
    ("within", Bound::AtMost),
    ("inside", Bound::AtMost),
    ("under", Bound::Below),
    ("below", Bound::Below),
    ("before move", Bound::Below),
    ("over", Bound::Above),
    ("above", Bound::Above),
    ("beyond", Bound::Above),
    ("past", Bound::Above),
    ("after move", Bound::Above),
];

/// Bounds as they are said behind a number of moves.
const BEHIND: [(&str, Bound); 10] = [
    ("or less", Bound::AtMost),
    ("or fewer", Bound::AtMost),
    ("or shorter", Bound::AtMost),
    ("at most", Bound::AtMost),
    ("or under", Bound::AtMost),
    ("or more", Bound::AtLeast),
    ("or longer", Bound::AtLeast),
    ("at least", Bound::AtLeast),
    ("or over", Bound::AtLeast),
    ("and longer", Bound::AtLeast),
];

impl Filler<'_> {
    /// The ending, the length, the colour and the order of the games that are meant.
    pub(super) fn chosen_games(&mut self) {
        let ending = self.ending();
        self.set("ending", ending);
        self.length_of_games();
        let colour = self.colour_of_player();
        self.set("colour", colour);
        self.order_of_games();
    }

    fn ending(&mut self) -> Option<&'static str> {
        let found = ENDINGS.iter().find_map(|(said, key)| {
            let place = self.place_of(said)?;
            (!self.filled.used[place.start] && self.refusal(place.start).is_none())
                .then_some((place, *key))
        });
        let (place, key) = match found {
            Some(found) => found,
            None => return self.adjudicated(),
        };
        if self.asks_for_ending(&place) {
            self.name(place);
            return None;
        }
        if self.loses_by(&place) && !self.filled.slots.contains_key("result") {
            self.set("result", Some("lost"));
        }
        self.mark(place);
        // "Time losses or crashes": a list has one ending, and the other is named.
        for (said, other) in ENDINGS {
            let Some(place) = self.place_of(said).filter(|place| !self.filled.used[place.start])
            else {
                continue;
            };
            self.mark(place.clone());
            if other != key {
                self.filled.named.push(place);
            }
        }
        self.has(&["ended", "ending", "end", "ends", "finished", "decided"]);
        Some(key)
    }

    /// "Adjudicated draws": which key that is, the result says.
    fn adjudicated(&mut self) -> Option<&'static str> {
        let result = self.filled.slots.get("result")?.as_str()?;
        let key = if result == "drawn" { "adjudicated_draw" } else { "adjudicated_win" };
        let said = self.has(&["adjudicated", "adjudication"]);
        said.then_some(key)
    }

    /// "Under 30 moves", "between 20 and 40 moves", "60 plies or more".
    fn length_of_games(&mut self) {
        if self.has(&["miniature", "miniatures"]) {
            self.set("max_plies", Some(MINIATURE));
        }
        let lengths = self.lengths();
        if let [(low, _, _), (high, _, per_move)] = &lengths[..]
            && let (Some(from), Some(to)) = (self.count_at(low), self.count_at(high))
            && matches!(self.word(low.end), "and" | "to")
        {
            let (begin, end, per_move) = (low.start, lengths[1].1, *per_move);
            self.bounded(from, per_move, Bound::AtLeast);
            self.bounded(to, per_move, Bound::AtMost);
            self.mark(begin..end);
            self.has(&["between", "from", "long"]);
            return;
        }
        for (number, end, per_move) in lengths {
            let Some(count) = self.count_at(&number) else { continue };
            let before = BEFORE.iter().find(|(said, _)| self.ends_with(number.start, said));
            let behind = BEHIND.iter().find(|(said, _)| self.is_said_at(end, said));
            let (from, to, bound) = match (before, behind) {
                (Some((said, bound)), _) => (number.start - said.split(' ').count(), end, *bound),
                (None, Some((said, bound))) => {
                    (number.start, end + said.split(' ').count(), *bound)
                }
                (None, None) => continue,
            };
            self.bounded(count, per_move, bound);
            self.mark(from..to);
            self.has(&["long"]);
        }
    }

    /// Numbers of moves or plies: the words of the number, the end of its noun, and how many plies one of them is.
    fn lengths(&self) -> Vec<(Range<usize>, usize, u32)> {
        let mut found = Vec::new();
        for token in &self.sentence.tagged {
            if (token.from..token.to).any(|at| self.filled.used[at]) {
                continue;
            }
            let noun = self.word(token.to);
            if token.text == "{n}" {
                // The first of "20 and 40 moves" has the noun of the second.
                let joined = matches!(noun, "and" | "to");
                let last = numbers::at(self.sentence.words, token.to + 1).filter(|_| joined);
                let end = last.map_or(token.to, |number| token.to + 1 + number.words);
                let per_move = match self.word(end) {
                    "move" | "moves" => 2,
                    "ply" | "plies" => 1,
                    // "Before move 30".
                    _ if token.from > 0 && self.word(token.from - 1) == "move" => {
                        found.push((token.from..token.to, token.to, 2));
                        continue;
                    }
                    _ => continue,
                };
                found.push((token.from..token.to, end + 1, per_move));
            } else if token.text == "{limit}"
                && limits::at(self.sentence.words, token.from)
                    .is_some_and(|said| matches!(said.meant, Meant::Depth(_)))
            {
                found.push((token.from..token.to, token.to, 1));
            }
        }
        found
    }

    fn count_at(&self, words: &Range<usize>) -> Option<u32> {
        numbers::at(self.sentence.words, words.start)?.count().filter(|count| *count < 10_000)
    }

    fn bounded(&mut self, count: u32, per_move: u32, bound: Bound) {
        let plies = count * per_move;
        match bound {
            Bound::AtMost => self.set("max_plies", Some(plies)),
            // "Under 30 moves" are 29 of both sides at most.
            Bound::Below => self.set("max_plies", Some(plies.saturating_sub(per_move))),
            Bound::Above => self.set("min_plies", Some(plies + 1)),
            // The 30th move may be that of White alone.
            Bound::AtLeast => self.set("min_plies", Some((plies + 1).saturating_sub(per_move))),
        }
    }

    fn is_said_at(&self, from: usize, said: &str) -> bool {
        said.split(' ').enumerate().all(|(by, word)| self.word(from + by) == word)
    }

    /// "With White", "as Black", "with the white pieces": the colour of the player, else of the first engine.
    fn colour_of_player(&mut self) -> Option<&'static str> {
        let links = ["with", "as", "playing", "having", "holding", "handling"];
        let found = (1..self.sentence.words.len()).find_map(|at| {
            let word = self.word(at).strip_suffix('s').unwrap_or(self.word(at));
            let side = ["white", "black"].into_iter().find(|side| word == *side)?;
            let article = usize::from(self.word(at - 1) == "the");
            let link = at.checked_sub(1 + article).filter(|_| !self.filled.used[at])?;
            let pieces = usize::from(matches!(self.word(at + 1), "pieces" | "side"));
            let end = at + 1 + pieces;
            if links.contains(&self.word(link)) || self.word(link) == "only" {
                return Some((link..end, side));
            }
            // "Losses of HEAD, Black only"; "the blacks below" is no link, and yet a place.
            let is_last = self.word(end) == "only";
            (is_last || self.is_place_of_side(end).is_some()).then_some((at..end + 1, side))
        });
        let (words, side) = found?;
        // "With black at the bottom".
        let place = self
            .is_place_of_side(words.end)
            .or_else(|| words.end.checked_sub(1).and_then(|end| self.is_place_of_side(end)));
        if let Some(end) = place {
            self.name(words.start..end);
            return None;
        }
        self.mark(words);
        Some(side)
    }

    /// "The game before last", which is no run before the last one.
    pub(super) fn game_before_last(&mut self) {
        if let Some(place) = BEFORE_LAST.iter().find_map(|said| self.place_of(said)) {
            self.mark(place);
            self.set("sort", Some("-number"));
            self.set("nth", Some(2));
            return;
        }
        // "Weiss's second last defeat".
        let place = past::before_last(self.sentence.words);
        let of_game = place
            .filter(|place| GAMES.contains(&self.word(place.end)) && self.word(place.end) != "one");
        if let Some(place) = of_game {
            self.mark(place);
            self.set("sort", Some("-number"));
            self.set("nth", Some(2));
        }
    }

    /// Which games come first: "the shortest", "the last game", "the ten longest draws", "the second loss".
    fn order_of_games(&mut self) {
        if self.filled.slots.contains_key("nth") {
            return;
        }
        let ordered = ORDERS.iter().find_map(|(said, sort)| Some((self.place_of(said)?, *sort)));
        let recent = || {
            let last = ["last", "latest", "newest", "recent", "final", "closing"];
            let at = self.places(&last).into_iter().find(|at| self.orders_games(*at))?;
            Some((at..at + 1, "-number"))
        };
        let found = ordered.or_else(recent).or_else(|| self.plain_length());
        let Some((place, sort)) = found else {
            let result = self.filled.slots.contains_key("result");
            let nth = result.then(|| self.nth()).flatten();
            self.set("nth", nth);
            return;
        };
        self.mark(place.clone());
        self.has(&["most"]);
        // "Longest first".
        if self.word(place.end) == "first" {
            self.mark(place.end..place.end + 1);
        }
        self.set("sort", Some(sort));
        // "The second shortest", "the ten shortest", "the last ten games".
        let before = place.start.checked_sub(1);
        let second = before.and_then(|at| Some((at..at + 1, numbers::ordinal(self.word(at))?)));
        let is_count = |number: &Tagged| number.to == place.start || number.from == place.end;
        if let Some((words, nth)) = second {
            self.mark(words);
            self.set("nth", Some(nth));
        } else if let Some(number) = self.unused("{n}").into_iter().find(is_count)
            && let Some(most) = self.count_at(&(number.from..number.to))
        {
            self.mark(number.from..number.to);
            self.set("most", Some(most));
        }
        self.has(&["game", "games", "one", "ones"]);
    }

    /// Whether a word such as "last" is said of a game, and not of a run: "the last lost game", "the last ten games".
    fn orders_games(&self, at: usize) -> bool {
        let number = numbers::at(self.sentence.words, at + 1).map_or(0, |number| number.words);
        let first = at + 1 + number;
        let is_free = (at..first).all(|at| !self.filled.used[at]);
        is_free
            && (GAMES.contains(&self.word(first)) || matches!(self.word(first), "time"))
            && !(self.word(first) == "one" && self.word(first + 1) == "but")
    }

    /// "Short games", "the long draws".
    fn plain_length(&self) -> Option<(Range<usize>, &'static str)> {
        let words = [("short", "plies"), ("quick", "plies"), ("long", "-plies")];
        words.into_iter().find_map(|(word, sort)| {
            let at = self.sentence.words.iter().position(|said| said == word)?;
            GAMES.contains(&self.word(at + 1)).then_some((at..at + 1, sort))
        })
    }

    /// "The second loss", "his first defeat".
    fn nth(&mut self) -> Option<u32> {
        let at = (1..self.sentence.words.len()).find(|at| {
            GAMES.contains(&self.word(*at)) && numbers::ordinal(self.word(at - 1)).is_some()
        })?;
        let nth = numbers::ordinal(self.word(at - 1))?;
        self.mark(at - 1..at + 1);
        Some(nth)
    }
}
