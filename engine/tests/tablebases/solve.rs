//! King and one piece against king, solved backwards from mate.

use engine::board::{Bitboard, Color, Role, Square, attacks, king_attacks};

/// Where the three men stand, and who is to move. White has the piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub king: Square,
    pub piece: Square,
    pub bare: Square,
    pub side: Color,
}

impl Place {
    fn number(self) -> usize {
        let squares = [self.king, self.piece, self.bare];
        let number = squares.into_iter().fold(0, |number, square| number * 64 + square as usize);
        2 * number + usize::from(self.side.is_black())
    }

    /// Every placement of three men on three squares.
    pub fn all() -> impl Iterator<Item = Place> {
        let sides = [Color::White, Color::Black];
        Square::ALL
            .into_iter()
            .flat_map(|king| Square::ALL.map(|piece| (king, piece)))
            .flat_map(|(king, piece)| Square::ALL.map(|bare| (king, piece, bare)))
            .filter(|(king, piece, bare)| king != piece && king != bare && piece != bare)
            .flat_map(move |(king, piece, bare)| {
                sides.map(|side| Place { king, piece, bare, side })
            })
    }

    fn attacked_by_piece(self, role: Role) -> Bitboard {
        let occupied = Bitboard::from_iter([self.king, self.piece, self.bare]);
        attacks::attacks(self.piece, role.of(Color::White), occupied)
    }

    /// Whether the position can be: the side that moved last is not in check.
    pub fn is_legal(self, role: Role) -> bool {
        let in_check = self.attacked_by_piece(role).contains(self.bare);
        !king_attacks(self.king).contains(self.bare) && (self.side.is_black() || !in_check)
    }

    /// Where White's moves lead.
    fn white_moves(self, role: Role) -> impl Iterator<Item = Place> {
        let own = Bitboard::from_iter([self.king, self.piece]);
        let with_king = (king_attacks(self.king) & !own & !king_attacks(self.bare))
            .into_iter()
            .map(move |king| Place { king, side: Color::Black, ..self });
        let with_piece = (self.attacked_by_piece(role) & !own)
            .into_iter()
            .map(move |piece| Place { piece, side: Color::Black, ..self });
        with_king.chain(with_piece)
    }

    /// Where Black's moves lead; `None` for taking the piece.
    fn black_moves(self, role: Role) -> impl Iterator<Item = Option<Place>> {
        let reachable = king_attacks(self.bare) & !king_attacks(self.king);
        reachable.into_iter().filter_map(move |bare| {
            let after = Place { bare, side: Color::White, ..self };
            if bare == self.piece {
                Some(None)
            } else {
                after.is_legal(role).then_some(Some(after))
            }
        })
    }
}

/// Plies to mate of every position that is won for White.
pub struct Solved(Vec<Option<u8>>);

impl Solved {
    /// Plies to mate; `None` for a draw.
    pub fn plies(&self, place: Place) -> Option<u8> {
        self.0[place.number()]
    }
}

/// Solves king and this piece against king.
pub fn solve(role: Role) -> Solved {
    let mut solved = Solved(vec![None; 2 * 64 * 64 * 64]);
    let mut open: Vec<Place> = Place::all().filter(|place| place.is_legal(role)).collect();
    for plies in 0.. {
        let side = Color::from_white(plies % 2 == 1);
        let found: Vec<Place> = open
            .iter()
            .copied()
            .filter(|place| place.side == side && is_won_in(*place, role, &solved, plies))
            .collect();
        if found.is_empty() && plies > 1 {
            break;
        }
        for place in found {
            solved.0[place.number()] = Some(plies);
        }
        open.retain(|&place| solved.plies(place).is_none());
    }
    solved
}

/// Whether White mates in exactly this number of plies; all shorter mates are known.
fn is_won_in(place: Place, role: Role, solved: &Solved, plies: u8) -> bool {
    if place.side.is_white() {
        return place.white_moves(role).any(|after| solved.plies(after) == Some(plies - 1));
    }
    let mut moves = place.black_moves(role).peekable();
    if moves.peek().is_none() {
        return plies == 0 && place.attacked_by_piece(role).contains(place.bare);
    }
    moves.all(|after| after.is_some_and(|after| solved.plies(after).is_some()))
}
