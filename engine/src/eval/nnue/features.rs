//! Features: the sparse inputs of a network, shared by the engine and the trainer.
//!
//! A feature is a piece on a square, as one side sees the board: with its own side below, and by
//! the feature set mirrored or indexed by the own king's square. [`View::feature`] is the one
//! function that gives its index: the engine updates accumulators with it, the trainer fills
//! sparse rows.

use crate::board::{Color, Position, Role, Square};

/// Squares of a board, and features of a piece.
const SQUARES: usize = 64;
/// The plane of a piece that is no feature.
const UNSEEN: u16 = u16::MAX;

/// A piece as an index below 16: its role, and 8 more for White's.
#[inline(always)]
pub const fn piece_index(color: Color, role: Role) -> usize {
    role as usize + 8 * color as usize
}

/// Which sides' views a first layer sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Perspectives {
    /// That of the side to move, then the opponent's.
    Both,
    /// That of the side to move.
    SideToMove,
    /// White's; the output of the network is White's, too.
    White,
}

/// The own king's part of a feature index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct King {
    /// First feature of its bucket.
    offset: u16,
    /// The number that squares are xored with.
    flip: u8,
    /// Number of the view: kings with the same see the same features.
    view: u8,
}

/// A feature set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeatureSet {
    /// The first feature of each piece, by perspective.
    planes: [[u16; 16]; 2],
    /// By the own king's square as its side sees it.
    kings: [King; SQUARES],
    /// Features of a king bucket.
    bucket_width: usize,
    buckets: usize,
    views: usize,
    /// Whether occupied squares and the side to move are features, too.
    occupancy: bool,
    /// Whether every piece has features.
    all_pieces: bool,
}

impl FeatureSet {
    /// Features of the pieces that have a plane, by role and whether they are the own side's.
    pub fn new(plane: impl Fn(Role, bool) -> Option<usize>) -> FeatureSet {
        let mut planes = [[UNSEEN; 16]; 2];
        let mut count = 0;
        for side in Color::ALL {
            for (color, role) in
                Color::ALL.into_iter().flat_map(|it| Role::ALL.map(|role| (it, role)))
            {
                if let Some(plane) = plane(role, color == side) {
                    planes[side as usize][piece_index(color, role)] = (SQUARES * plane) as u16;
                    count = count.max(plane + 1);
                }
            }
        }
        let kings = [King::default(); SQUARES];
        let bucket_width = SQUARES * count;
        let seen = |piece: usize| planes.iter().all(|planes| planes[piece] != UNSEEN);
        let all_pieces =
            Color::ALL.iter().all(|&it| Role::ALL.iter().all(|&role| seen(piece_index(it, role))));
        let buckets = 1;
        let views = 1;
        let occupancy = false;
        FeatureSet { planes, kings, bucket_width, buckets, views, occupancy, all_pieces }
    }

    /// The 768 features of the "Chess768" inputs of public trainers (J. Oliver, bullet): own pieces
    /// before the opponent's, pawn to king, a1 to h8.
    pub fn chess768() -> FeatureSet {
        FeatureSet::new(|role, own| Some(6 * usize::from(!own) + role as usize - 1))
    }

    /// The same without kings: 640 features.
    pub fn kingless() -> FeatureSet {
        FeatureSet::new(|role, own| {
            (role != Role::King).then(|| 5 * usize::from(!own) + role as usize - 1)
        })
    }

    /// Squares xored with a number.
    pub fn turned(mut self, flip: u8) -> FeatureSet {
        self.kings.iter_mut().for_each(|king| king.flip ^= flip);
        self
    }

    /// Horizontally mirrored when the own king is on the files e to h.
    pub fn mirrored(mut self, mirrored: bool) -> FeatureSet {
        for (square, king) in self.kings.iter_mut().enumerate() {
            king.flip ^= if mirrored && square & 4 != 0 { 7 } else { 0 };
        }
        self.number_views()
    }

