//! Searches that show whether a suite's positions are sound.

use std::convert::Infallible;
use std::ops::ControlFlow;

use miette::Diagnostic;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Move};
use thiserror::Error;

use super::super::catalog::Scoring;
use super::super::solve::{WATCHDOG, san};
use super::fault_of;
use super::read::{Read, sorted};
use harness_base::session::Interrupt;
use harness_notation::epd::EpdPosition;
use harness_outcome::audit::{AuditScore, Evidence, Finding, FindingKind, Opinion};
use harness_player::pool::{Ended, Pool, Seats, Start};
use harness_player::{EngineSpec, Fault, FaultKind, Go, Line, Player, Score, unobserved};

/// A solution whose score is this much below another move's is unsound, in centipawns.
const CLEARLY: i32 = 50;

/// A move whose score is at most this much below the solution's is as good, in centipawns.
const NEARLY: i32 = 10;

/// Factor of the nodes in the second search of a position that seems unsound: a short search may
/// not see the point of a good problem.
const VERIFY_FACTOR: u64 = 4;

/// Why an audit stopped before its end.
#[derive(Debug, Error, Diagnostic)]
pub enum AuditStopped {
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// The engine failed.
    #[error("{id}: {fault}")]
    #[diagnostic(help("`harness check ENGINE` shows what an engine answers"))]
    Failed {
        /// The position at which it happened.
        id: String,
        /// The fault.
        fault: Fault,
    },
}

/// Searches every position, with `jobs` players at the same time, and returns the unsound and the
/// ambiguous ones. `step` is called after each position, with the number of findings.
///
/// # Errors
/// [`AuditStopped`]; then no finding is returned.
pub fn search_all(
    read: &Read,
    nodes: u64,
    jobs: usize,
    engine: &EngineSpec,
    start: &Start<'_>,
    interrupt: &Interrupt,
    step: &mut dyn FnMut(usize),
) -> Result<Vec<Finding>, AuditStopped> {
    let jobs = jobs.min(read.positions.len());
    let pool = Pool::new(jobs, interrupt, |interrupt| Seats::new(start, interrupt));
    let failed = |id: &str, fault| AuditStopped::Failed { id: id.to_owned(), fault };
    let work = |seats: &mut Seats<'_>, position: &EpdPosition| {
        match audit(seats, engine, position, read.scoring, nodes) {
            // It answered, and may answer the next one better.
            Err(fault) if fault.kind == FaultKind::NoMove => {
                let what = format!("not compared: {}", fault.detail);
                Ok(Some(fault_of(position, FindingKind::Unscored, what)))
            }
            found => found.map_err(|fault| failed(&position.id, fault)),
        }
    };
    let mut findings = Vec::new();
    let ended = pool.map_err(|fault| failed("before the first position", fault))?.run(
        read.positions.iter(),
        work,
        &mut |found: Option<Finding>| {
            findings.extend(found);
            step(findings.len());
            Ok::<_, Infallible>(ControlFlow::Continue(()))
        },
    );
    match ended {
        Ok(()) => Ok(findings),
        Err(Ended::Interrupted) => Err(AuditStopped::Interrupted),
        Err(Ended::Worker(reason)) => Err(reason),
        Err(Ended::Keeper(never)) => match never {},
    }
}

/// Searches one position, and again with more nodes if it seems unsound.
fn audit(
    seats: &mut Seats<'_>,
    engine: &EngineSpec,
    position: &EpdPosition,
    scoring: Scoring,
    nodes: u64,
) -> Result<Option<Finding>, Fault> {
    let (solving, failing) = sorted(position, scoring);
    if solving.is_empty() {
        return Ok(None);
    }
    if failing.is_empty() {
        let what = "every legal move solves it".to_owned();
        return Ok(Some(fault_of(position, FindingKind::Ambiguous, what)));
    }
    let player = seats.one(0, engine)?;
    // With moves to avoid alone it is enough that a better move exists.
    let names_moves = !position.best.is_empty() || !position.points.is_empty();
    let clearly = if names_moves { CLEARLY } else { 0 };
    let mut evidence = compare(player, position, &solving, &failing, nodes)?;
    let mut kind = kind(&evidence, clearly);
    if kind == Some(FindingKind::Unsound) {
        let nodes = nodes.saturating_mul(VERIFY_FACTOR);
        evidence = compare(player, position, &solving, &failing, nodes)?;
        kind = self::kind(&evidence, clearly);
    }
    Ok(kind.map(|kind| {
        let what = evidence.text(names_moves);
        Finding { evidence: Some(evidence), ..fault_of(position, kind, what) }
    }))
}

/// The kind of fault that the two scores show.
fn kind(evidence: &Evidence, clearly: i32) -> Option<FindingKind> {
    let solving = evidence.solving.score;
    let failing = evidence.failing.score;
    if leads(failing, solving, clearly) {
        Some(FindingKind::Unsound)
    } else if leads(failing, solving, -NEARLY) {
        Some(FindingKind::Ambiguous)
    } else {
        None
    }
}

