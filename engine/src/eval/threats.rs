//! Threats: pieces that are attacked by less valuable ones or are not defended.

use super::attacks::Attacks;
use super::masks::{forward, pawn_attacks_of};
use super::tally::{Tally, count};
use super::trace::Trace;
use crate::board::{Bitboard, Color, Position, Rank, Role};

/// Counts the threats of a colour.
#[inline(always)]
pub fn count<T: Trace>(
    position: &Position,
    attacks: &Attacks,
    color: Color,
    tally: &mut Tally<'_, T>,
) {
    let theirs = position.by_color(!color) & !position.by_role(Role::King);
    let by_pawn = attacks.by(color, Role::Pawn);
    let by_minor = attacks.by(color, Role::Knight) | attacks.by(color, Role::Bishop);
    let by_rook = attacks.by(color, Role::Rook);
    let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    for (index, role) in roles.into_iter().enumerate() {
        let targets = theirs & position.by_role(role);
        let number = |by: Bitboard| (targets & by).count() as i32;
        count!(tally, color, threat_by_pawn[index], number(by_pawn));
        if index >= 2 {
            count!(tally, color, threat_by_minor[index - 2], number(by_minor));
        }
        if role == Role::Queen {
            count!(tally, color, threat_by_rook[0], number(by_rook));
        }
    }
    let hanging = theirs & attacks.any(color) & !attacks.any(!color);
    let pawns = (hanging & position.by_role(Role::Pawn)).count() as i32;
    count!(tally, color, hanging_pawn[0], pawns);
    count!(tally, color, hanging_piece[0], hanging.count() as i32 - pawns);
    count!(tally, color, threat_by_push[0], push_threats(position, attacks, color, theirs));
}

/// The number of pieces that a safe pawn push would attack.
#[inline(always)]
fn push_threats(position: &Position, attacks: &Attacks, color: Color, theirs: Bitboard) -> i32 {
    let empty = !position.occupied();
    let third = Bitboard::from_rank(color.relative_rank(Rank::Third));
    let one = forward(color, position.pieces(color, Role::Pawn)) & empty;
    let two = forward(color, one & third) & empty;
    let safe = !attacks.by(!color, Role::Pawn) & (attacks.any(color) | !attacks.any(!color));
    let attacked = pawn_attacks_of(color, (one | two) & safe);
    let new = attacked & !attacks.by(color, Role::Pawn);
    (new & theirs & !position.by_role(Role::Pawn)).count() as i32
}
