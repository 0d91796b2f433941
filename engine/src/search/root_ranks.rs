//! The ranking of root moves by tablebases.

use super::limits::Root;
use super::score::{DRAW, TB_WIN, Value, is_mate};
use super::tablebase_options::TablebaseOptions;
use crate::board::{Move, Position};
use crate::tablebase::{FIFTY_MOVES, Tablebases, Wdl};

/// Tablebase ranks of the root moves; only the moves of the highest rank are searched.
///
/// Moves that win for sure are equal, so that the search chooses the one that mates. Near the
/// fifty-move limit or after a repetition, the move with the smallest DTZ ranks first, which makes
/// progress certain. Stockfish ranks root moves in the same way.
pub(super) struct RootRanks {
    ranks: Vec<(Move, i32)>,
    fifty_move_rule: bool,
    /// Ranked by DTZ, not only by WDL: the search needs no further probes.
    by_dtz: bool,
}

/// A sure win; a sure loss has the same value below zero.
const SURE: i32 = 2000;
/// A win whose next zeroing move is n plies after the last one has n less.
const UNSURE: i32 = 1000;

impl RootRanks {
    /// Ranks the moves, by DTZ or else by WDL; `None` unless all of them are known.
    pub fn new(options: &TablebaseOptions, root: &Root, moves: &[Move]) -> Option<RootRanks> {
        let tablebases = options.for_position(root.position())?;
        let fifty_move_rule = options.fifty_move_rule;
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
        let by_dtz = rank_all(&|child| {
            Some(rank_of_dtz(dtz_of_move(tablebases, root, child)?, clock, repeated))
        });
        if let Some(ranks) = by_dtz {
            return Some(RootRanks { ranks, fifty_move_rule, by_dtz: true });
        }
        let ranks = rank_all(&|child| Some(rank_of_wdl(-tablebases.probe_wdl(child)?)))?;
        Some(RootRanks { ranks, fifty_move_rule, by_dtz: false })
    }

    /// Retains the moves of the highest rank.
    pub fn keep_best(&self, moves: &mut Vec<Move>) {
        let best = moves.iter().map(|&m| self.rank(m)).max();
        moves.retain(|&m| Some(self.rank(m)) == best);
    }

    /// The rank of a move: larger is better for the side to move.
    pub fn rank(&self, m: Move) -> i32 {
        self.ranks.iter().find(|(ranked, _)| *ranked == m).map_or(0, |&(_, rank)| rank)
    }

    /// The value of a root move: a mate found by the search, or else the tablebase result.
    pub fn value(&self, m: Move, searched: Value) -> Value {
        if is_mate(searched) {
            return searched;
        }
        match self.rank(m) {
            rank if rank > 0 && self.is_sure(rank) => TB_WIN,
            rank if rank < 0 && self.is_sure(rank) => -TB_WIN,
            _ => DRAW,
        }
    }

    /// Whether probes inside the tree help: the ranks are those of WDL, among moves that win.
    pub fn needs_probes(&self) -> bool {
        !self.by_dtz && self.is_won()
    }

    /// Whether the best move wins.
    fn is_won(&self) -> bool {
        self.ranks.iter().any(|&(_, rank)| rank > 0 && self.is_sure(rank))
    }

    /// Whether the fifty-move rule does not turn the result into a draw.
    fn is_sure(&self, rank: i32) -> bool {
        !self.fifty_move_rule || rank.abs() >= UNSURE - FIFTY_MOVES
    }
}

/// DTZ of the move from the root to `child`, for the side that moves: plies to the next capture, pawn
/// move or mate; negative for a loss, 0 for a draw.
fn dtz_of_move(tablebases: &Tablebases, root: &Root, child: &Position) -> Option<i32> {
    let mates = child.in_check() && !child.has_legal_move();
    if mates {
        return Some(1);
    }
    let times = root.earlier_keys().iter().filter(|&&key| key == child.key()).count();
    if child.halfmove_clock() >= FIFTY_MOVES as u16 || times >= 2 {
        return Some(0);
    }
    tablebases.dtz_of_move(child)
}

/// `clock`: plies since the last zeroing move, at the root.
fn rank_of_dtz(dtz: i32, clock: i32, repeated: bool) -> i32 {
    match dtz {
        0 => 0,
        // One ply to spare: DTZ may be rounded down by one.
        win if win > 0 && win + clock < FIFTY_MOVES && !repeated => SURE,
        win if win > 0 => (UNSURE - (win + clock)).max(1),
        // Far from the fifty-move limit: the search chooses the defence.
        loss if -2 * loss + clock < FIFTY_MOVES => -SURE,
        loss => (-UNSURE + (-loss + clock)).min(-1),
    }
}

fn rank_of_wdl(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Win => SURE,
        Wdl::CursedWin => 1,
        Wdl::Draw => 0,
        Wdl::BlessedLoss => -1,
        Wdl::Loss => -SURE,
    }
}

/// Whether a position was repeated since the last zeroing move.
fn has_repeated(root: &Root) -> bool {
    let clock = usize::from(root.position().halfmove_clock());
    let earlier = root.earlier_keys();
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
        assert_eq!(rank_of_dtz(1, 0, false), rank_of_dtz(60, 30, false));
        assert!(rank_of_dtz(19, 80, false) > rank_of_dtz(20, 80, false));
        assert!(rank_of_dtz(20, 80, false) > rank_of_dtz(21, 80, false));
        assert!(rank_of_dtz(3, 10, true) > rank_of_dtz(5, 10, true));
        assert_eq!(rank_of_dtz(0, 90, false), 0);
    }

    #[test]
    fn a_loss_that_fifty_moves_may_turn_into_a_draw_is_drawn_out() {
        assert_eq!(rank_of_dtz(-3, 10, false), rank_of_dtz(-9, 10, false));
        assert!(rank_of_dtz(-40, 50, false) > rank_of_dtz(-30, 50, false));
        assert!(rank_of_dtz(-40, 50, false) < 0);
    }

    #[test]
    fn a_win_that_the_fifty_move_rule_prevents_is_a_draw_only_where_the_rule_holds() {
        let start = Position::startpos();
        let m = start.legal_moves()[0];
        for (dtz, clock, with_rule, without) in [
            (30, 10, TB_WIN, TB_WIN),
            (101, 0, DRAW, TB_WIN),
            (30, 71, DRAW, TB_WIN),
            (-101, 0, DRAW, -TB_WIN),
            (-30, 10, -TB_WIN, -TB_WIN),
            (0, 0, DRAW, DRAW),
        ] {
            for (fifty_move_rule, expected) in [(true, with_rule), (false, without)] {
                let ranks = vec![(m, rank_of_dtz(dtz, clock, false))];
                let ranks = RootRanks { ranks, fifty_move_rule, by_dtz: true };
                assert_eq!(ranks.value(m, 25), expected, "{dtz} {clock} {fifty_move_rule}");
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
