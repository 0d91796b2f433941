use std::ops::ControlFlow;
use std::time::Duration;

use rand::Rng;

use super::*;
use crate::adjudication::{Adjudication, DrawOffer, Resign};
use crate::executor::Executor;
use crate::local::LocalExecutor;
use crate::openings::{Openings, OpeningsSpec};
use crate::schedule::{Format, Pairing, Plan, Schedule};
use crate::scripted::{Answer, Scripted};
use crate::variant::Rules;
use harness_base::session::Interrupt;
use harness_player::pool::Start;
use harness_player::{EngineSpec, Fault, FaultKind, Limit, Player, StartSettings};

const EVENT: &str = "a \"quoted\" event";

fn plan(conduct: Conduct, rounds: u64, limits: [Limit; 2]) -> Plan {
    Plan {
        engines: vec![EngineSpec::builtin("a"), EngineSpec::builtin("b \\ c")],
        limits: limits.to_vec(),
        format: Format::Gauntlet,
        pairings: Vec::new(),
        rounds,
        openings: OpeningsSpec { seed: 5, ..Default::default() },
        conduct,
        jobs: 1,
        event: EVENT.to_owned(),
        pairing: Pairing::default(),
        shard: None,
        rating: None,
        race: None,
    }
}

/// Plays a plan; gives each game with its job.
fn played(plan: &Plan, start: &Start<'_>) -> Vec<(PairJob, GameRecord)> {
    let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
    let openings = Openings::load(&plan.openings).expect("openings");
    let schedule = Schedule::new(plan, openings);
    let done = Default::default();
    let jobs: Vec<PairJob> = schedule.jobs(&done).map(|job| job.expect("a job")).collect();
    let mut executor =
        LocalExecutor::new(&plan.conduct, &plan.event, 1, start, &interrupt).expect("it starts");
    let mut games = Vec::new();
    executor
        .play(&mut jobs.iter().cloned().map(Ok), &mut |some| {
            games.extend(some);
            ControlFlow::Continue(())
        })
        .expect("they are played");
    let job_of = |game: &GameRecord| jobs[game.pair as usize].clone();
    games.into_iter().map(|game| (job_of(&game), game)).collect()
}

fn builtin(engine: &EngineSpec, interrupt: &Interrupt) -> Result<Box<dyn Player + Send>, Fault> {
    harness_player::start(engine, &StartSettings::default(), interrupt)
}

fn check(plan: &Plan, job: &PairJob, game: &GameRecord) -> Result<(), Discrepancy> {
    verify_game(job, game.leg, (&plan.event, &plan.conduct), game)
}

/// Games of the linked engine under many rules.
fn real_games() -> Vec<(Plan, Vec<(PairJob, GameRecord)>)> {
    let adjudicated = Adjudication {
        resign: Some(Resign { score: 300, moves: 2, two_sided: true }),
        draw: Some(DrawOffer { score: 20, moves: 3, from: 12 }),
        max_moves: Some(60),
        tablebases: None,
    };
    let comments = vec![crate::comment::CommentPart::Pv, crate::comment::CommentPart::Eval];
    let nodes = [Limit::Nodes(60); 2];
    let two = [Limit::Nodes(40), Limit::Depth(2)];
    let plans = [
        plan(Conduct::default(), 20, nodes),
        plan(Conduct { adjudication: adjudicated, ..Conduct::default() }, 12, nodes),
        plan(Conduct { comments, ..Conduct::default() }, 2, two),
        plan(Conduct { adjudication: Adjudication::move_limit(5), ..Conduct::default() }, 2, two),
        plan(Conduct { rules: Rules::Chess960, ..Conduct::default() }, 3, nodes),
    ];
    plans.into_iter().map(|plan| (plan.clone(), played(&plan, &builtin))).collect()
}

#[test]
fn games_that_were_played_are_those_of_their_jobs() {
    let mut endings = std::collections::BTreeSet::new();
    for (plan, games) in real_games() {
        for (job, game) in games {
            check(&plan, &job, &game).unwrap_or_else(|error| panic!("{error}: {}", game.pgn));
            endings.insert(game.termination);
        }
    }
    assert!(endings.len() >= 4, "{endings:?}");
}

