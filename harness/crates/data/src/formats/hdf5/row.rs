//! A position as a row of numbers.

use engine::board::{Bitboard, Color, Move, Piece, Position, Role, Square};
use shakmaty::File;

use super::{COLUMNS, OLD_COLUMNS};
use crate::formats::RecordError;
use crate::formats::board::{Pieces, game_score, labels};
use crate::record::{Record, number_of, score_of};

/// Roles in the order of their columns, Black's before White's.
const ROLES: [Role; 6] =
    [Role::King, Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

const TURN: usize = 12;
const SCORE: usize = 13;
const OUTCOME: usize = 14;
const FROM: usize = 15;
const TO: usize = 16;

/// Makes a row.
pub fn row(record: &Record) -> Result<[u64; COLUMNS], RecordError> {
    let (score, result) = labels(record)?;
    let position = &record.position;
    let mover = position.side();
    let mut row = [0; COLUMNS];
    for square in position.occupied() {
        let Some(piece) = position.piece_at(square) else { continue };
        let role = ROLES.iter().position(|&role| role == piece.role).unwrap_or_default();
        row[2 * role + usize::from(piece.color.is_white())] |= 1 << square as u32;
    }
    row[TURN] = u64::from(mover.is_white());
    // In two's complement.
    row[SCORE] = i64::from(number_of(score.for_white(mover))) as u64;
    row[OUTCOME] = result.seen_from(mover) as u64;
    if let Some((played, target)) = record.played.and_then(|played| Some((played, target(played)?)))
    {
        row[FROM] = played.from() as u64;
        row[TO] = target as u64;
    }
    Ok(row)
}

/// Where the moving piece goes: castling is the king's move of two squares. `None` for what would be
/// read as another move, or as none: castling of Chess960 by another number of squares, and promotion
/// to another piece than a queen.
fn target(played: Move) -> Option<Square> {
    if !played.is_castling() {
        let is_named = played.promotion().is_none_or(|role| role == Role::Queen);
        return is_named.then(|| played.to());
    }
    let file = if played.to() > played.from() { File::G } else { File::C };
    let squares = (file as i32 - played.from().file() as i32).abs();
    (squares == 2).then(|| Square::from_coords(file, played.from().rank()))
}

/// A record of a row of 14 or 17 numbers.
pub fn record(row: &[u64]) -> Result<Record, RecordError> {
    let position = position(row)?;
    let mover = position.side();
    let score = row[SCORE] as i64;
    if score.unsigned_abs() >= 100_000 {
        return Err(RecordError::Score(score));
    }
    // Clamped to what fits.
    let score = score_of(score.clamp(-32_000, 32_000) as i16);
    let mut record = Record { score: Some(score.for_white(mover)), ..Record::bare(position, 0) };
    if row.len() > OLD_COLUMNS {
        record.result = Some(game_score(row[OUTCOME])?.seen_from(mover));
        record.played = played(&record.position, row[FROM], row[TO])?;
    }
    Ok(record)
}

fn position(row: &[u64]) -> Result<Position, RecordError> {
    if row.iter().all(|&number| number == 0) {
        let reason = "an empty row: the file was made for more positions than it has";
        return Err(RecordError::Contradiction(reason));
    }
    let mut pieces = Pieces::default();
    let mut occupied = Bitboard::EMPTY;
    for (column, &squares) in row[..TURN].iter().enumerate() {
        let piece = Piece { color: Color::from_white(column % 2 == 1), role: ROLES[column / 2] };
        for square in Bitboard(squares) {
            if occupied.contains(square) {
                let what = "two pieces".to_owned();
                let square = square.to_string();
                return Err(RecordError::Misplaced { what, square });
            }
            occupied.add(square);
            pieces.put(square, piece);
        }
    }
    pieces.side = match row[TURN] {
        0 => Color::Black,
        1 => Color::White,
        found => {
            let what = "side to move";
            return Err(RecordError::OutOfRange { what, found, wanted: "0 or 1" });
        }
    };
    pieces.position()
}

/// The move, if stored: a promotion is to a queen, as the format stores no piece; castling and
/// en passant, whose rights it does not keep, are no moves here.
fn played(position: &Position, from: u64, to: u64) -> Result<Option<Move>, RecordError> {
    if from == to {
        return Ok(None);
    }
    let bad = || format!("a move from square {from} to {to}");
    let square = |number: u64| (number < 64).then(|| Square::new(number as u32));
    let (Some(origin), Some(target)) = (square(from), square(to)) else {
        return Err(RecordError::Move(bad()));
    };
    let moves = position.legal_moves();
    let mut found = moves.iter().copied().filter(|m| m.from() == origin && m.to() == target);
    if let Some(first) = found.next() {
        let queen = found.find(|m| m.promotion() == Some(Role::Queen));
        let is_queen = first.promotion().is_none_or(|role| role == Role::Queen);
        return Ok(if is_queen { Some(first) } else { queen });
    }
    let files = (origin.file() as i32 - target.file() as i32).abs();
    match position.piece_at(origin).map(|piece| piece.role) {
        Some(Role::King) if files == 2 => Ok(None),
        Some(Role::Pawn) if files == 1 && position.piece_at(target).is_none() => Ok(None),
        _ => {
            let text = format!("{}, which is not legal in `{}`", bad(), position.fen(false));
            Err(RecordError::Move(text))
        }
    }
}
