use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::*;
use crate::work::{SuiteSearch, SuiteTask};
use harness_base::session::InterruptSetter;
use harness_player::mock::Mock;
use harness_player::{EngineSpec, Fault, FaultKind, Info, Limit, Observer, Player, Reply};
use harness_suite::{Effort, Scoring, SearchError};

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

/// Twenty positions for each of these engines.
fn tasks(engines: &[&str]) -> Vec<Result<SuiteTask, &'static str>> {
    let task = |(number, engine): (usize, &str)| SuiteTask {
        number: number as u64,
        engine: Box::new((number / 20, EngineSpec::builtin(engine))),
        id: format!("position {number}"),
        epd: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm a3;".to_owned(),
        position: None,
    };
    let all = engines.iter().flat_map(|engine| [*engine; 20]);
    all.enumerate().map(task).map(Ok).collect()
}

type Ended = Result<Vec<u64>, BackendError<SearchError, &'static str>>;

/// Has tasks done; the numbers of those that were solved, in their order.
fn search(
    (jobs, restart): (usize, bool),
    tasks: Vec<Result<SuiteTask, &'static str>>,
    start: &Start<'_>,
    (interrupt, most): (&Interrupt, usize),
) -> (Vec<u64>, Ended) {
    let effort = Effort { limit: Limit::Depth(1), hold: None };
    let work = SuiteSearch { scoring: Scoring::BestMove, effort, restart };
    let players = LocalPlayers { jobs, start, watch: None };
    let mut local = Local::new::<Infallible>(&work, players, interrupt).expect("a pipe");
    let mut kept = Vec::new();
    let ended = local.run(&mut tasks.into_iter(), &mut |done| {
        for Done { number, answer, worker } in done {
            assert!(answer.solved != answer.fault.is_some() && worker.is_none());
            assert_eq!(answer.id, format!("position {number}"));
            kept.push(number);
            match kept.len() {
                count if count == most => return Ok(ControlFlow::Break(())),
                13 if most == 0 => return Err("the disk is full"),
                _ => {}
            }
        }
        Ok(ControlFlow::Continue(()))
    });
    kept.sort_unstable();
    (kept.clone(), ended.map(|()| kept))
}

fn interrupt() -> (Interrupt, InterruptSetter) {
    Interrupt::manual().expect("a pipe")
}

/// More than all tasks.
const ALL: usize = 1_000;

#[test]
fn every_task_is_done_once() {
    let (interrupt, _setter) = interrupt();
    for jobs in [1, 3, 100] {
        let start = |_: &EngineSpec, _: &Interrupt| Ok(quick(None));
        let (_, ended) = search((jobs, false), tasks(&["a", "b"]), &start, (&interrupt, ALL));
        assert_eq!(ended.expect("all are done"), (0..40).collect::<Vec<_>>(), "{jobs} jobs");
    }
}

#[test]
fn with_restart_each_position_gets_an_engine_of_its_own() {
    let (interrupt, _setter) = interrupt();
    for (restart, starts) in [(false, 1), (true, 20)] {
        let started = AtomicU32::new(0);
        let start = |_: &EngineSpec, _: &Interrupt| {
            started.fetch_add(1, Ordering::Relaxed);
            Ok(quick(None))
        };
        let (_, ended) = search((1, restart), tasks(&["a"]), &start, (&interrupt, ALL));
        assert!(ended.is_ok(), "{ended:?}");
        assert_eq!(started.into_inner(), starts, "restart {restart}");
    }
}

#[test]
fn an_engine_that_would_not_start_is_no_result() {
    let (interrupt, _setter) = interrupt();
    let start = |spec: &EngineSpec, _: &Interrupt| match spec.name.as_str() {
        "a" => Ok(quick(None)),
        _ => Err(fault(FaultKind::Start)),
    };
    let (kept, ended) = search((2, false), tasks(&["a", "b"]), &start, (&interrupt, ALL));
    assert!(matches!(ended, Err(BackendError::Here(SearchError::NotStarted(_)))), "{ended:?}");
    assert!(kept.iter().all(|&number| number < 20), "{kept:?}");
}

#[test]
fn an_engine_that_only_fails_is_given_up() {
    let (interrupt, _setter) = interrupt();
    let start = |_: &EngineSpec, _: &Interrupt| Ok(quick(Some(FaultKind::Crash)));
    let (kept, ended) = search((1, false), tasks(&["a"]), &start, (&interrupt, ALL));
    assert!(matches!(ended, Err(BackendError::Here(SearchError::GivenUp(_)))), "{ended:?}");
    assert_eq!(kept.len(), 4);
}

#[test]
fn an_interrupt_stops_before_the_next_task() {
    let (interrupt, setter) = interrupt();
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
    let (_, ended) = search((1, false), tasks(&["a"]), &start, (&interrupt, ALL));
    assert!(matches!(ended, Err(BackendError::Interrupted)), "{ended:?}");
    assert_eq!(searches.load(Ordering::Relaxed), 3);
}

#[test]
fn errors_of_the_caller_end_the_run() {
    let (interrupt, _setter) = interrupt();
    let start = |_: &EngineSpec, _: &Interrupt| Ok(quick(None));
    let mut damaged = tasks(&["a"]);
    damaged[7] = Err("line 8 is damaged");
    let (kept, ended) = search((1, false), damaged, &start, (&interrupt, ALL));
    assert!(matches!(ended, Err(BackendError::Caller("line 8 is damaged"))), "{ended:?}");
    assert_eq!(kept, (0..7).collect::<Vec<_>>());
    let (kept, ended) = search((1, false), tasks(&["a"]), &start, (&interrupt, 0));
    assert!(matches!(ended, Err(BackendError::Caller("the disk is full"))), "{ended:?}");
    assert_eq!(kept.len(), 13);
    let (kept, ended) = search((1, false), tasks(&["a"]), &start, (&interrupt, 5));
    assert!(ended.is_ok() && kept.len() == 5, "{ended:?}");
}
