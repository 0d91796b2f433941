//! What the search asks endgame tables, and what it makes of the answers.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::limits::Root;
use super::score::{DRAW, TABLE_WIN, Value, Window, is_mate};
use super::table::{Bound, Entry};
use super::tree::{Node, Tree};
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::params::Params;
use crate::tablebase::{MOST_MEN, Tables, Wdl};

/// Whether and where endgame tables are asked (`SyzygyPath` and its companions).
#[derive(Clone)]
pub struct TableUse {
    /// The tables, if there are any.
    pub tables: Option<Arc<Tables>>,
    /// Least remaining depth, in plies, at which positions with as many men as the largest table
    /// are looked up; those with fewer always are.
    pub depth: u32,
    /// Most men for which tables are asked.
    pub men: u32,
    /// Wins that the fifty-move rule prevents count as draws.
    pub fifty_moves: bool,
}

impl Default for TableUse {
    fn default() -> TableUse {
        TableUse { tables: None, depth: 1, men: MOST_MEN, fifty_moves: true }
    }
}

impl TableUse {
    /// The tables, where so many men may be looked up.
    fn tables(&self, position: &Position) -> Option<&Tables> {
        let tables = self.tables.as_deref()?;
        let men = position.occupied().count() as u32;
        (men <= self.men.min(tables.most_men())).then_some(tables)
    }

    /// How tables are asked inside the tree, if they are: a search among moves that all win only
    /// has to find a mate.
    pub(super) fn inside(&self, ranks: Option<&RootRanks>) -> Option<&TableUse> {
        let useful = ranks.is_none_or(|ranks| !ranks.by_distance && ranks.is_won());
        (useful && self.tables.is_some()).then_some(self)
    }

    /// The sign of the result for the side to move.
    fn sign(&self, wdl: Wdl) -> i32 {
        match wdl {
            Wdl::Loss => -1,
            Wdl::Win => 1,
            Wdl::Draw => 0,
            Wdl::BlessedLoss if !self.fifty_moves => -1,
            Wdl::CursedWin if !self.fifty_moves => 1,
            Wdl::BlessedLoss | Wdl::CursedWin => 0,
        }
    }
}

/// What tables say of a node inside the tree.
pub(super) enum Verdict {
    /// It is worth this, or as much as the window asks.
    Value(Value),
    /// Its value lies between these.
    Between(Window),
}

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// Looks a position up right after a capture or pawn move, when the result does not depend on
    /// the fifty-move count. A win or loss is only a bound, since a mate may be found beyond it.
    pub fn ask_tables<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        window: Window,
    ) -> Verdict {
        let open = Verdict::Between(Window::FULL);
        let Some(rules) = self.table_use else { return open };
        if N::ROOT || position.halfmove_clock() != 0 || self.frames[ply].excluded.is_some() {
            return open;
        }
        let Some(tables) = rules.tables(position) else { return open };
        let largest = rules.men.min(tables.most_men());
        let has_fewer = (position.occupied().count() as u32) < largest;
        if !has_fewer && depth < rules.depth as i32 {
            return open;
        }
        let Some(wdl) = tables.wdl(position) else { return open };
        self.table_hits.fetch_add(1, Relaxed);
        let sign = rules.sign(wdl);
        let value = sign * (TABLE_WIN - ply as Value);
        let bound = match sign {
            0 => Bound::Exact,
            1 => Bound::Lower,
            _ => Bound::Upper,
        };
        let depth = depth + 6;
        let entry = Entry { best_move: None, value, eval: None, depth, bound, was_pv: N::PV };
        if let Some(value) = entry.cutoff(window) {
            self.table.store(position.key(), ply, entry);
            return Verdict::Value(value);
        }
        Verdict::Between(match bound {
            Bound::Lower => Window { alpha: value, ..Window::FULL },
            _ => Window { beta: value, ..Window::FULL },
        })
    }
}