    /// Features of their own for each bucket of the own king's square, a number below `buckets`.
    pub fn by_king(mut self, buckets: usize, bucket: impl Fn(usize) -> usize) -> FeatureSet {
        self.buckets = buckets;
        for square in 0..SQUARES {
            let king = &mut self.kings[square];
            king.offset = (self.bucket_width * bucket(square ^ usize::from(king.flip))) as u16;
        }
        self.number_views()
    }

    /// Numbers the views in the order of the king's squares.
    fn number_views(mut self) -> FeatureSet {
        let key = |king: &King| (king.offset, king.flip);
        self.views = 0;
        for square in 0..SQUARES {
            let before = self.kings[..square].iter().find(|it| key(it) == key(&self.kings[square]));
            let (view, new) = before.map_or((self.views as u8, 1), |king| (king.view, 0));
            self.kings[square].view = view;
            self.views += new;
        }
        self
    }

    /// With more features behind those of the pieces: one that White is to move, then one for each
    /// square that each colour occupies. For [`Perspectives::White`].
    pub fn with_occupancy(self) -> FeatureSet {
        FeatureSet { occupancy: true, ..self }
    }

    /// The input width.
    pub fn width(&self) -> usize {
        self.pieces() + if self.occupancy { 1 + 2 * SQUARES } else { 0 }
    }

    /// Features of pieces.
    pub fn pieces(&self) -> usize {
        self.buckets * self.bucket_width
    }

    /// Features of a king bucket, of which alone a position has some.
    pub fn bucket_width(&self) -> usize {
        self.bucket_width
    }

    /// Whether every piece has features.
    #[inline(always)]
    pub fn sees_all(&self) -> bool {
        self.all_pieces
    }

    /// The number of different views.
    pub fn views(&self) -> usize {
        self.views
    }

    /// Whether this set is the other one, or the other one divided into king buckets: feature index `n`
    /// of this set is then index `n % width` of the other.
    pub fn refines(&self, other: &FeatureSet) -> bool {
        let flips = |set: &FeatureSet| set.kings.map(|king| king.flip);
        self == other
            || other.buckets == 1
                && (&self.planes, self.occupancy, flips(self))
                    == (&other.planes, other.occupancy, flips(other))
    }

    /// The feature that White is to move, if it is one.
    #[inline(always)]
    pub fn side_to_move(&self) -> Option<usize> {
        self.occupancy.then_some(self.pieces())
    }

    /// The feature that the square of a piece's feature is occupied, if it is one.
    #[inline(always)]
    pub fn occupied(&self, piece: usize) -> Option<usize> {
        self.occupancy.then(|| self.pieces() + 1 + piece % (2 * SQUARES))
    }

    /// The largest number of pieces that are features.
    pub fn max_pieces(&self) -> usize {
        let seen = |role| self.planes[0][piece_index(Color::White, role)] != UNSEEN;
        let officers = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].into_iter().any(seen);
        let others = if officers { 30 } else { 16 };
        others + if seen(Role::King) { 2 } else { 0 }
    }

    /// How a side whose king is on a square sees the board.
    #[inline(always)]
    pub fn view(&self, side: Color, king: Square) -> View<'_> {
        let flip = if side == Color::White { 0 } else { 56 };
        let King { offset, flip: turn, view } = self.kings[king as usize ^ flip];
        let planes = &self.planes[side as usize];
        let flip = flip as u8 ^ turn;
        View { planes, offset, flip, number: view }
    }

    /// All active features of a position from a side's perspective, in the order of the squares.
    pub fn active(&self, position: &Position, side: Color) -> Vec<usize> {
        let view = self.view(side, position.king(side));
        let pieces = position.occupied().into_iter().filter_map(|square| {
            let piece = position.piece_at(square)?;
            let piece = piece_index(piece.color, piece.role);
            view.sees(piece).then(|| view.feature(piece, square as usize).into())
        });
        let both = |piece| [Some(piece), self.occupied(piece)].into_iter().flatten();
        let white = self.side_to_move().filter(|_| position.side().is_white());
        pieces.flat_map(both).chain(white).collect()
    }
}

/// How a side sees the board.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    planes: &'a [u16; 16],
    offset: u16,
    flip: u8,
    number: u8,
}

