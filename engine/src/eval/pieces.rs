//! Knights, bishops, rooks and queens: piece-square tables, mobility, outposts, files, king attack.

use super::attacks::Attacks;
use super::king::KingAttack;
use super::masks::{self, relative_rank};
use super::pawns::PawnEntry;
use super::psqt::psqt_index;
use super::tally::{Tally, count};
use super::trace::Trace;
use crate::board::{
    Bitboard, Color, Position, Role, Square, bishop_attacks, knight_attacks, rook_attacks,
};

/// The pieces of one colour.
pub struct Pieces<'a> {
    pub position: &'a Position,
    pub pawns: &'a PawnEntry,
    pub color: Color,
    /// Mobility area: squares without own pawns and king that no enemy pawn attacks.
    mobility_area: Bitboard,
    pinned: Bitboard,
}

impl<'a> Pieces<'a> {
    /// The pieces of a colour; `attacks` must hold those of pawns.
    #[inline(always)]
    pub fn new(
        position: &'a Position,
        pawns: &'a PawnEntry,
        attacks: &Attacks,
        color: Color,
    ) -> Pieces<'a> {
        let own = position.by_color(color)
            & (position.by_role(Role::Pawn) | position.by_role(Role::King));
        let mobility_area = !own & !attacks.by(!color, Role::Pawn);
        Pieces { position, pawns, color, mobility_area, pinned: position.pinned_of(color) }
    }

    /// Counts all terms of the pieces and adds to `attacks` and to the attack on the enemy king.
    #[inline(always)]
    pub fn count<T: Trace>(
        &self,
        attacks: &mut Attacks,
        king_attack: &mut KingAttack,
        tally: &mut Tally<'_, T>,
    ) {
        self.knights(attacks, king_attack, tally);
        self.bishops(attacks, king_attack, tally);
        self.rooks(attacks, king_attack, tally);
        self.queens(attacks, king_attack, tally);
    }

    #[inline(always)]
    fn knights<T: Trace>(
        &self,
        attacks: &mut Attacks,
        king_attack: &mut KingAttack,
        tally: &mut Tally<'_, T>,
    ) {
        let color = self.color;
        for square in self.position.pieces(color, Role::Knight) {
            let attacked = self.along_the_pin(square, knight_attacks(square));
            attacks.add(color, Role::Knight, attacked);
            king_attack.add(Role::Knight, attacked);
            let mobility = (attacked & self.mobility_area).count();
            count!(tally, color, material[1]);
            count!(tally, color, knight_square[psqt_index(color, square)]);
            count!(tally, color, knight_mobility[mobility]);
            if self.is_outpost(square) {
                let supported = attacks.by(color, Role::Pawn).contains(square);
                count!(tally, color, knight_outpost[usize::from(supported)]);
            }
            self.minor_behind_pawn(square, tally);
        }
    }

    #[inline(always)]
    fn bishops<T: Trace>(
        &self,
        attacks: &mut Attacks,
        king_attack: &mut KingAttack,
        tally: &mut Tally<'_, T>,
    ) {
        let position = self.position;
        let color = self.color;
        let bishops = position.pieces(color, Role::Bishop);
        let own_pawns = position.pieces(color, Role::Pawn);
        // X-ray attacks through the own queen.
        let occupied = position.occupied() ^ position.pieces(color, Role::Queen);
        for square in bishops {
            let attacked = self.along_the_pin(square, bishop_attacks(square, occupied));
            attacks.add(color, Role::Bishop, attacked);
            king_attack.add(Role::Bishop, attacked);
            let mobility = (attacked & self.mobility_area).count();
            count!(tally, color, material[2]);
            count!(tally, color, bishop_square[psqt_index(color, square)]);
            count!(tally, color, bishop_mobility[mobility]);
            if self.is_outpost(square) {
                let supported = attacks.by(color, Role::Pawn).contains(square);
                count!(tally, color, bishop_outpost[usize::from(supported)]);
            }
            let same_colour =
                if square.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
            count!(tally, color, bishop_own_pawns[0], (own_pawns & same_colour).count() as i32);
            self.minor_behind_pawn(square, tally);
        }
        if bishops.more_than_one() {
            count!(tally, color, bishop_pair[0]);
        }
    }

    #[inline(always)]
    fn rooks<T: Trace>(
        &self,
        attacks: &mut Attacks,
        king_attack: &mut KingAttack,
        tally: &mut Tally<'_, T>,
    ) {
        let position = self.position;
        let color = self.color;
        let own_pawns = position.pieces(color, Role::Pawn);
        let their_pawns = position.pieces(!color, Role::Pawn);
        let occupied = position.occupied()
            ^ position.pieces(color, Role::Queen)
            ^ position.pieces(color, Role::Rook);
        for square in position.pieces(color, Role::Rook) {
            let attacked = self.along_the_pin(square, rook_attacks(square, occupied));
            attacks.add(color, Role::Rook, attacked);
            king_attack.add(Role::Rook, attacked);
            let mobility = (attacked & self.mobility_area).count();
            count!(tally, color, material[3]);
            count!(tally, color, rook_square[psqt_index(color, square)]);
            count!(tally, color, rook_mobility[mobility]);
            let file = Bitboard::from_file(square.file());
            if !file.intersects(own_pawns) {
                let open = !file.intersects(their_pawns);
                count!(tally, color, rook_file[usize::from(open)]);
            }
            let on_seventh = relative_rank(color, square) == 6;
            let has_targets = relative_rank(color, position.king(!color)) == 7
                || (Bitboard::from_rank(square.rank()) & their_pawns).any();
            if on_seventh && has_targets {
                count!(tally, color, rook_seventh[0]);
            }
        }
    }

    #[inline(always)]
    fn queens<T: Trace>(
        &self,
        attacks: &mut Attacks,
        king_attack: &mut KingAttack,
        tally: &mut Tally<'_, T>,
    ) {
        let position = self.position;
        let color = self.color;
        let occupied = position.occupied();
        for square in position.pieces(color, Role::Queen) {
            let lines = bishop_attacks(square, occupied) | rook_attacks(square, occupied);
            let attacked = self.along_the_pin(square, lines);
            attacks.add(color, Role::Queen, attacked);
            king_attack.add(Role::Queen, attacked);
            let mobility = (attacked & self.mobility_area).count();
            count!(tally, color, material[4]);
            count!(tally, color, queen_square[psqt_index(color, square)]);
            count!(tally, color, queen_mobility[mobility.min(27)]);
        }
    }

    /// The attacked squares; for a pinned piece only those on the line of the pin.
    #[inline(always)]
    fn along_the_pin(&self, square: Square, attacked: Bitboard) -> Bitboard {
        if self.pinned.contains(square) {
            attacked & crate::board::ray(self.position.king(self.color), square)
        } else {
            attacked
        }
    }

    /// An outpost: a square in the enemy's half outside of the enemy pawns' attack span.
    #[inline(always)]
    fn is_outpost(&self, square: Square) -> bool {
        (3..=5).contains(&relative_rank(self.color, square))
            && !self.pawns.attack_span(!self.color).contains(square)
    }

    /// Counts a minor piece right behind a pawn.
    #[inline(always)]
    fn minor_behind_pawn<T: Trace>(&self, square: Square, tally: &mut Tally<'_, T>) {
        let before = masks::forward(self.color, Bitboard::from_square(square));
        if before.intersects(self.position.by_role(Role::Pawn)) {
            count!(tally, self.color, minor_behind_pawn[0]);
        }
    }
}
