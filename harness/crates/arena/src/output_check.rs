//! Checks of what an engine prints during a search: that variations are legal and end with the game, that
//! mates are where they were announced, that the move is that of the last variation.
//!
//! Lines of one search mostly begin with the same moves. The positions of the latest variation are kept, and
//! only the moves by which the next one differs are played: the checks take a small part of the time that the
//! lines take to be read.

use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;

use super::position::GamePosition;
use super::referee::Referee;
use harness_player::Score;
use harness_player::printed::{PrintedInfo, has_score};

/// Which checks are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputChecks {
    /// The variation behind an announced mate has to be as long as it says and to end with it.
    pub mates: bool,
}

/// Something that an engine should not have printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The fault.
    pub kind: FlawKind,
    /// The line; of several with one after the other.
    pub line: String,
}

/// A fault in the output of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// Lines, but none with a score.
    NoScoredLine,
    /// A score that cannot be read.
    UnreadableScore(String),
    /// A move of a variation that the rules do not allow.
    IllegalMove(UciMove),
    /// A move behind the third occurrence of a position.
    AfterRepetition(UciMove),
    /// A move behind the hundredth ply without capture or pawn move.
    AfterFiftyMoves(UciMove),
    /// A move behind a checkmate.
    AfterCheckmate(UciMove),
    /// A move behind a stalemate.
    AfterStalemate(UciMove),
    /// Fewer moves than to the announced mate.
    IncompleteMate,
    /// More moves than to the announced mate.
    TooLongMate,
    /// No checkmate where it was announced.
    NoMate,
    /// The move is not the first of the last variation.
    OtherBestMove(UciMove),
    /// Both engines announce that they mate, or that they are mated: the scores of the opponent and of the
    /// mover, each in moves.
    MateSigns(i32, i32),
}

/// A position of a variation.
struct Step {
    played: UciMove,
    position: GamePosition,
    /// As [`Referee::keys`], up to this position.
    reversible: usize,
    key: Zobrist64,
}

/// Checks the lines of one search from a position.
pub struct OutputCheck<'a> {
    referee: &'a Referee,
    checks: OutputChecks,
    /// The latest variation as far as it is legal.
    steps: Vec<Step>,
}

impl<'a> OutputCheck<'a> {
    /// At the position that was searched.
    pub fn new(referee: &'a Referee, checks: OutputChecks) -> OutputCheck<'a> {
        OutputCheck { referee, checks, steps: Vec::new() }
    }

    /// Passes the flaws of a search to `tell`: of its lines, and of its move where that is legal.
    pub fn run(&mut self, lines: &str, best_move: Option<UciMove>, tell: &mut dyn FnMut(Flaw)) {
        // An engine that prints its move only gives nothing to check.
        if lines.is_empty() {
            return;
        }
        if let Some(kind) = score_flaw(lines) {
            tell(Flaw { kind, line: String::new() });
        }
        let is_chess = self.referee.position().chess().is_some();
        let mut last_best = None;
        for line in lines.lines().filter(|line| has_score(line)) {
            let info = PrintedInfo::read(line);
            let kind = is_chess.then(|| self.variation(&info)).flatten();
            if let Some(kind) = kind {
                tell(Flaw { kind, line: line.to_owned() });
            }
            if info.is_best() {
                last_best = Some((line, info));
            }
        }
        let (Some((line, info)), Some(best_move)) = (last_best, best_move) else { return };
        if !info.is_bound && info.pv.first().is_some_and(|first| *first != best_move) {
            tell(Flaw { kind: FlawKind::OtherBestMove(best_move), line: line.to_owned() });
        }
    }

    /// A fault in the variation of a line.
    fn variation(&mut self, info: &PrintedInfo<'_>) -> Option<FlawKind> {
        let same = self.steps.iter().zip(&info.pv).take_while(|(step, pv)| step.played == **pv);
        let same = same.count();
        self.steps.truncate(same);
        for &played in &info.pv[same..] {
            if let Err(kind) = self.step(played) {
                return Some(kind);
            }
        }
        // An earlier line may have ended at a position where this one goes on.
        self.checks.mates.then(|| self.mate(info)).flatten()
    }

    /// Plays the next move of a variation.
    fn step(&mut self, played: UciMove) -> Result<(), FlawKind> {
        let position = self.steps.last().map_or(self.referee.position(), |step| &step.position);
        if position.halfmoves() >= 100 && !is_over(position) {
            return Err(FlawKind::AfterFiftyMoves(played));
        }
        if self.repetitions() >= 3 {
            return Err(FlawKind::AfterRepetition(played));
        }
        let Some(legal) = position.of_uci(played) else {
            return Err(match (is_over(position), position.is_check()) {
                (true, true) => FlawKind::AfterCheckmate(played),
                (true, false) => FlawKind::AfterStalemate(played),
                (false, _) => FlawKind::IllegalMove(played),
            });
        };
        let mut position = position.clone();
        let irreversible = legal.is_capture() || legal.role() == shakmaty::Role::Pawn;
        position.play(legal);
        let before = self.steps.last().map_or(0, |step| step.reversible);
        let reversible = if irreversible { self.steps.len() + 1 } else { before };
        let key = position.key();
        self.steps.push(Step { played, position, reversible, key });
        Ok(())
    }

    /// How often the position at the end of the steps occurred, in the game too.
    fn repetitions(&self) -> usize {
        let Some(last) = self.steps.last() else { return 0 };
        let first = last.reversible.saturating_sub(1);
        let own = self.steps[first..].iter().filter(|step| step.key == last.key).count();
        let earlier = match last.reversible {
            0 => self.referee.keys().iter().filter(|key| **key == last.key).count(),
            _ => 0,
        };
        own + earlier
    }

    /// A fault in a variation that announces a mate.
    fn mate(&self, info: &PrintedInfo<'_>) -> Option<FlawKind> {
        let Some(Ok(Score::Mate(moves))) = info.score else { return None };
        if info.is_bound || info.pv.is_empty() {
            return None;
        }
        let moves = i64::from(moves);
        let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
        match (info.pv.len() as i64).cmp(&plies) {
            std::cmp::Ordering::Less => return Some(FlawKind::IncompleteMate),
            std::cmp::Ordering::Greater => return Some(FlawKind::TooLongMate),
            std::cmp::Ordering::Equal => {}
        }
        let end = &self.steps.last()?.position;
        (!(end.is_check() && is_over(end))).then_some(FlawKind::NoMate)
    }
}

/// Whether the side to move has no move.
fn is_over(position: &GamePosition) -> bool {
    position.legal_moves().is_empty()
}

/// The line from which the score of a search is taken: the last of the best line, one that is no bound if
/// there is one.
pub fn scored_line(lines: &str) -> Option<&str> {
    let is_best = |line: &&str| PrintedInfo::read(line).is_best();
    let best = || lines.lines().rev().filter(|line| has_score(line)).filter(is_best);
    best().find(|line| !PrintedInfo::read(line).is_bound).or_else(|| best().next())
}

/// The announced mate of a line, in moves.
pub fn mate_of(line: &str) -> Option<i32> {
    match PrintedInfo::read(line).score {
        Some(Ok(Score::Mate(moves))) => Some(moves),
        _ => None,
    }
}

fn score_flaw(lines: &str) -> Option<FlawKind> {
    let Some(line) = scored_line(lines) else { return Some(FlawKind::NoScoredLine) };
    match PrintedInfo::read(line).score {
        Some(Err(text)) => Some(FlawKind::UnreadableScore(text.to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
