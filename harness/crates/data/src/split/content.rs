//! Groups that a split keeps together: games by their moves, positions by the run they are in.

use std::iter::Peekable;

use engine::board::{Color, Piece, Position, Square};
use sha2::{Digest, Sha256};

use crate::formats::{FormatError, Records};
use crate::game::Game;
use crate::record::Record;

/// Plies that filters may have dropped between two positions of a run, plus one.
const MAX_GAP: u16 = 4;

/// Squares that a ply changes on average, rounded up: two, three in en passant, four in castling.
const SQUARES_A_PLY: usize = 3;

/// A number that copies of a game have in common, whatever their names, results, comments and
/// counters: that of the positions in which a move was played.
pub fn of_game(game: &Game) -> u64 {
    let mut position = game.start;
    of_keys(game.turns.iter().map(|turn| {
        let key = position.key();
        position.play(turn.played);
        key
    }))
}

/// The number of a run: that of the game, where the run has all of its positions.
pub fn of_run(run: &[Record]) -> u64 {
    of_keys(run.iter().map(|record| record.position.key()))
}

fn of_keys(keys: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = Sha256::new();
    keys.for_each(|key| hasher.update(key.to_le_bytes()));
    let digest: [u8; 32] = hasher.finalize().into();
    u64::from_le_bytes(*digest.first_chunk().expect("a digest has 32 bytes"))
}

/// The runs of a file of positions: neighbours that follow each other in one game.
pub struct Runs<'a> {
    records: Peekable<Records<'a>>,
}

impl<'a> Runs<'a> {
    /// Of the positions of a file.
    pub fn new(records: Records<'a>) -> Runs<'a> {
        Runs { records: records.peekable() }
    }

    /// The next run; empty at the end.
    ///
    /// # Errors
    /// When the file cannot be read on.
    pub fn next_run(&mut self) -> Result<Vec<Record>, FormatError> {
        let mut run: Vec<Record> = Vec::new();
        loop {
            let belongs = |next: &Result<Record, FormatError>| match (next, run.last()) {
                (Ok(next), Some(last)) => follows(last, next),
                _ => true,
            };
            match self.records.next_if(belongs) {
                Some(record) => run.push(record?),
                None => return Ok(run),
            }
        }
    }
}

/// Whether a position comes after another one in the same game, as far as the records show. The
/// answer depends on these two alone, so that copies of a game are divided alike.
fn follows(before: &Record, next: &Record) -> bool {
    let gap = match (before.ply, next.ply) {
        (Some(before), Some(next)) if next <= before => return false,
        (Some(before), Some(next)) => next - before,
        _ => 1,
    };
    let knows_place = next.ply.is_some();
    if let (Some(before), Some(next)) = (&before.source, &next.source) {
        let names = |engine, opponent| (&before.engine, &before.opponent) == (engine, opponent);
        let alike = names(&next.engine, &next.opponent) || names(&next.opponent, &next.engine);
        if before.game != next.game || !alike {
            return false;
        }
        // The number of the game says it, unless the next one is the first of a game without a number.
        if !before.game.is_empty() && knows_place {
            return true;
        }
    }
    match gap {
        1 => follows_at_once(before, next),
        2..=MAX_GAP => {
            let changed = changed(&before.position, &next.position, gap.is_multiple_of(2));
            changed <= SQUARES_A_PLY * usize::from(gap)
        }
        _ => false,
    }
}

/// Whether a legal move leads from one position to the other. Formats that keep no side to move
/// give each with White to move.
fn follows_at_once(before: &Record, next: &Record) -> bool {
    let after = |m| {
        let mut position = before.position;
        position.play(m);
        let flipped = position.side() != next.position.side();
        squares(&position, flipped) == squares(&next.position, false)
    };
    // Most neighbours need no look at the moves. Three or four squares change in en passant and
    // castling, whose rights some formats do not keep.
    match changed(&before.position, &next.position, false) {
        3 | 4 => return true,
        5.. => return false,
        _ => {}
    }
    // The move of a label may be the engine's best one rather than the one played.
    before.played.is_some_and(&after) || before.position.legal_moves().iter().any(|&m| after(m))
}

/// How many squares differ between two boards, one of them flipped if the sides to move say so.
fn changed(before: &Position, next: &Position, same_mover: bool) -> usize {
    let flipped = same_mover != (before.side() == next.side());
    let before = squares(before, flipped);
    let next = squares(next, false);
    before.iter().zip(&next).filter(|(before, next)| before != next).count()
}

/// The pieces by square; flipped, the board as the other side sees it.
fn squares(position: &Position, flipped: bool) -> [Option<Piece>; 64] {
    std::array::from_fn(|index| {
        let square = Square::new(index as u32 ^ if flipped { 56 } else { 0 });
        let piece = position.piece_at(square)?;
        let color: Color = if flipped { !piece.color } else { piece.color };
        Some(Piece { color, ..piece })
    })
}
