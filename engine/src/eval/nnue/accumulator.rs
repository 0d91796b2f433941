//! Accumulators: the sums of the first layer, kept from position to position.
//!
//! A search reports its moves; nothing is computed before an evaluation is asked for. The
//! accumulators then follow the moves from the nearest ply that has some: one pass a move, with the
//! rows of the pieces that it takes off and puts on. The keys of the positions prove that the moves
//! lead from there to the position at hand. Without such a ply, and when a king's move changes all
//! features of its side, the last accumulator refreshed for this view is brought up to date by
//! comparing boards ("Finny tables"; F. Eggers, Koivisto).

use super::features::View;
use super::first_layer::FirstLayer;
use super::pieces::{Differences, Pieces, Step};
use super::vectors::{Lane, Vectors};
use crate::board::{Changes, Placed, Position};

/// Moves that are followed from an accumulator; beyond, a refresh is not slower.
const MAX_MOVES: usize = 6;
/// The number of no view.
const NO_VIEW: u8 = u8::MAX;
/// Stands for the key of the position before, where none is known; as improbable as any key.
const NOTHING_BEFORE: u64 = u64::MAX;

/// A position that a search looks at, and how it came about.
#[derive(Clone, Copy)]
struct Link {
    key: u64,
    /// The key of the position before the last move.
    before: u64,
    /// The changes of that move.
    changes: Changes,
}

/// The positions of the current line of a search, by ply.
#[derive(Clone)]
pub(super) struct Line(Vec<Link>);

impl Line {
    pub fn new(plies: usize) -> Line {
        Line(vec![Link { key: 0, before: NOTHING_BEFORE, changes: Changes::NONE }; plies])
    }

    /// The position of a ply follows from another, one ply before, by these changes.
    #[inline(always)]
    pub fn extend(&mut self, ply: usize, [before, key]: [u64; 2], changes: Changes) {
        self.0[ply] = Link { key, before, changes };
    }

    /// The position of a ply has this key, however it came about.
    #[inline(always)]
    pub fn reach(&mut self, ply: usize, key: u64) {
        if self.0[ply].key != key {
            self.extend(ply, [NOTHING_BEFORE, key], Changes::NONE);
        }
    }

    /// Whether the position of a ply follows from that of the ply before.
    #[inline(always)]
    fn follows(&self, ply: usize) -> bool {
        ply > 0 && self.0[ply].before == self.0[ply - 1].key
    }
}

/// The position of the accumulators of a ply.
#[derive(Clone, Copy)]
struct Slot {
    key: u64,
    /// The numbers of White's view and Black's; [`NO_VIEW`]: that accumulator is of another position.
    views: [u8; 2],
}

impl Slot {
    const EMPTY: Slot = Slot { key: 0, views: [NO_VIEW; 2] };

    /// Whether the accumulator of a perspective is that of a position.
    #[inline(always)]
    fn holds(&self, key: u64, side: usize) -> bool {
        self.key == key && self.views[side] != NO_VIEW
    }

    /// The accumulator of a perspective becomes that of a position.
    #[inline(always)]
    fn set(&mut self, key: u64, side: usize, view: View<'_>) {
        if self.key != key {
            *self = Slot { key, ..Slot::EMPTY };
        }
        self.views[side] = view.number() as u8;
    }
}

/// The accumulators of one first layer. White's perspective is side 0 here, Black's side 1.
#[derive(Clone)]
pub(super) struct Accumulators {
    slots: Vec<Slot>,
    /// By ply, then by side.
    sums: Vec<Lane>,
    /// The positions refreshed last, by side and view, and their accumulators.
    refreshed: [Vec<Pieces>; 2],
    refreshed_sums: [Vec<Lane>; 2],
    blocks: usize,
}

/// How the accumulators of both perspectives are found in one pass.
pub(super) enum Ready {
    /// They are known.
    Known,
    /// One simple move on from the ply before: the piece from a square to another, and the captured
    /// one.
    AfterMove(Placed, Placed, Option<Placed>),
}

impl Accumulators {
    /// With those of an empty board for each view.
    pub fn new(bias: &[Lane], plies: usize, views: usize) -> Accumulators {
        Accumulators {
            slots: vec![Slot::EMPTY; plies],
            sums: bias.repeat(2 * plies),
            refreshed: [(); 2].map(|()| vec![Pieces::NONE; views]),
            refreshed_sums: [(); 2].map(|()| bias.repeat(views)),
            blocks: bias.len(),
        }
    }

