//! Threads and hash that are said of one engine of two: they are named, and not taken for both.

use super::Filler;
use crate::tags::Tagged;

/// Verbs and links between an engine and what it has.
const HAVING: [&str; 14] = [
    "with", "gets", "get", "has", "have", "uses", "using", "use", "having", "runs", "on", "at",
    "takes", "should",
];

/// Words that narrow what one engine has.
const LIMITED: [&str; 5] = ["limited", "restricted", "capped", "only", "just"];

/// Nouns of what an engine has.
const OPTIONS: [&str; 12] = [
    "thread",
    "threads",
    "core",
    "cores",
    "cpus",
    "hash",
    "mb",
    "mib",
    "megabytes",
    "gb",
    "gib",
    "gigabytes",
];

impl Filler<'_> {
    /// "Weiss with 2 threads against toga2": threads and hash of one engine, which are named and not taken for both.
    pub(super) fn leave_options_of_one(&mut self) {
        self.leave_odds();
        let is_player = |token: &&Tagged| matches!(token.text.as_str(), "{engine}" | "{rev}");
        let players: Vec<Tagged> = self.sentence.tagged.iter().filter(is_player).cloned().collect();
        let [first, second, ..] = players.as_slice() else { return };
        self.leave_options_behind_names(&players);
        self.leave_limits_of_one(&players);
        let is_against = matches!(self.word(second.from - 1), "against" | "and" | "plays");
        let is_of_one = |number: &&Tagged| {
            self.counted(number).is_some_and(|noun| OPTIONS.contains(&self.word(noun)))
        };
        let numbers = self.unused("{n}");
        let (before, behind): (Vec<&Tagged>, Vec<&Tagged>) =
            numbers.iter().filter(is_of_one).partition(|number| number.from < second.from);
        let between = before.iter().filter(|number| number.from >= first.to);
        if between.clone().count() == 0 || !is_against {
            return;
        }
        // What stands behind the second engine then is that of the second one.
        let own: Vec<&Tagged> = between.copied().chain(behind.iter().copied()).collect();
        let ranges = own.into_iter().map(|number| {
            let noun = self.counted(number).unwrap_or(number.to);
            number.from.min(noun)..number.to.max(noun + 1)
        });
        let ranges: Vec<_> = ranges.collect();
        for range in ranges {
            self.mark(range.clone());
            self.filled.named.push(range);
        }
    }

    /// "8 threads against 1": what each of the two has.
    fn leave_odds(&mut self) {
        let numbers = self.unused("{n}");
        let odds = numbers.iter().find_map(|number| {
            let noun = self.counted(number).filter(|noun| OPTIONS.contains(&self.word(*noun)))?;
            let end = noun.max(number.to - 1) + 1;
            let other = numbers.iter().find(|other| other.from == end + 1)?;
            let is_versus = matches!(self.word(end), "against" | "to");
            is_versus.then_some(number.from.min(noun)..other.to)
        });
        if let Some(odds) = odds {
            self.mark(odds.clone());
            self.filled.named.push(odds);
        }
    }

    /// "Weiss against toga2, weiss with 4 threads, toga2 with 1": what stands behind an engine that is named again, or
    /// that "gets" or "has" it.
    fn leave_options_behind_names(&mut self, players: &[Tagged]) {
        let typed = |token: &Tagged| self.sentence.words[token.from..token.to].join("");
        let names: Vec<String> = players.iter().map(typed).collect();
        let mut ranges = Vec::new();
        for (index, player) in players.iter().enumerate() {
            let verb = self.word(player.to);
            if !HAVING.contains(&verb) {
                continue;
            }
            let is_again = names[..index].contains(&names[index]);
            let is_own = matches!(verb, "gets" | "get" | "has" | "have" | "uses" | "takes");
            let links = ["only", "just", "at", "most", "all", "use", "have", "get"];
            let from = (player.to + 1..).find(|at| !links.contains(&self.word(*at)));
            let number = from
                .and_then(|from| self.unused("{n}").into_iter().find(|number| number.from == from));
            if let Some(number) = number.filter(|_| is_again || is_own) {
                let from = if is_again { player.from } else { number.from };
                ranges.push(from..self.end_of_options(&number));
            }
        }
        // "Hash 64 for dev".
        for number in self.unused("{n}") {
            let end = self.end_of_options(&number);
            let is_for = matches!(self.word(end), "for" | "on");
            let of_one = is_for && players.iter().any(|player| player.from == end + 1);
            let noun = self.counted(&number).filter(|noun| OPTIONS.contains(&self.word(*noun)));
            if let Some(noun) = noun.filter(|_| of_one) {
                ranges.push(number.from.min(noun)..end + 2);
            }
        }
        for range in ranges {
            self.mark(range.clone());
            self.filled.named.push(range);
        }
    }

    /// "Stockfish limited to depth 6", "giving weiss only 1,000 nodes a move": a limit of one engine, which is named and not
    /// taken for all.
    fn leave_limits_of_one(&mut self, players: &[Tagged]) {
        let typed = |token: &Tagged| self.sentence.words[token.from..token.to].join("");
        let is_said = |at: usize| {
            let word = self.word(at);
            HAVING.contains(&word) || LIMITED.contains(&word) || matches!(word, "to" | "a" | "of")
        };
        let limits = self.unused("{limit}");
        // "My version" after two players is one of them.
        let own = (0..self.sentence.tagged.len()).filter_map(|index| self.own_work(index));
        let own = own.map(|(words, name)| Tagged {
            text: name.to_owned(),
            from: words.start,
            to: words.end,
        });
        let mut players: Vec<Tagged> = players.iter().cloned().chain(own).collect();
        players.sort_by_key(|player| player.from);
        let owner = |limit: &Tagged| {
            let index = players.iter().rposition(|player| player.to <= limit.from)?;
            let player = &players[index];
            let mut between = player.to..limit.from;
            let is_own = index > 1 && limits.len() > 1 && !player.text.starts_with('{');
            // "Stockfish against stockfish with 1000 nodes" has two players of one name, and one limit for both.
            let is_same = |other: &Tagged| typed(other) == typed(player);
            let is_third = index > 1 || limits.len() > 1;
            let is_again = is_own || is_third && players[..index].iter().any(is_same);
            let before = player.from.checked_sub(1).map_or("", |at| self.word(at));
            // "Weiss against toga2 limited to 1000 nodes" is said of both.
            let narrows = matches!(before, "giving" | "give" | "limiting")
                || (!matches!(before, "against" | "and" | "or")
                    && between.clone().any(|at| LIMITED.contains(&self.word(at))));
            let is_whole = (player.to..=limit.from).all(|at| !self.is_apart(at));
            let is_near = between.len() < 5 && between.all(is_said) && is_whole;
            (is_near && (is_again || narrows)).then_some(player.from..limit.to)
        };
        let ranges: Vec<_> = limits.iter().filter_map(owner).collect();
        for range in ranges {
            self.mark(range.clone());
            self.filled.named.push(range);
        }
    }

    /// Where the options end that begin with a number: "2 threads and 64 MB".
    fn end_of_options(&self, number: &Tagged) -> usize {
        let noun = self.counted(number).filter(|noun| *noun >= number.to);
        let end = noun.map_or(number.to, |noun| noun + 1);
        let next = self.unused("{n}").into_iter().find(|next| {
            let is_linked = self.word(end) == "and" && next.from == end + 1;
            is_linked && self.counted(next).is_some_and(|noun| OPTIONS.contains(&self.word(noun)))
        });
        next.map_or(end, |next| self.end_of_options(&next))
    }
}
