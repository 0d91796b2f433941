//! Writing: a game is a chain, and chains fill chunks.

use std::io::{self, Write};

use engine::board::{Bitboard, Move, Position, Role, Square};

use super::pseudo_legal::{PseudoLegal, index_of};
use super::{NO_SCORE, PROMOTIONS, SCORE_BLOCK, STEM};
use crate::formats::board::ROLES;
use crate::formats::error::RecordError;
use crate::formats::format::Sink;
use crate::game::{Game, Turn};
use crate::record::number_of;
use harness_stats::GameScore;

/// The largest ply that a stem can hold.
const MAX_PLY: u16 = 0x3fff;

/// Writes a chunk of chains.
///
/// # Errors
/// When it cannot be written.
pub fn chunk(chains: &[u8], sink: &mut Sink<'_>) -> io::Result<()> {
    let size = u32::try_from(chains.len()).map_err(|_| RecordError::Contradiction("too long"))?;
    sink.write_all(b"BINP")?;
    sink.write_all(&size.to_le_bytes())?;
    sink.write_all(chains)
}

/// Appends a game as a chain. A game without moves is left out.
///
/// # Errors
/// When it has no result, or the castling rights of a start position of Chess960.
pub fn write(game: &Game, into: &mut Vec<u8>) -> io::Result<()> {
    let [first, others @ ..] = &game.turns[..] else { return Ok(()) };
    let result = game.result.ok_or(RecordError::Unlabelled("result"))?;
    if !game.start.castles_as_in_chess() {
        let what = "castling rights of Chess960, which binpack does not hold";
        return Err(RecordError::Contradiction(what).into());
    }
    // The reader allows at most 65,535 plies a game.
    let count = u16::try_from(others.len())
        .map_err(|_| RecordError::Contradiction("a game of more than 65,536 plies"))?;
    let begun = into.len();
    into.extend(stem(game, first, result));
    into.extend(count.to_be_bytes());
    // A chain that fails leaves nothing behind.
    put_moves(game, first, others, into).inspect_err(|_| into.truncate(begun))
}

/// Appends the moves behind the stem, with their scores.
fn put_moves(game: &Game, first: &Turn, others: &[Turn], into: &mut Vec<u8>) -> io::Result<()> {
    let mut bits = Bits { bytes: into, free: 0 };
    let mut position = game.start;
    let mut score = score_of(first);
    position.play(first.played);
    for turn in others {
        put_move(&position, turn.played, &mut bits)?;
        let next = score_of(turn);
        bits.score(next.wrapping_sub(score.wrapping_neg()));
        score = next;
        position.play(turn.played);
    }
    Ok(())
}

fn score_of(turn: &Turn) -> i16 {
    turn.eval.map_or(NO_SCORE, |eval| number_of(eval.score))
}

/// The first position with its move and score.
fn stem(game: &Game, first: &Turn, result: GameScore) -> [u8; STEM] {
    let position = &game.start;
    let mut bytes = [0; STEM];
    bytes[..8].copy_from_slice(&position.occupied().0.to_be_bytes());
    for (at, square) in position.occupied().into_iter().enumerate() {
        bytes[8 + at / 2] |= nibble(position, square) << (4 * (at % 2));
    }
    let for_mover = match result.seen_from(position.side()) {
        GameScore::Loss => -1,
        GameScore::Draw => 0,
        GameScore::Win => 1,
    };
    let ply = game.first_ply().min(MAX_PLY) | unsigned(for_mover) << 14;
    let numbers =
        [stem_move(first.played), unsigned(score_of(first)), ply, position.halfmove_clock()];
    for (at, number) in numbers.into_iter().enumerate() {
        bytes[24 + 2 * at..26 + 2 * at].copy_from_slice(&number.to_be_bytes());
    }
    bytes
}

/// The code of a piece, and what is special about it.
fn nibble(position: &Position, square: Square) -> u8 {
    let Some(piece) = position.piece_at(square) else { return 0 };
    let black = piece.color.is_black();
    // A pawn that can be captured in passing has just passed the square behind it.
    let passed = position.en_passant().map(|passing| Square::new(passing as u32 ^ 8));
    match piece.role {
        Role::Pawn if passed == Some(square) => 12,
        Role::Rook if position.castling_rights().rooks().contains(square) => 13 + u8::from(black),
        Role::King if black && position.side().is_black() => 15,
        role => {
            let code = ROLES.into_iter().position(|other| other == role).unwrap_or_default();
            2 * code as u8 + u8::from(black)
        }
    }
}

fn stem_move(played: Move) -> u16 {
    let squares = (played.from() as u16) << 8 | (played.to() as u16) << 2;
    match played.promotion() {
        Some(role) => {
            let number = PROMOTIONS.into_iter().position(|other| other == role);
            squares | 1 << 14 | number.unwrap_or_default() as u16
        }
        None if played.is_castling() => squares | 2 << 14,
        None if played.is_en_passant() => squares | 3 << 14,
        None => squares,
    }
}

fn put_move(position: &Position, played: Move, bits: &mut Bits<'_>) -> io::Result<()> {
    let ours: Bitboard = position.by_color(position.side());
    let moves = PseudoLegal::from_square(position, played.from());
    // A game has legal moves only, which are among them.
    let illegal = || RecordError::Move(format!("{played:?} in `{}`", position.fen(false)));
    let piece = index_of(ours, played.from()).ok_or_else(illegal)?;
    let target = moves.number(played).ok_or_else(illegal)?;
    bits.number(piece, ours.count());
    bits.number(target, moves.count());
    Ok(())
}

/// A number as one whose lowest bit is its sign.
fn unsigned(number: i16) -> u16 {
    let bits = number as u16;
    (if number < 0 { bits ^ 0x7fff } else { bits }).rotate_left(1)
}

/// Bits, the highest of a byte first.
struct Bits<'a> {
    bytes: &'a mut Vec<u8>,
    /// Free bits of the last byte.
    free: u32,
}

impl Bits<'_> {
    fn put(&mut self, number: usize, count: u32) {
        for at in (0..count).rev() {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            self.free -= 1;
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((number >> at & 1) as u8) << self.free;
            }
        }
    }

    /// An index below `choices`, of which there is one.
    fn number(&mut self, number: usize, choices: usize) {
        self.put(number, usize::BITS - choices.saturating_sub(1).leading_zeros());
    }

    /// The difference of a score to the one before.
    fn score(&mut self, difference: i16) {
        let mut rest = unsigned(difference);
        loop {
            let block = usize::from(rest & 15);
            rest >>= SCORE_BLOCK;
            let more = usize::from(rest > 0) << SCORE_BLOCK;
            self.put(more | block, SCORE_BLOCK + 1);
            if rest == 0 {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_cannot_be_written_leaves_no_half_chain() {
        let turn = |from, to| Turn { played: Move::normal(from, to), eval: None };
        let first = turn(Square::E2, Square::E3);
        let game = |second| Game {
            start: Position::startpos(),
            result: Some(GameScore::Draw),
            turns: vec![first, second],
            ..Game::default()
        };
        let mut chains = Vec::new();
        write(&game(turn(Square::E7, Square::E6)), &mut chains).expect("legal");
        let before = chains.clone();
        let error = write(&game(turn(Square::E7, Square::E2)), &mut chains).expect_err("illegal");
        assert!(error.to_string().contains("e7e2"), "{error}");
        assert_eq!(chains, before);
    }
}
