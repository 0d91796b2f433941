//! A comment on a move: `+0.26/12 0.050s 12345n`, `book`, `0.050s, White mates`.

use crate::MoveEval;
use crate::engine_eval;
use harness_player::Score;

/// Centipawns of a mate at once; a mate in some plies is that much nearer to zero.
const MATE: i32 = 30_000;

/// Where other scores end, so that none looks like a mate.
const HIGHEST: i32 = 25_000;

/// Values of a comment. Mates are in plies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MoveComment<'a> {
    /// The move is of the book.
    pub book: bool,
    /// Score for the mover, and depth.
    pub eval: Option<MoveEval>,
    /// Time of the search.
    pub milliseconds: Option<u64>,
    /// Nodes of the search.
    pub nodes: Option<u64>,
    /// Text behind the numbers: on the last move how the game ended.
    pub rest: &'a str,
}

/// Reads a comment. What is not of the form is its rest.
pub fn parse(text: &str) -> MoveComment<'_> {
    let eval = engine_eval(text.as_bytes());
    let mut comment = MoveComment { eval, rest: text.trim(), ..MoveComment::default() };
    let mut expects_eval = eval.is_some();
    while !comment.rest.is_empty() {
        let (word, after) =
            comment.rest.split_once(char::is_whitespace).unwrap_or((comment.rest, ""));
        let number = word.strip_suffix(',').unwrap_or(word);
        let is_read = std::mem::take(&mut expects_eval) || comment.read_word(number);
        if !is_read {
            break;
        }
        comment.rest = after.trim_start();
        if word.ends_with(',') {
            break;
        }
    }
    comment
}

impl MoveComment<'_> {
    fn read_word(&mut self, word: &str) -> bool {
        if word == "book" {
            self.book = true;
        } else if let (None, Some(time)) = (self.milliseconds, milliseconds(word)) {
            self.milliseconds = Some(time);
        } else if let (None, Some(nodes)) = (self.nodes, nodes(word)) {
            self.nodes = Some(nodes);
        } else {
            return false;
        }
        true
    }
}

fn milliseconds(word: &str) -> Option<u64> {
    let seconds: f64 = word.strip_suffix('s')?.parse().ok()?;
    (0.0..1e12).contains(&seconds).then(|| (seconds * 1000.0).round() as u64)
}

fn nodes(word: &str) -> Option<u64> {
    word.strip_suffix('n')?.parse().ok()
}

/// Centipawns of a score, a mate in `n` plies as 30000 - `n`.
pub fn centipawns(score: Score) -> i32 {
    match score {
        Score::Centipawns(value) => value.clamp(-HIGHEST, HIGHEST),
        Score::Mate(plies) => {
            let value = MATE - i32::try_from(plies.unsigned_abs()).unwrap_or(MATE).min(MATE);
            if plies > 0 { value } else { -value }
        }
    }
}

/// A score as text: `+0.31`, `0.00`, `-M5`.
pub fn score_text(score: Score) -> String {
    match score {
        Score::Centipawns(0) => "0.00".to_owned(),
        Score::Centipawns(value) => format!("{:+.2}", f64::from(value) / 100.0),
        Score::Mate(plies) => {
            let sign = if plies > 0 { '+' } else { '-' };
            format!("{sign}M{}", plies.unsigned_abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_this_and_other_runners_are_read() {
        let eval = |score, depth| Some(MoveEval { score, depth });
        let cp = Score::Centipawns;
        let full = MoveComment::default();
        for (text, expected) in [
            ("", full),
            ("book", MoveComment { book: true, ..full }),
            (
                "book, Draw by repetition",
                MoveComment { book: true, rest: "Draw by repetition", ..full },
            ),
            (
                "+0.26/12 0.050s 12345n",
                MoveComment {
                    eval: eval(cp(26), 12),
                    milliseconds: Some(50),
                    nodes: Some(12345),
                    ..full
                },
            ),
            (
                "-M4/9 1.5s, White mates",
                MoveComment {
                    eval: eval(Score::Mate(-2), 9),
                    milliseconds: Some(1500),
                    rest: "White mates",
                    ..full
                },
            ),
            (
                "0.010s\n77n, Black loses on time (overrun 12 ms)",
                MoveComment {
                    milliseconds: Some(10),
                    nodes: Some(77),
                    rest: "Black loses on time (overrun 12 ms)",
                    ..full
                },
            ),
            ("0.00/3, a draw", MoveComment { eval: eval(cp(0), 3), rest: "a draw", ..full }),
            ("White crashes", MoveComment { rest: "White crashes", ..full }),
            (
                "[%eval 0.17] [%clk 0:01:00]",
                MoveComment { rest: "[%eval 0.17] [%clk 0:01:00]", ..full },
            ),
            ("-1s nans infs", MoveComment { rest: "-1s nans infs", ..full }),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn scores_are_numbers_and_texts() {
        for (score, number, text) in [
            (Score::Centipawns(31), 31, "+0.31"),
            (Score::Centipawns(-5), -5, "-0.05"),
            (Score::Centipawns(0), 0, "0.00"),
            (Score::Centipawns(99_999), HIGHEST, "+999.99"),
            (Score::Mate(5), 29_995, "+M5"),
            (Score::Mate(-4), -29_996, "-M4"),
            (Score::Mate(0), -30_000, "-M0"),
            (Score::Mate(i32::MIN), 0, "-M2147483648"),
        ] {
            assert_eq!((centipawns(score), score_text(score)), (number, text.to_owned()));
        }
        assert_eq!(Score::Mate(3).negated(), Score::Mate(-3));
    }
}
