//! The suite as EPD.

use std::fmt::Write;

use super::candidates::Candidates;
use super::position::SuitePosition;

/// Names in the lines of a suite.
#[derive(Clone, Debug)]
pub struct Naming {
    /// The name of the suite, before the numbers of its positions.
    pub name: String,
    /// The engine.
    pub engine: String,
    /// How to make it again; a comment operation (`c1`, `c2`, ...) of the first position for each line.
    pub header: String,
}

impl Naming {
    /// The id of the position with this number, from 1.
    pub fn id(&self, number: usize) -> String {
        format!("{}.{number:03}", quotable(&self.name))
    }
}

/// The suite as EPD: `bm` is the best move, `c0` has the origin of the position and the margin.
pub fn to_epd(
    naming: &Naming,
    verify_nodes: u64,
    found: &[SuitePosition],
    candidates: &Candidates,
) -> String {
    let mut text = String::with_capacity(200 * (found.len() + 3));
    for (number, position) in (1..).zip(found) {
        let comment = format!(
            "from {}, ply {}, {}, {}, {} nodes",
            candidates.title(position.candidate.game),
            position.candidate.ply,
            position.margin_text(),
            naming.engine,
            verify_nodes,
        );
        // Writing to a `String` cannot fail.
        let _ = write!(
            text,
            "{} bm {}; id \"{}\"; c0 \"{}\";",
            position.candidate.epd(),
            position.san(),
            naming.id(number),
            quotable(&comment),
        );
        // EPD has no comment lines.
        for (at, line) in (1..).zip(naming.header.lines()).filter(|_| number == 1) {
            let _ = write!(text, " c{at} \"{}\";", quotable(line));
        }
        text.push('\n');
    }
    text
}

/// A text within quotes ends at the next one, and EPD has no way to escape it.
fn quotable(text: &str) -> String {
    let plain = |character: char| match character {
        '"' => '\'',
        _ if character.is_control() => ' ',
        _ => character,
    };
    text.chars().map(plain).collect()
}