    /// Whether the accumulators of both perspectives are known or one simple move away.
    #[inline(always)]
    pub fn ready(&self, line: &Line, key: u64, views: [View<'_>; 2], ply: usize) -> Option<Ready> {
        let views = views.map(|view| view.number() as u8);
        let link = line.0.get(ply)?;
        let slot = self.slots.get(ply)?;
        if slot.key == key && slot.views == views {
            return Some(Ready::Known);
        }
        let before = ply.checked_sub(1)?;
        let known = self.slots[before];
        if link.key != key
            || link.before != line.0[before].key
            || link.before != known.key
            || known.views != views
        {
            return None;
        }
        let (from, to, captured) = link.changes.simple()?;
        Some(Ready::AfterMove(from, to, captured))
    }

    /// The accumulators before the last move and those after it, which become those of a position.
    #[inline(always)]
    pub fn after_move(
        &mut self,
        key: u64,
        views: [View<'_>; 2],
        ply: usize,
    ) -> ([&[Lane]; 2], [&mut [Lane]; 2]) {
        self.slots[ply] = Slot { key, views: views.map(|view| view.number() as u8) };
        let both = 2 * self.blocks;
        let (before, after) = self.sums.split_at_mut(ply * both);
        let before = &before[(ply - 1) * both..];
        let (white, black) = after[..both].split_at_mut(self.blocks);
        ([&before[..self.blocks], &before[self.blocks..]], [white, black])
    }

    /// Makes the accumulator of a ply that of the position there, the last of the line.
    #[inline(always)]
    pub fn update<V: Vectors>(
        &mut self,
        vectors: V,
        layer: &FirstLayer,
        line: &Line,
        (side, view): (usize, View<'_>),
        (position, ply): (&Position, usize),
    ) {
        match self.nearest(line, (side, view), ply) {
            None => self.refresh(vectors, layer, (side, view), (position, ply)),
            Some(from) => {
                for ply in from + 1..=ply {
                    self.follow(vectors, layer, line, (side, view), ply);
                }
            }
        }
    }

    /// The nearest ply of the line whose accumulator is known, if it is of this view and not far.
    #[inline(always)]
    fn nearest(&self, line: &Line, (side, view): (usize, View<'_>), ply: usize) -> Option<usize> {
        let mut from = ply;
        while !self.slots[from].holds(line.0[from].key, side) {
            if !line.follows(from) || ply - from == MAX_MOVES {
                return None;
            }
            from -= 1;
        }
        (usize::from(self.slots[from].views[side]) == view.number()).then_some(from)
    }

    /// Computes the accumulator of a ply from that before.
    #[inline(always)]
    fn follow<V: Vectors>(
        &mut self,
        vectors: V,
        layer: &FirstLayer,
        line: &Line,
        (side, view): (usize, View<'_>),
        ply: usize,
    ) {
        let Link { key, changes, .. } = line.0[ply];
        let (blocks, at) = (self.blocks, (2 * ply + side) * self.blocks);
        let (before, after) = self.sums.split_at_mut(at);
        let before = &before[at - 2 * blocks..][..blocks];
        layer.follow(vectors, before, &mut after[..blocks], Step::new(changes, view));
        self.slots[ply].set(key, side, view);
    }

    /// Makes it that of the position by the differences to the last one refreshed.
    #[inline(always)]
    fn refresh<V: Vectors>(
        &mut self,
        vectors: V,
        layer: &FirstLayer,
        (side, view): (usize, View<'_>),
        (position, ply): (&Position, usize),
    ) {
        let number = view.number();
        let pieces = Pieces::from_position(position);
        let last = &mut self.refreshed[side][number];
        let differences = Differences::between(last, &pieces, view);
        *last = pieces;
        let refreshed = &mut self.refreshed_sums[side][number * self.blocks..][..self.blocks];
        layer.refresh(vectors, refreshed, &differences);
        self.sums[(2 * ply + side) * self.blocks..][..self.blocks].copy_from_slice(refreshed);
        self.slots[ply].set(position.key(), side, view);
    }

    /// The accumulator of a ply.
    #[inline(always)]
    pub fn sums(&self, ply: usize, side: usize) -> &[Lane] {
        &self.sums[(2 * ply + side) * self.blocks..][..self.blocks]
    }
}
