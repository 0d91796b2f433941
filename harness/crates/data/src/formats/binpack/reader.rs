//! Reading.

use std::io::Read;

use engine::board::{Bitboard, Color, Move, Piece, Position, Role, Square};

use super::pseudo_legal::PseudoLegal;
use super::{COUNT, NO_SCORE, PROMOTIONS, SCORE_BLOCK, STEM};
use crate::formats::board::{Pieces, ROLES, squares_of};
use crate::formats::bytes::Bytes;
use crate::formats::error::{FormatError, RecordError};
use crate::game::{Game, MoveEval, Turn};
use crate::record::score_of;
use harness_stats::GameScore;

/// Largest chunk.
const MAX_CHUNK: u32 = 100 << 20;

/// Reads chains one after the other: moves of a game that follow each other.
pub struct Reader<R> {
    bytes: Bytes<R>,
    chunk: Vec<u8>,
    at: usize,
}

impl<R: Read> Reader<R> {
    /// From the beginning of a file; `path` names it in errors.
    pub fn new(path: &str, source: R) -> Reader<R> {
        Reader { bytes: Bytes::new(path, source), chunk: Vec::new(), at: 0 }
    }

    fn chain(&mut self) -> Result<Option<Game>, FormatError> {
        while self.at == self.chunk.len() {
            if !self.next_chunk()? {
                return Ok(None);
            }
        }
        let begin = self.bytes.offset() - self.chunk.len() as u64;
        let read = chain(&self.chunk[self.at..]);
        let (game, length) = read.map_err(|ChainError(at, reason)| {
            self.bytes.bad(begin + (self.at + at) as u64, reason)
        })?;
        self.at += length;
        Ok(Some(game))
    }

    /// Reads the next chunk; false at the end of the file.
    fn next_chunk(&mut self) -> Result<bool, FormatError> {
        let at = self.bytes.offset();
        let Some(magic) = self.bytes.block::<4>()? else { return Ok(false) };
        if magic != *b"BINP" {
            return Err(self.bytes.bad(at, "not a chunk of a binpack".to_owned()));
        }
        let size = u32::from_le_bytes(self.bytes.exact()?);
        if size > MAX_CHUNK {
            return Err(self.bytes.bad(at + 4, format!("a chunk of {size} bytes")));
        }
        self.chunk = self.bytes.many(size as usize)?;
        self.at = 0;
        Ok(true)
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Game, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.chain().transpose()
    }
}

/// Where in a chain, and what is wrong.
struct ChainError(usize, String);

/// A chain, and its bytes.
fn chain(bytes: &[u8]) -> Result<(Game, usize), ChainError> {
    let Some((head, moves)) = bytes.split_first_chunk::<{ STEM + COUNT }>() else {
        return Err(ChainError(0, format!("{} bytes, in which no chain fits", bytes.len())));
    };
    let number = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    let ply = number(28) & 0x3fff;
    let result = number(28) >> 14;
    let mut position =
        position(head, ply, number(30)).map_err(|error| ChainError(0, error.to_string()))?;
    let result = match signed(result) {
        -1 => GameScore::Loss,
        0 => GameScore::Draw,
        1 => GameScore::Win,
        other => return Err(ChainError(28, format!("the result is {other}, not -1, 0 or 1"))),
    };
    let result = Some(result.seen_from(position.side()));
    let mut game = Game { start: position, result, ..Game::default() };
    let mut score = signed(number(26));
    let mut played = stem_move(number(24));
    let mut bits = Bits { bytes: moves, at: 0 };
    let place = |bits: &Bits<'_>| STEM + COUNT + bits.at / 8;
    for left in (0..=number(STEM)).rev() {
        let m = played.filter(|&m| position.is_legal(m)).ok_or_else(|| {
            ChainError(
                place(&bits),
                format!("a move that is not legal in `{}`", position.fen(false)),
            )
        })?;
        let eval = (score != NO_SCORE).then(|| MoveEval { score: score_of(score), depth: 0 });
        game.turns.push(Turn { played: m, eval });
        position.play(m);
        if left > 0 {
            let next = next_move(&position, &mut bits).zip(bits.score());
            let Some((next, difference)) = next else {
                return Err(ChainError(place(&bits), "the chunk ends within a chain".to_owned()));
            };
            played = Some(next);
            score = score.wrapping_neg().wrapping_add(difference);
        }
    }
    Ok((game, STEM + COUNT + bits.at.div_ceil(8)))
}

/// A number whose lowest bit is its sign.
fn signed(bits: u16) -> i16 {
    let rotated = bits.rotate_right(1);
    (if rotated & 0x8000 == 0 { rotated } else { rotated ^ 0x7fff }) as i16
}

fn position(head: &[u8], ply: u16, halfmoves: u16) -> Result<Position, RecordError> {
    let occupied = head[..8].iter().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
    let occupied = squares_of(occupied)?;
    let mut pieces = Pieces::default();
    (pieces.halfmoves, pieces.fullmoves) = (halfmoves, 1 + ply / 2);
    for (place, square) in occupied.into_iter().enumerate() {
        let nibble = head[8 + place / 2] >> (4 * (place % 2)) & 15;
        let color = match nibble {
            12 => Color::from_white(square < Square::A5),
            13 => Color::White,
            14 | 15 => Color::Black,
            piece => Color::from_white(piece % 2 == 0),
        };
        let role = match nibble {
            12 => Role::Pawn,
            13 | 14 => Role::Rook,
            15 => Role::King,
            piece => ROLES[usize::from(piece / 2)],
        };
        pieces.put(square, Piece { color, role });
        match nibble {
            // The pawn has just moved two ranks.
            12 => pieces.en_passant = Some(Square::new(square as u32 ^ 8)),
            13 | 14 => pieces.castling.add(square),
            15 => pieces.side = Color::Black,
            _ => {}
        }
    }
    pieces.position()
}

