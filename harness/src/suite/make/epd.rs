//! The suite as EPD.

use std::fmt::Write;

use shakmaty::san::SanPlus;

use super::{Candidates, Found, Recipe};
use crate::player::Score;

/// What the lines of a suite are called, and who made them.
#[derive(Clone, Debug)]
pub struct Naming {
    /// The name of the suite, before the numbers of its positions.
    pub name: String,
    /// Who searched.
    pub engine: String,
    /// How to make it again; stands above the positions as a comment.
    pub header: String,
}

impl Naming {
    /// The id of the position with this number, from 1.
    pub fn id(&self, number: usize) -> String {
        format!("{}.{number:03}", quotable(&self.name))
    }
}

impl Found {
    /// The best move.
    pub fn san(&self) -> String {
        SanPlus::from_move(self.candidate.position.clone(), self.contrast.best).to_string()
    }

    /// By how much the best move is the best.
    pub fn told_margin(&self) -> String {
        match (self.contrast.score, self.contrast.second) {
            (Score::Mate(moves), _) => format!("mate in {moves}"),
            (_, Score::Mate(moves)) => format!("else mated in {}", -moves),
            _ => format!("margin {} cp", self.contrast.margin()),
        }
    }
}

/// The suite as EPD: `bm` is the best move, `c0` tells where the position is from and how sure the
/// engine was.
pub fn to_epd(
    naming: &Naming,
    recipe: &Recipe,
    found: &[Found],
    candidates: &Candidates,
) -> String {
    let mut text = String::with_capacity(200 * (found.len() + 3));
    for line in naming.header.lines() {
        text.extend(["# ", line, "\n"]);
    }
    for (number, position) in (1..).zip(found) {
        let comment = format!(
            "from {}, ply {}, {}, {}, {} nodes",
            candidates.title(position.candidate.game),
            position.candidate.ply,
            position.told_margin(),
            naming.engine,
            recipe.verify_nodes,
        );
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "{} bm {}; id \"{}\"; c0 \"{}\";",
            position.candidate.epd(),
            position.san(),
            naming.id(number),
            quotable(&comment),
        );
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
