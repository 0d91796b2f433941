//! The limit of a search, and details that are refused.

use std::ops::Range;

use super::Filler;
use crate::limits;
use crate::tags::Tagged;

/// Words for a limit before it.
const LIMIT_NAMES: [&str; 6] = ["tc", "time", "control", "limit", "clock", "cadence"];

impl Filler<'_> {
    /// Where a detail is refused, "not with 2 threads", "but not chess960": the word that says so. "Not more than 100
    /// games" refuses none.
    pub(super) fn refusal(&self, at: usize) -> Option<usize> {
        let is_between = |word: &str| {
            matches!(
                word,
                "a" | "an"
                    | "any"
                    | "the"
                    | "with"
                    | "in"
                    | "into"
                    | "to"
                    | "at"
                    | "on"
                    | "by"
                    | "as"
                    | "use"
                    | "using"
            )
        };
        let first = (0..at).rev().take(3).find(|at| !is_between(self.word(*at)))?;
        let before = first.checked_sub(1).map_or("", |at| self.word(at));
        // "STC instead of LTC", "toga2 rather than weiss".
        if matches!((before, self.word(first)), ("instead", "of") | ("rather", "than"))
            && !(first..=at).any(|at| self.is_apart(at))
        {
            return Some(first - 1);
        }
        // "Except HEAD~2 instead of HEAD" takes the first one.
        let takes_place = |at: usize| {
            let end = self.sentence.tagged.iter().find(|token| token.from == at);
            let end = end.map_or(at + 1, |token| token.to);
            matches!((self.word(end), self.word(end + 1)), ("instead", "of") | ("rather", "than"))
        };
        if self.is_exchanged(at) {
            return Some(first);
        }
        let is_refusal = match self.word(first) {
            _ if takes_place(at) => false,
            "but" => {
                let is_all = |at: usize| {
                    matches!(self.word(at), "anything" | "everything" | "all" | "any" | "every")
                };
                (first.saturating_sub(3)..first).any(is_all)
            }
            "except" | "excluding" | "besides" => true,
            "for" => before == "except",
            "from" => before == "apart" || before == "aside",
            "not" => !matches!(before, "why" | "can" | "could" | "do" | "if"),
            "without" | "never" => true,
            _ => false,
        };
        let is_apart = (first + 1..=at).any(|at| self.is_apart(at));
        (is_refusal && !is_apart).then_some(first)
    }

    /// "Swap toga2 for weiss", "replace the 10+0.1 by 8+0.08": the value that another one takes the place of.
    fn is_exchanged(&self, at: usize) -> bool {
        let verb = (at.saturating_sub(4)..at)
            .rev()
            .find(|at| matches!(self.word(*at), "swap" | "replace" | "exchange" | "swapping"));
        let is_nearest = |verb: usize| {
            let mut tokens = self.sentence.tagged.iter();
            !tokens.any(|token| token.from > verb && token.from < at && token.text.starts_with('{'))
        };
        let token = self.sentence.tagged.iter().find(|token| token.from == at);
        let end = token.map_or(at + 1, |token| token.to);
        let is_link = matches!(self.word(end), "for" | "with" | "by" | "against");
        verb.is_some_and(is_nearest) && is_link && !self.is_apart(end)
    }

    /// "Not with LTC, take STC": where another value of its kind is taken, a refused one is accounted for.
    fn mark_refused(&mut self, token: &str) {
        let tokens = self.sentence.tagged.iter().filter(|tagged| tagged.text == token);
        let refused: Vec<Range<usize>> =
            tokens.filter_map(|token| Some(self.refusal(token.from)?..token.to)).collect();
        refused.into_iter().for_each(|words| self.mark(words));
    }

    /// The limit, unless it has none of the kind that is wanted.
    pub(super) fn limit_as(
        &mut self,
        read: impl Fn(&limits::Meant) -> Option<String>,
    ) -> Option<String> {
        let limits = self.unused("{limit}");
        let limits: Vec<Tagged> =
            limits.into_iter().filter(|token| !self.is_no_limit(token)).collect();
        // "STC 10+0.1": the name of a preset beside its limit says nothing more.
        let is_preset =
            |token: &&Tagged| limits::is_preset(&self.sentence.words[token.from..token.to]);
        let mut exact = limits.iter().filter(|token| !is_preset(token));
        let tagged = exact.next().or(limits.first())?.clone();
        // "10 seconds for one, and 20 for the other": neither is that of both.
        if exact.any(|token| {
            self.sentence.words[token.from..token.to] != self.sentence.words[tagged.from..tagged.to]
        }) {
            return None;
        }
        // "A tenth of a second at LTC": neither is refined by the other.
        let refines = |preset: &&Tagged| {
            let gap = tagged.from.checked_sub(preset.to);
            is_preset(preset) && (gap.is_some_and(|gap| gap < 3) || preset.from == tagged.to)
        };
        let preset = limits.iter().find(refines).cloned();
        let mut meant = limits::at(self.sentence.words, tagged.from)?.meant;
        let mut to = tagged.to;
        let is_link = |at: &usize| {
            matches!(self.word(*at), "a" | "per" | "each" | "every" | "for" | "in" | "on" | "the")
        };
        let links = (to..to + 2).take_while(is_link).count();
        let noun = to + links;
        // "1s/move".
        let chunk = |at: usize| self.sentence.split.get(at).map(|word| word.chunk);
        let is_each = links > 0 || chunk(noun) == chunk(tagged.to - 1);
        match self.word(noun) {
            "move" | "moves" | "position" | "positions" | "ply" if is_each => {
                to = noun + 1;
                if let limits::Meant::Seconds(seconds) = meant {
                    meant = limits::Meant::MoveSeconds(seconds);
                }
            }
            "game" | "side" | "player" | "everybody" | "everyone" | "total" if is_each => {
                if let limits::Meant::Seconds(base) = meant {
                    meant = limits::Meant::GameSeconds { base, increment: 0.0 };
                }
                to = noun + 1;
            }
            _ if matches!(self.word(to), "each" | "apiece") => to += 1,
            _ => {}
        }
        let found = read(&meant)?;
        self.mark(tagged.from..to);
        self.mark_refused("{limit}");
        self.mark_maximum(tagged.from);
        self.mark_maximum_behind(to);
        self.name_other_bound(tagged.from);
        if let Some(preset) = preset {
            self.mark(preset.from..preset.to);
        }
        // "Time is 8 seconds", "tc 8+0.08".
        let named = [1, 2].map(|by| tagged.from.checked_sub(by)).into_iter().flatten();
        for at in named {
            if LIMIT_NAMES.contains(&self.word(at)) {
                self.mark(at..at + 1);
            }
        }
        Some(found)
    }

    /// "The first 8 plies of the book": how much is used of something; or how long a run lasts.
    fn is_no_limit(&self, limit: &Tagged) -> bool {
        let before = limit.from.checked_sub(1).map_or("", |at| self.word(at));
        let is_part = matches!(before, "first" | "last")
            && self.intent.is_run()
            && limits::at(self.sentence.words, limit.from)
                .is_some_and(|said| matches!(said.meant, limits::Meant::Depth(_)));
        is_part || self.is_duration(limit)
    }

    /// "Stop after 20000 games or 3 hours", "in less than 10 minutes": how long a run lasts, and no limit of its games.
    fn is_duration(&self, limit: &Tagged) -> bool {
        let is_time = limits::at(self.sentence.words, limit.from).is_some_and(|said| {
            matches!(said.meant, limits::Meant::Seconds(_) | limits::Meant::Minutes { .. })
        });
        let word = |by: usize| limit.from.checked_sub(by).map_or("", |at| self.word(at));
        let is_bound = matches!(word(1), "or" | "until" | "within" | "after" | "under")
            || (word(1) == "than" && matches!(word(2), "less" | "more"));
        let is_each = matches!(self.word(limit.to), "a" | "per" | "each" | "every");
        let in_hours = matches!(self.word(limit.to - 1), "hour" | "hours");
        is_time && self.intent.is_run() && !is_each && (is_bound || in_hours)
    }

    /// The limit of a search.
    pub(super) fn limit(&mut self) -> Option<String> {
        self.limit_as(|meant| Some(meant.limit()))
    }
}
