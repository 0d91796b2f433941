//! Trial searches of an engine: whether a limit ends them, whether they repeat, how long they take.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use shakmaty::uci::UciMove;

use harness_base::session::Interrupt;
use harness_player::probe::respected_limits;
use harness_player::{
    EngineSpec, Fault, FaultKind, Go, Info, Limit, Line, Player, StartSettings, respects, start,
};

/// A search is stopped after this time, and then has as long to end.
const SEARCH: Duration = Duration::from_secs(10);

/// How an engine searches with a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Searched {
    /// Whether the limit ends the search.
    pub respects: bool,
    /// Whether the same position gives the same search again.
    pub repeats: Repeats,
    /// Mean time of a search, in seconds.
    pub seconds: f64,
}

/// When a search gives the same move after the same nodes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// After `ucinewgame`.
    InProcess,
    /// Only in a new process: `ucinewgame` leaves something of earlier searches.
    Restarted,
    /// Never: it depends on a clock or on several threads.
    Never,
}

/// Positions to search: quiet, tactical, an endgame.
const POSITIONS: [&str; 3] = [
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP3PPP/R1BQ1RK1 w - - 0 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

/// Searches the positions several times.
pub struct Trial<'a> {
    /// The engine.
    pub engine: &'a EngineSpec,
    /// Ends a search.
    pub interrupt: &'a Interrupt,
}

/// A searched position.
struct Done {
    best_move: UciMove,
    nodes: Option<u64>,
    seconds: f64,
    respects: bool,
}

impl Trial<'_> {
    /// Searches the positions twice in one process, and in new ones if that differs.
    ///
    /// # Errors
    /// When the engine cannot be started, or the user interrupts.
    pub fn run(&self, limit: Limit) -> Result<Searched, Fault> {
        let go = &limit.single_search().0;
        let fails =
            Searched { respects: false, repeats: Repeats::Never, seconds: SEARCH.as_secs_f64() };
        if !self.heeds(limit)? {
            return Ok(fails);
        }
        let mut player = self.start()?;
        let first = match self.round(go, Some(player.as_mut())) {
            Ok(round) if round.iter().all(|done| done.respects) => round,
            Err(fault) if fault.kind == FaultKind::Interrupted => return Err(fault),
            // It does not stop, or fails; a match shows whether it plays at all.
            _ => return Ok(fails),
        };
        let seconds = first.iter().map(|done| done.seconds).sum::<f64>() / first.len() as f64;
        let searched = |repeats| Ok(Searched { respects: true, repeats, seconds });
        let again = self.round(go, Some(player.as_mut()))?;
        drop(player);
        if same(&first, &again) {
            return searched(Repeats::InProcess);
        }
        let restarted = same(&self.round(go, None)?, &self.round(go, None)?);
        searched(if restarted { Repeats::Restarted } else { Repeats::Never })
    }

    /// Whether the limit ends a search, and another value of it gives another one.
    ///
    /// # Errors
    /// When the engine cannot be started, or the user interrupts.
    pub fn heeds(&self, limit: Limit) -> Result<bool, Fault> {
        Ok(!respected_limits(&[limit], false, &|| self.start())?.is_empty())
    }

    /// All positions, in one process or each in its own.
    fn round(&self, go: &Go, mut player: Option<&mut dyn Player>) -> Result<Vec<Done>, Fault> {
        let search = |fen| match &mut player {
            Some(player) => search(&mut **player, fen, go),
            None => search(self.start()?.as_mut(), fen, go),
        };
        POSITIONS.into_iter().map(search).collect()
    }

    fn start(&self) -> Result<Box<dyn Player + Send>, Fault> {
        start(self.engine, &StartSettings::default(), self.interrupt)
    }
}

fn same(one: &[Done], other: &[Done]) -> bool {
    let key = |done: &Done| (done.best_move, done.nodes);
    one.iter().map(key).eq(other.iter().map(key))
}

fn search(player: &mut dyn Player, fen: &str, go: &Go) -> Result<Done, Fault> {
    player.new_game(false)?;
    let line = Line { fen: Some(fen), moves: &[] };
    let begun = Instant::now();
    // An engine that does not stop by itself is stopped at its next `info`.
    let mut observe = |_: &Info| {
        if begun.elapsed() < SEARCH { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let reply = player.go(line, go, 2 * SEARCH, &mut observe)?;
    let seconds = begun.elapsed().as_secs_f64();
    let respects = begun.elapsed() < SEARCH
        && match (go, reply.info.nodes) {
            (Go::Nodes(asked), Some(visited)) => respects(*asked, visited),
            _ => true,
        };
    Ok(Done { best_move: reply.best_move, nodes: reply.info.nodes, seconds, respects })
}
