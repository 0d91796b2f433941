//! King safety: what the enemy's pieces can do around the king.

use super::Group;
use super::attacks::Attacks;
use super::masks::forward;
use super::score::s;
use super::tally::Tally;
use super::trace::Trace;
use super::weights::KING_DANGER;
use crate::board::{
    Bitboard, Color, Position, Role, bishop_attacks, king_attacks, knight_attacks, rook_attacks,
};

/// The pieces of one colour around the king of the other.
pub struct Siege {
    /// The king's square, those around it, and those before them.
    zone: Bitboard,
    units: i32,
}

impl Siege {
    /// The siege of a colour's king, with no piece at it yet.
    #[inline(always)]
    pub fn new(position: &Position, besieged: Color) -> Siege {
        let king = position.king(besieged);
        let around = king_attacks(king) | Bitboard::from_square(king);
        Siege { zone: around | forward(besieged, around), units: 0 }
    }

    /// A piece attacks these squares.
    #[inline(always)]
    pub fn attack(&mut self, role: Role, attacked: Bitboard) {
        let squares = (attacked & self.zone).count() as i32;
        if squares > 0 {
            self.units +=
                KING_DANGER.attacker[role as usize - 1] + KING_DANGER.zone_square * squares;
        }
    }

    /// Adds what the besieged king has to fear, which grows with the square of the danger: one
    /// piece alone does little, three together mate.
    #[inline(always)]
    pub fn count<T: Trace>(
        &self,
        position: &Position,
        attacks: &Attacks,
        besieged: Color,
        tally: &mut Tally<'_, T>,
    ) {
        let danger = self.danger(position, attacks, besieged).min(KING_DANGER.most);
        if danger > 0 {
            let (mg, eg) = (danger * danger / KING_DANGER.divisor, danger / KING_DANGER.eg_divisor);
            tally.add_fixed(besieged, Group::King, s(-mg as i16, -eg as i16));
        }
    }

    #[inline(always)]
    fn danger(&self, position: &Position, attacks: &Attacks, besieged: Color) -> i32 {
        let attacker = !besieged;
        let mut units = self.units - KING_DANGER.calm;
        if position.pieces(attacker, Role::Queen).is_empty() {
            units -= KING_DANGER.no_queen;
        }
        // Attacked, and held at most by the king or the queen.
        let held = attacks.any(besieged)
            & !(attacks.by(besieged, Role::King) | attacks.by(besieged, Role::Queen))
            | attacks.twice(besieged);
        let weak = attacks.any(attacker) & !held;
        units += KING_DANGER.weak_square * (weak & self.zone).count() as i32;
        units + safe_checks(position, attacks, besieged, weak)
    }
}

/// Units for roles that can check from a square where they cannot simply be taken.
#[inline(always)]
fn safe_checks(position: &Position, attacks: &Attacks, besieged: Color, weak: Bitboard) -> i32 {
    let attacker = !besieged;
    let king = position.king(besieged);
    let safe =
        !position.by_color(attacker) & (!attacks.any(besieged) | weak & attacks.twice(attacker));
    let occupied = position.occupied() ^ position.pieces(besieged, Role::Queen);
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
    // The king may take a queen that stands next to it, unless another piece holds her.
    check(Role::Queen, (diagonals | straights) & !attacks.by(besieged, Role::Queen));
    units
}
