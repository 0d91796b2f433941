//! The runs that are compared.

use std::ops::Range;

use serde_json::{Value, json};

use super::Filler;
use crate::tags::Tagged;
use crate::{kinds, numbers};

impl Filler<'_> {
    pub(super) fn runs(&mut self) -> Value {
        if let Some(runs) = self.runs_by_kind() {
            return runs;
        }
        if let Some(runs) = self.one_before() {
            return runs;
        }
        let named = ["{run}", "{n}"];
        let tokens = self.sentence.tagged.iter();
        let all: Vec<&Tagged> = tokens
            .filter(|tagged| named.contains(&tagged.text.as_str()))
            .filter(|tagged| {
                let behind = self.counted(tagged) != self.numbered(tagged);
                tagged.text == "{run}" || !(behind || self.counts_other(tagged))
            })
            .collect();
        let left_out: Vec<(Range<usize>, usize)> = all
            .iter()
            .filter_map(|token| Some((self.left_out_run(token)?..token.to, token.from)))
            .collect();
        let list: Vec<usize> = all
            .iter()
            .map(|token| token.from)
            .filter(|from| left_out.iter().all(|(_, out)| out != from))
            .collect();
        let is_id = |at: &usize| {
            let mut tokens = self.sentence.tagged.iter();
            tokens.any(|token| token.from == *at && token.text == "{run}")
        };
        if list.len() > 1 || list.iter().any(is_id) || self.names_run(&list) {
            for at in &list {
                self.mark(*at..at + 1);
                let chunk = self.sentence.split[*at].chunk;
                let same = self.sentence.split.iter().filter(|word| word.chunk == chunk).count();
                self.mark(*at..at + same);
            }
            let named = |at: &usize| match numbers::at(self.sentence.words, *at) {
                Some(number) if !is_id(at) => numbers::short(number.value),
                _ => self.typed(*at),
            };
            let mut typed: Vec<String> = list.iter().map(named).collect();
            if let [first, last] = list[..]
                && let Some(range) = self.range_of_runs(first, last)
            {
                typed = range;
            }
            for (words, out) in left_out {
                let number = numbers::at(self.sentence.words, out);
                let number = number.map(|number| numbers::short(number.value));
                let before = typed.len();
                typed.retain(|run| Some(run) != number.as_ref());
                // "Runs 3 to 6 without 9" leaves nothing out.
                match typed.len() < before {
                    true => self.mark(words),
                    false => self.name(words),
                }
            }
            // "2, 8 and the last match".
            if let Some((words, _)) = self.last_run(0)
                && (list.len() == 1 || words.len() > 1)
            {
                self.mark(words);
                typed.push("last".to_owned());
            }
            return json!(typed);
        }
        if let Some(unknown) = self.unknown_run() {
            return json!([unknown]);
        }
        // Another number of runs cannot be compared, and "twice" counts none.
        let is_times = self.sentence.words.iter().any(|word| word == "twice");
        let of_kind = self.count_of_kind();
        let plain = |filler: &mut Self| {
            if is_times {
                return None;
            }
            let count = filler.number(&["run", "runs", "test", "tests", ""])?;
            (2..=6).contains(&count).then_some(count)
        };
        let count = of_kind.or_else(|| self.attempt(plain));
        match count {
            Some(count @ 3..) => json!(format!("last {count}")),
            _ => json!("last two"),
        }
    }

    /// "More than 10 percent", "the two last tunings": a number that is no run.
    fn counts_other(&self, number: &Tagged) -> bool {
        number.text == "{n}"
            && matches!(
                self.word(number.to),
                "percent" | "last" | "latest" | "newest" | "most" | "times" | "seconds" | "minutes"
            )
    }

    /// "Runs three to six without number four", "except run 5": where what leaves a run out begins.
    fn left_out_run(&self, number: &Tagged) -> Option<usize> {
        let is_silent = |at: &usize| matches!(self.word(*at), "run" | "number" | "nr" | "the");
        let first = (0..number.from).rev().take(4).find(|at| !is_silent(at))?;
        let before = first.checked_sub(1).map_or("", |at| self.word(at));
        let from = match self.word(first) {
            "without" | "except" | "excepted" | "excluding" | "not" | "omitting" | "skipping"
            | "minus" => first,
            "out" if before == "leaving" => first - 1,
            "from" if matches!(before, "apart" | "aside") => first - 1,
            _ => return None,
        };
        let but = from.checked_sub(1).filter(|at| self.word(*at) == "but");
        Some(but.unwrap_or(from))
    }

    /// "Compare the last match with run 11".
    fn names_run(&self, list: &[usize]) -> bool {
        let [only] = list else { return false };
        only.checked_sub(1).is_some_and(|at| matches!(self.word(at), "run" | "runs"))
    }

    /// "Runs 20 to 23": all of them, up to six.
    fn range_of_runs(&mut self, first: usize, last: usize) -> Option<Vec<String>> {
        let number = |at: usize| numbers::at(self.sentence.words, at)?.count();
        let (from, to) = (number(first)?, number(last)?);
        let link = last.checked_sub(1).filter(|at| *at > first)?;
        let is_range = matches!(self.word(link), "to" | "through" | "until" | "till");
        if !is_range || to <= from || to - from > 5 {
            return None;
        }
        self.mark(link..link + 1);
        Some((from..=to).map(|run| run.to_string()).collect())
    }

    /// "The last SPRT and the one before": the last two of a kind.
    fn one_before(&mut self) -> Option<Value> {
        let before = [
            "one before it",
            "one before that",
            "one before",
            "previous one",
            "run before it",
            "run before that",
            "run before",
        ];
        let before = before.iter().find_map(|said| self.place_of(said))?;
        // "Run 4 and the one before": the other one is named.
        let number = self
            .unused("{n}")
            .into_iter()
            .find(|number| self.numbered(number).is_some_and(|at| self.word(at) == "run"));
        if let Some(number) = number {
            self.mark(number.from - 1..number.to);
            self.filled.named.push(before);
            return Some(json!([self.typed(number.from)]));
        }
        let (last, noun) = self.last_run(0)?;
        if last.len() < 2 || before.start < last.end {
            return None;
        }
        let kind = kinds::command(self.word(noun));
        self.mark(last);
        self.mark(before);
        self.set("kind", kind);
        Some(json!("last two"))
    }

    /// "The last three SPRTs": how many runs, and their kind.
    fn count_of_kind(&mut self) -> Option<u32> {
        // "The last two SPRTs", "the two last tunings".
        let noun_of = |number: &Tagged| {
            let last = matches!(self.word(number.to), "last" | "latest" | "newest");
            number.to + usize::from(last)
        };
        let numbers = self.unused("{n}").into_iter();
        let mut found = numbers.map(|number| (noun_of(&number), number));
        let (noun, number) = found.find(|(noun, _)| kinds::command(self.word(*noun)).is_some())?;
        let count = numbers::at(self.sentence.words, number.from)?.count()?;
        if !(2..=6).contains(&count) {
            return None;
        }
        self.mark(number.from..noun + 1);
        let kind = kinds::command(self.word(noun));
        self.set("kind", kind);
        Some(count)
    }

    /// "The last match with the last SPRT": runs by their kinds.
    fn runs_by_kind(&mut self) -> Option<Value> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some((words, noun)) = self.last_run(at) {
            at = words.end;
            if words.len() > 1 {
                found.push((words, kinds::command(self.word(noun))?));
            }
        }
        if found.len() < 2 {
            return None;
        }
        found.iter().for_each(|(words, _)| self.mark(words.clone()));
        let runs = found.iter().map(|(_, kind)| format!("last {kind}"));
        Some(json!(runs.collect::<Vec<_>>()))
    }
}
