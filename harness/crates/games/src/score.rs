//! Scores in comments on moves.

use harness_player::Score;
use shakmaty::Color;

/// Expected score of a side by its centipawns, from 0 to 100, fitted to games of people
/// (<https://lichess.org/page/accuracy>).
pub fn chances(centipawns: f64) -> f64 {
    50.0 + 50.0 * (2.0 / (1.0 + (-0.003_682_08 * centipawns).exp()) - 1.0)
}

/// Score and depth that a player reports with a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveEval {
    /// Score for the mover.
    pub score: Score,
    /// Depth in plies; 0: unknown.
    pub depth: u8,
}

/// A comment on a move as cutechess, fastchess and the harness write it: `+0.26/12 0.050s`,
/// `-M4/9 0.1s, White mates`. The score is for the mover, of the position before the move.
///
/// A line in parentheses, `(e2e4 e7e5) +0.28/14 7`, or commands, `[%clk 0:01:00] +0.28/14 7s`, may
/// stand before it.
///
/// The whole form is needed: a score with a sign, decimals or a mate (`5/10` is none), a depth, and
/// then nothing, a comma, a number (time or nodes), or another `name=value`.
pub fn engine_eval(comment: &[u8]) -> Option<MoveEval> {
    let comment = behind_others(comment.trim_ascii());
    let slash = comment.iter().take(12).position(|&byte| byte == b'/')?;
    let text = &comment[..slash];
    let behind = &comment[slash + 1..];
    let (depth, mut rest) = number(behind)?;
    // The selective depth of some programs.
    if let [b'/', selective @ ..] = rest {
        rest = number(selective)?.1;
    }
    let is_whole = matches!(text, b"0" | [b'+' | b'-' | b'M', ..]) || text.contains(&b'.');
    if !is_whole || !follows_eval(rest) {
        return None;
    }
    Some(MoveEval { score: score_in(text)?, depth: depth.min(255) as u8 })
}

/// The text behind a line in parentheses and commands in brackets.
fn behind_others(mut comment: &[u8]) -> &[u8] {
    while let [open @ (b'(' | b'['), rest @ ..] = comment {
        let close = if *open == b'(' { b')' } else { b']' };
        let Some(end) = rest.iter().position(|&byte| byte == close) else { break };
        comment = rest[end + 1..].trim_ascii_start();
    }
    comment
}

/// The number that a text begins with, and what follows it.
fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = |sum: u32, digit: &u8| sum.saturating_mul(10).saturating_add((digit - b'0').into());
    (digits > 0).then(|| (text[..digits].iter().fold(0, value), &text[digits..]))
}

/// Whether a text may stand behind a score and a depth.
fn follows_eval(text: &[u8]) -> bool {
    match text {
        [] | [b',', ..] => true,
        [blank, ..] if blank.is_ascii_whitespace() => {
            let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            words.next().is_none_or(|word| is_number(word) || word.contains(&b'='))
        }
        _ => false,
    }
}

/// A time or a count: `0.050s`, `3`, `1:02`, `12345n`, `50ms`.
fn is_number(word: &[u8]) -> bool {
    let word = word.strip_suffix(b",").unwrap_or(word);
    let digits = word.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'.' | b':')).count();
    let starts = word.first().is_some_and(u8::is_ascii_digit);
    starts && matches!(&word[digits..], b"" | b"s" | b"ms" | b"n" | b"k" | b"kn" | b"knps")
}

/// Comments on a move that TCEC writes: `d=28, sd=42, mt=5120, ..., wv=-0.45, R50=50`. The score is `wv`, for
/// White, of the position before the move, as the mover reports it.
pub fn tcec_eval(comment: &[u8], mover: Color) -> Option<MoveEval> {
    let value = |key: &[u8]| {
        let fields = comment.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        fields.filter_map(|field| field.strip_prefix(key)).next_back()
    };
    let depth = std::str::from_utf8(value(b"d=")?).ok()?.parse::<u32>().ok()?;
    let (is_negative, number) = sign(value(b"wv=")?);
    let score = score_of(is_negative != mover.is_black(), number)?;
    Some(MoveEval { score, depth: depth.min(255) as u8 })
}

