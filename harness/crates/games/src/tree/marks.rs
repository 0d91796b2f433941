//! Annotations inside comments: arrows, squares, clocks and scores.
//!
//! Written as `[%csl Ge4,Rd5]` (squares), `[%cal Ge2e4]` (arrows), `[%clk 0:01:00]`,
//! `[%emt 0:00:05]` and `[%eval 0.35,22]`: the commands of the "PGN specification additions" that
//! ChessBase, Lichess and python-chess share. Others stay text of the comment.

use std::fmt::Write;
use std::time::Duration;

use super::mark::Mark;
use super::node::Annotations;
use harness_player::Score;

/// Takes the commands out of a comment; what is left of it is given.
pub fn take(comment: &str, annotations: &mut Annotations) -> String {
    let mut rest = String::new();
    let mut text = comment;
    while let Some(begin) = text.find("[%") {
        let Some(length) = text[begin..].find(']') else { break };
        let command = &text[begin + 2..begin + length];
        let (name, value) = command.split_once(' ').unwrap_or((command, ""));
        rest.push_str(&text[..begin]);
        if !take_one(name, value.trim(), annotations) {
            rest.push_str(&text[begin..=begin + length]);
        }
        text = &text[begin + length + 1..];
    }
    rest.push_str(text);
    normal(&rest)
}

fn take_one(name: &str, value: &str, annotations: &mut Annotations) -> bool {
    let plain = |value: &str| {
        let known = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic());
        known.then(|| value.to_owned())
    };
    let field = match name {
        "cal" | "csl" => {
            let marks: Result<Vec<Mark>, _> =
                value.split(',').map(|part| Mark::parse(part.trim())).collect();
            let Ok(marks) = marks else { return false };
            annotations.marks.extend(marks);
            return true;
        }
        "clk" => &mut annotations.clock,
        "emt" => &mut annotations.elapsed,
        "eval" => &mut annotations.eval,
        _ => return false,
    };
    let Some(value) = plain(value) else { return false };
    *field = Some(value);
    true
}

/// The comment after a move with its commands, as PGN writes it between braces.
pub fn with_commands(annotations: &Annotations) -> String {
    let mut text = String::new();
    for (name, squares) in [("csl", true), ("cal", false)] {
        let marks = annotations.marks.iter().filter(|mark| mark.is_square() == squares);
        let list: Vec<String> = marks
            .map(|mark| match squares {
                true => format!("{}{}", mark.colour, mark.from),
                false => format!("{}{}{}", mark.colour, mark.from, mark.to),
            })
            .collect();
        if !list.is_empty() {
            push(&mut text, format_args!("[%{name} {}]", list.join(",")));
        }
    }
    let known =
        [("eval", &annotations.eval), ("clk", &annotations.clock), ("emt", &annotations.elapsed)];
    for (name, value) in known {
        if let Some(value) = value {
            push(&mut text, format_args!("[%{name} {value}]"));
        }
    }
    if !annotations.comment.is_empty() {
        push(&mut text, format_args!("{}", annotations.comment));
    }
    text
}

fn push(text: &mut String, part: std::fmt::Arguments<'_>) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.write_fmt(part).expect("a string takes what is written");
}

/// A score for White as `[%eval]` has it, in pawns or moves to mate, with the depth: `0.35,22`,
/// `#-3,22`.
pub fn eval_text(score: Score, depth: Option<u32>) -> String {
    let value = match score {
        Score::Centipawns(value) => format!("{:.2}", f64::from(value) / 100.0),
        Score::Mate(moves) => format!("#{moves}"),
    };
    depth.map_or(value.clone(), |depth| format!("{value},{depth}"))
}

/// Time left as `[%clk]` has it, in whole tenths of a second: `0:01:59`, `0:01:59.5`.
pub fn clock_text(left: Duration) -> String {
    let seconds = left.as_secs();
    let tenths = left.subsec_millis() / 100;
    let whole = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if tenths > 0 { format!("{whole}.{tenths}") } else { whole }
}

/// A comment as it is kept: PGN ends it at the first closing brace, and programs differ about its
/// line ends, so that neither stays.
pub fn normal(comment: &str) -> String {
    let words: Vec<&str> = comment.split_whitespace().collect();
    words.join(" ").replace('}', ")").replace('{', "(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_clocks_are_written_as_pgn_has_them() {
        assert_eq!(eval_text(Score::Centipawns(-7), Some(12)), "-0.07,12");
        assert_eq!(eval_text(Score::Mate(-2), None), "#-2");
        assert_eq!(clock_text(Duration::from_millis(3_661_599)), "1:01:01.5");
        assert_eq!(clock_text(Duration::from_millis(50_099)), "0:00:50");
    }
}
