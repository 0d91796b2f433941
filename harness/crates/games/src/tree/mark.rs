//! An arrow or a coloured square on the board.

use serde::Serialize;
use shakmaty::Square;

use super::error::TreeError;

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

    /// A coloured square.
    pub(super) fn is_square(self) -> bool {
        self.from == self.to
    }
}
