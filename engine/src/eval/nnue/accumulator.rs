//! Accumulators: the sums of the first layer, kept from position to position.
//!
//! Nothing is computed when a move is played. An evaluation compares the pieces with those of the
//! accumulators of this ply of the search, the two plies before it and the last ones refreshed, and
//! updates the nearest by the differences. So the search does not report its moves: whatever was
//! evaluated before, the accumulators are those of the position at hand.
//!
//! Updates by differences of bitboards are from Tal's Hand (C. Mieres); refreshed accumulators kept
//! for each view are known as "Finny tables" (F. Eggers, Koivisto).

use std::sync::Arc;

use super::features::View;
use super::first_layer::FirstLayer;
use super::forward::State;
use super::loops::Change;
use super::network::Network;
use super::vectors::{Lane, Vectors};
use crate::board::{Bitboard, Color, Position, Role, Square};
use crate::eval::{Evaluator, MAX_PLY};

/// Plies of a search that have accumulators of their own.
const PLIES: usize = MAX_PLY + 2;
/// Squares that change in two moves: an accumulator as near as that is near enough.
const NEAR: usize = 6;
/// More features than can change between two positions of 32 pieces.
const MOST_CHANGES: usize = 32;

/// The pieces of a position, as bits of each square's [`piece_index`](super::features::piece_index);
/// 0 for an empty one, which is no feature.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Pieces([u64; 4]);

impl Pieces {
    const NONE: Pieces = Pieces([0; 4]);

