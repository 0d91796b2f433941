//! The strength of the opponent: a level, a rating that one comes near, or words such as "a club player".

use std::ops::{Range, RangeInclusive};

use rapidfuzz::distance::osa;

use super::Filler;
use crate::tags::Tagged;
use crate::{nearest, numbers};

/// `UCI_Elo` of each level of a board but the highest, which is the engine's full strength; `harness docs levels` has
/// what they measured.
pub const LEVELS: [u32; 8] = [800, 1000, 1200, 1400, 1600, 1800, 2000, 2200];

/// Ratings that a level comes near.
const RATINGS: RangeInclusive<u32> = 700..=2300;

/// Ratings that are said as numbers: above the highest rated level the nearest one is that level.
const NUMBERS: RangeInclusive<u32> = 700..=2600;

/// Strengths in words and about the rating of each; of the last ones the highest level.
const STRENGTHS: [(&str, u32); 69] = [
    ("lowest level", 800),
    ("easiest level", 800),
    ("weakest level", 800),
    ("highest level", 2800),
    ("hardest level", 2800),
    ("strongest level", 2800),
    ("toughest level", 2800),
    ("top level", 2800),
    ("maximum level", 2800),
    ("strongest setting", 2800),
    ("hardest setting", 2800),
    ("easiest setting", 800),
    ("full strength", 2800),
    ("maximum strength", 2800),
    ("beginner", 800),
    ("beginners", 800),
    ("beginning player", 800),
    ("novice", 800),
    ("newbie", 800),
    ("a child", 800),
    ("a kid", 800),
    ("casual player", 1200),
    ("hobby player", 1200),
    ("average player", 1200),
    ("amateur", 1200),
    ("strong club player", 1800),
    ("club player", 1600),
    ("club level", 1600),
    ("intermediate", 1400),
    ("tournament player", 1800),
    ("expert", 2000),
    ("candidate master", 2000),
    ("fide master", 2200),
    ("international master", 2400),
    ("grandmaster", 2500),
    ("grand master", 2500),
    ("world champion", 2800),
    ("like a master", 2200),
    ("master level", 2200),
    ("master strength", 2200),
    ("a master", 2200),
    ("strongest engine", 2800),
    ("strongest opponent", 2800),
    ("as weak as possible", 800),
    ("as easy as possible", 800),
    ("really weak", 800),
    ("very easy", 800),
    ("go easy on me", 1000),
    ("easy on me", 1000),
    ("easy opponent", 1000),
    ("very hard", 2200),
    ("very weak", 800),
    ("quite weak", 1000),
    ("weak opponent", 1000),
    ("weak player", 1000),
    ("weak please", 1000),
    ("someone weak", 1000),
    ("something weak", 1000),
    ("someone easy", 1000),
    ("something easy", 1000),
    ("nothing too strong", 1200),
    ("really strong", 2200),
    ("very strong", 2200),
    ("as strong as possible", 2800),
    ("as good as you can", 2800),
    ("as strong as you can", 2800),
    ("easy level", 1000),
    ("medium level", 1400),
    ("hard level", 2000),
];

/// The level whose rating is nearest to one, the lower one of two, and its own rating.
fn nearest_level(rating: u32) -> (u32, u32) {
    let levels = (1..).zip(LEVELS);
    levels.min_by_key(|(_, rated)| rated.abs_diff(rating)).unwrap_or((1, LEVELS[0]))
}

/// Whether a word behind a number makes it a rating.
fn is_player(word: &str) -> bool {
    matches!(
        word,
        "player"
            | "players"
            | "opponent"
            | "engine"
            | "strength"
            | "level"
            | "bot"
            | "guy"
            | "points"
    )
}

