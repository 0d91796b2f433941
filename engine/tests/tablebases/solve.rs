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
        let squares = (self.king as usize * 64 + self.piece as usize) * 64 + self.bare as usize;
        2 * squares + usize::from(self.side.is_black())
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

    fn occupied(self) -> Bitboard {
        Bitboard::from(self.king) | Bitboard::from(self.piece) | Bitboard::from(self.bare)
    }

    fn attacked_by_piece(self, role: Role) -> Bitboard {
        attacks::attacks(self.piece, role.of(Color::White), self.occupied())
    }

    /// Whether the position can be: the side that moved last is not in check.
    pub fn is_legal(self, role: Role) -> bool {
        let in_check = self.attacked_by_piece(role).contains(self.bare);
        !king_attacks(self.king).contains(self.bare) && (self.side.is_black() || !in_check)
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

    fn is_mate(self, role: Role) -> bool {
        let is_check = || self.attacked_by_piece(role).contains(self.bare);
        self.side.is_black()
            && is_check()
            && self.is_legal(role)
            && self.black_moves(role).next().is_none()
    }

    /// Whether a position is won where one move at least leads to one that is: for White it is, for Black if all do.
    fn is_won_next(self, role: Role, solved: &Solved) -> bool {
        let is_won =
            |after: Option<Place>| after.is_some_and(|after| solved.plies(after).is_some());
        self.side.is_white() || self.black_moves(role).all(is_won)
    }

    /// Where a move without a capture can come from, also where the position could not be: moves of kings and pieces
    /// lead back as well.
    fn before(self, role: Role) -> Vec<Place> {
        let (side, free) = (!self.side, !self.occupied());
        if side.is_black() {
            let bare = (king_attacks(self.bare) & free).into_iter();
            return bare.map(|bare| Place { bare, side, ..self }).collect();
        }
        let kings = (king_attacks(self.king) & free).into_iter();
        let pieces = (self.attacked_by_piece(role) & free).into_iter();
        let by_king = kings.map(|king| Place { king, side, ..self });
        by_king.chain(pieces.map(|piece| Place { piece, side, ..self })).collect()
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

/// Solves king and this piece against king, by retrograde analysis: backwards from the mates, as a position can only be
/// won in a number of plies where a move leads to one that is won in one ply less.
pub fn solve(role: Role) -> Solved {
    let mut solved = Solved(vec![None; 2 * 64 * 64 * 64]);
    let mut last: Vec<Place> = Place::all().filter(|place| place.is_mate(role)).collect();
    for plies in 0.. {
        let mut found = Vec::new();
        for place in &last {
            solved.0[place.number()] = Some(plies);
        }
        for before in last.iter().flat_map(|place| place.before(role)) {
            let is_new = solved.plies(before).is_none() && before.is_legal(role);
            if is_new && before.is_won_next(role, &solved) {
                found.push(before);
                // More moves may lead to it.
                solved.0[before.number()] = Some(plies + 1);
            }
        }
        if found.is_empty() {
            break;
        }
        last = found;
    }
    solved
}
