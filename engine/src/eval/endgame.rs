//! Endgame scaling, and the mop-up evaluation against a bare king.

use super::score::FULL_SCALE;
use super::tally::{Tally, count};
use super::trace::Trace;
use crate::board::{Bitboard, Color, Position, Rank, Role, Square, exchange_value};

/// The scale of the endgame value, of [`FULL_SCALE`], when `strong` is ahead.
#[inline]
pub fn scale(position: &Position, strong: Color) -> i32 {
    let pawns = position.pieces(strong, Role::Pawn);
    let bishops = position.by_role(Role::Bishop);
    let own = pieces_value(position, strong);
    let theirs = pieces_value(position, !strong);
    if pawns.is_empty() {
        return without_pawns(position, strong, own, theirs);
    }
    if is_wrong_rook_pawn(position, strong) {
        return 0;
    }
    if has_opposite_bishops(position) {
        let only_bishops = own == exchange_value(Role::Bishop) && theirs == own;
        debug_assert!(bishops.more_than_one());
        return if only_bishops { 24 + 4 * pawns.count() as i32 } else { 48 }.min(FULL_SCALE);
    }
    // The fewer pawns are left, the more likely the last one is exchanged.
    (44 + 5 * pawns.count() as i32).min(FULL_SCALE)
}

/// The scale when the stronger side has no pawns: low without a lead of more than a minor piece.
fn without_pawns(position: &Position, strong: Color, own: i32, theirs: i32) -> i32 {
    let two_knights = position.pieces(strong, Role::Knight).count() == 2
        && own == 2 * exchange_value(Role::Knight);
    if own < exchange_value(Role::Rook) || two_knights && theirs == 0 {
        0
    } else if own - theirs <= exchange_value(Role::Bishop) {
        12
    } else {
        FULL_SCALE
    }
}

/// Whether each side has one bishop, on squares of different colours.
fn has_opposite_bishops(position: &Position) -> bool {
    let bishops = position.by_role(Role::Bishop);
    bishops.count() == 2
        && (bishops & position.by_color(Color::White)).count() == 1
        && (bishops & Bitboard::LIGHT_SQUARES).count() == 1
}

/// Wrong bishop: whether the stronger side has only pawns on one rook file and bishops that do not
/// control the promotion square, with the other king in the corner.
fn is_wrong_rook_pawn(position: &Position, strong: Color) -> bool {
    let pawns = position.pieces(strong, Role::Pawn);
    let bishops = position.pieces(strong, Role::Bishop);
    let Some(pawn) = pawns.first() else { return false };
    let on_file = pawns & Bitboard::from_file(pawn.file());
    let bare = position.by_color(strong) == pawns | bishops | position.pieces(strong, Role::King);
    if !bare || on_file != pawns || !matches!(pawn.file() as u32, 0 | 7) {
        return false;
    }
    let corner = Square::from_coords(pawn.file(), strong.relative_rank(Rank::Eighth));
    let wrong = bishops.into_iter().all(|bishop| bishop.is_light() != corner.is_light());
    bishops.any() && wrong && position.king(!strong).distance(corner) <= 1
}

