//! Passed pawns: king distances, blockades and the squares ahead.

use super::attacks::Attacks;
use super::masks::{ahead, forward, relative_rank};
use super::pawns::PawnEntry;
use super::tally::{Tally, count};
use super::trace::Trace;
use crate::board::{Bitboard, Color, Position, Role};

/// Counts the terms of a colour's passed pawns other than their rank.
#[inline(always)]
pub fn count<T: Trace>(
    position: &Position,
    pawns: &PawnEntry,
    attacks: &Attacks,
    color: Color,
    tally: &mut Tally<'_, T>,
) {
    for square in pawns.passed() & position.by_color(color) {
        let rank = relative_rank(color, square);
        let here = Bitboard::from_square(square);
        let Some(stop) = forward(color, here).first() else { continue };
        if pawns_support(position, color, square) {
            count!(tally, color, passed_supported[rank]);
        }
        // Below the fourth rank the other terms matter little.
        if rank < 3 {
            continue;
        }
        let own_distance = position.king(color).distance(stop) as i32;
        let their_distance = position.king(!color).distance(stop) as i32;
        count!(tally, color, passed_own_king[rank], own_distance);
        count!(tally, color, passed_enemy_king[rank], their_distance);
        if position.occupied().contains(stop) {
            count!(tally, color, passed_blocked[rank]);
            continue;
        }
        let path = ahead(color, here);
        let contested = path & (attacks.any(!color) | position.by_color(!color));
        if contested.is_empty() {
            count!(tally, color, passed_free[rank]);
        } else if !contested.contains(stop) {
            count!(tally, color, passed_can_step[rank]);
        } else if attacks.any(color).contains(stop) {
            count!(tally, color, passed_escorted[rank]);
        }
    }
}

/// Whether another pawn protects the pawn or stands beside it (phalanx).
#[inline(always)]
fn pawns_support(position: &Position, color: Color, square: crate::board::Square) -> bool {
    let beside = super::masks::beside(Bitboard::from_square(square));
    let supporters = crate::board::pawn_attacks(!color, square) | beside;
    supporters.intersects(position.pieces(color, Role::Pawn))
}