    #[inline(always)]
    pub fn of(position: &Position) -> Pieces {
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

/// The position of the accumulator in a slot.
#[derive(Clone, Copy)]
struct Slot {
    pieces: Pieces,
    /// The number of the view.
    view: u8,
}

impl Slot {
    /// Whether the accumulator is of this view.
    #[inline(always)]
    fn is_seen_by(&self, view: View<'_>) -> bool {
        usize::from(self.view) == view.number()
    }
}

/// A list of features without allocation.
struct Features {
    /// One more than are used: what is no feature is written behind the last.
    numbers: [u16; MOST_CHANGES + 1],
    count: usize,
}

impl Features {
    const NONE: Features = Features { numbers: [0; MOST_CHANGES + 1], count: 0 };

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
struct Changes {
    added: Features,
    removed: Features,
}

impl Changes {
    const NONE: Changes = Changes { added: Features::NONE, removed: Features::NONE };

    /// Adds the differences of two positions from several perspectives. Nothing is returned: to
    /// move what was just written in small parts is slow.
    #[inline(always)]
    fn find<const N: usize>(
        changes: &mut [Changes; N],
        [before, after]: [&Pieces; 2],
        views: [View<'_>; N],
    ) {
        for square in before.changed(after) {
            for number in 0..N {
                changes[number].removed.push(views[number], before.at(square), square);
                changes[number].added.push(views[number], after.at(square), square);
            }
        }
    }
}

/// Makes the accumulators of a ply those of a position, from one perspective or two. A ply that
/// both have is most often near, and the differences to it are then found once.
#[inline(always)]
pub(super) fn refresh<V: Vectors>(
    vectors: V,
    halves: &mut [Half],
    layer: &FirstLayer,
    views: &[View<'_>],
    pieces: &Pieces,
    ply: usize,
) {
    if let ([first, second], &[own, other]) = (&*halves, views)
        && let Some(from) = common(first, second, [own, other], pieces, ply)
    {
        let mut changes = [const { Changes::NONE }; 2];
        Changes::find(&mut changes, [&first.slots[from].pieces, pieces], [own, other]);
        for (number, half) in halves.iter_mut().enumerate() {
            half.bring(vectors, layer, views[number], pieces, [from, ply], &changes[number]);
        }
        return;
    }
    for (half, &view) in halves.iter_mut().zip(views) {
        half.refresh(vectors, layer, view, pieces, ply);
    }
}

/// The slot near a ply that both perspectives have and whose pieces differ least.
#[inline(always)]
fn common(
    first: &Half,
    second: &Half,
    views: [View<'_>; 2],
    pieces: &Pieces,
    ply: usize,
) -> Option<usize> {
    let mut nearest = (ply, NEAR + 1);
    for slot in ply.saturating_sub(2)..=ply {
        let known = [&first.slots[slot], &second.slots[slot]];
        let both = known[0].pieces == known[1].pieces
            && known[0].is_seen_by(views[0])
            && known[1].is_seen_by(views[1]);
        let distance = known[0].pieces.changed(pieces).count();
        if both && distance < nearest.1 {
            nearest = (slot, distance);
        }
    }
    (nearest.1 <= NEAR).then_some(nearest.0)
}

/// The accumulators of one perspective: a slot for each ply, then one refreshed for each view.
#[derive(Clone)]
pub(super) struct Half {
    plies: usize,
    slots: Vec<Slot>,
    sums: Vec<Lane>,
    blocks: usize,
}

impl Half {
    /// With the accumulator of an empty board.
    pub fn new(bias: &[Lane], plies: usize, views: usize) -> Half {
        let empty = |view| Slot { pieces: Pieces::NONE, view: view as u8 };
        let slots = (0..plies).map(|_| empty(0)).chain((0..views).map(empty));
        let sums = bias.repeat(plies + views);
        Half { plies, slots: slots.collect(), sums, blocks: bias.len() }
    }

    /// Makes the accumulator of a ply that of a position.
    #[inline(always)]
    fn refresh<V: Vectors>(
        &mut self,
        vectors: V,
        layer: &FirstLayer,
        view: View<'_>,
        pieces: &Pieces,
        ply: usize,
    ) {
        let from = self.nearest(view, pieces, ply);
        let mut changes = [Changes::NONE];
        Changes::find(&mut changes, [&self.slots[from].pieces, pieces], [view]);
        self.bring(vectors, layer, view, pieces, [from, ply], &changes[0]);
        let refreshed = self.plies + view.number();
        if from == refreshed {
            let from = ply * self.blocks;
            self.sums.copy_within(from..from + self.blocks, refreshed * self.blocks);
            self.slots[refreshed] = self.slots[ply];
        }
    }

    /// The slot whose pieces differ least, of this view.
    #[inline(always)]
    fn nearest(&self, view: View<'_>, pieces: &Pieces, ply: usize) -> usize {
        let refreshed = self.plies + view.number();
        let distance = |slot: &Slot| slot.pieces.changed(pieces).count();
        let mut nearest = (refreshed, distance(&self.slots[refreshed]));
        for slot in ply.saturating_sub(2)..=ply {
            let known = &self.slots[slot];
            let distance = distance(known);
            if known.is_seen_by(view) && distance < nearest.1 {
                nearest = (slot, distance);
            }
        }
        nearest.0
    }

    /// Computes the accumulator of slot `to` from that of slot `from`.
    #[inline(always)]
    fn bring<V: Vectors>(
        &mut self,
        vectors: V,
        layer: &FirstLayer,
        view: View<'_>,
        pieces: &Pieces,
        [from, to]: [usize; 2],
        changes: &Changes,
    ) {
        let change =
            Change { added: changes.added.as_slice(), removed: changes.removed.as_slice() };
        let places = [from * self.blocks, to * self.blocks];
        layer.update(vectors, &mut self.sums, places, change);
        self.slots[to] = Slot { pieces: *pieces, view: view.number() as u8 };
    }

    /// The accumulator of a ply.
    #[inline(always)]
    pub fn sums(&self, ply: usize) -> &[Lane] {
        &self.sums[ply * self.blocks..(ply + 1) * self.blocks]
    }
}

/// A network with the accumulators of one thread of a search.
#[derive(Clone)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    state: State,
}

impl NetworkEvaluator {
    /// An evaluator that has seen no position.
    pub fn new(network: Arc<Network>) -> NetworkEvaluator {
        let state = State::new(&network, PLIES);
        NetworkEvaluator { network, state }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }
}

impl Evaluator for NetworkEvaluator {
    fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluate_at(position, 0)
    }

    fn evaluate_at(&mut self, position: &Position, ply: usize) -> i32 {
        self.network.evaluate_with(&mut self.state, position, ply.min(PLIES - 1))
    }
}