impl Filler<'_> {
    /// A level of the engine. There are nine: another number stays unread.
    pub(super) fn level(&mut self) -> Option<u32> {
        // "Like a club player, say 1700 Elo", "for a beginner, about 900": a number says it more exactly.
        let rated = self.attempt(Filler::rating);
        let in_words = self.level_in_words();
        if let Some(rating) = rated {
            let (level, near) = nearest_level(rating);
            self.set("rating", (near != rating).then_some(rating));
            return Some(level);
        }
        if let Some(level) = in_words {
            return Some(level);
        }
        let used = self.filled.used.clone();
        let level = self.number(&["level", "strength", "difficulty", ""])?;
        if (1..=9).contains(&level) {
            return Some(level);
        }
        self.filled.used = used;
        None
    }

    /// "1500 Elo", "elo 1350": a rating that a level comes near.
    fn rating(&mut self) -> Option<u32> {
        let is_elo = |word: &str| matches!(word, "elo" | "rating" | "rated" | "points" | "uci_elo");
        let numbers = self.unused("{n}");
        let number = numbers.iter().find(|number| {
            let before = number.from.checked_sub(1).map_or("", |at| self.word(at));
            is_elo(self.word(number.to)) || is_elo(before)
        });
        let number = number.or_else(|| numbers.iter().find(|number| self.is_plain_rating(number)));
        let number = match self.rating_of_two(&numbers) {
            Some(both) => both,
            None => number?.clone(),
        };
        let rating = self.rating_at(&number)?;
        if !NUMBERS.contains(&rating) {
            return None;
        }
        self.mark(number.from..number.to);
        // "A rating of 1300".
        let is_link = |at: &usize| matches!(self.word(*at), "of" | "about" | "around" | "near");
        let links = (0..number.from).rev().take_while(is_link).count();
        let noun = number.from.checked_sub(links + 1);
        if let Some(noun) = noun.filter(|noun| links > 0 && is_elo(self.word(*noun))) {
            self.mark(noun..number.from);
        }
        // "At roughly 1500": a level is only near it.
        let is_vague = |at: &usize| {
            matches!(
                self.word(*at),
                "roughly" | "approximately" | "about" | "around" | "circa" | "maybe" | "say"
            )
        };
        if let Some(at) = number.from.checked_sub(1).filter(is_vague) {
            self.mark(at..at + 1);
        }
        for at in [number.from.wrapping_sub(1), number.to] {
            if is_elo(self.word(at))
                || matches!(self.word(at), "bot" | "guy" | "opponent" | "player")
            {
                self.mark(at..at + 1);
            }
        }
        self.has(&["strength"]);
        Some(rating)
    }

    /// "Nineteen fifty": a rating that is said as a year is, as one number.
    fn rating_of_two(&self, numbers: &[Tagged]) -> Option<Tagged> {
        let pair = numbers.windows(2).find(|pair| {
            let both = Tagged { from: pair[0].from, to: pair[1].to, ..pair[0].clone() };
            pair[0].to == pair[1].from
                && !self.is_apart(pair[1].from)
                && !self.is_bound(pair[0].from)
                && self.rating_at(&both).is_some()
                && self.counted(&pair[1]).is_none_or(|noun| is_player(self.word(noun)))
                && (is_player(self.word(pair[1].to)) || !self.counts_something_else(&pair[1]))
        })?;
        Some(Tagged { from: pair[0].from, to: pair[1].to, ..pair[0].clone() })
    }

    /// The rating of one number, or of two that are said as those of a year.
    fn rating_at(&self, number: &Tagged) -> Option<u32> {
        let words = self.sentence.words;
        let first = numbers::at(words, number.from)?;
        let count = first.count()?;
        if first.words == number.to - number.from {
            return Some(count);
        }
        let is_word = |at: usize| words[at].bytes().all(|byte| byte.is_ascii_lowercase());
        let rest = numbers::at(words, number.from + first.words)?.count()?;
        let is_year = (7..=26).contains(&count)
            && (10..100).contains(&rest)
            && is_word(number.from)
            && is_word(number.from + first.words);
        is_year.then_some(100 * count + rest)
    }

    /// "Never above two thousand": a bound, and not the rating that is wanted.
    fn is_bound(&self, at: usize) -> bool {
        let before = |by: usize| at.checked_sub(by).map_or("", |at| self.word(at));
        matches!(before(1), "above" | "over" | "below" | "under" | "beyond" | "exceeding")
            || (before(1) == "than"
                && matches!(
                    before(2),
                    "more" | "less" | "higher" | "stronger" | "weaker" | "lower"
                ))
            || (before(1) == "most" && before(2) == "at")
    }

    /// "Play me at 1900", "like a 1200 player": a number that is a rating by its size alone.
    fn is_plain_rating(&self, number: &Tagged) -> bool {
        let noun = self.counted(number);
        let value = numbers::at(self.sentence.words, number.from).and_then(|number| number.count());
        value.is_some_and(|value| NUMBERS.contains(&value))
            && !self.is_bound(number.from)
            && noun.is_none_or(|noun| is_player(self.word(noun)))
            && (is_player(self.word(number.to)) || !self.counts_something_else(number))
    }

    /// "Like a beginner", "as strong as a club player": the level that comes near.
    fn level_in_words(&mut self) -> Option<u32> {
        // "Make it easy, level 3" has its number.
        let is_whole = |place: &Range<usize>| numbers::at(self.sentence.words, place.end).is_none();
        let said = STRENGTHS.iter().find_map(|(said, rating)| {
            self.place_of(said).filter(is_whole).map(|place| (place, rating))
        });
        // "A begginer".
        let misspelt = || {
            STRENGTHS.iter().filter(|(said, _)| said.len() > 5 && !said.contains(' ')).find_map(
                |(said, rating)| {
                    let is_it = |word: &String| {
                        osa::distance(word.bytes(), said.bytes()) < 3 && !nearest::is_known(word)
                    };
                    let at = self.sentence.words.iter().position(is_it)?;
                    Some((at..at + 1, rating))
                },
            )
        };
        let (place, rating) = said.or_else(misspelt)?;
        self.mark(place);
        self.has(&["strong", "strength", "good", "weak"]);
        Some(if *rating > *RATINGS.end() { 9 } else { nearest_level(*rating).0 })
    }

    pub(super) fn set_level(&mut self) {
        // "Weaker by one level" is no level 1.
        let by = self.number_behind("by").or_else(|| self.number(&["levels"]));
        let by = by.or_else(|| self.levels_up_or_down());
        if by == Some(1) {
            self.has(&["level", "levels"]);
        }
        let level = if by.is_some() { None } else { self.level() };
        let lower = ["weaker", "easier", "lower", "worse", "softer", "down", "reduce", "decrease"];
        let higher =
            ["stronger", "harder", "higher", "better", "tougher", "up", "raise", "increase"];
        let relative =
            if self.has(&lower) { Some("lower") } else { self.has(&higher).then_some("higher") };
        let relative = relative.or_else(|| self.by_adjective());
        match by {
            Some(_) if relative.is_some() && level.is_none() => {
                self.has(&["by"]);
                self.has(&["notch", "notches", "step", "steps", "level", "levels"]);
            }
            Some(2..) => {
                let used = self.places(&["by"]).into_iter().map(|at| at + 1);
                used.for_each(|at| self.filled.used[at] = false);
            }
            _ => {}
        }
        let is_most = ["full strength", "highest level", "full power", "your best"];
        let most = is_most.iter().any(|said| self.phrase(said))
            || self.has(&["maximum", "max", "strongest", "hardest"]);
        let level = level.or(most.then_some(9));
        let least = level.is_none() && self.has(&["minimum", "weakest", "easiest", "lowest"]);
        let level = level.or(least.then_some(1));
        match level {
            Some(level) => self.set("level", Some(level)),
            None if relative.is_some() => {
                self.set("level", relative);
                self.set("by", by.filter(|by| *by > 1));
            }
            None => {}
        }
    }

    /// "Go up one level", "one level lower": a number of levels, and none of them.
    fn levels_up_or_down(&mut self) -> Option<u32> {
        const DIRECTIONS: [&str; 12] = [
            "up", "down", "higher", "lower", "raise", "reduce", "increase", "decrease", "easier",
            "harder", "stronger", "weaker",
        ];
        let has_direction = self.sentence.words.iter().any(|word| DIRECTIONS.contains(&&**word));
        let numbers = self.unused("{n}");
        let is_step = |word: &str| {
            matches!(
                word,
                "level" | "levels" | "notch" | "notches" | "step" | "steps" | "grade" | "grades"
            )
        };
        let number = numbers.into_iter().find(|number| is_step(self.word(number.to)))?;
        if !has_direction {
            return None;
        }
        self.mark(number.from..number.to + 1);
        numbers::at(self.sentence.words, number.from)?.count()
    }

    /// "You are too strong" wants a weaker one, "go easy on me" as well.
    fn by_adjective(&mut self) -> Option<&'static str> {
        // "Not so strong".
        let is_less = ["not so", "not that", "not as"].iter().any(|said| self.phrase(said));
        let is_too = is_less || !self.places(&["too"]).is_empty();
        let (strong, weak) = if is_too { ("lower", "higher") } else { ("higher", "lower") };
        if self.has(&["strong", "hard", "difficult", "tough"])
            || (is_too && self.has(&["good", "well"]))
        {
            return Some(strong);
        }
        (self.has(&["weak", "easy", "soft"]) || (is_too && self.has(&["bad", "badly", "boring"])))
            .then_some(weak)
    }
}
