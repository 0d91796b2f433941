//! What is said at unusual moments: while it searches, when nothing was asked, in words unknown.

use std::time::{Duration, Instant};

use super::checkup::{Checkup, Finding, Found, is_best_move, legal, passed, position, saw, search};
use super::handshake::survives;
use super::searches::{MIDDLE_GAME, TOO_LATE};
use crate::player::{Fault, FaultKind, Player, UciProcess};

/// How long an endless search is left alone.
const MEANWHILE: Duration = Duration::from_millis(100);

/// Searches that are stopped, for the slowest answer.
const STOPS: u32 = 5;

/// Words that mean nothing, which UCI asks an engine to pass over.
pub(super) fn unknown_commands(checkup: &mut Checkup<'_>) -> Found {
    for line in ["xyzzy", "joho debug on"] {
        survives(checkup, line)?;
    }
    passed()
}

/// Empty lines: no runner sends them on purpose, but people and scripts do.
pub(super) fn empty_lines(checkup: &mut Checkup<'_>) -> Found {
    for (line, name) in [("", "an empty line"), ("   ", "a line of blanks")] {
        let lives = checkup.with(|checkup| checkup.process()?.synchronise(&format!("{line}\n")));
        if let Err(error) = lives {
            return Ok(Finding::Warned(format!("after {name}: {error}")));
        }
    }
    passed()
}

/// Bytes that no runner sends.
pub(super) fn garbage(checkup: &mut Checkup<'_>) -> Found {
    let long = "x".repeat(100_000);
    for (line, name) in [
        ("\u{1}\u{7f}\u{fffd} \u{e9}\t\tgo-go", "control characters"),
        (&long, "a line of 100,000 characters"),
    ] {
        let lives = checkup.with(|checkup| checkup.process()?.synchronise(&format!("{line}\n")));
        if let Err(error) = lives {
            return Ok(Finding::Warned(format!("after {name}: {error}")));
        }
    }
    passed()
}

/// Any white space between words, and lines as other systems end them.
pub(super) fn white_space(checkup: &mut Checkup<'_>) -> Found {
    let go = format!("  ucinewgame\r\nposition \t fen   {MIDDLE_GAME}\r\n go  depth 2 \r\n");
    match checkup.search(&go) {
        Ok(answer) => {
            legal(&position(MIDDLE_GAME, false), answer.best_move)?;
            passed()
        }
        Err(error) => Ok(Finding::Warned(error)),
    }
}

/// A position that is none: allowed to go wrong, but better refused.
pub(super) fn broken_positions(checkup: &mut Checkup<'_>) -> Found {
    for command in [
        "position startpos moves e2e5\n",
        "position startpos moves e2e4 xyzzy\n",
        "position fen 8/8/8/8 w - -\n",
        "position fen\n",
        "position\n",
        "go depth\n",
    ] {
        let lives = checkup.with(|checkup| {
            let process = checkup.process()?;
            process.send(&format!("{command}stop\n"))?;
            process.synchronise("")
        });
        if let Err(error) = lives {
            return Ok(Finding::Warned(format!("`{}`: {error}", command.trim_end())));
        }
    }
    // `go depth` may have been taken for an endless search.
    checkup.with(Checkup::start)?;
    passed()
}

/// Starts a search that does not end by itself, lets it run for a moment, and does something with
/// it.
fn during_search<T>(
    checkup: &mut Checkup<'_>,
    go: &str,
    what: impl FnOnce(&mut UciProcess) -> Result<T, Fault>,
) -> Result<T, String> {
    checkup.with(|checkup| {
        let process = checkup.process()?;
        process.synchronise("ucinewgame\n")?;
        process.send(&format!("position fen {MIDDLE_GAME}\n{go}\n"))?;
        let early = process.await_line(is_best_move, "bestmove", MEANWHILE);
        match early {
            Err(fault) if fault.kind == FaultKind::Hang => what(process),
            Err(fault) => Err(fault),
            Ok(line) => Err(Fault {
                player: process.name().to_owned(),
                kind: FaultKind::NoMove,
                detail: format!("`{go}` ended by itself: `{line}`"),
            }),
        }
    })
}

/// It answers `isready` while it searches, at once.
pub(super) fn ready_during_search(checkup: &mut Checkup<'_>) -> Found {
    let patience = checkup.patience();
    let took = during_search(checkup, "go infinite", |process| {
        let asked = Instant::now();
        process.synchronise("")?;
        let took = asked.elapsed();
        search(process, "stop\n", patience)?;
        Ok(took)
    })?;
    in_time(took)
}

/// `stop` ends a search at once.
pub(super) fn stop(checkup: &mut Checkup<'_>) -> Found {
    let patience = checkup.patience();
    let mut slowest = Duration::ZERO;
    for _ in 0..STOPS {
        let answer =
            during_search(checkup, "go infinite", |process| search(process, "stop\n", patience))?;
        legal(&position(MIDDLE_GAME, false), answer.best_move)?;
        slowest = slowest.max(answer.elapsed);
    }
    in_time(slowest)
}

/// `go` and `stop` in one breath still give a move.
pub(super) fn stop_at_once(checkup: &mut Checkup<'_>) -> Found {
    let go = format!("ucinewgame\nposition fen {MIDDLE_GAME}\ngo infinite\nstop\n");
    let answer = checkup.search(&go)?;
    legal(&position(MIDDLE_GAME, false), answer.best_move)?;
    in_time(answer.elapsed)
}

/// A search is answered by one `bestmove`, and `stop` without a search by none.
pub(super) fn one_answer(checkup: &mut Checkup<'_>) -> Found {
    let patience = checkup.patience();
    checkup.search(&format!("position fen {MIDDLE_GAME}\ngo depth 3\n"))?;
    let answer = checkup.with(|checkup| {
        let process = checkup.process()?;
        process.send("stop\nstop\nponderhit\nisready\n")?;
        let is_answer = |line: &[u8]| line == b"readyok" || is_best_move(line);
        process.await_line(is_answer, "readyok", patience)
    })?;
    match answer.as_str() {
        "readyok" => passed(),
        _ => Err(format!("`{answer}` came when nothing was asked")),
    }
}

/// It waits for `ponderhit`, and then moves in time; `stop` ends pondering too.
pub(super) fn ponder(checkup: &mut Checkup<'_>) -> Found {
    if checkup.option("Ponder").is_none() {
        return Ok(Finding::Skipped("it offers no `Ponder`"));
    }
    let patience = checkup.patience();
    let go = "go ponder wtime 1000 btime 1000 winc 10 binc 10";
    let hit = during_search(checkup, go, |process| search(process, "ponderhit\n", patience))?;
    legal(&position(MIDDLE_GAME, false), hit.best_move)?;
    if hit.elapsed > TOO_LATE + Duration::from_secs(1) {
        return Err(format!("it moved {} ms after `ponderhit`", hit.elapsed.as_millis()));
    }
    let missed = during_search(checkup, go, |process| search(process, "stop\n", patience))?;
    legal(&position(MIDDLE_GAME, false), missed.best_move)?;
    saw(format!("{} after {} ms", hit.best_move, hit.elapsed.as_millis()))
}

fn in_time(took: Duration) -> Found {
    let text = format!("after {:.1} ms", took.as_secs_f64() * 1e3);
    if took > TOO_LATE { Err(text) } else { saw(text) }
}