/// Each change of a record makes it one that could not have been played.
#[test]
fn a_record_that_was_changed_is_refused() {
    let scored = |game: &GameRecord| if game.result == GameScore::Win { "0-1" } else { "1-0" };
    for (plan, games) in real_games() {
        for (job, game) in games.iter().take(4) {
            let refused = |what: &str, change: &dyn Fn(&mut GameRecord)| {
                let mut other = game.clone();
                change(&mut other);
                // Not every game has what is changed.
                if other == *game {
                    return;
                }
                let found = check(&plan, job, &other);
                assert!(found.is_err(), "{what}: {}", other.pgn);
            };
            let in_text = |what: &str, from: &str, to: &str| {
                refused(what, &|game| game.pgn = game.pgn.replacen(from, to, 1));
            };
            refused("another result", &|game| {
                game.result = match game.result {
                    GameScore::Win | GameScore::Draw => GameScore::Loss,
                    GameScore::Loss => GameScore::Win,
                };
            });
            refused("another result, also in the text", &|game| {
                let (own, other) = (game.result.pgn(), scored(game));
                game.pgn = game.pgn.replace(own, other);
                game.result = if other == "1-0" { GameScore::Win } else { GameScore::Loss };
            });
            refused("another pair", &|game| game.pair += 1);
            refused("other colours", &|game| std::mem::swap(&mut game.white, &mut game.black));
            refused("more plies", &|game| game.plies += 1);
            refused("other nodes", &|game| game.nodes[0] = game.nodes[0].map_or(Some(1), |_| None));
            refused("no end", &|game| game.nodes[1] = Some(u64::MAX));
            refused("a long time", &|game| game.took = Duration::MAX);
            refused("a long reason", &|game| game.reason = "x".repeat(MAX_REASON + 1));
            refused("another reason", &|game| game.reason.insert(0, 'x'));
            refused("codes for a terminal", &|game| {
                game.pgn = game.pgn.replacen('s', "\u{1b}[2J", 1)
            });
            refused("no moves", &|game| game.pgn = format!("\n\n{}\n\n", game.result.pgn()));
            refused("nothing", &|game| game.pgn.clear());
            refused("ballast", &|game| game.pgn.push_str(&"1-0 ".repeat(10)));
            refused("crash of who is not to move", &|game| {
                game.termination = Termination::Crash;
                game.pgn = game.pgn.replace("[Termination \"normal\"]", "[Termination \"crash\"]");
            });
            in_text("another opening", "{book}", "{+0.10/5 0.010s}");
            in_text("a tag", "[Site \"?\"]\n", "[Site \"?\"]\n[Annotator \"x\"]\n");
            in_text("another player", "[White \"", "[White \"x");
            in_text("another date", "[Date \"", "[Date \"\u{1}");
            in_text("a large comment", "s}", &format!("s, {}}}", "x".repeat(20_000)));
            in_text("another number", "2. ", "3. ");
            let last = game.pgn.trim_end().rfind('{').expect("a comment");
            refused("an earlier end", &|game| {
                let (before, _) = game.pgn.split_at(last);
                let cut = before.rfind('{').unwrap_or(last);
                let (before, _) = game.pgn.split_at(cut);
                game.pgn = format!("{before}{{+0.01/3 0.001s}} {}\n\n", game.result.pgn());
            });
        }
    }
}

/// Bytes of a text are changed at random: nothing panics, and what is accepted has the same moves and end.
#[test]
fn damaged_texts_are_refused_or_are_the_same_game() {
    let mut random = harness_stats::random::stream("damage", 7, 0);
    for (plan, games) in real_games() {
        for (job, game) in games.iter().take(2) {
            for _ in 0..400 {
                let mut other = game.clone();
                let mut bytes = other.pgn.into_bytes();
                for _ in 0..random.random_range(1..4) {
                    let at = random.random_range(0..bytes.len());
                    match random.random_range(0..3) {
                        0 => bytes[at] = random.random_range(0x20..0x7f),
                        1 => drop(bytes.remove(at)),
                        _ => bytes.insert(at, b" {}\"[]0123456789+#=.O-\n"[at % 23]),
                    }
                }
                other.pgn = String::from_utf8_lossy(&bytes).into_owned();
                if check(&plan, job, &other).is_ok() {
                    let moves = |pgn: &str| {
                        let plain = pgn::without_comments(pgn);
                        let (_, moves) = plain.split_once("\n\n").unwrap_or_default();
                        moves.split_whitespace().collect::<Vec<_>>().join(" ")
                    };
                    assert_eq!(moves(&other.pgn), moves(&game.pgn), "{}", other.pgn);
                }
            }
        }
    }
}

