//! The positions of many games, for the explorer: what was played in each, and how it ended.

use std::io;
use std::path::Path;

use rayon::prelude::*;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use super::explored::{ExploredPosition, MoveCount};
use harness_arena::StartTags;
use harness_games::list::{PgnList, part};
use harness_notation::pgn::{Event, Lexer, find_shakmaty_move};
use harness_stats::GameScore;

/// Plies of a game that are kept, from its start position.
const PLIES: usize = 40;

/// Positions that are kept, 16 bytes each; of a file with more, fewer plies of each game are.
const MAX_POSITIONS: usize = 16_000_000;

/// Games that are named for a position.
const NAMED: usize = 8;

/// Games that a thread reads at a time.
const CHUNK: usize = 2000;

/// A move in a position of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: u64,
    played: u16,
    /// 0: White won; 1: drawn, or unknown; 2: Black won.
    result: u8,
    game: u32,
}

/// The positions of the first plies of games, sorted.
#[derive(Debug, Default)]
pub struct Positions {
    entries: Vec<Entry>,
    games: u64,
}

/// A game to be added: its number and its text.
pub type NumberedGame<'a> = (u32, &'a [u8]);

impl Positions {
    /// Adds games; the positions are found after [`sorted`](Self::sorted).
    pub fn add(&mut self, games: &[NumberedGame<'_>], plies: usize) {
        self.entries.extend(read(games, plies));
        self.games += games.len() as u64;
    }

    /// Of all games of a PGN file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of_file(path: &Path, list: &PgnList) -> io::Result<Positions> {
        let plies = PLIES.min(MAX_POSITIONS / list.len().max(1)).max(8);
        let starts: Vec<usize> = (0..list.len()).step_by(CHUNK).collect();
        let parts: Vec<Vec<Entry>> = starts
            .into_par_iter()
            .map(|start| {
                let last = (start + CHUNK).min(list.len()) - 1;
                let places = list.place(start).zip(list.place(last));
                let Some(((begin, _), (_, end))) = places else { return Ok(Vec::new()) };
                let text = part(path, begin, end)?;
                let games: Vec<NumberedGame<'_>> = (start..=last)
                    .filter_map(|game| {
                        let (from, to) = list.place(game)?;
                        let part = text.get((from - begin) as usize..(to - begin) as usize)?;
                        Some((game as u32, part))
                    })
                    .collect();
                Ok(read(&games, plies))
            })
            .collect::<io::Result<_>>()?;
        Ok(Positions { entries: parts.concat(), games: list.len() as u64 }.sorted())
    }

    /// Makes them ready to be asked.
    #[must_use]
    pub fn sorted(mut self) -> Positions {
        self.entries.par_sort_unstable();
        self
    }

    /// Moves played in a position.
    pub fn explore(&self, position: &Chess, chess960: bool) -> ExploredPosition {
        let key = key(position);
        let begin = self.entries.partition_point(|entry| entry.key < key);
        let found = self.entries[begin..].iter().take_while(|entry| entry.key == key);
        let mode = CastlingMode::from_chess960(chess960);
        let mut explored = ExploredPosition { of: self.games, ..ExploredPosition::default() };
        let mut last = None;
        for entry in found {
            if last != Some(entry.played) {
                let legal = position.legal_moves().into_iter().find(|legal| {
                    pack(&legal.to_uci(CastlingMode::Chess960)) == Some(entry.played)
                });
                // Two positions may have one key.
                let Some(legal) = legal else { continue };
                last = Some(entry.played);
                explored.moves.push(MoveCount {
                    uci: legal.to_uci(mode).to_string(),
                    san: shakmaty::san::SanPlus::from_move(position.clone(), legal).to_string(),
                    results: [0; 3],
                });
            }
            if let Some(played) = explored.moves.last_mut() {
                played.results[usize::from(entry.result.min(2))] += 1;
                explored.games += 1;
                if explored.named.len() < NAMED {
                    explored.named.push(entry.game);
                }
            }
        }
        explored.sort();
        explored
    }
}

/// The key of a position, whatever the counters say.
fn key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

/// A move in 16 bits; castling as the king takes its rook.
fn pack(uci: &UciMove) -> Option<u16> {
    let UciMove::Normal { from, to, promotion } = uci else { return None };
    let promoted = promotion.map_or(0, |role| role as u16);
    Some(*from as u16 | (*to as u16) << 6 | promoted << 12)
}

fn read(games: &[NumberedGame<'_>], plies: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (number, text) in games {
        let begun = entries.len();
        // What is damaged in a game ends it.
        let result = read_game(text, *number, plies, &mut entries).unwrap_or(1);
        for entry in &mut entries[begun..] {
            entry.result = result;
        }
    }
    entries
}

