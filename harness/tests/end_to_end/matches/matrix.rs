//! Every misbehaviour at every stage of a game, by either side, at one and at eight games at once:
//! a recorded loss, or one clear error; no hang, no panic, no process left.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::thread;

use harness::ledger::StoredGame;

use crate::matches::bench::Bench;

/// What a misbehaviour leads to.
#[derive(Clone, Copy)]
enum End {
    /// It loses every game in this way.
    All(&'static str),
    /// It loses a game of every pair in this way, and the others end as they should.
    Some(&'static str),
    /// None: it is no fault.
    Fine,
    /// As [`End::Fine`], if somebody lets frozen engines go on.
    FineOnceThawed,
    /// Nothing is played, with this exit status and these words.
    Refused(i32, &'static str),
}

use End::{All, Fine, FineOnceThawed, Refused, Some};

/// Long enough for an engine on a busy machine, short enough for a test.
const WATCHDOG: &str = "--watchdog 1500ms";

/// What the engine does wrong, how the match is played, what comes of it.
///
/// A game has four moves of each side and a process plays two games, so that `--on 3` is in the
/// middle of the first game, and `--on 6` in the second one.
const CASES: [(&str, &str, End); 44] = [
    // It does not start.
    ("--crash start", "", Refused(4, "cannot load its network")),
    ("--crash uci", "", Refused(4, "would not start")),
    ("--crash isready --how abort", "", Refused(4, "would not start")),
    ("--hang uci", "--patience 2s", Refused(4, "no uciok within 2.000 s")),
    ("--hang isready", "--patience 2s", Refused(4, "no readyok within 2.000 s")),
    ("--slow-start 5000", "--patience 1s", Refused(4, "no uciok within 1.000 s")),
    ("--echo", "--patience 1s", Refused(4, "would not start")),
    ("", "--option bad.Hsah=64", Refused(2, "did you mean `Hash`?")),
    ("--no-chess960", "--chess960", Refused(2, "UCI_Chess960")),
    // It ends.
    ("--crash newgame", "", All("crash")),
    ("--crash go", "", All("crash")),
    ("--crash go --how success", "--tc 9", All("crash")),
    ("--crash go --how segfault --on 3", "", All("crash")),
    ("--crash go --how abort --on 6", "", Some("crash")),
    ("--crash go --grandchild", "", All("crash")),
    ("--crash go --on 3 --escape", "", All("crash")),
    ("--grow 20 --infos 3", "--memory-limit 50", All("crash")),
    // It is silent.
    ("--hang newgame", "--patience 2s", All("stall")),
    ("--hang go --obey-stop", WATCHDOG, All("stall")),
    ("--hang go --on 3", WATCHDOG, All("stall")),
    ("--hang go --on 6", WATCHDOG, Some("stall")),
    ("--hang go", "--limit good:tc=60 --limit bad:tc=0.3", All("stall")),
    ("--freeze --on 3", WATCHDOG, All("stall")),
    ("--close-output", "", All("disconnect")),
    ("--close-output --on 3 --ignore-quit", "", All("disconnect")),
    ("--close-output --on 6", "", Some("disconnect")),
    // It says something else than a legal move.
    ("--answer illegal", "", All("illegal_move")),
    ("--answer illegal --on 3", "", Some("illegal_move")),
    ("--answer none", "", All("no_move")),
    ("--answer none --on 6", "", Some("no_move")),
    ("--answer null", "", All("no_move")),
    ("--answer null --on 3", "", Some("no_move")),
    ("--answer empty --on 3", "", Some("no_move")),
    ("--answer garbage", "", All("no_move")),
    ("--delay 400", "--limit good:tc=60 --limit bad:tc=0.1", All("time_forfeit")),
    // It is odd, which is no fault.
    ("--garbage --crlf", "", Fine),
    ("--bad-utf8", "", Fine),
    ("--long-line --on 3", "", Fine),
    ("--long-line --on 6 --stderr 100000", "", Fine),
    ("--stderr 300000 --infos 300", "", Fine),
    ("--slow-start 300", "", Fine),
    ("--ignore-quit --grandchild", "", Fine),
    ("--escape", "", Fine),
    ("--freeze --on 3", "", FineOnceThawed),
];

/// Matches played at once: engines that are silent cost no time of the processor.
const AT_ONCE: usize = 16;

#[test]
fn every_misbehaviour_is_a_recorded_loss_or_one_clear_error() {
    let cases = CASES.iter().flat_map(|case| {
        ["bad good", "good bad"]
            .into_iter()
            .flat_map(move |engines| [1, 8].map(|jobs| (case, engines, jobs)))
    });
    let left: Mutex<VecDeque<_>> = Mutex::new(cases.collect());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Option::Some((case, engines, jobs)) = left.lock().unwrap().pop_front()
                    else {
                        return;
                    };
                    check(case, engines, jobs);
                }
            });
        }
    });
}

fn check(&(flags, more, end): &(&str, &str, End), engines: &str, jobs: u64) {
    // Where nothing is played, nothing is played at once either.
    if matches!(end, Refused(..)) && jobs > 1 {
        return;
    }
    let bench = Bench::new(&[("good", "--seed 1"), ("bad", flags)]);
    let limit = if more.contains("tc") { "" } else { "--nodes 1" };
    let line = format!(
        "match {engines} {limit} {more} --no-probe --max-moves 4 --jobs {jobs} --games {} --json",
        2 * jobs
    );
    let ended = bench.run_beside(&line, &mut || {
        if matches!(end, FineOnceThawed) {
            bench.thaw();
        }
    });
    let what = format!("{line}: {flags}");
    if let Refused(status, says) = end {
        ended.assert_fails(status, &["bad", says]);
        assert!(!bench.path().join("reports/runs").exists(), "{what}: there is a run");
        return bench.assert_no_engine_left();
    }
    assert_eq!(ended.status, 0, "{what}\n{}", ended.stderr);
    bench.assert_whole(jobs);
    let lost_by_bad = if engines.starts_with("bad") { 0 } else { 2 };
    let is_loss = |game: &StoredGame, fault: &str| {
        game.termination == fault && game.first_half_points == lost_by_bad
    };
    let games = bench.games();
    let fine = |game: &StoredGame| game.termination == "max_moves";
    match end {
        All(fault) => assert!(games.iter().all(|game| is_loss(game, fault)), "{what}\n{games:?}"),
        Some(fault) => {
            assert!(
                games.iter().all(|game| is_loss(game, fault) || fine(game)),
                "{what}\n{games:?}"
            );
            // Not in each pair: a process may play a second one, after the search that goes wrong.
            assert!(games.iter().any(|game| is_loss(game, fault)), "{what}\n{games:?}");
        }
        Fine | FineOnceThawed => assert!(games.iter().all(fine), "{what}\n{games:?}"),
        Refused(..) => unreachable!("it returned above"),
    }
}
