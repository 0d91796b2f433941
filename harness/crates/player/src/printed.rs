//! An `info` line as it was printed, for checks of what engines print.
//!
//! The reader of `info.rs` gives values, and passes over bounds and what it cannot read; this one gives what a
//! check needs of just those.

use shakmaty::uci::UciMove;

use super::Score;

/// Parts of an `info` line with a score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedInfo<'a> {
    /// Its score; `Err` with the words that are none.
    pub score: Option<Result<Score, &'a str>>,
    /// The score is a bound.
    pub is_bound: bool,
    /// Place among several lines (`multipv`).
    pub place: Option<u32>,
    /// The moves of its variation up to the first word that is none.
    pub pv: Vec<UciMove>,
}

/// Whether a line is an `info` line with a score.
pub fn has_score(line: &str) -> bool {
    line.trim_start().starts_with("info ")
        && line.contains(" score ")
        && !line.contains("info string")
}

impl<'a> PrintedInfo<'a> {
    /// Reads a line.
    pub fn read(line: &'a str) -> PrintedInfo<'a> {
        let mut info = PrintedInfo::default();
        let mut words = line.split_ascii_whitespace();
        while let Some(word) = words.next() {
            match word {
                "score" => {
                    let mut ahead = words.clone();
                    let (unit, number) = (ahead.next(), ahead.next());
                    info.score = Some(score(unit, number).ok_or_else(|| behind(line, word)));
                }
                "lowerbound" | "upperbound" => info.is_bound = true,
                "multipv" => info.place = words.clone().next().and_then(|word| word.parse().ok()),
                "pv" => {
                    info.pv
                        .extend(words.map_while(|word| UciMove::from_ascii(word.as_bytes()).ok()));
                    break;
                }
                _ => {}
            }
        }
        info
    }

    /// Whether it is of the best line.
    pub fn is_best(&self) -> bool {
        self.place.is_none_or(|place| place == 1)
    }
}

fn score(unit: Option<&str>, number: Option<&str>) -> Option<Score> {
    let number = number?.parse().ok()?;
    match unit? {
        "cp" => Some(Score::Centipawns(number)),
        "mate" => Some(Score::Mate(number)),
        _ => None,
    }
}

/// A line from a word on.
fn behind<'a>(line: &'a str, word: &str) -> &'a str {
    line.find(word).and_then(|start| line.get(start..)).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_places_and_scores_that_are_none_are_seen() {
        let read = PrintedInfo::read;
        let line = "info depth 3 multipv 2 score cp 12 lowerbound nodes 4 pv e2e4 e7e5 x g1f3";
        let info = read(line);
        assert_eq!(info.score, Some(Ok(Score::Centipawns(12))));
        assert!(info.is_bound && !info.is_best());
        assert_eq!(info.pv.len(), 2);
        for (line, score) in [
            ("info score mate -3 pv a2a3", Some(Ok(Score::Mate(-3)))),
            ("info score cp x depth 1", Some(Err("score cp x depth 1"))),
            ("info score pawns 1", Some(Err("score pawns 1"))),
            ("info depth 4 score", Some(Err("score"))),
            ("info depth 4", None),
        ] {
            assert_eq!(read(line).score, score, "{line}");
            assert!(read(line).is_best());
        }
        assert!(has_score("info depth 1 score cp 1"));
        for line in ["info depth 1", "info string score cp 1", "bestmove e2e4", "score cp 1"] {
            assert!(!has_score(line), "{line}");
        }
    }
}