/// How good the tables say that root moves are; only the best are searched.
///
/// All moves that surely win are equal, so that the search can choose the one that mates; but once
/// the fifty-move rule comes near, or a position was repeated, the shortest way to a capture or
/// pawn move is taken. So progress is certain whatever the search sees. This is how Stockfish
/// ranks root moves, too.
pub(super) struct RootRanks {
    ranks: Vec<(Move, i32)>,
    fifty_moves: bool,
    /// The tables know the way, not only the result: the search needs no more of them.
    by_distance: bool,
}

/// Surely won; lost for sure is as much below zero.
const SURE: i32 = 2000;
/// Won in n plies from the last capture or pawn move, the plies since then included, is n less.
const NEAR: i32 = 1000;
/// Plies after which a draw can be claimed.
const FIFTY_MOVES: i32 = 100;

impl RootRanks {
    /// Ranks the moves; `None` unless the tables know all of them.
    pub fn new(rules: &TableUse, root: &Root, moves: &[Move]) -> Option<RootRanks> {
        let tables = rules.tables(root.position())?;
        let fifty_moves = rules.fifty_moves;
        let rank_all = |rank: &dyn Fn(&Position) -> Option<i32>| {
            let of = |&m: &Move| {
                let mut child = *root.position();
                child.play(m);
                Some((m, rank(&child)?))
            };
            moves.iter().map(of).collect::<Option<Vec<_>>>()
        };
        let clock = i32::from(root.position().halfmove_clock());
        let repeated = has_repeated(root);
        let by_distance = rank_all(&|child| {
            Some(rank_of_distance(distance(tables, root, child)?, clock, repeated))
        });
        if let Some(ranks) = by_distance {
            return Some(RootRanks { ranks, fifty_moves, by_distance: true });
        }
        let ranks = rank_all(&|child| Some(rank_of_result(-tables.wdl(child)?)))?;
        Some(RootRanks { ranks, fifty_moves, by_distance: false })
    }

    /// Leaves the moves of the highest rank among these.
    pub fn keep_best(&self, moves: &mut Vec<Move>) {
        let best = moves.iter().map(|&m| self.rank(m)).max();
        moves.retain(|&m| Some(self.rank(m)) == best);
    }

    /// Larger is better for the side to move.
    pub fn rank(&self, m: Move) -> i32 {
        self.ranks.iter().find(|(ranked, _)| *ranked == m).map_or(0, |&(_, rank)| rank)
    }

    /// The value of a root move: a mate that was found, or else what the tables know.
    pub fn value(&self, m: Move, searched: Value) -> Value {
        if is_mate(searched) {
            return searched;
        }
        match self.rank(m) {
            rank if rank > 0 && self.is_sure(rank) => TABLE_WIN,
            rank if rank < 0 && self.is_sure(rank) => -TABLE_WIN,
            _ => DRAW,
        }
    }

    /// Whether the best move wins.
    fn is_won(&self) -> bool {
        self.ranks.iter().any(|&(_, rank)| rank > 0 && self.is_sure(rank))
    }

    /// Whether no claim of a draw comes in between.
    fn is_sure(&self, rank: i32) -> bool {
        !self.fifty_moves || rank.abs() >= NEAR - FIFTY_MOVES
    }
}

/// Plies to the next capture or pawn move, or to mate, for the side that moves to `child` from the
/// root; a loss is negative, a draw 0.
fn distance(tables: &Tables, root: &Root, child: &Position) -> Option<i32> {
    let mates = child.in_check() && !child.has_legal_move();
    if mates {
        return Some(1);
    }
    let times = root.earlier().iter().filter(|&&key| key == child.key()).count();
    if child.halfmove_clock() >= FIFTY_MOVES as u16 || times >= 2 {
        return Some(0);
    }
    if child.halfmove_clock() == 0 {
        return Some(match -tables.wdl(child)? {
            Wdl::Win => 1,
            Wdl::CursedWin => FIFTY_MOVES + 1,
            Wdl::Draw => 0,
            Wdl::BlessedLoss => -FIFTY_MOVES - 1,
            Wdl::Loss => -1,
        });
    }
    let distance = -tables.dtz(child)?;
    Some(distance + distance.signum())
}

