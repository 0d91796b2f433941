//! Searching all positions of a suite, in parallel.

use std::ops::ControlFlow;

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::catalog::Scoring;
use super::solve::{Effort, solve};
use harness_base::session::Interrupt;
use harness_ledger::LedgerError;
use harness_notation::epd::EpdPosition;
use harness_outcome::{SuiteFacts, SuiteResult};
use harness_player::pool::{Ended, GivenUp, Pool, Seats, Start};
use harness_player::{EngineSpec, Fault, Limit};

/// Everything that is needed to run or resume a suite.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// For reports.
    pub facts: SuiteFacts,
    /// How moves are scored.
    pub scoring: Scoring,
    /// Limit of a position.
    pub limit: Limit,
    /// A search ends early once the solution was kept for this many iterations.
    #[serde(default)]
    pub hold: Option<u32>,
    /// Positions searched at the same time.
    pub jobs: usize,
    /// Each position gets an engine that was started for it.
    #[serde(default)]
    pub restart: bool,
    /// The engines; their names are distinct.
    pub engines: Vec<EngineSpec>,
    /// The EPD text: the file may change meanwhile.
    pub epd: String,
}

/// A searched position.
#[derive(Clone, Debug)]
pub struct Searched {
    /// Index into [`Plan::engines`].
    pub engine: usize,
    /// Index into the suite's positions.
    pub position: usize,
    /// The result.
    pub result: SuiteResult,
}

/// Why a suite stopped before its end.
#[derive(Debug, Error, Diagnostic)]
pub enum SuiteStopped {
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// An engine could not be started.
    #[error("{0}")]
    #[diagnostic(help("`harness check ENGINE` shows what an engine answers"))]
    NotStarted(Fault),
    /// An engine failed several positions in a row.
    #[error(transparent)]
    #[diagnostic(transparent)]
    GivenUp(#[from] GivenUp),
    /// Workers on other machines could not search.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Elsewhere(Box<dyn Diagnostic + Send + Sync>),
    /// A result could not be kept.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NotKept(#[from] LedgerError),
}

/// Searches the positions that are left, engine after engine, and gives each result to `keep`.
///
/// # Errors
/// [`SuiteStopped`]; what was kept until then stays valid.
pub fn search_all(
    plan: &Plan,
    positions: &[EpdPosition],
    left: &[(usize, usize)],
    start: &Start<'_>,
    interrupt: &Interrupt,
    keep: &mut dyn FnMut(Searched) -> Result<(), LedgerError>,
) -> Result<(), SuiteStopped> {
    let jobs = plan.jobs.min(left.len());
    let pool = Pool::new(jobs, interrupt, |interrupt| Seats::new(start, interrupt));
    let work = |seats: &mut Seats<'_>, &(engine, position): &(usize, usize)| {
        let effort = Effort { limit: plan.limit, hold: plan.hold };
        let how = (plan.scoring, effort, plan.restart);
        search(seats, engine, &plan.engines[engine], &positions[position], how)
            .map(|result| Searched { engine, position, result })
    };
    let mut keep = |searched| keep(searched).map(ControlFlow::Continue);
    pool.map_err(SuiteStopped::NotStarted)?.run(left.iter(), work, &mut keep).map_err(|ended| {
        match ended {
            Ended::Interrupted => SuiteStopped::Interrupted,
            Ended::Worker(reason) => reason,
            Ended::Keeper(error) => SuiteStopped::NotKept(error),
        }
    })
}

