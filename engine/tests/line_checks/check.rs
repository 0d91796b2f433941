//! What is wrong with the output of a search.

use super::game::Game;

/// A search that is over.
pub struct Search {
    /// The game before the search.
    pub game: Game,
    /// Lines that were asked for.
    pub multipv: usize,
    /// Moves that were asked for; empty: all.
    pub search_moves: Vec<String>,
    pub go: String,
    /// The engine's output, up to `bestmove`.
    pub output: Vec<String>,
}

/// A reported line.
struct Line<'a> {
    text: &'a str,
    depth: u32,
    rank: usize,
    score: Score,
    /// Whether the score is a bound.
    bound: bool,
    pv: Vec<&'a str>,
}

#[derive(Clone, Copy)]
enum Score {
    Centipawns(i32),
    Mate(i32),
}

impl Score {
    /// A key by which better scores come later.
    fn key(self) -> i32 {
        const MATE: i32 = 1_000_000;
        match self {
            Score::Centipawns(value) => value,
            Score::Mate(moves) if moves > 0 => MATE - moves,
            Score::Mate(moves) => -MATE - moves,
        }
    }
}

impl Line<'_> {
    /// Reads an `info` line with a line of moves.
    fn parse(text: &str) -> Option<Line<'_>> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let after = |key: &str| {
            let at = words.iter().position(|&word| word == key)?;
            words.get(at + 1).copied()
        };
        let number = |key: &str| after(key).and_then(|word| word.parse::<i32>().ok());
        if words.first() != Some(&"info") || words.get(1) == Some(&"string") {
            return None;
        }
        let pv = words.iter().position(|&word| word == "pv")?;
        let score = match after("score")? {
            "cp" => Score::Centipawns(number("cp")?),
            "mate" => Score::Mate(number("mate")?),
            _ => return None,
        };
        let bound = words.iter().any(|&word| word == "lowerbound" || word == "upperbound");
        let depth = number("depth")?.unsigned_abs();
        let rank = number("multipv").map_or(1, |rank| rank.unsigned_abs() as usize);
        Some(Line { text, depth, rank, score, bound, pv: words[pv + 1..].to_vec() })
    }

    fn head(&self) -> Option<&str> {
        self.pv.first().copied()
    }

    /// What is wrong with the line by itself.
    fn fault(&self, game: &Game) -> Option<String> {
        let mut game = game.clone();
        for (played, m) in self.pv.iter().enumerate() {
            // Where the game was over before the search, a move is played all the same.
            if let Some(ending) = game.ending().filter(|_| played > 0) {
                return Some(format!("goes on with {m} after {ending}"));
            }
            if !game.play(m) {
                return Some(format!("{m} is not legal"));
            }
        }
        let Score::Mate(moves) = self.score else { return None };
        let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
        let complete = self.pv.len() as i32 == plies && game.is_checkmate();
        (!complete && !self.bound).then(|| format!("is no mate in {moves}"))
    }
}

impl Search {
    /// Everything that is wrong with the output, each with its line.
    pub fn faults(&self) -> Vec<String> {
        let lines: Vec<Line<'_>> =
            self.output.iter().filter_map(|line| Line::parse(line)).collect();
        let fault = |line: &Line<'_>| {
            let fault = line.fault(&self.game)?;
            Some(format!("{fault}: {}", line.text))
        };
        let mut faults: Vec<String> = lines.iter().filter_map(fault).collect();
        let blocks = blocks(&lines);
        for (number, block) in blocks.iter().enumerate() {
            let last = number + 1 == blocks.len();
            if let Some(fault) = self.block_fault(block, last) {
                let texts: Vec<&str> = block.iter().map(|line| line.text).collect();
                faults.push(format!("{fault}: {texts:#?}"));
            }
        }
        faults.extend(self.best_move_fault(&lines));
        faults
    }

    /// The search as a line of a transcript, for `lines_against_chess.py`.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "fen": self.game.fen,
            "chess960": self.game.chess960,
            "moves": self.game.moves,
            "go": self.go,
            "output": self.output,
        })
    }

    /// Number of reported lines, of scores of mates, and of bounds among these.
    pub fn counts(&self) -> [usize; 3] {
        let lines: Vec<Line<'_>> =
            self.output.iter().filter_map(|line| Line::parse(line)).collect();
        let mates = || lines.iter().filter(|line| matches!(line.score, Score::Mate(_)));
        [lines.len(), mates().count(), mates().filter(|line| line.bound).count()]
    }

    /// What is wrong with the ranks that were reported together.
    fn block_fault(&self, block: &[Line<'_>], last: bool) -> Option<&'static str> {
        let moves = match self.search_moves.len() {
            0 => self.game.legal_moves().len(),
            moves => moves,
        };
        let mut heads: Vec<&str> = block.iter().filter_map(Line::head).collect();
        if !self.search_moves.is_empty()
            && heads.iter().any(|&head| self.search_moves.iter().all(|m| m != head))
        {
            return Some("a move that was not asked for");
        }
        heads.sort_unstable();
        heads.dedup();
        let ordered = block.is_sorted_by(|better, worse| {
            better.depth > worse.depth
                || better.depth == worse.depth && better.score.key() >= worse.score.key()
        });
        // A search that is stopped in its first iteration knows no more lines.
        let complete = block.len() == self.multipv.min(moves) || last && block[0].depth <= 1;
        if heads.len() != block.len() {
            Some("two ranks have the same move, or none")
        } else if !block.iter().map(|line| line.rank).eq(1..=block.len()) || !complete {
            Some("the ranks are not complete")
        } else if !ordered {
            Some("the best rank does not come first")
        } else {
            None
        }
    }

    /// What is wrong with the move to play and the expected reply.
    fn best_move_fault(&self, lines: &[Line<'_>]) -> Option<String> {
        let text = self.output.last().map_or("", String::as_str);
        let words: Vec<&str> = text.split_whitespace().collect();
        let line = lines.iter().rev().find(|line| line.rank == 1);
        let pv: &[&str] = line.map_or(&[], |line| &line.pv);
        let expected = match pv {
            [] => vec!["bestmove", "0000"],
            [best] => vec!["bestmove", best],
            [best, reply, ..] => vec!["bestmove", best, "ponder", reply],
        };
        let has_moves = !self.game.legal_moves().is_empty();
        let fault = if words != expected {
            "is not the beginning of the last line"
        } else if pv.is_empty() && has_moves {
            "is no move"
        } else {
            return None;
        };
        Some(format!("{text} {fault}: {:?}", line.map(|line| line.text)))
    }
}

/// The lines that were reported together, from rank 1 on.
fn blocks<'a>(lines: &'a [Line<'a>]) -> Vec<&'a [Line<'a>]> {
    lines.chunk_by(|_, next| next.rank > 1).collect()
}