/// `clock`: plies since the last capture or pawn move, at the root.
fn rank_of_distance(distance: i32, clock: i32, repeated: bool) -> i32 {
    match distance {
        0 => 0,
        // One ply to spare, since distances may be one too short.
        win if win > 0 && win + clock < FIFTY_MOVES && !repeated => SURE,
        win if win > 0 => (NEAR - (win + clock)).max(1),
        // Far from a draw by fifty moves: the search may choose how to resist.
        loss if -2 * loss + clock < FIFTY_MOVES => -SURE,
        loss => (-NEAR + (-loss + clock)).min(-1),
    }
}

fn rank_of_result(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Win => SURE,
        Wdl::CursedWin => 1,
        Wdl::Draw => 0,
        Wdl::BlessedLoss => -1,
        Wdl::Loss => -SURE,
    }
}

/// Whether a position came up twice since the last capture or pawn move.
fn has_repeated(root: &Root) -> bool {
    let clock = usize::from(root.position().halfmove_clock());
    let earlier = root.earlier();
    let since = &earlier[earlier.len().saturating_sub(clock)..];
    let mut keys: Vec<u64> = since.to_vec();
    keys.push(root.position().key());
    keys.sort_unstable();
    !keys.is_sorted_by(|a, b| a < b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_that_surely_win_are_equal_until_the_fifty_move_rule_comes_near() {
        assert_eq!(rank_of_distance(1, 0, false), rank_of_distance(60, 30, false));
        assert!(rank_of_distance(19, 80, false) > rank_of_distance(20, 80, false));
        assert!(rank_of_distance(20, 80, false) > rank_of_distance(21, 80, false));
        assert!(rank_of_distance(3, 10, true) > rank_of_distance(5, 10, true));
        assert_eq!(rank_of_distance(0, 90, false), 0);
    }

    #[test]
    fn a_loss_that_fifty_moves_may_turn_into_a_draw_is_drawn_out() {
        assert_eq!(rank_of_distance(-3, 10, false), rank_of_distance(-9, 10, false));
        assert!(rank_of_distance(-40, 50, false) > rank_of_distance(-30, 50, false));
        assert!(rank_of_distance(-40, 50, false) < 0);
    }

    #[test]
    fn a_win_that_the_fifty_move_rule_prevents_is_a_draw_only_where_the_rule_holds() {
        let start = Position::startpos();
        let m = start.legal_moves()[0];
        for (distance, clock, with_rule, without) in [
            (30, 10, TABLE_WIN, TABLE_WIN),
            (101, 0, DRAW, TABLE_WIN),
            (30, 71, DRAW, TABLE_WIN),
            (-101, 0, DRAW, -TABLE_WIN),
            (-30, 10, -TABLE_WIN, -TABLE_WIN),
            (0, 0, DRAW, DRAW),
        ] {
            for (fifty_moves, expected) in [(true, with_rule), (false, without)] {
                let ranks = vec![(m, rank_of_distance(distance, clock, false))];
                let ranks = RootRanks { ranks, fifty_moves, by_distance: true };
                assert_eq!(ranks.value(m, 25), expected, "{distance} {clock} {fifty_moves}");
            }
        }
    }

    #[test]
    fn a_repetition_counts_only_since_the_last_capture_or_pawn_move() {
        let mut root = Root::new(Position::startpos());
        let play = |root: &mut Root, moves: &str| {
            for text in moves.split_whitespace() {
                let m = root.position().parse_uci(text, false).expect("legal");
                root.play(m);
            }
        };
        play(&mut root, "g1f3 g8f6 f3g1");
        assert!(!has_repeated(&root));
        play(&mut root, "f6g8");
        assert!(has_repeated(&root));
        play(&mut root, "e2e4");
        assert!(!has_repeated(&root));
    }
}