/// Value of knights, bishops, rooks and queens, in centipawns.
#[inline]
fn pieces_value(position: &Position, color: Color) -> i32 {
    [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .map(|role| position.pieces(color, role).count() as i32 * exchange_value(role))
        .sum()
}

/// Mop-up evaluation: drives a bare king to the edge, or to a corner that the bishop controls, and
/// the own king near it.
#[inline]
pub fn mop_up<T: Trace>(position: &Position, tally: &mut Tally<'_, T>) {
    for strong in [Color::White, Color::Black] {
        if position.by_color(!strong).more_than_one()
            || pieces_value(position, strong) < exchange_value(Role::Rook)
        {
            continue;
        }
        let own = position.king(strong);
        let lone = position.king(!strong);
        count!(tally, strong, mop_up_near[0], 7 - own.distance(lone) as i32);
        let corner_distance = match mating_corners(position, strong) {
            Some(corners) => nearest(lone, corners),
            None => edge_distance(lone) * 2,
        };
        count!(tally, strong, mop_up_corner[0], 7 - corner_distance);
    }
}

/// Bishop and knight against a bare king, for the side to move; `None` with other material.
///
/// The mate is forced only in a corner that the bishop controls, and takes more moves than a search
/// sees. The lone king is driven towards such a corner along the squares that are nearer to it than to
/// the other two (the measure of K. Lang and of Stockfish's KBNK), the strong king follows it.
#[inline]
pub fn bishop_and_knight(position: &Position) -> Option<i32> {
    const WON: i32 = 800;
    const CORNER: i32 = 40;
    const NEAR: i32 = 4;
    if position.occupied().count() != 4 {
        return None;
    }
    let bishop = position.by_role(Role::Bishop).first()?;
    let knight = position.by_role(Role::Knight).first()?;
    let strong =
        if position.by_color(Color::White).contains(bishop) { Color::White } else { Color::Black };
    if !position.by_color(strong).contains(knight) {
        return None;
    }
    let own = position.king(strong);
    let lone = position.king(!strong);
    let file = lone.file() as i32;
    let rank = lone.rank() as i32;
    // 7 in a1 and h8, 0 on the diagonal from a8 to h1; the other way round for a light bishop.
    let along = if bishop.is_light() { rank - file } else { 7 - rank - file };
    let value = WON + CORNER * along.abs() + NEAR * (7 - own.distance(lone) as i32);
    Some(if position.side() == strong { value } else { -value })
}

/// The two corners where bishop and knight can mate; `None` with other material.
fn mating_corners(position: &Position, strong: Color) -> Option<[Square; 2]> {
    let knights = position.by_role(Role::Knight);
    let bishops = position.by_role(Role::Bishop);
    let king = position.pieces(strong, Role::King);
    let bishop = bishops.first()?;
    let only_these = position.by_color(strong) == king | knights | bishops;
    (only_these && bishops.count() == 1 && knights.count() == 1).then_some(if bishop.is_light() {
        [Square::A8, Square::H1]
    } else {
        [Square::A1, Square::H8]
    })
}

fn nearest(square: Square, corners: [Square; 2]) -> i32 {
    corners.map(|corner| square.distance(corner) as i32).into_iter().min().unwrap_or(0)
}

fn edge_distance(square: Square) -> i32 {
    let file = square.file() as i32;
    let rank = square.rank() as i32;
    file.min(7 - file).min(rank.min(7 - rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endgames_that_cannot_be_won_are_scaled_to_nothing() {
        let cases = [
            ("a bishop that does not control a8", "k7/8/8/8/P7/8/3B4/4K3 w - - 0 1", true),
            ("a bishop that does", "k7/8/8/8/P7/8/4B3/4K3 w - - 0 1", false),
            ("the king is too far away", "7k/8/8/8/P7/8/3B4/4K3 w - - 0 1", false),
            ("two knights", "8/8/4k3/8/8/8/4NN2/4K3 w - - 0 1", true),
            ("one knight", "8/8/4k3/8/8/8/5N2/4K3 w - - 0 1", true),
            ("a rook", "8/8/4k3/8/8/8/5R2/4K3 w - - 0 1", false),
        ];
        for (what, fen, drawn) in cases {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(scale(&position, Color::White) == 0, drawn, "{what}");
        }
    }

    #[test]
    fn bishop_and_knight_drive_the_king_to_a_corner_of_the_bishop() {
        let value = |fen: &str| bishop_and_knight(&Position::from_fen(fen).unwrap());
        // A dark bishop mates in h8 and not in h1.
        let good = value("7k/8/5K2/8/4N3/8/8/2B5 w - - 0 1").expect("known");
        let bad = value("8/8/8/8/4N3/5K2/8/2B4k w - - 0 1").expect("known");
        assert!(good > bad + 200 && bad > 700, "{good} {bad}");
        let light = value("8/8/8/8/4N3/5K2/8/3B3k w - - 0 1").expect("known");
        assert!(light > bad + 200, "{light} {bad}");
        let mirrored = value("2b5/8/8/4n3/8/5k2/8/7K w - - 0 1").expect("known");
        assert_eq!(mirrored, -good);
        for other in ["7k/8/5K2/8/4N3/8/8/2BN4 w - - 0 1", "7k/8/5K2/8/4n3/8/8/2B5 w - - 0 1"] {
            assert_eq!(value(other), None, "{other}");
        }
    }

    #[test]
    fn bishops_on_different_colours_make_an_endgame_drawish() {
        let opposite = "4k3/3b4/8/8/8/3B4/PPP5/4K3 w - - 0 1";
        let same = "4k3/2b5/8/8/8/3B4/PPP5/4K3 w - - 0 1";
        let of = |fen: &str| scale(&Position::from_fen(fen).unwrap(), Color::White);
        let a = of(opposite);
        let b = of(same);
        assert_ne!(a, b);
        assert!(a.min(b) < 45 && a.max(b) > 55, "{a} {b}");
    }
}
