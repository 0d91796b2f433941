//! One player searches one position.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Move};

use super::catalog::Scoring;
use super::score::score_move;
use harness_notation::epd::EpdPosition;
use harness_outcome::{SuiteLine, SuiteResult};
use harness_player::{Fault, FaultKind, Info, Limit, Line, Player, Reply, Score};

/// Time after the limit until a player counts as hung. Generous: a busy machine may stall a process
/// for seconds.
const GRACE: Duration = Duration::from_secs(10);

/// Time after which a player without a clock counts as hung.
pub(super) const WATCHDOG: Duration = Duration::from_secs(600);

/// When the solution was found that was kept to the end.
#[derive(Clone, Copy, Debug)]
struct Solution {
    after: Duration,
    depth: Option<u32>,
    nodes: Option<u64>,
}

/// Search limit of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Limit of the search.
    pub limit: Limit,
    /// Ends the search early after this many iterations with the solution as best move.
    pub hold: Option<u32>,
}

/// Observations of a search.
#[derive(Default)]
struct Watch {
    found: Option<Solution>,
    /// Last info of each line, the best one first.
    lines: BTreeMap<u32, (UciMove, Option<Score>)>,
}

/// The longest text of a result, in bytes.
const MAX_TEXT: usize = 4_000;

/// The largest number of nodes or milliseconds of a result: sums of it do not overflow.
const MAX_NUMBER: u64 = 1 << 52;

/// Lines of a search that a result has at most.
const MAX_LINES: usize = 256;

/// Searches a position with an empty transposition table and scores the move.
///
/// A player that crashes, hangs or gives no legal move has not solved the position: that is a
/// result, with the fault noted.
///
/// # Errors
/// A [`Fault`] that is not the player's: it could not be started, or the user interrupted the
/// search.
pub fn solve(
    player: &mut dyn Player,
    position: &EpdPosition,
    scoring: Scoring,
    effort: Effort,
) -> Result<SuiteResult, Fault> {
    let mut watch = Watch::default();
    let outcome = search(player, position, scoring, effort, &mut watch);
    let mut result = blank(position, scoring);
    match outcome {
        Ok(reply) => {
            let played = reply.best_move.to_move(&position.position).ok();
            let move_score = score_move(position, scoring, played);
            result.solved = move_score.solved;
            result.score = f64::from(move_score.score);
            result.time_ms = milliseconds(reply.elapsed);
            result.nodes = reply.info.nodes.filter(|nodes| *nodes <= MAX_NUMBER);
            result.depth = reply.info.depth;
            result.r#move = Some(reply.best_move.to_string());
            result.san = played.map(|played| san(position, played));
            (result.lines, result.rank) = lines(position, scoring, &watch.lines);
            if played.is_none() {
                result.fault = Some(format!("illegal move `{}`", reply.best_move));
            }
            if move_score.solved {
                // The last line may show another move than the one played in the end.
                let found = watch.found.unwrap_or(Solution {
                    after: reply.elapsed,
                    depth: reply.info.depth,
                    nodes: reply.info.nodes,
                });
                result.found_ms = Some(milliseconds(found.after));
                result.found_depth = found.depth;
                result.found_nodes = found.nodes.filter(|nodes| *nodes <= MAX_NUMBER);
            }
        }
        Err(fault)
            if matches!(
                fault.kind,
                FaultKind::Start | FaultKind::Setting | FaultKind::Changed | FaultKind::Interrupted
            ) =>
        {
            return Err(fault);
        }
        Err(fault) => result.fault = Some(fault.to_string()),
    }
    Ok(result)
}

