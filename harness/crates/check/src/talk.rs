//! Checks of input at unusual moments: during a search, without a search, unknown commands.

use std::time::{Duration, Instant};

use super::checkup::{Checkup, Finding, FindingResult, passed, saw};
use super::ender::Ender;
use super::handshake::survives;
use super::search::{MAX_OVERRUN, MIDDLE_GAME, Violation, legal, position};
use harness_player::search::{is_best_move, raw_search};
use harness_player::{Fault, FaultKind, UciProcess};

/// Time that an endless search runs undisturbed.
const RUN_IN_TIME: Duration = Duration::from_millis(100);

/// Why nothing is checked that needs a search without an end.
pub(super) const NOT_ENDLESS: &str = "`go infinite` does not search on until `stop`";

/// Why `go infinite` is not checked.
const BY_THE_CLOCK: &str = "it plays by the clock only, see `go depth`";

/// Searches that are stopped; the slowest reply counts.
const STOP_COUNT: u32 = 5;

/// Unknown commands, which UCI requires an engine to ignore.
pub(super) fn unknown_commands(checkup: &mut Checkup<'_>) -> FindingResult {
    for line in ["xyzzy", "joho debug on"] {
        survives(checkup, line)?;
    }
    passed()
}

/// Empty lines, which people and scripts send.
pub(super) fn empty_lines(checkup: &mut Checkup<'_>) -> FindingResult {
    ignores(checkup, [("", "an empty line"), ("   ", "a line of blanks")])
}

/// Lines that should be ignored, each with its name.
fn ignores(checkup: &mut Checkup<'_>, lines: [(&str, &str); 2]) -> FindingResult {
    for (line, name) in lines {
        let lives = checkup.with(|checkup| checkup.process()?.synchronise(&format!("{line}\n")));
        if let Err(error) = lives {
            return Ok(Finding::Warned(format!("after {name}: {error}")));
        }
    }
    passed()
}

/// Bytes that no runner sends.
pub(super) fn garbage(checkup: &mut Checkup<'_>) -> FindingResult {
    let long = "x".repeat(100_000);
    let controls = "\u{1}\u{7f}\u{fffd} \u{e9}\t\tgo-go";
    let long = (long.as_str(), "a line of 100,000 characters");
    ignores(checkup, [(controls, "control characters"), long])
}

/// Any white space between words, and lines as other systems end them.
pub(super) fn white_space(checkup: &mut Checkup<'_>) -> FindingResult {
    let limit = checkup.go_words(2);
    let go = format!("  ucinewgame\r\nposition \t fen   {MIDDLE_GAME}\r\n go  {limit} \r\n");
    match checkup.search(&go) {
        Ok(answer) => {
            legal(&position(MIDDLE_GAME, false), answer.best_move)?;
            passed()
        }
        Err(error) => Ok(Finding::Warned(error.to_string())),
    }
}

/// Invalid positions: better refused, not required.
pub(super) fn broken_positions(checkup: &mut Checkup<'_>) -> FindingResult {
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
    // `go depth` may have started an endless search.
    checkup.with(Checkup::start)?;
    passed()
}

/// Starts an endless search, lets it run for a moment, then calls `what`.
fn during_search<T>(
    checkup: &mut Checkup<'_>,
    go: &str,
    what: impl FnOnce(&mut UciProcess) -> Result<T, Fault>,
) -> Result<T, Violation> {
    let found = checkup.with(|checkup| {
        let process = checkup.process()?;
        process.synchronise("ucinewgame\n")?;
        process.send(&format!("position fen {MIDDLE_GAME}\n{go}\n"))?;
        let early = process.await_line(is_best_move, "bestmove", RUN_IN_TIME);
        match early {
            Err(fault) if fault.kind == FaultKind::Hang => what(process).map(Ok),
            Err(fault) => Err(fault),
            Ok(line) => Ok(Err(format!("`{go}` ended by itself: `{line}`"))),
        }
    })?;
    found.map_err(Violation::from)
}

