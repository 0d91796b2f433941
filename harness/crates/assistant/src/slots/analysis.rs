//! The slots of an analysis: the engines, their lines and the limit.

use super::Filler;
use crate::tags::Tagged;
use crate::{numbers, rules};

impl Filler<'_> {
    pub(super) fn engine_on(&mut self) {
        let lines = self.number(&[
            "line",
            "lines",
            "variation",
            "variations",
            "pv",
            "pvs",
            "multipv",
            "moves",
        ]);
        let lines = lines.or_else(|| self.engine_lines()).or_else(|| self.number_of_them());
        // "Lines 4", "multipv 3".
        let lines = lines.or_else(|| {
            ["lines", "multipv", "variations", "pv", "top"]
                .iter()
                .find_map(|noun| self.number_behind(noun))
        });
        let lines = lines.or_else(|| self.assigned_count(&["multipv", "lines"]));
        // "Two lines, not three".
        if let Some(not) = self.place_of("not").filter(|_| lines.is_some()) {
            let number = numbers::at(self.sentence.words, not.end).map_or(0, |number| number.words);
            if number > 0 {
                self.mark(not.start..not.end + number);
            }
        }
        // "Two lines instead of five".
        if let Some(place) = self.place_of("instead of").filter(|_| lines.is_some()) {
            let number =
                numbers::at(self.sentence.words, place.end).map_or(0, |number| number.words);
            if number > 0 {
                self.mark(place.start..place.end + number);
            }
        }
        self.set("lines", lines);
        let kept = rules::kept_engine(self.sentence);
        let engines = match kept.and_then(|token| self.engine_of(token)) {
            Some(engine) => {
                let tokens = self.unused("{engine}").into_iter();
                tokens.for_each(|token| self.mark(token.from..token.to));
                self.has(&["but", "keep", "leave", "retain", "up", "on"]);
                vec![engine]
            }
            None => self.players(),
        };
        self.set("engine", (!engines.is_empty()).then(|| engines.join(", ")));
        let limit = self.limit();
        self.set("limit", limit);
    }

    /// "The engine lines, four of them".
    fn number_of_them(&mut self) -> Option<u32> {
        let speaks_of_lines = self.sentence.words.iter().any(|word| word.starts_with("line"));
        let numbers = self.unused("{n}");
        let is_of_them =
            |number: &&Tagged| self.word(number.to) == "of" && self.word(number.to + 1) == "them";
        let number = numbers.iter().find(is_of_them).filter(|_| speaks_of_lines)?;
        self.mark(number.from..number.to + 2);
        numbers::at(self.sentence.words, number.from)?.count()
    }

    /// "Two engine lines".
    fn engine_lines(&mut self) -> Option<u32> {
        let is_line = |word: &str| word.starts_with("lin") || word.starts_with("variation");
        let numbers = self.unused("{n}");
        // "The five best ways to continue".
        let is_way = |word: &str| matches!(word, "ways" | "continuations" | "options" | "tries");
        let number = numbers.into_iter().find(|number| {
            let (adjective, noun) = (self.word(number.to), self.word(number.to + 1));
            (adjective == "engine" && is_line(noun)) || (adjective == "best" && is_way(noun))
        })?;
        self.mark(number.from..number.to + 2);
        numbers::at(self.sentence.words, number.from)?.count()
    }
}
