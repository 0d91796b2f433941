//! The sums of the first layer, kept from position to position.
//!
//! Nothing is computed when a move is played. When a position is to be evaluated, its pieces are
//! compared with those whose sums are known, at this ply of the search and the two before it and
//! among the last ones refreshed, and the sums nearest to it are corrected by what differs. So the
//! search need not tell which moves it makes, nor can it forget to: whatever was evaluated before,
//! the sums are those of the position at hand.
//!
//! Correcting by differences of bitboards is the way of Tal's Hand (C. Mieres); keeping refreshed
//! sums for each way to look at the board is known as "Finny tables" (F. Eggers, Koivisto).

use std::sync::Arc;

use super::features::FeatureSet;
use super::first_layer::FirstLayer;
use super::loops::Change;
use super::network::{Asked, Network};
use super::vectors::{Lane, Vectors};
use crate::board::{Bitboard, Color, Position, Role, Square};
use crate::eval::{Evaluator, MAX_PLY};

/// Plies of a search that have sums of their own.
const PLIES: usize = MAX_PLY + 2;
/// Squares that change in two moves: nothing nearer than that is looked for.
const NEAR: usize = 6;
/// More inputs than can change between two positions of 32 pieces.
const MOST_CHANGES: usize = 32;

/// The pieces of a position, as bits of a number for each square: 0 for an empty one, else the
/// number of the kind, and 8 more for White's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Pieces([u64; 4]);

/// What the numbers stand for; those that no piece has stand for anything.
const PIECES: [(Color, Role); 16] = {
    let mut pieces = [(Color::Black, Role::Pawn); 16];
    let mut role = 0;
    while role < Role::ALL.len() {
        let number = Role::ALL[role] as usize;
        pieces[number] = (Color::Black, Role::ALL[role]);
        pieces[8 + number] = (Color::White, Role::ALL[role]);
        role += 1;
    }
    pieces
};

/// The numbers of the pieces of some kinds, as bits.
const fn numbers_of(roles: &[Role]) -> u16 {
    let (mut numbers, mut role) = (0, 0);
    while role < roles.len() {
        numbers |= 0x101 << roles[role] as usize;
        role += 1;
    }
    numbers
}

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

    /// The squares on which something else stands.
    #[inline(always)]
    fn changed(&self, other: &Pieces) -> Bitboard {
        let [ones, twos, fours, whites] = self.0;
        let other = other.0;
        Bitboard((ones ^ other[0]) | (twos ^ other[1]) | (fours ^ other[2]) | (whites ^ other[3]))
    }

    /// The number of what stands on a square.
    #[inline(always)]
    fn at(&self, square: Square) -> usize {
        let bit = |plane: usize| (self.0[plane] >> square as u32 & 1) << plane;
        (bit(0) | bit(1) | bit(2) | bit(3)) as usize
    }
}

/// What is known of the sums in a slot.
#[derive(Clone, Copy)]
struct Slot {
    pieces: Pieces,
    /// The way to look at the board.
    way: u8,
}

impl Slot {
    /// Whether a view looks at the board in this way.
    #[inline(always)]
    fn is_seen_by<F: FeatureSet>(&self, view: F) -> bool {
        usize::from(self.way) == view.way()
    }
}

/// A list of inputs without allocation.
struct Inputs {
    /// One more than are used: what is not seen is written behind the last.
    numbers: [u16; MOST_CHANGES + 1],
    count: usize,
}

impl Inputs {
    const NONE: Inputs = Inputs { numbers: [0; MOST_CHANGES + 1], count: 0 };

    /// Adds the input of what has this number on a square, if the view sees it. Without a branch:
    /// whether something stood there cannot be foreseen.
    #[inline(always)]
    fn push<F: FeatureSet>(&mut self, view: F, number: usize, square: Square) {
        let (color, role) = PIECES[number];
        self.numbers[self.count] = view.input(color, role, square) as u16;
        self.count += usize::from(const { numbers_of(F::ROLES) } >> number & 1);
    }

    #[inline(always)]
    fn as_slice(&self) -> &[u16] {
        &self.numbers[..self.count]
    }
}

/// The inputs that differ between two positions as one view sees them.
struct Changes {
    added: Inputs,
    removed: Inputs,
}

