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
use super::kernels::{Change, Kernel, Lane};
use super::network::Network;
use crate::board::{Bitboard, Color, Position, Role};
use crate::eval::Evaluator;
use crate::search::MAX_PLY;

/// Plies of a search that have sums of their own.
const PLIES: usize = MAX_PLY + 2;
/// More inputs than can change between two positions of 32 pieces.
const MOST_CHANGES: usize = 32;

/// The pieces of a position, as bitboards.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Pieces {
    by_role: [Bitboard; 6],
    /// By the number of the colour.
    by_color: [Bitboard; 2],
}

impl Pieces {
    const NONE: Pieces = Pieces { by_role: [Bitboard::EMPTY; 6], by_color: [Bitboard::EMPTY; 2] };

    pub fn of(position: &Position) -> Pieces {
        Pieces {
            by_role: Role::ALL.map(|role| position.by_role(role)),
            by_color: [Color::Black, Color::White].map(|color| position.by_color(color)),
        }
    }

    /// About how many inputs differ.
    #[inline]
    fn distance(&self, other: &Pieces) -> usize {
        let differing = |color: usize| (self.by_color[color] ^ other.by_color[color]).count();
        differing(0) + differing(1)
    }
}

/// What is known of the sums in a slot.
#[derive(Clone, Copy)]
struct Slot {
    pieces: Pieces,
    /// The way to look at the board.
    way: u8,
}

/// A list of inputs without allocation.
struct Inputs {
    numbers: [u16; MOST_CHANGES],
    count: usize,
}

impl Inputs {
    const NONE: Inputs = Inputs { numbers: [0; MOST_CHANGES], count: 0 };

    #[inline]
    fn push(&mut self, input: usize) {
        self.numbers[self.count] = input as u16;
        self.count += 1;
    }

    #[inline]
    fn as_slice(&self) -> &[u16] {
        &self.numbers[..self.count]
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
    #[inline]
    pub fn refresh<V: FeatureSet>(
        &mut self,
        kernel: Kernel,
        layer: &FirstLayer,
        view: V,
        pieces: &Pieces,
        ply: usize,
    ) {
        let refreshed = self.plies + view.way();
        let mut nearest = (refreshed, self.slots[refreshed].pieces.distance(pieces));
        for slot in ply.saturating_sub(2)..=ply {
            let known = &self.slots[slot];
            let distance = known.pieces.distance(pieces);
            if usize::from(known.way) == view.way() && distance < nearest.1 {
                nearest = (slot, distance);
            }
        }
        self.bring(kernel, layer, view, pieces, nearest.0, ply);
        if nearest.0 == refreshed {
            let from = ply * self.blocks;
            self.sums.copy_within(from..from + self.blocks, refreshed * self.blocks);
            self.slots[refreshed] = self.slots[ply];
        }
    }

    /// Computes the sums of slot `to` from those of slot `from`.
    #[inline]
    fn bring<V: FeatureSet>(
        &mut self,
        kernel: Kernel,
        layer: &FirstLayer,
        view: V,
        pieces: &Pieces,
        from: usize,
        to: usize,
    ) {
        let known = self.slots[from].pieces;
        let (mut added, mut removed) = (Inputs::NONE, Inputs::NONE);
        for color in Color::ALL {
            let (before, after) = (known.by_color[color as usize], pieces.by_color[color as usize]);
            for &role in V::ROLES {
                let before = before & known.by_role[role as usize - 1];
                let after = after & pieces.by_role[role as usize - 1];
                for square in after & !before {
                    added.push(view.input(color, role, square));
                }
                for square in before & !after {
                    removed.push(view.input(color, role, square));
                }
            }
        }
        let change = Change { added: added.as_slice(), removed: removed.as_slice() };
        layer.update(kernel, &mut self.sums, from * self.blocks, to * self.blocks, change);
        self.slots[to] = Slot { pieces: *pieces, way: view.way() as u8 };
    }

    /// The sums of the slot of a ply.
    #[inline]
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
        self.network.evaluate_with(&mut self.halves, position, ply.min(PLIES - 1))
    }
}
