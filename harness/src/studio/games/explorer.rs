//! What was played in a position, in the games of the ledger.

use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use serde_json::{Value, json};
use shakmaty::{CastlingMode, Chess, Position};

use crate::arena::{Opening, Referee};
use crate::data::viewed::{is_chess960, white_result};
use crate::ledger::{Ledger, LedgerError, StoredGame};
use crate::stats::GameScore;

/// Games that are looked through, the newest runs first.
const GAMES: u64 = 20_000;

/// Plies of a game that are looked through.
const PLIES: usize = 60;

/// A move and the results of its games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// As engines write it.
    pub uci: String,
    /// As people write it.
    pub san: String,
    /// Games that White won, drawn ones, games that Black won.
    pub results: [u64; 3],
}

impl Played {
    /// For a page.
    pub fn view(&self) -> Value {
        let games: u64 = self.results.iter().sum();
        json!({ "uci": self.uci, "san": self.san, "games": games, "results": self.results })
    }
}

/// The moves of a position.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// The most played first.
    pub moves: Vec<Played>,
    /// Games that had the position.
    pub games: u64,
    /// Games that were looked through.
    pub of: u64,
}

/// Looks through the newest games.
///
/// # Errors
/// When the ledger cannot be read.
pub fn played(ledger: &Ledger, position: &Chess) -> Result<Explored, LedgerError> {
    let mut explored = Explored::default();
    let mut moves: HashMap<String, Played> = HashMap::new();
    let mut runs = ledger.with_games()?;
    runs.sort_unstable();
    for run in runs.iter().rev() {
        if explored.of >= GAMES {
            break;
        }
        ledger.each_game(run, |game| {
            if explored.of < GAMES {
                explored.of += 1;
                look(&game, position, &mut explored.games, &mut moves);
            }
            Ok::<(), LedgerError>(())
        })?;
    }
    explored.moves = moves.into_values().collect();
    let games = |played: &Played| played.results.iter().sum::<u64>();
    explored.moves.sort_by(|a, b| games(b).cmp(&games(a)).then(a.san.cmp(&b.san)));
    Ok(explored)
}

fn look(game: &StoredGame, position: &Chess, games: &mut u64, moves: &mut HashMap<String, Played>) {
    let mut finder = Finder { wanted: position };
    let read = Reader::new(io::Cursor::new(game.pgn.as_bytes())).read_game(&mut finder);
    // What is damaged in a game is not counted.
    let Ok(Some(Some((uci, san)))) = read else { return };
    *games += 1;
    let index = match white_result(game).unwrap_or(GameScore::Draw) {
        GameScore::Win => 0,
        GameScore::Draw => 1,
        GameScore::Loss => 2,
    };
    let entry =
        moves.entry(uci.clone()).or_insert_with(|| Played { uci, san, ..Played::default() });
    entry.results[index] += 1;
}

/// Finds the move after a position.
struct Finder<'a> {
    wanted: &'a Chess,
}

#[derive(Default)]
struct Tags {
    fen: Option<String>,
    chess960: bool,
}

struct Line {
    position: Chess,
    chess960: bool,
    plies: usize,
}

type Found = Option<(String, String)>;

impl Visitor for Finder<'_> {
    type Tags = Tags;
    type Movetext = Line;
    type Output = Found;

    fn begin_tags(&mut self) -> ControlFlow<Found, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Found> {
        match name {
            b"FEN" => tags.fen = Some(value.decode_utf8_lossy().into_owned()),
            b"Variant" => tags.chess960 = is_chess960(&value.decode_utf8_lossy()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Found, Line> {
        let opening = Opening { fen: tags.fen, moves: Vec::new() };
        match Referee::after(&opening, tags.chess960) {
            Ok((referee, _)) => ControlFlow::Continue(Line {
                position: referee.position().clone(),
                chess960: tags.chess960,
                plies: 0,
            }),
            Err(_) => ControlFlow::Break(None),
        }
    }

    fn san(&mut self, line: &mut Line, san: SanPlus) -> ControlFlow<Found> {
        let Ok(legal) = san.san.to_move(&line.position) else { return ControlFlow::Break(None) };
        if same(&line.position, self.wanted) {
            let mode = CastlingMode::from_chess960(line.chess960);
            let found = (legal.to_uci(mode).to_string(), san.to_string());
            return ControlFlow::Break(Some(found));
        }
        line.position.play_unchecked(legal);
        line.plies += 1;
        let over = line.plies > PLIES;
        if over { ControlFlow::Break(None) } else { ControlFlow::Continue(()) }
    }

    fn begin_variation(&mut self, _: &mut Line) -> ControlFlow<Found, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, _: Line) -> Found {
        None
    }
}

/// The same position, whatever the counters say.
fn same(one: &Chess, other: &Chess) -> bool {
    one.turn() == other.turn()
        && one.board() == other.board()
        && one.castles().castling_rights() == other.castles().castling_rights()
        && one.legal_ep_square() == other.legal_ep_square()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_counted_with_the_results_of_their_games() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opens");
        let run = ledger.start_run("match", &json!({})).expect("starts");
        let game = |pair, text: &str, first_half_points| StoredGame {
            pair,
            game: 0,
            white: "a".to_owned(),
            black: "b".to_owned(),
            first_is_white: true,
            first_half_points,
            termination: "checkmate".to_owned(),
            plies: 2,
            milliseconds: 1,
            pgn: format!("[White \"a\"]\n\n{text}\n\n"),
            worker: None,
        };
        let games = [
            game(0, "1. e4 e5 1-0", 2),
            game(1, "1. e4 c5 0-1", 0),
            // Another way to the same position.
            game(2, "1. d4 d5 2. e4 1/2-1/2", 1),
            game(3, "1. e4 e5 2. d4 1/2-1/2", 1),
        ];
        ledger.record_games(&run, &games).expect("recorded");
        let first = played(&ledger, &Chess::default()).expect("read");
        assert_eq!((first.games, first.of), (4, 4));
        assert_eq!(first.moves[0].san, "e4");
        assert_eq!(first.moves[0].results, [1, 1, 1]);
        assert_eq!(first.moves[1].results, [0, 1, 0]);
    }
}
