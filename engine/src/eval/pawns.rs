//! Pawn structure and king shelter, cached in a pawn hash table.

use super::masks::{ahead, beside, forward, rank_of_rearmost, relative_rank};
use super::psqt::psqt_index;
use super::score::Score;
use super::tally::{Tally, count};
use super::trace::{NoTrace, Trace};
use crate::board::{Bitboard, CastlingSide, Color, File, Position, Role, Square, pawn_attacks};

/// An entry of the pawn hash table: a pawn structure with both kings.
#[derive(Clone, Copy)]
pub struct PawnEntry {
    key: u64,
    score: Score,
    passed: Bitboard,
    attack_spans: [Bitboard; 2],
}

impl PawnEntry {
    const UNUSED: PawnEntry = PawnEntry {
        key: 0,
        score: Score::ZERO,
        passed: Bitboard::EMPTY,
        attack_spans: [Bitboard::EMPTY; 2],
    };

    /// Evaluates the structure.
    pub fn compute<T: Trace>(position: &Position, trace: &mut T) -> PawnEntry {
        let mut tally = Tally::new(trace);
        let mut entry = PawnEntry { key: table_key(position), ..PawnEntry::UNUSED };
        for color in [Color::White, Color::Black] {
            let pawns = position.pieces(color, Role::Pawn);
            // Squares that the pawns attack, now or after advancing.
            let front = forward(color, pawns);
            entry.attack_spans[color as usize] = beside(front | ahead(color, front));
            for square in pawns {
                entry.pawn(position, color, square, &mut tally);
            }
            shelter(position, color, &mut tally);
        }
        entry.score = tally.sum;
        entry
    }

    /// The sum of the terms, from White's side.
    #[inline]
    pub fn score(&self) -> Score {
        self.score
    }

    /// Passed pawns of both colours.
    #[inline]
    pub fn passed(&self) -> Bitboard {
        self.passed
    }

    /// Attack span: squares that pawns of the colour attack or can attack after advancing.
    #[inline]
    pub fn attack_span(&self, color: Color) -> Bitboard {
        self.attack_spans[color as usize]
    }

    fn pawn<T: Trace>(
        &mut self,
        position: &Position,
        color: Color,
        square: Square,
        tally: &mut Tally<'_, T>,
    ) {
        let own = position.pieces(color, Role::Pawn);
        let theirs = position.pieces(!color, Role::Pawn);
        let rank = relative_rank(color, square);
        let here = Bitboard::from_square(square);
        let front = ahead(color, here);
        let neighbours = beside(Bitboard::from_file(square.file())) & own;
        let opposed = front.intersects(theirs);

        count!(tally, color, material[0]);
        count!(tally, color, pawn_square[psqt_index(color, square)]);
        if front.intersects(own) {
            count!(tally, color, pawn_doubled[0]);
        }
        if beside(here).intersects(own) {
            count!(tally, color, pawn_phalanx[rank]);
        }
        if pawn_attacks(!color, square).intersects(own) {
            count!(tally, color, pawn_supported[rank]);
        }
        if neighbours.is_empty() {
            count!(tally, color, pawn_isolated[usize::from(!opposed)]);
        } else {
            let behind_or_level = !beside(front) & neighbours;
            let stop = forward(color, here);
            let stopped = pawn_attacks(color, square).intersects(theirs)
                || stop.intersects(theirs)
                || stop.first().is_some_and(|stop| pawn_attacks(color, stop).intersects(theirs));
            if behind_or_level.is_empty() && stopped {
                count!(tally, color, pawn_backward[usize::from(!opposed)]);
            }
        }
        if !(front | beside(front)).intersects(theirs) && !front.intersects(own) {
            self.passed |= here;
            count!(tally, color, passed[rank]);
        }
    }
}

/// Counts the shelter and the pawn storm at the king's square, or at a square that it may castle to
/// if that is better.
fn shelter<T: Trace>(position: &Position, color: Color, tally: &mut Tally<'_, T>) {
    let king = position.king(color);
    let castled = position.castling_rights().rooks_of(color).into_iter().map(|rook| {
        let side = CastlingSide::from_king_side(rook > king);
        Square::from_coords(side.king_to_file(), color.backrank())
    });
    let value = |&square: &Square| {
        let mut no_trace = NoTrace;
        let mut tally = Tally::new(&mut no_trace);
        shelter_at(position, color, square, &mut tally);
        let mg = tally.sum.mg();
        if color.is_white() { mg } else { -mg }
    };
    let best = castled.chain([king]).max_by_key(value).unwrap_or(king);
    shelter_at(position, color, best, tally);
}

/// Counts the pawns of both colours on the king's file and the two beside it.
fn shelter_at<T: Trace>(position: &Position, color: Color, king: Square, tally: &mut Tally<'_, T>) {
    let rank = Bitboard::from_rank(king.rank());
    let level_or_ahead = rank | ahead(color, rank);
    let own = position.pieces(color, Role::Pawn) & level_or_ahead;
    let theirs = position.pieces(!color, Role::Pawn) & level_or_ahead;
    let middle = (king.file() as u32).clamp(1, 6);
    for file in [middle - 1, middle, middle + 1].map(File::new) {
        let of_file = Bitboard::from_file(file);
        let shield = rank_of_rearmost(color, own & of_file).unwrap_or(0);
        if file == king.file() {
            count!(tally, color, shelter_king_file[shield]);
        } else {
            count!(tally, color, shelter_side_file[shield]);
        }
        if let Some(storm) = rank_of_rearmost(color, theirs & of_file) {
            if shield > 0 && storm == shield + 1 {
                count!(tally, color, storm_blocked[storm]);
            } else {
                count!(tally, color, storm[storm]);
            }
        }
    }
}

/// The pawn hash table; a new entry always replaces the old one.
#[derive(Clone)]
pub struct PawnTable {
    entries: Box<[PawnEntry]>,
}

impl PawnTable {
    const ENTRIES: usize = 1 << 13;

    /// An empty table.
    pub fn new() -> PawnTable {
        PawnTable { entries: vec![PawnEntry::UNUSED; PawnTable::ENTRIES].into_boxed_slice() }
    }

    /// The entry of a position, computed if it is not in the table.
    #[inline]
    pub fn get<T: Trace>(&mut self, position: &Position, trace: &mut T) -> PawnEntry {
        let key = table_key(position);
        let entry = &mut self.entries[key as usize % PawnTable::ENTRIES];
        if T::ON || entry.key != key {
            *entry = PawnEntry::compute(position, trace);
        }
        *entry
    }
}

impl Default for PawnTable {
    fn default() -> PawnTable {
        PawnTable::new()
    }
}

/// The key of what the entry depends on: pawns, kings and castling rights. No key is zero, which
/// marks an unused entry.
#[inline]
fn table_key(position: &Position) -> u64 {
    let white = position.king(Color::White);
    let black = position.king(Color::Black);
    let kings = (white as u64) << 6 | black as u64;
    let rooks = position.castling_rights().rooks().0;
    // Rights only stand on the two back ranks; their bits are folded around those of the kings.
    let rest = kings << 20 | rooks >> 56 << 8 | rooks & 0xff;
    (position.pawn_key() ^ (rest + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1)
}
