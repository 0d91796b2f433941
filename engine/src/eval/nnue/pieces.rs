//! The pieces of a position in few words, and the features that differ between two positions.

use super::features::View;
use crate::board::{Bitboard, Changes, Color, Placed, Position, Role, Square};

/// More features than can change between two positions of 32 pieces.
const MAX_CHANGES: usize = 32;

/// The pieces of a position, as bits of each square's [`piece_index`](super::piece_index); 0 for an empty one, which is
/// no feature.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Pieces([u64; 4]);

impl Pieces {
    pub const NONE: Pieces = Pieces([0; 4]);

    #[inline(always)]
    pub fn from_position(position: &Position) -> Pieces {
        let [pawns, knights, bishops, rooks, queens, kings] =
            Role::ALL.map(|role| position.by_role(role).0);
        Pieces([
            pawns | bishops | queens,
            knights | bishops | kings,
            rooks | queens | kings,
            position.by_color(Color::White).0,
        ])
    }

    /// The squares whose piece differs.
    #[inline(always)]
    fn changed(&self, other: &Pieces) -> Bitboard {
        let [ones, twos, fours, whites] = self.0;
        let other = other.0;
        Bitboard((ones ^ other[0]) | (twos ^ other[1]) | (fours ^ other[2]) | (whites ^ other[3]))
    }

    /// The index of the piece on a square.
    #[inline(always)]
    fn at(&self, square: Square) -> usize {
        let bit = |plane: usize| (self.0[plane] >> square as u32 & 1) << plane;
        (bit(0) | bit(1) | bit(2) | bit(3)) as usize
    }
}

/// A list of features without allocation.
struct Features {
    /// One more than are used: what is no feature is written behind the last.
    numbers: [u16; MAX_CHANGES + 1],
    count: usize,
}

impl Features {
    const NONE: Features = Features { numbers: [0; MAX_CHANGES + 1], count: 0 };

    /// Adds the feature of a piece, if it has one. Without a branch: whether a square was occupied
    /// cannot be predicted.
    #[inline(always)]
    fn push(&mut self, view: View<'_>, piece: usize, square: Square) {
        self.numbers[self.count] = view.feature(piece, square as usize);
        self.count += usize::from(view.sees(piece));
    }

    #[inline(always)]
    fn as_slice(&self) -> &[u16] {
        &self.numbers[..self.count]
    }
}

/// The features that differ between two positions from one perspective.
pub(super) struct Differences {
    added: Features,
    removed: Features,
}

impl Differences {
    /// Those of any two positions. Inlined: to move what was just written in small parts is slow.
    #[inline(always)]
    pub fn between(before: &Pieces, after: &Pieces, view: View<'_>) -> Differences {
        let mut differences = Differences { added: Features::NONE, removed: Features::NONE };
        for square in before.changed(after) {
            differences.removed.push(view, before.at(square), square);
            differences.added.push(view, after.at(square), square);
        }
        differences
    }

    /// The features to add.
    #[inline(always)]
    pub fn added(&self) -> &[u16] {
        self.added.as_slice()
    }

    /// The features to remove.
    #[inline(always)]
    pub fn removed(&self) -> &[u16] {
        self.removed.as_slice()
    }
}

/// The features that a move changes from one perspective; `None` where a piece has none.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub added: [Option<u16>; 2],
    pub removed: [Option<u16>; 2],
}

impl Step {
    #[inline(always)]
    pub fn new(changes: Changes, view: View<'_>) -> Step {
        let ([put, rook], [moved, other]) = (changes.added(), changes.removed());
        Step {
            added: [feature_index(put, view), feature_index(rook, view)],
            removed: [feature_index(moved, view), feature_index(other, view)],
        }
    }
}

/// The feature of a piece on a square, if it has one.
#[inline(always)]
fn feature_index(placed: Option<Placed>, view: View<'_>) -> Option<u16> {
    let placed = placed?;
    if view.sees(placed.piece_index()) { Some(feature(placed, view)) } else { None }
}

/// The feature of a piece on a square; any number where it has none.
#[inline(always)]
pub(super) fn feature(placed: Placed, view: View<'_>) -> u16 {
    view.feature(placed.piece_index(), placed.square() as usize)
}
