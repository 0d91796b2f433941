use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::super::adjudication::Adjudication;
use super::super::executor::{Stopped, play_all};
use super::super::game::Conduct;
use super::super::openings::{Openings, OpeningsSpec};
use super::super::schedule::Pairing;
use super::super::schedule::{Format, Plan, Schedule};
use super::super::scripted::{Answer, Scripted};
use super::super::termination::Termination;
use super::*;
use harness_base::session::InterruptSetter;
use harness_ledger::LedgerError;
use harness_player::mock::Mock;
use harness_player::{EngineSpec, Fault, FaultKind, Limit, Observer, Player};

fn plan(rounds: u64, jobs: usize) -> Plan {
    Plan {
        engines: vec![EngineSpec::builtin("a"), EngineSpec::builtin("b")],
        limits: vec![Limit::Nodes(1); 2],
        format: Format::Gauntlet,
        pairings: Vec::new(),
        rounds,
        openings: OpeningsSpec { seed: 5, ..Default::default() },
        conduct: Conduct {
            adjudication: Adjudication { max_moves: Some(10), ..Default::default() },
            ..Default::default()
        },
        jobs,
        event: "test".to_owned(),
        pairing: Pairing::default(),
        shard: None,
        rating: None,
        race: None,
    }
}

fn interrupt() -> (Interrupt, InterruptSetter) {
    Interrupt::manual().unwrap()
}

fn scripted(_: &EngineSpec, _: &Interrupt) -> Result<Box<dyn Player + Send>, Fault> {
    Ok(Box::new(Scripted::default()))
}

/// Plays what is not done.
fn play_all_of(
    plan: &Plan,
    done: &HashSet<(u64, Leg)>,
    start: &Start<'_>,
    interrupt: &Interrupt,
    keep: &mut dyn FnMut(Vec<GameRecord>) -> Result<ControlFlow<()>, LedgerError>,
) -> Result<(), Stopped<LedgerError>> {
    let schedule = Schedule::new(plan, Openings::load(&plan.openings).unwrap());
    let mut executor = LocalExecutor::new(&plan.conduct, &plan.event, plan.jobs, start, interrupt)?;
    play_all(&mut executor, &mut schedule.jobs(done), keep)
}