/// An evaluation of the position after a move, for White, and its depth: of Lichess in pawns,
/// `[%eval 0.17]`, `[%eval #-3]`, `[%eval 0.17,22]`, and of ChessBase in centipawns, `[%eval 17,22]`.
pub fn tagged_eval(comment: &[u8]) -> Option<(Score, u8)> {
    const KEY: &[u8] = b"[%eval ";
    let begin = comment.windows(KEY.len()).position(|window| window == KEY)? + KEY.len();
    let text = comment[begin..].split(|&byte| byte == b']').next()?.trim_ascii();
    let mut parts = text.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
    let value = parts.next()?;
    let depth = parts.next().and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
    let score = match value {
        [b'#', moves @ ..] => Score::Mate(moves_in(moves.strip_prefix(b"+").unwrap_or(moves))?),
        // Lichess writes decimals always, and ChessBase never.
        whole if depth.is_some() && !whole.contains(&b'.') => hundredths(whole)?,
        pawns => score_in(pawns)?,
    };
    Some((score, depth.unwrap_or(0)))
}

/// That of [`tagged_eval`] for the mover, its mates in plies as those of [`engine_eval`]: of games on boards, whose comments have
/// no other score.
pub fn tagged_for_mover(comment: &[u8], mover: Color) -> Option<MoveEval> {
    let (score, depth) = tagged_eval(comment)?;
    let score = match score.for_white(mover) {
        Score::Mate(moves) => Score::Mate((2 * moves - moves.signum()).clamp(-9_999, 9_999)),
        score => score,
    };
    Some(MoveEval { score, depth })
}

/// `+0.26`, `-M4`. A mate is in plies, as cutechess, fastchess and the harness write it: mate in 3 moves is
/// `+M5`, and being mated in 2 `-M4`.
fn score_in(text: &[u8]) -> Option<Score> {
    let (is_negative, number) = sign(text);
    score_of(is_negative, number)
}

/// Whether a text begins with a minus, and the text behind its sign.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    }
}

/// The score of a text without a sign.
fn score_of(negative: bool, number: &[u8]) -> Option<Score> {
    let sign = if negative { -1 } else { 1 };
    if let [b'M', plies @ ..] = number {
        let plies = std::str::from_utf8(plies).ok()?.parse().ok()?;
        return Score::mate_in_plies(plies, negative);
    }
    centipawns(number).map(|score| Score::Centipawns(sign * score))
}

/// A whole number of centipawns: `-17`. One that is no evaluation of a position stands for something else.
fn hundredths(text: &[u8]) -> Option<Score> {
    let value: i32 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (value.abs() < 20_000).then_some(Score::Centipawns(value))
}

/// Moves to mate; `None` for `i32::MIN`, which has no negation.
fn moves_in(text: &[u8]) -> Option<i32> {
    let moves = std::str::from_utf8(text).ok()?.parse().ok()?;
    (moves != i32::MIN).then_some(moves)
}