fn search(
    player: &mut dyn Player,
    position: &EpdPosition,
    scoring: Scoring,
    effort: Effort,
    watch: &mut Watch,
) -> Result<Reply, Fault> {
    player.new_game(position.castling == CastlingMode::Chess960)?;
    let (go, allowed) = effort.limit.single_search();
    let patience = allowed.map_or(WATCHDOG, |time| time.saturating_add(GRACE));
    let line = Line { fen: Some(&position.fen), moves: &[] };
    let started = Instant::now();
    player.go(line, &go, patience, &mut |info: &Info| {
        let Some(&first) = info.pv.first() else { return ControlFlow::Continue(()) };
        watch.lines.insert(info.line, (first, info.score));
        if info.line > 1 {
            return ControlFlow::Continue(());
        }
        let first = first.to_move(&position.position).ok();
        if !score_move(position, scoring, first).solved {
            watch.found = None;
            return ControlFlow::Continue(());
        }
        let found = watch.found.get_or_insert(Solution {
            after: started.elapsed(),
            depth: info.depth,
            nodes: info.nodes,
        });
        let kept = info.depth.zip(found.depth).map(|(now, then)| now.saturating_sub(then));
        match (kept, effort.hold) {
            (Some(kept), Some(hold)) if kept >= hold => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    })
}

/// The lines of a MultiPV search, and the rank of the solution; nothing of a search with one line.
fn lines(
    position: &EpdPosition,
    scoring: Scoring,
    lines: &BTreeMap<u32, (UciMove, Option<Score>)>,
) -> (Vec<SuiteLine>, Option<u32>) {
    if lines.len() < 2 {
        return (Vec::new(), None);
    }
    let mut rank = None;
    let lines = lines.iter().filter_map(|(&place, &(uci, score))| {
        let played = uci.to_move(&position.position).ok()?;
        let move_score = score_move(position, scoring, Some(played));
        if move_score.solved {
            rank.get_or_insert(place);
        }
        let points = f64::from(move_score.score);
        let (cp, mate) = match score {
            Some(Score::Centipawns(cp)) => (Some(cp), None),
            Some(Score::Mate(moves)) => (None, Some(moves)),
            None => (None, None),
        };
        Some(SuiteLine { r#move: uci.to_string(), san: san(position, played), cp, mate, points })
    });
    (lines.collect(), rank)
}

/// The result of a position before the search.
fn blank(position: &EpdPosition, scoring: Scoring) -> SuiteResult {
    let nothing = score_move(position, scoring, None);
    let expected = expected(position, scoring);
    let sans = |moves: &[Move]| moves.iter().map(|&m| san(position, m)).collect();
    let uci = |&m: &Move| UciMove::from_move(m, position.castling).to_string();
    SuiteResult {
        id: position.id.clone(),
        max_score: f64::from(nothing.max_score),
        fen: position.fen.clone(),
        expected: sans(&expected),
        expected_uci: expected.iter().map(uci).collect(),
        avoid: sans(&position.avoid),
        theme: theme(&position.id).map(str::to_owned),
        ..SuiteResult::default()
    }
}

/// Whether a result from elsewhere is one of a position: what follows from the position and from the move is
/// that, and texts have the size of texts.
pub fn is_result_of(position: &EpdPosition, scoring: Scoring, result: &SuiteResult) -> bool {
    let nothing = blank(position, scoring);
    let uci = result.r#move.as_deref().and_then(|text| UciMove::from_str(text).ok());
    let played = uci.and_then(|uci| uci.to_move(&position.position).ok());
    let scored = score_move(position, scoring, played);
    let texts = result.lines.iter().flat_map(|line| [&line.r#move, &line.san]);
    let texts = texts.chain(&result.fault).chain(&result.r#move);
    let is_text = |text: &String| text.len() <= MAX_TEXT;
    let own = (
        (&result.id, &result.fen, &result.theme, &result.expected, &result.expected_uci),
        (&result.avoid, result.max_score, result.solved, result.score, &result.san),
    );
    let expected = (
        (&nothing.id, &nothing.fen, &nothing.theme, &nothing.expected, &nothing.expected_uci),
        (
            &nothing.avoid,
            nothing.max_score,
            scored.solved,
            f64::from(scored.score),
            &played.map(|played| san(position, played)),
        ),
    );
    let numbers = [result.nodes, result.found_nodes, Some(result.time_ms), result.found_ms];
    own == expected
        && numbers.into_iter().flatten().all(|number| number <= MAX_NUMBER)
        && result.lines.len() <= MAX_LINES
        && (played.is_some() || result.fault.is_some())
        && texts.into_iter().all(is_text)
}

/// The moves to find: those with the most points.
fn expected(position: &EpdPosition, scoring: Scoring) -> Vec<Move> {
    let mut moves: Vec<Move> = position
        .best
        .iter()
        .copied()
        .chain(position.points.iter().map(|&(m, _)| m))
        .filter(|&m| score_move(position, scoring, Some(m)).solved)
        .collect();
    let mut seen = Vec::new();
    moves.retain(|m| {
        let new = !seen.contains(m);
        seen.push(*m);
        new
    });
    moves
}

/// The theme in ids such as `ERET 001 - Relief` or `STS(v2.2) Open Files.001`.
fn theme(id: &str) -> Option<&str> {
    if let Some((_, theme)) = id.split_once(" - ") {
        return Some(theme.trim());
    }
    let name = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let theme = name.strip_suffix('.')?.split_once(") ").map(|(_, theme)| theme.trim())?;
    (!theme.is_empty()).then_some(theme)
}

pub(super) fn san(position: &EpdPosition, m: Move) -> String {
    SanPlus::from_move(position.position.clone(), m).to_string()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_notation::epd;
    use harness_player::Observer;
    use harness_player::mock::Mock;

    /// Reports a sequence of best moves, one an iteration, and plays the last.
    struct Scripted {
        moves: Vec<&'static str>,
        outcome: Option<FaultKind>,
        /// Reported with each best move, as the second line.
        second: Option<&'static str>,
    }

    impl Scripted {
        fn player(self) -> impl Player {
            Mock(move |observe: &mut Observer<'_>| {
                let mut last = Info::default();
                for (depth, text) in (1..).zip(&self.moves) {
                    let pv = vec![text.parse().expect("a move")];
                    let nodes = Some(100 * u64::from(depth));
                    last = Info { depth: Some(depth), pv, nodes, line: 1, ..Info::default() };
                    let broken_off = observe(&last).is_break();
                    if let Some(second) = self.second {
                        let pv = vec![second.parse().expect("a move")];
                        let _ = observe(&Info { line: 2, pv, ..last.clone() });
                    }
                    if broken_off {
                        break;
                    }
                }
                let best_move = last.pv[0];
                let elapsed = Duration::from_millis(7);
                match self.outcome {
                    Some(kind) => Err(Fault { player: "mock".into(), kind, detail: String::new() }),
                    None => Ok(Reply { best_move, ponder: None, info: last, elapsed }),
                }
            })
        }
    }

    fn position() -> EpdPosition {
        let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let line = format!("{board} bm e4 d4; id \"ERET 001 - Relief\";");
        epd::read("x", line.as_bytes()).expect("valid").remove(0)
    }

    fn solve_with(
        moves: &[&'static str],
        outcome: Option<FaultKind>,
    ) -> Result<SuiteResult, Fault> {
        let mut player = Scripted { moves: moves.to_vec(), outcome, second: None }.player();
        let effort = Effort { limit: Limit::Depth(5), hold: None };
        solve(&mut player, &position(), Scoring::BestMove, effort)
    }

    #[test]
    fn the_solution_counts_from_when_it_was_found_and_kept() {
        let result = solve_with(&["e2e4", "a2a3", "d2d4", "e2e4"], None).expect("solved");
        assert!(result.solved);
        assert_eq!((result.found_depth, result.depth), (Some(3), Some(4)));
        assert_eq!(result.found_nodes, Some(300));
        assert!(result.lines.is_empty() && result.rank.is_none());
        assert_eq!(result.san.as_deref(), Some("e4"));
        assert_eq!(result.expected, ["e4", "d4"]);
        assert_eq!(result.theme.as_deref(), Some("Relief"));
        let missed = solve_with(&["e2e4", "a2a3"], None).expect("a result");
        assert_eq!((missed.solved, missed.found_ms), (false, None));
    }

    #[test]
    fn a_solution_that_was_kept_long_enough_ends_the_search() {
        let moves = vec!["a2a3", "e2e4", "a2a3", "d2d4", "e2e4", "e2e4", "e2e4"];
        let mut player = Scripted { moves, outcome: None, second: None }.player();
        let effort = Effort { limit: Limit::Depth(9), hold: Some(2) };
        let result = solve(&mut player, &position(), Scoring::BestMove, effort).expect("solved");
        assert_eq!((result.found_depth, result.depth), (Some(4), Some(6)));
    }

    #[test]
    fn of_several_lines_each_is_reported_with_the_rank_of_the_solution() {
        let moves = vec!["e2e4", "a2a3"];
        let mut player = Scripted { moves, outcome: None, second: Some("d2d4") }.player();
        let effort = Effort { limit: Limit::Depth(9), hold: None };
        let result = solve(&mut player, &position(), Scoring::BestMove, effort).expect("missed");
        assert!(!result.solved);
        assert_eq!(result.rank, Some(2));
        let lines: Vec<_> = result.lines.iter().map(|line| (&*line.san, line.points)).collect();
        assert_eq!(lines, [("a3", 0.0), ("d4", 1.0)]);
    }

    #[test]
    fn a_crash_or_an_illegal_move_is_not_solved_but_harness_trouble_is_no_result() {
        let crash = solve_with(&["e2e4"], Some(FaultKind::Crash)).expect("a result");
        assert!(!crash.solved && crash.fault.is_some() && crash.r#move.is_none());
        let illegal = solve_with(&["e2e5"], None).expect("a result");
        assert_eq!(illegal.fault.as_deref(), Some("illegal move `e2e5`"));
        for kind in
            [FaultKind::Start, FaultKind::Setting, FaultKind::Changed, FaultKind::Interrupted]
        {
            assert_eq!(solve_with(&["e2e4"], Some(kind)).map_err(|fault| fault.kind), Err(kind));
        }
    }

    #[test]
    fn themes_are_read_from_the_ids_of_known_suites() {
        assert_eq!(
            theme("STS(v2.2) Open Files and Diagonals.001"),
            Some("Open Files and Diagonals")
        );
        assert_eq!(theme("ERET 013 - Center"), Some("Center"));
        assert_eq!(theme("WAC.001"), None);
        assert_eq!(theme("line 3"), None);
    }
}
