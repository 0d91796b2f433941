//! Checks of the process: its growth, and its end.

use std::time::Duration;

use super::checkup::{Checkup, Finding, FindingResult, passed, saw};
use super::ender::Ender;
use super::search::MIDDLE_GAME;
use super::talk::NOT_ENDLESS;
use harness_base::platform::used_by;
use harness_player::search::raw_search;
use harness_player::{Fault, OptionKind, UciProcess};

/// Number of searches; the first third is a warm-up.
const SEARCHES: usize = 200;
/// Time of each.
const SHORT_SEARCH: Duration = Duration::from_millis(25);
/// Tolerated growth: allocators keep some memory in reserve.
const TOLERATED_MIB: f64 = 4.0;

/// Memory, threads and open files do not grow from search to search.
pub(super) fn growth(checkup: &mut Checkup<'_>) -> FindingResult {
    let hash = checkup.option("Hash").cloned();
    let (set, tolerated) = match hash.map(|option| (option.name, option.kind)) {
        Some((name, OptionKind::Spin { min, .. })) => {
            (format!("setoption name {name} value {}\n", min.max(1)), min.max(1) as f64)
        }
        _ => (String::new(), 0.0),
    };
    let patience = checkup.patience();
    let (limit, searches) = match checkup.ender {
        Ender::Depth => (format!("depth {}", checkup.depth_within(4, SHORT_SEARCH)), SEARCHES),
        Ender::Nodes => ("nodes 200".to_owned(), SEARCHES),
        Ender::MoveTime => (format!("movetime {}", SHORT_SEARCH.as_millis()), SEARCHES),
        // Some take a good part of a short clock.
        Ender::Clock => ("wtime 200 btime 200".to_owned(), SEARCHES / 4),
    };
    let seen = checkup.with(|checkup| {
        let process = checkup.process()?;
        process.synchronise(&set)?;
        let mut early = None;
        for number in 0..searches {
            short_search(process, number, &limit, patience)?;
            if number == searches / 3 {
                early = used_by(process.pid());
            }
        }
        Ok(early.zip(used_by(process.pid())))
    })?;
    let Some((early, late)) = seen else {
        return Ok(Finding::Skipped("this system does not tell"));
    };
    let text = format!("{:.1} MiB, then {:.1} MiB", early.mebibytes, late.mebibytes);
    if late.mebibytes - early.mebibytes > TOLERATED_MIB + tolerated {
        return Err(format!("memory grows with {searches} short searches: {text}").into());
    }
    if late.threads > early.threads + 1 {
        return Err(format!("threads grow from {} to {}", early.threads, late.threads).into());
    }
    if late.files > early.files + 1 {
        return Err(format!("open files grow from {} to {}", early.files, late.files).into());
    }
    saw(format!("{text} after {searches} searches"))
}

fn short_search(
    process: &mut UciProcess,
    number: usize,
    limit: &str,
    patience: Duration,
) -> Result<(), Fault> {
    let new_game = if number.is_multiple_of(10) { "ucinewgame\n" } else { "" };
    let first = ["b2b3", "g2g3", "h2h3", "a2a4", "e2e4"][number % 5];
    let commands = format!("{new_game}position startpos moves {first}\ngo {limit}\n");
    raw_search(process, &commands, patience).map(drop)
}

/// `quit` ends the process.
pub(super) fn quit(checkup: &mut Checkup<'_>) -> FindingResult {
    let process = checkup.with(Checkup::take_process)?;
    quit_finding(process.quit_by_word())
}

/// `quit` ends the process while it searches.
pub(super) fn quit_in_search(checkup: &mut Checkup<'_>) -> FindingResult {
    if !checkup.searches_on {
        return Ok(Finding::Skipped(NOT_ENDLESS));
    }
    let process = checkup.with(|checkup| {
        let search = format!("position fen {MIDDLE_GAME}\ngo infinite\n");
        checkup.process()?.send(&search)?;
        checkup.take_process()
    })?;
    quit_finding(process.quit_by_word())
}

/// The process exits when its input is closed, as after a killed harness.
pub(super) fn closed_input(checkup: &mut Checkup<'_>) -> FindingResult {
    let process = checkup.with(Checkup::take_process)?;
    if process.hang_up() {
        passed()
    } else {
        Ok(Finding::Warned("it does not exit on end of input".into()))
    }
}

fn quit_finding(ended: bool) -> FindingResult {
    if ended { passed() } else { Err("it had to be killed".into()) }
}
