//! Whether a book has games or lines.

use std::io::{self, Read};
use std::path::Path;

use super::text::Text;
use harness_base::input;
use harness_base::text::decode;

/// Bytes of the beginning in which the first line with content is looked for.
const BEGIN: u64 = 1 << 16;

/// Whether a book has games of PGN, and not lines of FEN or EPD. Books of both kinds have any name: the
/// first line decides where it is clearly of one kind, otherwise the name.
pub fn has_games(path: &Path, text: &Text) -> io::Result<bool> {
    let mut begin = Vec::new();
    text.reader().take(BEGIN).read_to_end(&mut begin)?;
    let begin = decode(&begin);
    let mut lines = begin.split(['\n', '\r']).map(|line| line.trim_start_matches(is_blank));
    let is_content = |line: &&str| !line.is_empty() && !line.starts_with(['#', '%', ';']);
    Ok(lines.find(is_content).and_then(begins_game).unwrap_or_else(|| input::ending(path) == "pgn"))
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// Whether a line begins a game; `None` if it does not say.
fn begins_game(line: &str) -> Option<bool> {
    let first = line.split_whitespace().next()?;
    let is_board = first.matches('/').count() == 7;
    let behind_number = first.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = behind_number.len() < first.len() && behind_number.starts_with(['.', '…']);
    match line.starts_with(['[', '{']) || is_numbered {
        true => Some(true),
        false => is_board.then_some(false),
    }
}