/// Plays and keeps everything until `keep_at_most` games are there.
fn play_plan(
    plan: &Plan,
    done: &HashSet<(u64, Leg)>,
    start: &Start<'_>,
    keep_at_most: usize,
) -> (Vec<GameRecord>, Result<(), Stopped<LedgerError>>) {
    let mut kept = Vec::new();
    let outcome = play_all_of(plan, done, start, &interrupt().0, &mut |games| {
        kept.extend(games);
        Ok(if kept.len() >= keep_at_most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    });
    kept.sort_by_key(|game| (game.pair, game.leg));
    (kept, outcome)
}

/// A game without what differs from one time to the next.
fn moves(game: &GameRecord) -> (u64, Leg, String) {
    let text =
        game.pgn.lines().filter(|line| !line.starts_with("[Game") && !line.starts_with("[Date"));
    (game.pair, game.leg, text.collect::<Vec<_>>().join("\n"))
}

#[test]
fn the_games_do_not_depend_on_the_number_of_workers() {
    let all = |jobs| {
        let (games, outcome) = play_plan(&plan(10, jobs), &HashSet::new(), &scripted, usize::MAX);
        outcome.unwrap();
        games.iter().map(moves).collect::<Vec<_>>()
    };
    let one = all(1);
    assert_eq!(one.len(), 20);
    assert_eq!(one, all(4));
}

#[test]
fn colours_are_swapped_within_a_pair() {
    let (games, _) = play_plan(&plan(1, 1), &HashSet::new(), &scripted, usize::MAX);
    assert_eq!([games[0].white, games[0].black], [0, 1]);
    assert_eq!([games[1].white, games[1].black], [1, 0]);
    let opening = |game: &GameRecord| {
        game.pgn.lines().find(|line| line.starts_with("[FEN")).map(str::to_owned)
    };
    assert!(opening(&games[0]).is_some());
    assert_eq!(opening(&games[0]), opening(&games[1]));
}

#[test]
fn games_that_are_done_are_not_played_again_and_half_a_pair_is_completed() {
    let done =
        HashSet::from([(0, Leg::First), (0, Leg::Second), (1, Leg::First), (2, Leg::Second)]);
    let (games, outcome) = play_plan(&plan(4, 2), &done, &scripted, usize::MAX);
    outcome.unwrap();
    let played: Vec<_> = games.iter().map(|game| (game.pair, game.leg)).collect();
    assert_eq!(played, [(1, Leg::Second), (2, Leg::First), (3, Leg::First), (3, Leg::Second)]);
}

#[test]
fn a_crashed_player_is_started_anew_and_the_other_one_stays() {
    let starts = AtomicUsize::new(0);
    let start = |engine: &EngineSpec, _: &Interrupt| {
        starts.fetch_add(1, Ordering::Relaxed);
        let player = if engine.name == "a" {
            Scripted::default().then(Answer::Fault(FaultKind::Crash, "exit status 1"))
        } else {
            Scripted::default()
        };
        Ok(Box::new(player) as Box<dyn Player + Send>)
    };
    let (games, outcome) = play_plan(&plan(3, 1), &HashSet::new(), &start, usize::MAX);
    outcome.unwrap();
    assert_eq!(games.len(), 6);
    for game in &games {
        assert_eq!(game.termination, Termination::Crash);
        let lost_by_a = if game.white == 0 { "White crashes" } else { "Black crashes" };
        assert!(game.reason.starts_with(lost_by_a), "{}", game.reason);
    }
    assert_eq!(starts.load(Ordering::Relaxed), 6 + 1);
}

#[test]
fn a_player_that_does_not_start_ends_the_run_without_a_result() {
    let start = |engine: &EngineSpec, _: &Interrupt| {
        if engine.name == "a" {
            return Ok(Box::new(Scripted::default()) as Box<dyn Player + Send>);
        }
        let detail = "no such option".to_owned();
        Err(Fault { player: engine.name.clone(), kind: FaultKind::Start, detail })
    };
    let (games, outcome) = play_plan(&plan(50, 3), &HashSet::new(), &start, usize::MAX);
    assert!(games.is_empty());
    assert!(
        matches!(outcome, Err(Stopped::Unplayed(Unplayed::NotStarted(fault))) if fault.player == "b")
    );
}

#[test]
fn the_keeper_ends_the_run() {
    let (games, outcome) = play_plan(&plan(1_000_000, 2), &HashSet::new(), &scripted, 3);
    outcome.unwrap();
    assert!(games.len() >= 3 && games.len() < 1_000_000);
}

#[test]
fn a_result_that_cannot_be_kept_ends_the_run_with_the_reason() {
    let keep = &mut |_| Err(LedgerError::Full("here".into()));
    let plan = plan(1_000_000, 2);
    let outcome = play_all_of(&plan, &HashSet::new(), &scripted, &interrupt().0, keep);
    assert!(matches!(outcome, Err(Stopped::NotKept(LedgerError::Full(..)))));
}

#[test]
fn a_panic_of_the_keeper_ends_the_run() {
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let plan = plan(1_000_000, 3);
        let started = AtomicUsize::new(0);
        // One worker waits for ever, the others play.
        let start = |engine: &EngineSpec, interrupt: &Interrupt| {
            if started.fetch_add(1, Ordering::Relaxed) == 0 {
                return Ok(endless(interrupt));
            }
            scripted(engine, interrupt)
        };
        let done = HashSet::new();
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let keep = &mut |_| -> Result<ControlFlow<()>, LedgerError> { panic!("cannot keep") };
            play_all_of(&plan, &done, &start, &interrupt().0, keep)
        }));
        let _ = ended.send(played.is_err());
    });
    assert_eq!(end.recv_timeout(Duration::from_secs(180)), Ok(true), "it never ends");
}

/// A player that searches until it is interrupted.
fn endless(interrupt: &Interrupt) -> Box<dyn Player + Send> {
    let interrupt = interrupt.clone();
    Box::new(Mock(move |_: &mut Observer<'_>| {
        interrupt.wait();
        let player = "mock".to_owned();
        let kind = FaultKind::Interrupted;
        Err(Fault { player, kind, detail: String::new() })
    }))
}

#[test]
fn the_user_interrupts_players_that_think_and_what_is_finished_is_kept() {
    let plan = plan(1_000_000, 3);
    let started = AtomicUsize::new(0);
    // One worker waits for ever, the others play.
    let start = |_: &EngineSpec, interrupt: &Interrupt| {
        let player: Box<dyn Player + Send> = if started.fetch_add(1, Ordering::Relaxed) == 0 {
            endless(interrupt)
        } else {
            Box::new(Scripted::default())
        };
        Ok(player)
    };
    let (interrupt, setter) = interrupt();
    let mut kept = 0;
    let outcome = play_all_of(&plan, &HashSet::new(), &start, &interrupt, &mut |games| {
        kept += games.len();
        if kept > 5 {
            setter.set();
        }
        Ok(ControlFlow::Continue(()))
    });
    assert!(matches!(outcome, Err(Stopped::Unplayed(Unplayed::Interrupted))));
    assert!(kept > 5);
}