/// The move of a stem: two bits of kind, six of origin, six of destination, two of the
/// promotion piece. Castling is the king taking its rook.
fn stem_move(bits: u16) -> Option<Move> {
    let square = |shift: u16| Square::new(u32::from(bits >> shift & 63));
    let from = square(8);
    let to = square(2);
    Some(match bits >> 14 {
        _ if from == to => return None,
        0 => Move::normal(from, to),
        1 => Move::promoting(from, to, PROMOTIONS[usize::from(bits & 3)]),
        2 => Move::castling(from, to),
        _ => Move::en_passant(from, to),
    })
}

/// The next move; `None` at the end of the chunk, or where there is no such piece or target.
fn next_move(position: &Position, bits: &mut Bits<'_>) -> Option<Move> {
    let from = bits.one_of(position.by_color(position.side()))?;
    let moves = PseudoLegal::from_square(position, from);
    moves.nth(bits.number(moves.count())?)
}

/// Bits, the highest of a byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: u32) -> Option<usize> {
        let mut number = 0;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8)?;
            number = number << 1 | usize::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(number)
    }

    /// An index below `count`.
    fn number(&mut self, choices: usize) -> Option<usize> {
        self.take(usize::BITS - choices.checked_sub(1)?.leading_zeros())
    }

    fn one_of(&mut self, squares: Bitboard) -> Option<Square> {
        let number = self.number(squares.count())?;
        squares.into_iter().nth(number)
    }

    /// The difference of a score to the one before.
    fn score(&mut self) -> Option<i16> {
        let mut bits = 0;
        for shift in (0..16).step_by(SCORE_BLOCK as usize) {
            let block = self.take(SCORE_BLOCK + 1)?;
            // Four bits.
            bits |= ((block & 15) as u16) << shift;
            if block >> SCORE_BLOCK == 0 {
                return Some(signed(bits));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::number_of;

    /// Written by the crate `sfbinpack` 0.6.
    fn sample() -> Vec<u8> {
        let hex = include_str!("sample.hex").trim();
        let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
        (0..hex.len()).step_by(2).map(byte).collect()
    }

    fn read(bytes: &[u8]) -> Result<Vec<Game>, FormatError> {
        Reader::new("x.binpack", bytes).collect()
    }

    #[test]
    fn a_chain_is_a_game_with_its_scores() {
        let game = read(&sample()).expect("sound").remove(0);
        let mut position = game.start;
        let moves: Vec<String> = (game.turns.iter())
            .map(|turn| {
                let text = position.uci(turn.played, false).to_string();
                position.play(turn.played);
                text
            })
            .collect();
        let wanted = "e2e4 d7d5 e4d5 c7c5 d5c6 g8f6 c6b7 e7e6 b7a8n f8c5 g1f3 e8g8";
        assert_eq!(moves.join(" "), wanted);
        let numbers = |turn: &Turn| turn.eval.map(|eval| number_of(eval.score));
        let scores: Vec<Option<i16>> = game.turns.iter().map(numbers).collect();
        let wanted = [12, -45, 50, -31_990, 10, 32_002, 100, 0, 300, -250, 1, 2];
        let wanted = wanted.map(|score| (score != NO_SCORE).then_some(score));
        // A mate in plies becomes one in moves.
        assert_eq!(scores[3], Some(-31_991));
        assert!(scores.iter().zip(wanted).enumerate().all(|(at, (a, b))| at == 3 || *a == b));
        assert_eq!((game.result, game.start), (Some(GameScore::Loss), Position::startpos()));
        assert_eq!(read(&[sample(), sample()].concat()).expect("sound").len(), 2);
    }

    #[test]
    fn damage_is_reported_with_its_offset_and_never_a_panic() {
        let sound = sample();
        let changed = |at: usize, byte: u8| {
            let mut bytes = sound.clone();
            bytes[at] = byte;
            bytes
        };
        let mut long = sound.clone();
        long[4] += 3;
        long.extend([0; 3]);
        for (bytes, says) in [
            (changed(0, b'X'), "byte 0: not a chunk"),
            (changed(7, 0x7f), "byte 4: a chunk of"),
            (sound[..60].to_vec(), "byte 8: the file ends too soon"),
            (changed(8 + 24, 0xff), "a move that is not legal"),
            (changed(8 + 33, 60), "the chunk ends within a chain"),
            (changed(8 + 28, 0xc0), "byte 36: the result is -2"),
            (long, "byte 69: 3 bytes, in which no chain fits"),
        ] {
            let error = read(&bytes).expect_err(says).to_string();
            assert!(error.contains(says), "{says}: {error}");
        }
        for at in 0..sound.len() {
            for change in 1..=255 {
                let mut bytes = sound.clone();
                bytes[at] ^= change;
                // Read or refused, but no panic and no endless loop.
                let _ = read(&bytes);
            }
        }
    }
}