/// A number of pawns without a sign: `0.26`, `12`, `1.5`.
fn centipawns(text: &[u8]) -> Option<i32> {
    let point = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
    let whole = &text[..point];
    let cents = text.get(point + 1..).unwrap_or_default();
    if whole.is_empty() && cents.is_empty() || whole.len() > 3 {
        return None;
    }
    let digits = |text: &[u8]| {
        text.iter().try_fold(0, |sum, byte| {
            byte.is_ascii_digit().then(|| sum * 10 + i32::from(byte - b'0'))
        })
    };
    let first = |place: usize| cents.get(place).map_or(Some(0), |&c| digits(&[c]));
    // The third decimal rounds.
    let rounded = i32::from(first(2)? >= 5);
    Some(100 * digits(whole)? + 10 * first(0)? + first(1)? + rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_all_kinds_are_read() {
        for (text, score) in [
            ("+0.26/12 0.05s", Some(Score::Centipawns(26))),
            ("-12.5/9", Some(Score::Centipawns(-1250))),
            ("0/1", Some(Score::Centipawns(0))),
            ("0.005/1", Some(Score::Centipawns(1))),
            ("+M1/30 1s", Some(Score::Mate(1))),
            ("+M5/30 1s", Some(Score::Mate(3))),
            ("M5/30 1s", Some(Score::Mate(3))),
            // Not of those runners: the next whole move.
            ("+M12/30 1s", Some(Score::Mate(6))),
            ("-M0/1", Some(Score::Mate(0))),
            ("+M-5/30 1s", None),
            ("+0.26/12", Some(Score::Centipawns(26))),
            ("+0.26/12/24 1.2", Some(Score::Centipawns(26))),
            ("0.00/1 0s", Some(Score::Centipawns(0))),
            ("-M4/9 0.1s", Some(Score::Mate(-2))),
            ("+0.26/12 0.05s, White mates", Some(Score::Centipawns(26))),
            ("+0.26/12, a draw", Some(Score::Centipawns(26))),
            (" +0.26/12 3 12345 ", Some(Score::Centipawns(26))),
            ("+5/10 0.1s", Some(Score::Centipawns(500))),
            ("+0.26/12 n=123, nps=4", Some(Score::Centipawns(26))),
            // Words with a slash.
            ("5/10 for style", None),
            ("5/10", None),
            ("1/2", None),
            ("1/2 each", None),
            ("+1.50/12 is what it says", None),
            ("+0.26/12x", None),
            ("+0.26/", None),
            ("9/11 2001", None),
            ("1.5/2 hours", None),
            ("book", None),
            ("1234.00/3", None),
            ("./3", None),
            ("a/b", None),
            ("+/3", None),
        ] {
            assert_eq!(engine_eval(text.as_bytes()).map(|eval| eval.score), score, "{text}");
        }
    }

    #[test]
    fn evaluations_in_tags_are_in_pawns_with_decimals_and_in_centipawns_without() {
        for (text, eval) in [
            ("[%eval 0.17]", Some((Score::Centipawns(17), 0))),
            ("x [%clk 0:01] [%eval -1.2,22] y", Some((Score::Centipawns(-120), 22))),
            ("[%eval 3.0,22]", Some((Score::Centipawns(300), 22))),
            ("[%eval 5]", Some((Score::Centipawns(500), 0))),
            ("[%eval 34,19]", Some((Score::Centipawns(34), 19))),
            ("[%eval -1250, 19]", Some((Score::Centipawns(-1250), 19))),
            ("[%eval +7,1]", Some((Score::Centipawns(7), 1))),
            ("[%eval 0,1]", Some((Score::Centipawns(0), 1))),
            ("[%eval 32750,19]", None),
            ("[%eval x,19]", None),
            ("[%evp 0,34,19]", None),
        ] {
            assert_eq!(tagged_eval(text.as_bytes()), eval, "{text}");
        }
    }

    #[test]
    fn scores_of_tcec_are_for_white_and_its_mates_in_plies_of_the_mover() {
        let comment = |value: &str| format!("d=28, sd=42, pv=e4 e5, h=1.0, wv={value}, mb=+0+0,");
        for (value, white, black) in [
            ("0.45", Score::Centipawns(45), Score::Centipawns(-45)),
            ("-12.50", Score::Centipawns(-1250), Score::Centipawns(1250)),
            ("M13", Score::Mate(7), Score::Mate(-6)),
            ("-M12", Score::Mate(-6), Score::Mate(6)),
        ] {
            for (mover, score) in [(Color::White, white), (Color::Black, black)] {
                let eval = tcec_eval(comment(value).as_bytes(), mover);
                assert_eq!(eval, Some(MoveEval { score, depth: 28 }), "{value} {mover}");
            }
        }
        for text in ["book, mb=+0+0,", "wv=0.45, mb=+0+0", "d=28, wv=, mb=+0", "d=x, wv=0.45"] {
            assert_eq!(tcec_eval(text.as_bytes(), Color::White), None, "{text}");
        }
    }

    #[test]
    fn every_score_has_an_opposite() {
        assert_eq!(tagged_eval(b"[%eval #-2147483648]"), None);
        assert_eq!(tagged_eval(b"[%eval #-2147483647]"), Some((Score::Mate(-i32::MAX), 0)));
        assert_eq!(tagged_eval(b"[%eval #+3,7]"), Some((Score::Mate(3), 7)));
    }
}