#[test]
fn faults_are_the_loss_of_who_is_to_move() {
    let faulty = |answers: Vec<Answer>| {
        move |engine: &EngineSpec, _: &Interrupt| {
            let answers = if engine.name == "a" { answers.clone() } else { Vec::new() };
            Ok::<Box<dyn Player + Send>, Fault>(Box::new(Scripted {
                answers,
                ..Scripted::default()
            }))
        }
    };
    let rules = Adjudication::move_limit(8);
    let plan = plan(
        Conduct { adjudication: rules, ..Conduct::default() },
        1,
        [Limit::MoveTime(Duration::from_millis(50)); 2],
    );
    for (answer, termination) in [
        (Answer::Move("a1a1", None, Duration::ZERO), Termination::IllegalMove),
        (Answer::Fault(FaultKind::Crash, "with status 3"), Termination::Crash),
        (Answer::Fault(FaultKind::Hang, "{braces}"), Termination::Stall),
        (Answer::Fault(FaultKind::NoMove, ""), Termination::NoMove),
        (Answer::Move("a2a3", None, Duration::from_secs(9)), Termination::TimeForfeit),
    ] {
        let start = faulty(vec![answer]);
        let games = played(&plan, &start);
        for (job, game) in &games {
            assert_eq!(check(&plan, job, game), Ok(()), "{}", game.pgn);
        }
        let (job, game) = &games[0];
        assert_eq!(game.termination, termination);
        let mut flipped = game.clone();
        flipped.result = GameScore::won_by(Color::White);
        flipped.pgn = flipped.pgn.replace("0-1", "1-0");
        if game.result != flipped.result && game.plies > 0 {
            assert!(check(&plan, job, &flipped).is_err(), "{}", flipped.pgn);
        }
    }
}

#[test]
fn an_illegal_move_that_is_legal_is_none() {
    let plan = plan(Conduct::default(), 1, [Limit::Nodes(1); 2]);
    let start = |_: &EngineSpec, _: &Interrupt| {
        let answers = vec![Answer::Move("a1a1", None, Duration::ZERO)];
        let player = Scripted { answers, ..Scripted::default() };
        Ok::<Box<dyn Player + Send>, Fault>(Box::new(player))
    };
    let (job, game) = played(&plan, &start).remove(0);
    assert_eq!(check(&plan, &job, &game), Ok(()));
    let (referee, _) = Referee::at(&job.opening, Rules::Chess).expect("a position");
    let legal = referee.position().legal_moves()[0];
    let mut other = game.clone();
    other.reason = game.reason.replace("a1a1", &referee.to_uci(legal).to_string());
    assert!(matches!(check(&plan, &job, &other), Err(Discrepancy::Ending { .. })));
}

#[test]
fn scores_are_read_as_they_are_written() {
    for (text, score) in [
        ("+0.26", Some(Score::Centipawns(26))),
        ("-12.05", Some(Score::Centipawns(-1205))),
        ("0.00", Some(Score::Centipawns(0))),
        ("+M5", Some(Score::Mate(3))),
        ("+M1", Some(Score::Mate(1))),
        ("-M4", Some(Score::Mate(-2))),
        ("-M0", Some(Score::Mate(0))),
        ("-21474836.48", Some(Score::Centipawns(i32::MIN))),
        ("+21474836.47", Some(Score::Centipawns(i32::MAX))),
        ("+M4294967293", Some(Score::Mate(i32::MAX))),
        ("-M4294967296", Some(Score::Mate(i32::MIN))),
        ("+21474836.48", None),
        ("+1.-5", None),
        ("+-1.50", None),
        ("0.5", None),
        ("+99999999.00", None),
        ("M", None),
        ("", None),
    ] {
        assert_eq!(read_score(text), score, "{text}");
    }
    for text in ["", "0.1", "1/2", "+0.1/x 0.1s", "+0.10/3 0.100s 5", "+0.10/3 0.100s 5n 6n", "-1s"]
    {
        assert!(Thought::read(text).is_none(), "{text}");
    }
}
