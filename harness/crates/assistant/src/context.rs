//! The board and the runs that a sentence is about.

/// Names and moves that a sentence may mention.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Legal moves of the position: as engines write them, as people do.
    pub legal: Vec<(String, String)>,
    /// Names of engines.
    pub engines: Vec<String>,
    /// Ids of runs, the newest first.
    pub runs: Vec<String>,
    /// The position as FEN; empty where it is not known.
    pub fen: String,
    /// The side of the user in a game that is played on the board, `white` or `black`.
    pub plays: Option<&'static str>,
}

impl Context {
    /// The piece on a square, by its letter in the FEN.
    pub(crate) fn piece_on(&self, square: &str) -> Option<char> {
        let [file, rank] = square.as_bytes() else { return None };
        let row =
            self.fen.split(' ').next()?.split('/').nth(usize::from(b'8'.checked_sub(*rank)?))?;
        let mut at = b'a';
        for sign in row.chars() {
            match sign.to_digit(10) {
                Some(empty) => at += empty as u8,
                None if at == *file => return Some(sign),
                None => at += 1,
            }
        }
        None
    }
}
