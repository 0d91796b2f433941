//! Mating lines: a score of a mate is proven by a line to the end.
//!
//! The values of mates are proven by the tree, but zero windows and cutoffs by the transposition
//! table leave no line behind. [`MateSearch`] finds it again, guided by the table. It neither writes to
//! the table nor counts nodes, so that the search is the same with and without it.

use std::collections::HashMap;

use super::game_line::GameLine;
use super::score::{MATE, MATE_IN_MAX_PLY, Value, is_mate};
use super::tt::{Bound, TranspositionTable};
use crate::board::{Move, Position};

/// The effort for a line.
pub(super) struct MateLimit<'a> {
    /// Positions to look at.
    positions: u64,
    /// Positions that are looked at whether there is time or not.
    untimed: u64,
    /// Whether the time is over.
    is_over: &'a dyn Fn() -> bool,
}

/// Positions that the lines of an iteration look at whether there is time or not: a tenth of a millisecond.
const UNTIMED: u64 = 128;
/// The same for one of many lines.
const LEAST_UNTIMED: u64 = 32;
/// Nodes of the search for each further position.
const NODES_PER_POSITION: u64 = 8;
/// Positions that ordering all moves of one counts for: every move is played and looked up.
const ORDERING_COST: u64 = 16;

impl<'a> MateLimit<'a> {
    /// The limit for one of `lines`, after a search of `nodes`.
    pub fn new(nodes: u64, lines: usize, is_over: &'a dyn Fn() -> bool) -> MateLimit<'a> {
        let lines = lines.max(1) as u64;
        let untimed = (UNTIMED / lines).max(LEAST_UNTIMED);
        MateLimit { positions: untimed + nodes / NODES_PER_POSITION / lines, untimed, is_over }
    }

    /// Whether the search may not look at a position, after `seen` others.
    fn is_reached(&self, seen: u64) -> bool {
        /// Positions between two looks at the clock.
        const CHECK_EVERY: u64 = 16;
        seen >= self.positions || seen >= self.untimed && seen % CHECK_EVERY < 2 && (self.is_over)()
    }
}

/// A search for a line that mates within a number of plies.
pub(super) struct MateSearch<'a> {
    tt: &'a TranspositionTable,
    game: GameLine,
    limit: MateLimit<'a>,
    /// Positions looked at.
    seen: u64,
    /// The limit was reached.
    given_up: bool,
    /// By key of the position in which the mating side moves: plies within which it does not mate.
    refuted: HashMap<u64, usize>,
    /// By the same keys: lines that mate.
    proven: HashMap<u64, Vec<Move>>,
}