impl View<'_> {
    /// Its number below [`FeatureSet::views`]: with the same, the same pieces have the same
    /// features.
    #[inline(always)]
    pub fn number(self) -> usize {
        self.number.into()
    }

    /// Whether a piece has features.
    #[inline(always)]
    pub fn sees(self, piece: usize) -> bool {
        self.planes[piece & 15] != UNSEEN
    }

    /// The index of the feature of a piece on a square; any number where it has none.
    #[inline(always)]
    pub fn feature(self, piece: usize, square: usize) -> u16 {
        let square = square as u16 ^ u16::from(self.flip);
        self.planes[piece & 15].wrapping_add(self.offset).wrapping_add(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(set: &FeatureSet, side: Color, king: Square, piece: (Color, Role, Square)) -> usize {
        let (color, role, square) = piece;
        set.view(side, king).feature(piece_index(color, role), square as usize).into()
    }

    #[test]
    fn each_side_sees_itself_below() {
        let set = FeatureSet::chess768();
        let feature = |side, piece| feature(&set, side, Square::A1, piece);
        let own = feature(Color::White, (Color::White, Role::Pawn, Square::E2));
        assert_eq!(own, feature(Color::Black, (Color::Black, Role::Pawn, Square::E7)));
        assert_eq!(own, Square::E2 as usize);
        let theirs = feature(Color::White, (Color::Black, Role::King, Square::E8));
        assert_eq!(theirs, feature(Color::Black, (Color::White, Role::King, Square::E1)));
        assert_eq!(theirs, 384 + 320 + Square::E8 as usize);
    }

    #[test]
    fn a_mirroring_view_keeps_its_king_to_the_left() {
        let set = FeatureSet::chess768().mirrored(true);
        let plain = FeatureSet::chess768();
        assert_eq!((set.views(), plain.mirrored(false).views()), (2, 1));
        for king in Square::ALL {
            let seen = feature(&set, Color::White, king, (Color::White, Role::King, king)) - 320;
            assert!(seen % 8 < 4, "{king}");
        }
    }

    #[test]
    fn a_king_bucket_has_features_of_its_own() {
        let set = FeatureSet::kingless().by_king(64, |square| square);
        assert_eq!((set.width(), set.views(), set.max_pieces()), (40_960, 64, 30));
        let pawn = (Color::Black, Role::Pawn, Square::E7);
        // The own king on g1 as Black sees it.
        assert_eq!(feature(&set, Color::Black, Square::G8, pawn), 640 * 6 + Square::E2 as usize);
        let halves = FeatureSet::chess768().mirrored(true).by_king(2, |square| square / 32);
        assert_eq!((halves.width(), halves.views()), (1_536, 4));
        let seen =
            |king| feature(&halves, Color::White, king, (Color::White, Role::Pawn, Square::E2));
        assert_eq!(seen(Square::C7), 768 + Square::E2 as usize);
        assert_eq!(seen(Square::F7), 768 + Square::D2 as usize);
    }

    #[test]
    fn king_buckets_refine_the_set_without_them() {
        let set = FeatureSet::chess768().mirrored(true);
        let position = Position::startpos();
        let buckets = set.clone().by_king(2, |square| usize::from(square % 8 > 1));
        assert!(buckets.refines(&set) && set.refines(&set) && buckets.refines(&buckets));
        assert!(!set.refines(&buckets) && !buckets.refines(&FeatureSet::chess768()));
        assert!(!FeatureSet::kingless().refines(&set));
        for side in Color::ALL {
            let apart = buckets.active(&position, side).into_iter();
            let together: Vec<usize> = apart.map(|feature| feature % set.width()).collect();
            assert_eq!(together, set.active(&position, side));
        }
    }

    #[test]
    fn all_features_of_a_position_differ() {
        let position = Position::startpos();
        for set in [FeatureSet::chess768(), FeatureSet::chess768().turned(63).with_occupancy()] {
            let mut features = set.active(&position, Color::White);
            features.sort_unstable();
            features.dedup();
            assert_eq!(features.len(), if set.width() == 768 { 32 } else { 65 });
            assert!(features.iter().all(|&feature| feature < set.width()));
        }
    }
}
