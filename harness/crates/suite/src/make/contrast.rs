//! The margin of the best move over the second best.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Move, Position};

use super::super::solve::WATCHDOG;
use super::candidates::Candidate;
use harness_player::{Fault, Go, Info, Line, Player, Reply, Score};

/// Value of a mate, less the moves to it.
const MATE: i32 = 10_000;

/// Largest value of a score in centipawns: below any mate.
const MAX_CENTIPAWNS: i32 = 9_000;

/// A second best move above this wins anyway.
const WON: i32 = 400;

/// A best move below this is lost anyway.
const LOST: i32 = -100;

/// A search of this many times its nodes, plus [`SLACK`], is stopped.
const OVERRUN: u64 = 10;

/// Nodes that engines may search between two checks of the limit.
const SLACK: u64 = 100_000;

const NO_LIMIT: SearchResult = SearchResult::Useless("it does not keep to `go nodes`");
const ILLEGAL: SearchResult = SearchResult::Useless("its best move is illegal");
const NO_SCORE: SearchResult = SearchResult::Useless("it sent no score");

/// How the second best move is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One search for two lines (`MultiPV`).
    TwoLines,
    /// A second search, without the best move (`searchmoves`).
    Without,
}

impl Way {
    /// The way that the player supports; sets it up.
    ///
    /// # Errors
    /// When the player does not take the option that it offers.
    pub fn prepare(player: &mut dyn Player) -> Result<Way, Fault> {
        if player.default_of("MultiPV").is_none() {
            return Ok(Way::Without);
        }
        let two = BTreeMap::from([("MultiPV".to_owned(), "2".to_owned())]);
        player.set_options(&two)?;
        Ok(Way::TwoLines)
    }
}

/// The best move, with its score and that of the second best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contrast {
    /// The best move.
    pub best: Move,
    /// Its score.
    pub score: Score,
    /// The score of the second best move.
    pub second: Score,
}

impl Contrast {
    /// Best less second best, in centipawns.
    pub fn margin(&self) -> i32 {
        worth(self.score) - worth(self.second)
    }

    /// Whether the best move is the only good one, decides something, and is not obvious.
    pub fn is_clear(&self, candidate: &Candidate, margin: i32) -> bool {
        let takes_back = self.best.is_capture() && candidate.captured_on == Some(self.best.to());
        self.margin() >= margin && worth(self.second) <= WON && !is_lost(self.score) && !takes_back
    }
}

fn is_lost(score: Score) -> bool {
    worth(score) < LOST
}

/// A score as centipawns, in which mates are ordered too.
fn worth(score: Score) -> i32 {
    match score {
        Score::Centipawns(value) => value.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS),
        Score::Mate(moves) if moves > 0 => MATE - moves.min(MATE - MAX_CENTIPAWNS - 1),
        Score::Mate(moves) => -MATE - moves.max(MAX_CENTIPAWNS - MATE + 1),
    }
}

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchResult {
    /// Two moves with their scores.
    Contrast(Contrast),
    /// The last iteration changed the move, or the position is lost: no contrast.
    Unclear,
    /// It printed nothing that can be used.
    Useless(&'static str),
    /// It plays a move that `searchmoves` left out.
    IgnoresSearchMoves,
}

/// Searches a position with an empty transposition table.
///
/// # Errors
/// When the player fails.
pub fn search(
    player: &mut dyn Player,
    way: Way,
    candidate: &Candidate,
    nodes: u64,
) -> Result<SearchResult, Fault> {
    // The counters are those of the EPD of the suite.
    let fen = format!("{} 0 1", candidate.epd());
    let search = Search { fen, chess960: candidate.castling == CastlingMode::Chess960, nodes };
    match way {
        Way::TwoLines => two_lines(player, candidate, &search),
        Way::Without => without(player, candidate, &search),
    }
}

struct Search {
    fen: String,
    chess960: bool,
    nodes: u64,
}

impl Search {
    /// The reply; `None` where the player ignored the limit.
    fn go(
        &self,
        player: &mut dyn Player,
        among: &[UciMove],
        observe: &mut dyn FnMut(&Info),
    ) -> Result<Option<Reply>, Fault> {
        player.new_game(self.chess960)?;
        let line = Line { fen: Some(&self.fen), moves: &[] };
        let most = self.nodes.saturating_mul(OVERRUN).saturating_add(SLACK);
        let mut overrun = false;
        let reply =
            player.go_among(line, among, &Go::Nodes(self.nodes), WATCHDOG, &mut |info| {
                observe(info);
                overrun |= info.nodes.is_some_and(|nodes| nodes > most);
                if overrun { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
        Ok((!overrun).then_some(reply))
    }
}

/// The last `info` of a line.
#[derive(Clone, Copy)]
struct Last {
    depth: Option<u32>,
    first: UciMove,
    score: Score,
}

fn two_lines(
    player: &mut dyn Player,
    candidate: &Candidate,
    search: &Search,
) -> Result<SearchResult, Fault> {
    let mut lines: [Option<Last>; 2] = [None; 2];
    // Both lines of the deepest iteration that has them.
    let mut pair = None;
    let reply = search.go(player, &[], &mut |info| {
        let place = (info.line as usize).wrapping_sub(1);
        let (Some(line), Some(&first), Some(score)) =
            (lines.get_mut(place), info.pv.first(), info.score)
        else {
            return;
        };
        *line = Some(Last { depth: info.depth, first, score });
        if let [Some(best), Some(second)] = lines
            && best.depth == second.depth
            && best.first != second.first
        {
            pair = Some((best, second));
        }
    })?;
    let Some(reply) = reply else { return Ok(NO_LIMIT) };
    let Some((best, second)) = pair else {
        return Ok(SearchResult::Useless("it sent no second line though its `MultiPV` is 2"));
    };
    let moves = [reply.best_move, best.first].map(|first| first.to_move(&candidate.position).ok());
    let [Some(played), Some(best_move)] = moves else {
        return Ok(ILLEGAL);
    };
    if played != best_move {
        return Ok(SearchResult::Unclear);
    }
    Ok(SearchResult::Contrast(Contrast { best: played, score: best.score, second: second.score }))
}

fn without(
    player: &mut dyn Player,
    candidate: &Candidate,
    search: &Search,
) -> Result<SearchResult, Fault> {
    let Some(reply) = search.go(player, &[], &mut |_| {})? else { return Ok(NO_LIMIT) };
    let Ok(best) = reply.best_move.to_move(&candidate.position) else { return Ok(ILLEGAL) };
    let Some(score) = reply.info.exact_score() else { return Ok(NO_SCORE) };
    if is_lost(score) {
        return Ok(SearchResult::Unclear);
    }
    let others = candidate.position.legal_moves().into_iter().filter(|&other| other != best);
    let others: Vec<UciMove> = others.map(|other| other.to_uci(candidate.castling)).collect();
    let Some(reply) = search.go(player, &others, &mut |_| {})? else { return Ok(NO_LIMIT) };
    if reply.best_move.to_move(&candidate.position).is_ok_and(|second| second == best) {
        return Ok(SearchResult::IgnoresSearchMoves);
    }
    let Some(second) = reply.info.exact_score() else { return Ok(NO_SCORE) };
    Ok(SearchResult::Contrast(Contrast { best, score, second }))
}
