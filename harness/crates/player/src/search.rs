//! One search of an engine under test: of a player, or line by line of a process.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use shakmaty::uci::UciMove;

use super::interface::Player;
use super::process::UciProcess;
use super::reply::{Fault, FaultKind, Info, Reply, Score};

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchResult {
    /// The move, if it answered.
    pub best_move: Option<UciMove>,
    /// Depth of its last line with a score.
    pub depth: Option<u32>,
    /// Nodes of that line.
    pub nodes: Option<u64>,
    /// Score of that line.
    pub score: Option<Score>,
    /// From `go` to `bestmove`, or to `stop`.
    pub elapsed: Duration,
    /// It had to be stopped.
    pub stopped: bool,
}

impl SearchResult {
    /// The result of a search that ended by itself.
    pub fn from_reply(reply: &Reply) -> SearchResult {
        let Info { depth, nodes, score, .. } = reply.info;
        let best_move = Some(reply.best_move);
        let elapsed = reply.elapsed;
        SearchResult { best_move, depth, nodes, score, elapsed, stopped: false }
    }

    /// Whether two searches have the same result; their times may differ.
    pub fn repeats(&self, other: &SearchResult) -> bool {
        let result =
            |search: &SearchResult| (search.best_move, search.depth, search.nodes, search.score);
        result(self) == result(other)
    }
}

/// A search as the lines that a process printed from `go` to `bestmove`.
pub struct RawSearch {
    /// The lines before `bestmove`, with one space between words.
    pub lines: Vec<String>,
    /// The move.
    pub best_move: UciMove,
    /// The move to ponder on.
    pub ponder: Option<UciMove>,
    /// From writing `go` to reading `bestmove`.
    pub elapsed: Duration,
}

/// The kind of scores that a search printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scores {
    /// None.
    None,
    /// Lower and upper bounds only.
    Bounds,
    /// Others too.
    Exact,
}

impl RawSearch {
    /// The number behind a word in the last `info` line that has both.
    pub fn last_number(&self, word: &str) -> Option<i64> {
        let infos = self.lines.iter().rev().filter(|line| line.starts_with("info "));
        infos.filter_map(|line| number_behind(line, word)).next()
    }

    /// The kind of scores printed.
    pub fn scores(&self) -> Scores {
        let is_score = |line: &&String| line.starts_with("info ") && line.contains(" score ");
        let is_bound = |line: &String| line.contains(" lowerbound") || line.contains(" upperbound");
        let mut scores = self.lines.iter().filter(is_score);
        match scores.next() {
            None => Scores::None,
            Some(first) if is_bound(first) && scores.all(is_bound) => Scores::Bounds,
            Some(_) => Scores::Exact,
        }
    }

    /// Its result, without the score.
    pub fn result(&self) -> SearchResult {
        let number = |word| self.last_number(word);
        SearchResult {
            best_move: Some(self.best_move),
            depth: number("depth").and_then(|depth| u32::try_from(depth).ok()),
            nodes: number("nodes").and_then(|nodes| u64::try_from(nodes).ok()),
            score: None,
            elapsed: self.elapsed,
            stopped: false,
        }
    }
}

fn number_behind(line: &str, word: &str) -> Option<i64> {
    let mut words = line.split_whitespace();
    words.find(|&candidate| candidate == word)?;
    words.next()?.parse().ok()
}

/// Sends commands that end with a `go` or `stop`, and reads up to `bestmove`.
///
/// # Errors
/// A [`Fault`] when the process ends, does not answer in time, or answers without a move.
pub fn raw_search(
    process: &mut UciProcess,
    commands: &str,
    patience: Duration,
) -> Result<RawSearch, Fault> {
    process.send(commands)?;
    let begun = Instant::now();
    let lines = RefCell::new(Vec::new());
    let is_last = |line: &[u8]| {
        let last = is_best_move(line);
        if !last {
            // UCI lets tabs and several spaces stand between words.
            let line = String::from_utf8_lossy(line);
            lines.borrow_mut().push(line.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        last
    };
    let answer = process.await_line(is_last, "bestmove", patience)?;
    let elapsed = begun.elapsed();
    let words: Vec<&str> = answer.split_whitespace().collect();
    let read = |word: &&str| word.parse::<UciMove>().ok().filter(|best| best.is_normal());
    let Some(best_move) = words.get(1).and_then(read) else {
        let player = process.name().to_owned();
        return Err(Fault { player, kind: FaultKind::NoMove, detail: format!("`{answer}`") });
    };
    let ponder = (words.get(2) == Some(&"ponder")).then(|| words.get(3).and_then(read)).flatten();
    Ok(RawSearch { lines: lines.into_inner(), best_move, ponder, elapsed })
}

/// Whether a line is a `bestmove`.
pub fn is_best_move(line: &[u8]) -> bool {
    let rest = line.trim_ascii_start().strip_prefix(b"bestmove");
    rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(lines: &[&str]) -> RawSearch {
        RawSearch {
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            best_move: "e2e4".parse().unwrap(),
            ponder: None,
            elapsed: Duration::ZERO,
        }
    }

    #[test]
    fn the_lines_of_a_search_give_its_last_numbers_and_the_kind_of_its_scores() {
        let exact = "info depth 3 score cp 5 nodes 40 pv e2e4";
        let bound = "info depth 4 score cp 9 lowerbound nodes 90";
        for (lines, depth, nodes, scores) in [
            (vec![], None, None, Scores::None),
            (vec!["info string depth 9 nodes x", "id name 3"], Some(9), None, Scores::None),
            (vec![bound], Some(4), Some(90), Scores::Bounds),
            (vec![exact, bound], Some(4), Some(90), Scores::Exact),
            (vec![bound, exact, "info nodes 99"], Some(3), Some(99), Scores::Exact),
            (vec!["info depth -1 nodes 7 score mate 1"], None, Some(7), Scores::Exact),
        ] {
            let search = raw(&lines);
            let result = search.result();
            assert_eq!((result.depth, result.nodes, search.scores()), (depth, nodes, scores));
            assert!(result.repeats(&SearchResult { elapsed: Duration::MAX, ..result }));
        }
    }
}
