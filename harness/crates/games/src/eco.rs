//! Names of openings with their ECO codes (Encyclopaedia of Chess Openings).
//!
//! `eco.tsv` is the list of <https://github.com/lichess-org/chess-openings> of July 2026, which is in
//! the public domain (CC0): code, name, and the moves in UCI notation. A game is named by the
//! positions that it reaches, so that transpositions and games from the positions of a book have
//! their names too.

use std::collections::HashMap;
use std::sync::OnceLock;

use engine::board::Position;
use serde::Serialize;
use shakmaty::uci::UciMove;

/// The list: a heading, then a line an opening.
pub const LIST: &str = include_str!("eco.tsv");

/// Plies within which an opening is looked for; the longest line of the list has 36.
pub const PLIES: usize = 40;

/// An opening of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct NamedOpening {
    /// Its code: a letter and two digits.
    pub eco: &'static str,
    /// Its name: `Italian Game: Evans Gambit`.
    pub name: &'static str,
}

/// The openings, found by position.
#[derive(Debug)]
pub struct Openings {
    /// Each name once, in the order of the list.
    names: Vec<NamedOpening>,
    /// Index in `names` by the key of the position that ends a line.
    by_key: HashMap<u64, u16>,
}

/// The openings of the list; made at the first call, which takes some 20 ms.
pub fn openings() -> &'static Openings {
    static OPENINGS: OnceLock<Openings> = OnceLock::new();
    OPENINGS.get_or_init(|| Openings::read(LIST))
}

/// The opening of a game: the last position within the first [`PLIES`] plies that has a name.
///
/// `start` is the FEN of the first position, `None` the usual one. A game of Chess960 from another
/// start position has no name. Moves from the first illegal one on are ignored.
pub fn find_opening(
    start: Option<&str>,
    chess960: bool,
    moves: &[UciMove],
) -> Option<NamedOpening> {
    let openings = openings();
    let mut position = first_position(start, chess960)?;
    let mut found = openings.at(&position);
    for uci in moves.iter().take(PLIES) {
        let Some(played) = position.parse_uci(&uci.to_string(), chess960) else { break };
        position.play(played);
        found = openings.at(&position).or(found);
    }
    openings.get(found?)
}

/// The first position of a game whose opening can have a name.
pub fn first_position(start: Option<&str>, chess960: bool) -> Option<Position> {
    let usual = Position::startpos();
    let Some(fen) = start else { return Some(usual) };
    let position = Position::from_fen(fen).ok()?;
    (!chess960 || position.key() == usual.key()).then_some(position)
}

impl Openings {
    fn read(list: &'static str) -> Openings {
        let mut openings = Openings { names: Vec::new(), by_key: HashMap::new() };
        let mut indices = HashMap::new();
        for line in list.lines().skip(1) {
            let mut columns = line.split('\t');
            let (Some(eco), Some(name), Some(moves)) =
                (columns.next(), columns.next(), columns.next())
            else {
                continue;
            };
            let Some(key) = key_after(moves) else { continue };
            // Several lines may have one name.
            let opening = NamedOpening { eco, name };
            let index = *indices.entry(opening).or_insert_with(|| {
                openings.names.push(opening);
                openings.names.len() as u16 - 1
            });
            openings.by_key.entry(key).or_insert(index);
        }
        openings
    }

    /// Number of the opening that a position ends.
    pub fn at(&self, position: &Position) -> Option<u16> {
        self.by_key.get(&position.key()).copied()
    }

    /// The opening of a number from [`Openings::at`].
    pub fn get(&self, number: u16) -> Option<NamedOpening> {
        self.names.get(usize::from(number)).copied()
    }

    /// All names, by number.
    pub fn names(&self) -> &[NamedOpening] {
        &self.names
    }
}

/// Key of the position after moves from the usual start; `None` when one is illegal.
fn key_after(moves: &str) -> Option<u64> {
    let mut position = Position::startpos();
    for uci in moves.split(' ') {
        let played = position.parse_uci(uci, false)?;
        position.play(played);
    }
    Some(position.key())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<UciMove> {
        text.split_whitespace().map(|uci| uci.parse().expect("UCI")).collect()
    }

    fn name(start: Option<&str>, text: &str) -> Option<(&'static str, &'static str)> {
        find_opening(start, false, &moves(text)).map(|opening| (opening.eco, opening.name))
    }

    #[test]
    fn every_line_of_the_list_is_legal_and_found_under_its_own_name() {
        let mut lines = 0;
        for line in LIST.lines().skip(1) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [eco, opening, uci] = columns[..] else { panic!("three columns: {line}") };
            assert!(moves(uci).len() <= PLIES, "{line}");
            assert_eq!(name(None, uci), Some((eco, opening)), "{line}");
            lines += 1;
        }
        assert_eq!(lines, 3807);
        assert!(openings().names().len() < usize::from(u16::MAX));
    }

    #[test]
    fn the_last_named_position_within_forty_plies_names_the_game() {
        let evans = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 b2b4";
        assert_eq!(name(None, evans), Some(("C51", "Italian Game: Evans Gambit")));
        // What follows has no name of its own.
        let later = format!("{evans} c5f8 b4b5 c6d4 h2h4 a7a5");
        assert_eq!(name(None, &later), Some(("C51", "Italian Game: Evans Gambit")));
        assert_eq!(name(None, ""), None);
        let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(10);
        let late = format!("{shuffle} e2e4 e7e5 f2f4");
        assert_ne!(name(None, &late), name(None, "e2e4 e7e5 f2f4"), "beyond 40 plies");
    }

    #[test]
    fn transpositions_and_positions_of_a_book_have_their_names() {
        let direct = "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6";
        let transposed = "c2c4 g8f6 b1c3 e7e6 d2d4 d7d5";
        assert!(name(None, direct).is_some());
        assert_eq!(name(None, direct), name(None, transposed));
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4PP2/8/PPPP2PP/RNBQKBNR b KQkq - 0 2";
        assert_eq!(name(Some(fen), ""), Some(("C30", "King's Gambit")));
        let accepted = Some(("C33", "King's Gambit Accepted"));
        assert_eq!(name(Some(fen), "e5f4"), accepted);
        // The square behind the pawn, where no pawn can take, is of no account.
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4PP2/8/PPPP2PP/RNBQKBNR b KQkq f3 0 2";
        assert_eq!(name(Some(fen), "e5f4"), accepted);
    }

    #[test]
    fn chess960_has_names_only_from_the_usual_start() {
        let other = "nrbqkbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBRN w GBgb - 0 1";
        assert_eq!(find_opening(Some(other), true, &moves("e2e4 e7e5")), None);
        let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1";
        let castled = moves("e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1h1");
        let berlin = find_opening(Some(usual), true, &castled).expect("a name");
        assert!(berlin.name.starts_with("Ruy Lopez: Berlin Defense"), "{berlin:?}");
        assert_eq!(find_opening(Some("8/8/8"), false, &[]), None);
    }
}
