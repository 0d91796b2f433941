//! Annotations inside comments: arrows, squares, clocks and scores.
//!
//! Written as `[%csl Ge4,Rd5]` (squares), `[%cal Ge2e4]` (arrows), `[%clk 0:01:00]`,
//! `[%emt 0:00:05]` and `[%eval 0.35,22]`: the commands of the "PGN specification additions" that
//! ChessBase, Lichess and python-chess share. Others stay text of the comment.

use std::fmt::Write;

use serde::Serialize;
use shakmaty::Square;

use super::error::TreeError;
use super::node::Annotations;

/// An arrow, or a coloured square if it leads to where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// `G`, `R`, `Y` or `B`.
    pub colour: char,
    /// Where it begins.
    #[serde(serialize_with = "as_text")]
    pub from: Square,
    /// Where it leads.
    #[serde(serialize_with = "as_text")]
    pub to: Square,
}

fn as_text<S: serde::Serializer>(square: &Square, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(square)
}

impl Mark {
    /// From `Ge2e4` or `Ge4`.
    ///
    /// # Errors
    /// When it is neither.
    pub fn parse(text: &str) -> Result<Mark, TreeError> {
        let wrong = || TreeError::Mark(text.to_owned());
        let colour =
            text.chars().next().filter(|colour| "GRYB".contains(*colour)).ok_or_else(wrong)?;
        let squares = &text[1..];
        let square = |part: Option<&str>| {
            part.and_then(|part| part.parse::<Square>().ok()).ok_or_else(wrong)
        };
        let from = square(squares.get(..2))?;
        let to = if squares.len() == 2 { from } else { square(squares.get(2..))? };
        Ok(Mark { colour, from, to })
    }

    fn is_square(self) -> bool {
        self.from == self.to
    }
}

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

/// A comment as it is kept: PGN ends it at the first closing brace, and programs differ about its
/// line ends, so that neither stays.
pub fn normal(comment: &str) -> String {
    let words: Vec<&str> = comment.split_whitespace().collect();
    words.join(" ").replace('}', ")").replace('{', "(")
}