impl Changes {
    /// What several views see of the way from one position to another.
    #[inline(always)]
    fn between<F: FeatureSet, const N: usize>(
        before: &Pieces,
        after: &Pieces,
        views: [F; N],
    ) -> [Changes; N] {
        let mut changes = [const { Changes { added: Inputs::NONE, removed: Inputs::NONE } }; N];
        for square in before.changed(after) {
            for (changes, view) in changes.iter_mut().zip(views) {
                changes.removed.push(view, before.at(square), square);
                changes.added.push(view, after.at(square), square);
            }
        }
        changes
    }
}

/// Makes the sums of both sides' slots of a ply those of the position. A ply that both know well
/// is most often there, and what changed since is then found once.
#[inline(always)]
pub(super) fn refresh_both<V: Vectors, F: FeatureSet>(
    vectors: V,
    halves: &mut [Half; 2],
    layer: &FirstLayer,
    views: [F; 2],
    pieces: &Pieces,
    ply: usize,
) {
    let [first, second] = &*halves;
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
    if nearest.1 > NEAR {
        for (half, view) in halves.iter_mut().zip(views) {
            half.refresh(vectors, layer, view, pieces, ply);
        }
        return;
    }
    let from = nearest.0;
    let changes = Changes::between(&first.slots[from].pieces, pieces, views);
    for ((half, view), changes) in halves.iter_mut().zip(views).zip(&changes) {
        half.bring(vectors, layer, view, pieces, [from, ply], changes);
    }
}

/// The sums of one view, most often one side's: a slot for each ply, then one refreshed for each
/// way to look at the board.
#[derive(Clone)]
pub(super) struct Half {
    plies: usize,
    slots: Vec<Slot>,
    sums: Vec<Lane>,
    blocks: usize,
}

impl Half {
    /// Of a layer with these sums of an empty board.
    pub fn new(bias: &[Lane], plies: usize, ways: usize) -> Half {
        let empty = |way| Slot { pieces: Pieces::NONE, way: way as u8 };
        let slots = (0..plies).map(|_| empty(0)).chain((0..ways).map(empty));
        let sums = bias.repeat(plies + ways);
        Half { plies, slots: slots.collect(), sums, blocks: bias.len() }
    }

    /// Makes the sums of the slot of a ply those of the position.
    #[inline(always)]
    pub fn refresh<V: Vectors, F: FeatureSet>(
        &mut self,
        vectors: V,
        layer: &FirstLayer,
        view: F,
        pieces: &Pieces,
        ply: usize,
    ) {
        let from = self.nearest(view, pieces, ply);
        let [changes] = Changes::between(&self.slots[from].pieces, pieces, [view]);
        self.bring(vectors, layer, view, pieces, [from, ply], &changes);
        let refreshed = self.plies + view.way();
        if from == refreshed {
            let from = ply * self.blocks;
            self.sums.copy_within(from..from + self.blocks, refreshed * self.blocks);
            self.slots[refreshed] = self.slots[ply];
        }
    }

    /// The slot whose pieces differ least.
    #[inline(always)]
    fn nearest<F: FeatureSet>(&self, view: F, pieces: &Pieces, ply: usize) -> usize {
        let refreshed = self.plies + view.way();
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

    /// Computes the sums of slot `to` from those of slot `from`.
    #[inline(always)]
    fn bring<V: Vectors, F: FeatureSet>(
        &mut self,
        vectors: V,
        layer: &FirstLayer,
        view: F,
        pieces: &Pieces,
        [from, to]: [usize; 2],
        changes: &Changes,
    ) {
        let change =
            Change { added: changes.added.as_slice(), removed: changes.removed.as_slice() };
        let places = [from * self.blocks, to * self.blocks];
        layer.update(vectors, &mut self.sums, places, change);
        self.slots[to] = Slot { pieces: *pieces, way: view.way() as u8 };
    }

    /// The sums of the slot of a ply.
    #[inline(always)]
    pub fn sums(&self, ply: usize) -> &[Lane] {
        &self.sums[ply * self.blocks..(ply + 1) * self.blocks]
    }
}

/// A network with the sums that one thread of a search keeps.
#[derive(Clone)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    /// Of most architectures White's view, then Black's.
    halves: Box<[Half; 2]>,
}

impl NetworkEvaluator {
    /// An evaluator that has seen no position.
    pub fn new(network: Arc<Network>) -> NetworkEvaluator {
        let halves = Box::new(network.halves(PLIES));
        NetworkEvaluator { network, halves }
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
        let ply = ply.min(PLIES - 1);
        self.network.evaluate_with(Asked { halves: &mut self.halves, at: position, ply })
    }
}
