//! King safety: the attack of the enemy's pieces on the king zone.

use super::attacks::Attacks;
use super::group::Group;
use super::masks::forward;
use super::score::s;
use super::tally::Tally;
use super::trace::Trace;
use super::weights::KING_DANGER;
use crate::board::{
    Bitboard, Color, Position, Role, bishop_attacks, king_attacks, knight_attacks, rook_attacks,
};

/// The attack of one colour's pieces on the king of the other, the defender.
pub struct KingAttack {
    /// King zone: the king's square, those around it, and those in front of them.
    zone: Bitboard,
    units: i32,
}

impl KingAttack {
    /// The attack on the defender's king, without any piece yet.
    #[inline(always)]
    pub fn new(position: &Position, defender: Color) -> KingAttack {
        let king = position.king(defender);
        let around = king_attacks(king) | Bitboard::from_square(king);
        KingAttack { zone: around | forward(defender, around), units: 0 }
    }

    /// Adds a piece that attacks these squares.
    #[inline(always)]
    pub fn add(&mut self, role: Role, attacked: Bitboard) {
        let squares = (attacked & self.zone).count() as i32;
        if squares > 0 {
            self.units +=
                KING_DANGER.attacker[role as usize - 1] + KING_DANGER.zone_square * squares;
        }
    }

    /// Counts the king danger, which grows with its square: one piece alone does little, three
    /// together mate.
    #[inline(always)]
    pub fn count<T: Trace>(
        &self,
        position: &Position,
        attacks: &Attacks,
        defender: Color,
        tally: &mut Tally<'_, T>,
    ) {
        let danger = self.danger(position, attacks, defender).min(KING_DANGER.max);
        if danger > 0 {
            let mg = danger * danger / KING_DANGER.divisor;
            let eg = danger / KING_DANGER.eg_divisor;
            tally.add_fixed(defender, Group::King, s(-mg as i16, -eg as i16));
        }
    }

    #[inline(always)]
    fn danger(&self, position: &Position, attacks: &Attacks, defender: Color) -> i32 {
        let attacker = !defender;
        let mut units = self.units - KING_DANGER.offset;
        if position.pieces(attacker, Role::Queen).is_empty() {
            units -= KING_DANGER.no_queen;
        }
        // Weak squares: attacked, and defended by king or queen at most.
        let defended = attacks.any(defender)
            & !(attacks.by(defender, Role::King) | attacks.by(defender, Role::Queen))
            | attacks.twice(defender);
        let weak = attacks.any(attacker) & !defended;
        units += KING_DANGER.weak_square * (weak & self.zone).count() as i32;
        units + safe_checks(position, attacks, defender, weak)
    }
}

/// Danger units of safe checks: by roles that can check from a square where they are not lost.
#[inline(always)]
fn safe_checks(position: &Position, attacks: &Attacks, defender: Color, weak: Bitboard) -> i32 {
    let attacker = !defender;
    let king = position.king(defender);
    let safe =
        !position.by_color(attacker) & (!attacks.any(defender) | weak & attacks.twice(attacker));
    let occupied = position.occupied() ^ position.pieces(defender, Role::Queen);
    let diagonals = bishop_attacks(king, occupied) & safe;
    let straights = rook_attacks(king, occupied) & safe;
    let mut units = 0;
    let mut check = |role: Role, from: Bitboard| {
        if (from & attacks.by(attacker, role)).any() {
            units += KING_DANGER.safe_check[role as usize - 1];
        }
    };
    check(Role::Knight, knight_attacks(king) & safe);
    check(Role::Bishop, diagonals);
    check(Role::Rook, straights);
    // The defender's queen may capture the checking one.
    check(Role::Queen, (diagonals | straights) & !attacks.by(defender, Role::Queen));
    units
}