impl<'a> MateSearch<'a> {
    /// A search from the end of `game`.
    pub fn new(tt: &'a TranspositionTable, game: GameLine, limit: MateLimit<'a>) -> MateSearch<'a> {
        MateSearch {
            tt,
            game,
            limit,
            seen: 0,
            given_up: false,
            refuted: HashMap::new(),
            proven: HashMap::new(),
        }
    }

    /// The moves of a line that begins with `first` and ends with the mate that `value` says, or with
    /// an earlier one. `None` if it is not found.
    pub fn line(mut self, first: Move, value: Value) -> Option<Vec<Move>> {
        let plies = usize::try_from(MATE - value.abs()).ok()?.checked_sub(1)?;
        self.game.play(first);
        let rest = if value > 0 { self.defend(plies) } else { self.attack(plies) }?;
        Some(std::iter::once(first).chain(rest).collect())
    }

    /// Counts a position; false when the search is given up.
    fn enter(&mut self) -> bool {
        self.given_up |= self.limit.is_reached(self.seen);
        self.seen += 1;
        !self.given_up
    }

    /// A line by which the side to move mates within `plies`, against the longest defence.
    fn attack(&mut self, plies: usize) -> Option<Vec<Move>> {
        if plies == 0 || !self.enter() || self.game.is_drawn_with_moves_left() {
            return None;
        }
        let key = self.game.position().key();
        if let Some(line) = self.proven.get(&key).filter(|line| line.len() <= plies) {
            return Some(line.clone());
        }
        if self.refuted.get(&key).is_some_and(|&refuted| refuted >= plies) {
            return None;
        }
        let position = *self.game.position();
        let stored = self.stored_mate(&position, plies);
        let mut found = stored.and_then(|(m, plies)| self.mate_by(position, m, plies));
        if found.is_none() && !self.given_up {
            self.seen += ORDERING_COST;
            let tries = self.attackers(&position, plies).into_iter();
            found = tries
                .filter(|&tried| Some(tried) != stored)
                .find_map(|(m, plies)| self.mate_by(position, m, plies));
        }
        match &found {
            Some(line) => {
                self.proven.insert(key, line.clone());
            }
            // Of a search that was given up nothing is known.
            None if !self.given_up => {
                self.refuted.insert(key, plies);
            }
            None => {}
        }
        found
    }

    /// The line of a move that mates within `plies`.
    fn mate_by(&mut self, position: Position, m: Move, plies: usize) -> Option<Vec<Move>> {
        let rest = self.after(position, m, |search| search.defend(plies - 1))?;
        Some(std::iter::once(m).chain(rest).collect())
    }

    /// The move of the transposition table by which the side to move mates within `plies`, and in how many.
    fn stored_mate(&self, position: &Position, plies: usize) -> Option<(Move, usize)> {
        let entry = self.tt.probe(position.key(), 0).filter(|entry| entry.bound != Bound::Upper)?;
        let m = entry.best_move.filter(|&m| position.is_legal(m))?;
        mate_plies(entry.value).filter(|&wanted| wanted <= plies).map(|wanted| (m, wanted))
    }

    /// The line after every reply of the side to move is mated within `plies`: that of the longest
    /// defence.
    fn defend(&mut self, plies: usize) -> Option<Vec<Move>> {
        if self.game.is_mate() {
            return Some(Vec::new());
        }
        if plies < 2 || !self.enter() || self.game.is_over() {
            return None;
        }
        let position = *self.game.position();
        let mut longest: Option<Vec<Move>> = None;
        for m in self.defenders(&position) {
            let rest = self.after(position, m, |search| search.attack(plies - 1))?;
            if longest.as_ref().is_none_or(|line| line.len() < rest.len() + 1) {
                longest = Some(std::iter::once(m).chain(rest).collect());
            }
        }
        longest
    }

    fn after<T>(&mut self, before: Position, m: Move, search: impl FnOnce(&mut Self) -> T) -> T {
        self.game.play(m);
        let found = search(self);
        self.game.take_back(before);
        found
    }

    /// The moves of the mating side in the order in which they are tried, each with the plies within
    /// which it has to mate: what the transposition table says first, then checks.
    fn attackers(&self, position: &Position, plies: usize) -> Vec<(Move, usize)> {
        // Order, move, plies within which it has to mate.
        let mut tries: Vec<(usize, Move, usize)> = Vec::new();
        for m in &position.legal_moves() {
            let check = position.gives_check(m);
            if plies == 1 && !check {
                continue;
            }
            let wanted = self.claimed_after(position, m).filter(|&wanted| wanted <= plies);
            tries.extend(wanted.map(|wanted| (wanted, m, wanted)));
            if wanted != Some(plies) {
                tries.push((plies + if check { 1 } else { 2 }, m, plies));
            }
        }
        tries.sort_by_key(|&(order, ..)| order);
        tries.into_iter().map(|(_, m, plies)| (m, plies)).collect()
    }

    /// Plies to the mate by `m`, if the transposition table has one for the position after it.
    fn claimed_after(&self, position: &Position, m: Move) -> Option<usize> {
        let mut child = *position;
        child.play(m);
        let entry = self.tt.probe(child.key(), 0)?;
        let proves = matches!(entry.bound, Bound::Upper | Bound::Exact) && is_mate(entry.value);
        mate_plies(-entry.value).filter(|_| proves).map(|plies| plies + 1)
    }

    /// All legal moves, the one of the transposition table first.
    fn defenders(&self, position: &Position) -> Vec<Move> {
        let mut moves: Vec<Move> = position.legal_moves().iter().copied().collect();
        let hash_move = self.tt.probe(position.key(), 0).and_then(|entry| entry.best_move);
        if let Some(at) = moves.iter().position(|&m| Some(m) == hash_move) {
            moves.swap(0, at);
        }
        moves
    }
}

/// Plies to the mate that a value says for the side to move.
fn mate_plies(value: Value) -> Option<usize> {
    usize::try_from(MATE - value).ok().filter(|_| value >= MATE_IN_MAX_PLY)
}