/// Collects the moves of a game; gives its result.
fn read_game(text: &[u8], game: u32, plies: usize, entries: &mut Vec<Entry>) -> io::Result<u8> {
    let mut lexer = Lexer::new(text).main_line();
    let mut tags = StartTags::default();
    let mut result = None;
    let mut position: Option<Chess> = None;
    let begun = entries.len();
    let mut left = plies;
    while let Some(event) = lexer.next_event()? {
        match event {
            Event::Tag(tag) if tag.name == b"Result" => result = GameScore::of_text(&tag.text()),
            Event::Tag(tag) => tags.take(tag),
            Event::Move(word) => {
                let Some(mut at) = position.take().or_else(|| tags.chess()) else { break };
                let Some((legal, _)) = find_shakmaty_move(&at, word) else { break };
                let key = key(&at);
                // A position that comes again counts once.
                let again = entries[begun..].iter().any(|entry| entry.key == key);
                let played = pack(&legal.to_uci(CastlingMode::Chess960)).filter(|_| !again);
                entries.extend(played.map(|played| Entry { key, played, result: 1, game }));
                at.play_unchecked(legal);
                position = Some(at);
                left -= 1;
                if left == 0 {
                    break;
                }
            }
            Event::Result(outcome) => {
                result = result.or_else(|| GameScore::of_text(&outcome.to_string()));
            }
            Event::Unknown(_) | Event::End { .. } => break,
            _ => {}
        }
    }
    // Behind the moves that are taken.
    while result.is_none()
        && let Some(event) = lexer.next_event()?
    {
        match event {
            Event::Result(outcome) => result = GameScore::of_text(&outcome.to_string()),
            Event::End { .. } => break,
            _ => {}
        }
    }
    // Black's points, in halves.
    Ok(result.map_or(1, |result| 2 - result.half_points() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(texts: &[&str]) -> Positions {
        let games: Vec<NumberedGame<'_>> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| (number as u32, text.as_bytes()))
            .collect();
        let mut positions = Positions::default();
        positions.add(&games, PLIES);
        positions.sorted()
    }

    #[test]
    fn moves_are_counted_with_the_results_of_their_games() {
        let positions = positions(&[
            "[Result \"1-0\"]\n\n1. e4 e5 1-0",
            "[Result \"0-1\"]\n\n1. e4 c5 0-1",
            // Another way to the same position, and there and back again.
            "[Result \"1/2-1/2\"]\n\n1. d4 d5 2. Nf3 Nf6 3. Ng1 Ng8 4. e4 1/2-1/2",
            "[Result \"1/2-1/2\"]\n\n1. e4 (1. d4 d5) 1... e5 2. Nonsense 1/2-1/2",
        ]);
        let first = positions.explore(&Chess::default(), false);
        assert_eq!((first.games, first.of), (4, 4));
        assert_eq!((first.moves[0].san.as_str(), first.moves[0].results), ("e4", [1, 1, 1]));
        assert_eq!((first.moves[1].san.as_str(), first.moves[1].results), ("d4", [0, 1, 0]));
        assert_eq!(first.named.len(), 4);
    }

    #[test]
    fn games_of_other_variants_do_not_enter() {
        let text =
            |variant: &str| format!("[Variant \"{variant}\"]\n[Result \"1-0\"]\n\n1. e4 1-0");
        let texts = ["Atomic", "Crazyhouse", "Shogi", "Chess960", "Standard"].map(text);
        let positions = positions(&texts.each_ref().map(String::as_str));
        let explored = positions.explore(&Chess::default(), false);
        assert_eq!((explored.games, explored.named), (2, vec![3, 4]));
    }

    #[test]
    fn the_castling_of_a_fen_is_understood_without_a_variant() {
        let fen = "1rk4r/8/8/8/8/8/8/1RK2R2 w FBhb - 0 1";
        let positions = positions(&[&format!("[FEN \"{fen}\"]\n\n1. O-O *")]);
        let fen: shakmaty::fen::Fen = fen.parse().expect("a FEN");
        let position: Chess = fen.into_position(CastlingMode::Chess960).expect("legal");
        let explored = positions.explore(&position, true);
        assert_eq!(explored.moves.iter().map(|played| &*played.uci).collect::<Vec<_>>(), ["c1f1"]);
    }

    #[test]
    fn castling_and_promotions_are_named_as_the_board_writes_them() {
        let fen = "[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n[Result \"1-0\"]\n\n";
        let texts =
            [format!("{fen}1. O-O 1-0"), format!("{fen}1. a8=N 1-0"), format!("{fen}1. a8=Q+ *")];
        let positions = positions(&texts.each_ref().map(String::as_str));
        let fen: shakmaty::fen::Fen = "4k3/P7/8/8/8/8/8/4K2R w K - 0 1".parse().expect("a FEN");
        let position: Chess = fen.into_position(CastlingMode::Standard).expect("legal");
        let explored = positions.explore(&position, false);
        let mut moves: Vec<&str> = explored.moves.iter().map(|played| &*played.uci).collect();
        moves.sort_unstable();
        assert_eq!(moves, ["a7a8n", "a7a8q", "e1g1"]);
    }
}
