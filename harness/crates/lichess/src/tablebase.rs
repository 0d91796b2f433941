//! Ranks the moves of a position by endgame tablebases.

use std::collections::HashMap;

use engine::board::{Move, Position};
use engine::tablebase::{FIFTY_MOVES, Tablebases, Wdl};

/// A rank beyond which the fifty-move rule changes nothing.
const SURE: i32 = 1000;

/// Tablebase result of a position and its best moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeResult {
    /// The best moves, the first the best of all if `by_dtz`.
    pub moves: Vec<Move>,
    /// A win, a draw or a loss of the side to move.
    pub result: Wdl,
    /// The moves are ranked by DTZ, so that the first one makes progress; else by WDL alone.
    pub by_dtz: bool,
}

/// Probes all moves of a position; `earlier` counts the positions of the game by key. `None` if the
/// tablebases do not have all of them.
pub fn probe(
    tables: &Tablebases,
    position: &Position,
    earlier: &HashMap<u64, u32>,
) -> Option<ProbeResult> {
    let clock = i32::from(position.halfmove_clock());
    let ranked = |rank: &dyn Fn(&Position) -> Option<i32>| {
        let of = |&m: &Move| {
            let mut child = *position;
            child.play(m);
            if child.in_check() && !child.has_legal_move() {
                return Some((m, 2 * SURE));
            }
            // A position for the third time is a draw.
            let times = earlier.get(&child.key()).copied().unwrap_or(0);
            Some((m, if times >= 2 { 0 } else { rank(&child)? }))
        };
        position.legal_moves().iter().map(of).collect::<Option<Vec<_>>>()
    };
    let by_dtz = ranked(&|child| Some(rank_of_dtz(tables.dtz_of_move(child)?, clock)));
    let (mut ranks, by_dtz) = match by_dtz {
        Some(ranks) => (ranks, true),
        None => (ranked(&|child| Some(rank_of_wdl(-tables.probe_wdl(child)?)))?, false),
    };
    ranks.sort_by_key(|&(_, rank)| -rank);
    let &(_, best) = ranks.first()?;
    let result = match best {
        rank if rank > SURE => Wdl::Win,
        rank if rank < -SURE => Wdl::Loss,
        _ => Wdl::Draw,
    };
    let moves = ranks.into_iter().take_while(|&(_, rank)| rank == best).map(|(m, _)| m).collect();
    Some(ProbeResult { moves, result, by_dtz })
}

/// Larger is better: short wins before long ones, long losses before short ones.
fn rank_of_dtz(dtz: i32, clock: i32) -> i32 {
    match dtz {
        0 => 0,
        win if win > 0 && win + clock < FIFTY_MOVES => 2 * SURE - win,
        win if win > 0 => (SURE - win - clock).clamp(1, SURE),
        loss if clock - loss < FIFTY_MOVES => -2 * SURE - loss,
        loss => (clock - loss - SURE).clamp(-SURE, -1),
    }
}

fn rank_of_wdl(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Win => 2 * SURE - 1,
        Wdl::CursedWin => 1,
        Wdl::Draw => 0,
        Wdl::BlessedLoss => -1,
        Wdl::Loss => -2 * SURE,
    }
}

#[cfg(test)]
#[path = "../../../../engine/tests/tablebases/mod.rs"]
mod files;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn won_positions_are_won_and_drawn_and_lost_ones_are_known() {
        let folder = tempfile::tempdir().expect("temporary folder");
        files::write_all(folder.path());
        let (tables, errors) = Tablebases::open(folder.path().display().to_string());
        assert!(errors.is_empty(), "{errors:?}");
        let of = |fen: &str| {
            let position = Position::from_fen(fen).expect("legal");
            probe(&tables, &position, &HashMap::new())
        };
        let won = of("8/8/8/4k3/8/8/8/KQ6 w - - 0 1").expect("known");
        assert_eq!(won.result, Wdl::Win);
        // Mate at once comes first.
        let mate = of("k7/8/1K6/8/8/8/8/6Q1 w - - 90 80").expect("known");
        assert_eq!((mate.result, mate.moves[0].to().to_string().as_str()), (Wdl::Win, "g8"));
        assert_eq!(of("8/8/8/8/8/1k6/2Q5/K7 b - - 0 1").expect("known").result, Wdl::Draw);
        assert_eq!(of("8/8/8/4k3/8/8/8/KQ6 b - - 0 1").expect("known").result, Wdl::Loss);
        assert_eq!(of("8/8/8/4k3/8/8/8/KQQ5 w - - 0 1"), None);
    }

    #[test]
    fn short_wins_and_long_losses_come_first_and_the_fifty_move_rule_counts() {
        assert!(rank_of_dtz(3, 0) > rank_of_dtz(5, 0));
        assert!(rank_of_dtz(5, 0) > rank_of_dtz(5, 95), "too late for a win");
        assert!(rank_of_dtz(5, 95) > rank_of_dtz(0, 0));
        assert!(rank_of_dtz(0, 0) > rank_of_dtz(-9, 95), "saved by the rule, but not by much");
        assert!(rank_of_dtz(-9, 95) > rank_of_dtz(-9, 0));
        assert!(rank_of_dtz(-9, 0) > rank_of_dtz(-3, 0));
    }
}