/// Searches one position with engine number `engine` of these seats; with `restart` the engine is
/// started for it.
///
/// # Errors
/// When the engine cannot be started, or has failed several positions in a row.
pub fn search(
    seats: &mut Seats<'_>,
    engine: usize,
    spec: &EngineSpec,
    sought: &EpdPosition,
    (scoring, effort, restart): (Scoring, Effort, bool),
) -> Result<SuiteResult, SuiteStopped> {
    let player = seats.one(engine, spec).map_err(SuiteStopped::NotStarted)?;
    let result = solve(player, sought, scoring, effort);
    let result = result.map_err(SuiteStopped::NotStarted)?;
    if restart {
        seats.dismiss(engine);
    }
    match &result.fault {
        None => seats.answered(),
        Some(last) => seats.failed(engine, &spec.name, last)?,
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::super::Suite;
    use super::*;
    use harness_player::mock::Mock;
    use harness_player::{FaultKind, Info, Observer, Player, Reply};

    /// Plays a2a3 at once, or fails.
    fn quick(fault_kind: Option<FaultKind>) -> Box<dyn Player + Send> {
        Box::new(Mock(move |_: &mut Observer<'_>| match fault_kind {
            Some(kind) => Err(fault(kind)),
            None => Ok(a2a3()),
        }))
    }

    fn a2a3() -> Reply {
        let best_move = "a2a3".parse().expect("a move");
        Reply { best_move, ponder: None, info: Info::default(), elapsed: Duration::ZERO }
    }

    fn fault(kind: FaultKind) -> Fault {
        Fault { player: "quick".to_owned(), kind, detail: String::new() }
    }

    fn suite() -> Suite {
        let line = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm a3;\n";
        Suite::read("test", line.repeat(20).as_bytes()).expect("valid")
    }

    fn plan(jobs: usize) -> Plan {
        Plan {
            facts: SuiteFacts {
                suite: "test".to_owned(),
                title: None,
                source: None,
                engines: vec!["a".to_owned(), "b".to_owned()],
                limit: "depth=1".to_owned(),
                positions: 20,
                suite_sha256: None,
                machine_nps: None,
                command_line: None,
            },
            scoring: Scoring::BestMove,
            limit: Limit::Depth(1),
            hold: None,
            jobs,
            restart: false,
            engines: vec![EngineSpec::builtin("a"), EngineSpec::builtin("b")],
            epd: String::new(),
        }
    }

    fn search(
        jobs: usize,
        start: &Start<'_>,
        interrupt: &Interrupt,
        kept: &mut Vec<(usize, usize)>,
    ) -> Result<(), SuiteStopped> {
        let left: Vec<_> = (0..2).flat_map(|engine| (0..20).map(move |at| (engine, at))).collect();
        search_all(&plan(jobs), &suite().positions, &left, start, interrupt, &mut |searched| {
            assert!(searched.result.solved);
            kept.push((searched.engine, searched.position));
            Ok(())
        })
    }

    /// One job of the first engine, which plays or fails.
    fn search_first(
        interrupt: &Interrupt,
        fault: Option<FaultKind>,
        keep: &mut dyn FnMut(Searched) -> Result<(), LedgerError>,
    ) -> Result<(), SuiteStopped> {
        let left: Vec<_> = (0..20).map(|position| (0, position)).collect();
        let start = |_: &EngineSpec, _: &Interrupt| Ok(quick(fault));
        search_all(&plan(1), &suite().positions, &left, &start, interrupt, keep)
    }

    #[test]
    fn with_restart_each_position_gets_an_engine_of_its_own() {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let left: Vec<_> = (0..20).map(|position| (0, position)).collect();
        for (restart, starts) in [(false, 1), (true, 20)] {
            let started = AtomicU32::new(0);
            let start = |_: &EngineSpec, _: &Interrupt| {
                started.fetch_add(1, Ordering::Relaxed);
                Ok(quick(None))
            };
            let plan = Plan { restart, ..plan(1) };
            let mut keep = |_| Ok(());
            search_all(&plan, &suite().positions, &left, &start, &interrupt, &mut keep)
                .expect("searched");
            assert_eq!(started.into_inner(), starts, "restart {restart}");
        }
    }

    #[test]
    fn every_position_is_searched_once_by_every_engine() {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        for jobs in [1, 3, 100] {
            let mut kept = Vec::new();
            search(jobs, &|_, _| Ok(quick(None)), &interrupt, &mut kept).expect("searched");
            kept.sort_unstable();
            kept.dedup();
            assert_eq!(kept.len(), 40, "{jobs} jobs");
        }
    }

    #[test]
    fn an_engine_that_would_not_start_is_no_result() {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let mut kept = Vec::new();
        let start = |spec: &EngineSpec, _: &Interrupt| match spec.name.as_str() {
            "a" => Ok(quick(None)),
            _ => Err(fault(FaultKind::Start)),
        };
        let outcome = search(2, &start, &interrupt, &mut kept);
        assert!(matches!(outcome, Err(SuiteStopped::NotStarted(_))), "{outcome:?}");
        assert!(kept.iter().all(|&(engine, _)| engine == 0));
    }

    #[test]
    fn an_engine_that_only_fails_is_given_up() {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let mut kept = 0;
        let outcome = search_first(&interrupt, Some(FaultKind::Crash), &mut |searched| {
            assert!(!searched.result.solved && searched.result.fault.is_some());
            kept += 1;
            Ok(())
        });
        assert!(matches!(outcome, Err(SuiteStopped::GivenUp(_))), "{outcome:?}");
        assert_eq!(kept, 4);
    }

    #[test]
    fn an_interrupt_stops_before_the_next_position() {
        let (interrupt, setter) = Interrupt::manual().expect("a pipe");
        let searches = Arc::new(AtomicU32::new(0));
        let start = |_: &EngineSpec, _: &Interrupt| {
            let searches = Arc::clone(&searches);
            let setter = setter.clone();
            let search = move |_: &mut Observer<'_>| {
                if searches.fetch_add(1, Ordering::Relaxed) == 2 {
                    setter.set();
                }
                Ok(a2a3())
            };
            Ok(Box::new(Mock(search)) as Box<dyn Player + Send>)
        };
        let left: Vec<_> = (0..20).map(|position| (0, position)).collect();
        let outcome =
            search_all(&plan(1), &suite().positions, &left, &start, &interrupt, &mut |_| Ok(()));
        assert!(matches!(outcome, Err(SuiteStopped::Interrupted)), "{outcome:?}");
        assert_eq!(searches.load(Ordering::Relaxed), 3);
    }
}