/// Whether a score is above another by at least `by` centipawns.
///
/// A mate is better than none by more than any number of them. Of two mates the shorter is as good
/// as or better than the longer, but never clearly better: both win.
fn leads(score: AuditScore, other: AuditScore, by: i32) -> bool {
    match (score, other) {
        (AuditScore::Cp(score), AuditScore::Cp(other)) => {
            i64::from(score) - i64::from(other) >= i64::from(by)
        }
        (AuditScore::Mate(score), AuditScore::Mate(other)) if (score > 0) == (other > 0) => {
            // Mated later is better, mating earlier too: for both, fewer is not less.
            by <= 0 && score <= other
        }
        _ => rank(score) > rank(other),
    }
}

/// Being mated, neither, mating.
fn rank(score: AuditScore) -> i8 {
    match score {
        AuditScore::Cp(_) => 0,
        AuditScore::Mate(moves) if moves > 0 => 1,
        AuditScore::Mate(_) => -1,
    }
}

/// Searches all moves, then the moves of the other sort.
fn compare(
    player: &mut dyn Player,
    position: &EpdPosition,
    solving: &[Move],
    failing: &[Move],
    nodes: u64,
) -> Result<Evidence, Fault> {
    let (free, certain) = best_of(player, position, &[], nodes)?;
    let (own, other) =
        if solving.contains(&free.0) { (solving, failing) } else { (failing, solving) };
    // The last iteration may be unfinished: its move has no score yet.
    let free = if certain { free } else { best_of(player, position, own, nodes)?.0 };
    let rest = best_of(player, position, other, nodes)?.0;
    let (solving, failing) =
        if solving.contains(&free.0) { (free.1, rest.1) } else { (rest.1, free.1) };
    Ok(Evidence { nodes, solving, failing })
}

/// The best of `moves` (of all moves if empty) with an empty transposition table, and whether the
/// score is that of its own line.
fn best_of(
    player: &mut dyn Player,
    position: &EpdPosition,
    moves: &[Move],
    nodes: u64,
) -> Result<((Move, Opinion), bool), Fault> {
    player.new_game(position.castling == CastlingMode::Chess960)?;
    let uci = |&m: &Move| UciMove::from_move(m, position.castling);
    let only: Vec<UciMove> = moves.iter().map(uci).collect();
    let line = Line { fen: Some(&position.fen), moves: &[] };
    let reply = player.go_among(line, &only, &Go::Nodes(nodes), WATCHDOG, &mut unobserved)?;
    let fault = |kind, detail| Fault { player: player.name().to_owned(), kind, detail };
    let played = reply.best_move.to_move(&position.position).map_err(|_| {
        fault(FaultKind::NoMove, format!("the engine answers the illegal move {}", reply.best_move))
    })?;
    if !moves.is_empty() && !moves.contains(&played) {
        let detail = format!("it overlooks `searchmoves` and answers {}", reply.best_move);
        return Err(fault(FaultKind::Setting, detail));
    }
    // A bound says nothing about which move is better.
    let score = reply.info.exact_score().ok_or_else(|| {
        fault(FaultKind::NoMove, "the engine answers without an exact score".to_owned())
    })?;
    let score = match score {
        Score::Centipawns(cp) => AuditScore::Cp(cp),
        Score::Mate(moves) => AuditScore::Mate(moves),
    };
    let certain = reply.info.pv.first() == Some(&reply.best_move);
    let san = san(position, played);
    let opinion =
        Opinion { r#move: reply.best_move.to_string(), san, score, depth: reply.info.depth };
    Ok(((played, opinion), certain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_counts_in_centipawns_and_a_mate_more_than_any_number_of_them() {
        use AuditScore::{Cp, Mate};
        let cases = [
            (Cp(50), Cp(0), true, true),
            (Cp(49), Cp(0), false, true),
            (Cp(-10), Cp(0), false, true),
            (Cp(-11), Cp(0), false, false),
            (Mate(30), Cp(2000), true, true),
            (Cp(-2000), Mate(-30), true, true),
            (Cp(2000), Mate(30), false, false),
            (Mate(2), Mate(5), false, true),
            (Mate(5), Mate(2), false, false),
            (Mate(-5), Mate(-2), false, true),
            (Mate(-2), Mate(-5), false, false),
            (Mate(1), Mate(-1), true, true),
            (Cp(i32::MAX), Cp(i32::MIN), true, true),
        ];
        for (score, other, clearly, nearly) in cases {
            assert_eq!(leads(score, other, CLEARLY), clearly, "{score:?} {other:?}");
            assert_eq!(leads(score, other, -NEARLY), nearly, "{score:?} {other:?}");
        }
    }
}