/// `go infinite` searches until `stop`, and not by itself to an end.
pub(super) fn infinite(checkup: &mut Checkup<'_>) -> FindingResult {
    let patience = checkup.patience();
    let answer =
        during_search(checkup, "go infinite", |process| raw_search(process, "stop\n", patience));
    checkup.searches_on = answer.is_ok();
    match answer {
        Ok(answer) => saw(answer.best_move.to_string()),
        // Neither a depth, nodes nor a time a move: it is the same fault.
        Err(_) if checkup.ender == Ender::Clock => Ok(Finding::Skipped(BY_THE_CLOCK)),
        Err(error) => Err(error),
    }
}

/// `isready` during a search gets `readyok` at once.
pub(super) fn ready_during_search(checkup: &mut Checkup<'_>) -> FindingResult {
    if !checkup.searches_on {
        return Ok(Finding::Skipped(NOT_ENDLESS));
    }
    let patience = checkup.patience();
    let took = during_search(checkup, "go infinite", |process| {
        let sent = Instant::now();
        process.synchronise("")?;
        let took = sent.elapsed();
        raw_search(process, "stop\n", patience)?;
        Ok(took)
    })?;
    in_time(took)
}

/// `stop` ends a search at once.
pub(super) fn stop(checkup: &mut Checkup<'_>) -> FindingResult {
    if !checkup.searches_on {
        return Ok(Finding::Skipped(NOT_ENDLESS));
    }
    let patience = checkup.patience();
    let mut slowest = Duration::ZERO;
    for _ in 0..STOP_COUNT {
        let answer = during_search(checkup, "go infinite", |process| {
            raw_search(process, "stop\n", patience)
        })?;
        legal(&position(MIDDLE_GAME, false), answer.best_move)?;
        slowest = slowest.max(answer.elapsed);
    }
    in_time(slowest)
}

/// `go` and `stop` in one write still give a move.
pub(super) fn stop_at_once(checkup: &mut Checkup<'_>) -> FindingResult {
    if !checkup.searches_on {
        return Ok(Finding::Skipped(NOT_ENDLESS));
    }
    let go = format!("ucinewgame\nposition fen {MIDDLE_GAME}\ngo infinite\nstop\n");
    let answer = checkup.search(&go)?;
    legal(&position(MIDDLE_GAME, false), answer.best_move)?;
    in_time(answer.elapsed)
}

/// One `bestmove` a search, and none for `stop` without a search.
pub(super) fn one_answer(checkup: &mut Checkup<'_>) -> FindingResult {
    let patience = checkup.patience();
    let limit = checkup.go_words(3);
    checkup.search(&format!("position fen {MIDDLE_GAME}\ngo {limit}\n"))?;
    let answer = checkup.with(|checkup| {
        let process = checkup.process()?;
        process.send("stop\nstop\nponderhit\nisready\n")?;
        let is_answer = |line: &[u8]| line == b"readyok" || is_best_move(line);
        process.await_line(is_answer, "readyok", patience)
    })?;
    match answer.as_str() {
        "readyok" => passed(),
        _ => Err(format!("`{answer}` came when nothing was asked").into()),
    }
}

/// It waits for `ponderhit`, and then moves in time; `stop` ends pondering too.
pub(super) fn ponder(checkup: &mut Checkup<'_>) -> FindingResult {
    if checkup.option("Ponder").is_none() {
        return Ok(Finding::Skipped("it offers no `Ponder`"));
    }
    let patience = checkup.patience();
    let go = "go ponder wtime 1000 btime 1000 winc 10 binc 10";
    let hit = during_search(checkup, go, |process| raw_search(process, "ponderhit\n", patience))?;
    legal(&position(MIDDLE_GAME, false), hit.best_move)?;
    if hit.elapsed > MAX_OVERRUN + Duration::from_secs(1) {
        return Err(format!("it moved {} ms after `ponderhit`", hit.elapsed.as_millis()).into());
    }
    let missed = during_search(checkup, go, |process| raw_search(process, "stop\n", patience))?;
    legal(&position(MIDDLE_GAME, false), missed.best_move)?;
    saw(format!("{} after {} ms", hit.best_move, hit.elapsed.as_millis()))
}

fn in_time(took: Duration) -> FindingResult {
    let text = format!("after {:.1} ms", took.as_secs_f64() * 1e3);
    if took > MAX_OVERRUN { Err(text.into()) } else { saw(text) }
}
