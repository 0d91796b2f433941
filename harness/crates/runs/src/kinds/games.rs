//! A match, an SPRT and a race as kinds of runs.

use serde::Deserialize;
use serde_json::{Value, json};

use super::comparison::Comparison;
use super::event::{RunEvent, RunSink};
use super::kind::{Form, Games, Kind, Measured, Resume};
use super::outcome::Outcome;
use super::running::Running;
use crate::calibrate;
use crate::games::{Event, Finished, GamesRun};
use crate::heads::{PlanHead, lenient, read_head};
use crate::notices::Ending;
use crate::report::{self, ReportError, match_so_far};
use crate::{curves, games, gate, rate};
use harness_base::failure::{Exit, Failure};
use harness_base::session::Session;
use harness_base::text::counted;
use harness_ledger::{Ledger, RunFacts};
use harness_outcome::calibration::Calibration;
use harness_outcome::rating::RatingReport;
use harness_outcome::{Estimate, MatchSummary};
use harness_report::terminal::match_text;
use harness_report::text::{plus, verdict_word};
use harness_report::{calibration_text, rating_text};
use harness_stats::Verdict;

/// A match.
pub const MATCH: Kind = Kind {
    key: games::MATCH,
    form: Some(Form {
        place: 1,
        command: games::MATCH,
        yaml: "arguments: [builtin, stockfish]\nnodes: 20000\ngames: 100\n# format: round-robin\n\
               # openings: book.pgn\n",
    }),
    ..GAMES
};

/// An SPRT.
pub const SPRT: Kind = Kind {
    key: games::SPRT,
    form: Some(Form {
        place: 2,
        command: games::SPRT,
        yaml: "arguments: [., HEAD]       # the new engine, the old one\ntc: 8+0.08\nelo0: 0\n\
               elo1: 10\n# bounds: falling\n# stop_futile: 0.1\n# option: [Hash=16]\n# openings: book.pgn\n",
    }),
    ..GAMES
};

/// A race.
pub const RACE: Kind = Kind {
    key: games::RACE,
    form: Some(Form {
        place: 9,
        command: games::RACE,
        yaml: "arguments: [HEAD, HEAD~1, HEAD~2]       # the candidates\nbase: HEAD~3\ntc: 8+0.08\n\
               elo1: 10\n# option: [Hash=16]\n# openings: book.pgn\n",
    }),
    title: |plan| title_of(games::RACE, &read_head::<PlanHead>(plan).facts.engines()),
    history: None,
    ..GAMES
};

/// Parts that all have.
const GAMES: Kind = Kind {
    title,
    result_line,
    resume: Resume::By(|ledger, run, plan, session, sink| {
        outcome(&games::resume(ledger, run, plan, session, &|event| show(event, sink))?, session)
    }),
    so_far: |ledger, run| Ok(json!(match_so_far(ledger, run)?.0)),
    page: report::page_of_match,
    report: report::of_match,
    curves: curves::of_match,
    running: Running::Match,
    comparison,
    history: Some(Measured { add: gate::Commits::add_match, counts_unfinished: true }),
    games: Games::Counted,
    plays_elsewhere: true,
    in_progress: "pairs of games",
    ..Kind::PLAIN
};

fn title(plan: &Value) -> String {
    let PlanHead { facts, .. } = read_head(plan);
    title_of(games::MATCH, &facts.engines())
}

/// The title of a match between these engines; of a race the candidates, and the base, which is the first one.
pub(crate) fn title_of(command: &str, engines: &[&str]) -> String {
    match engines.split_first() {
        Some((base, candidates)) if command == games::RACE => {
            format!("{} (base {base})", candidates.join(", "))
        }
        _ => engines.join(" vs "),
    }
}

/// The parts of a summary that a line has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SummaryHead {
    #[serde(deserialize_with = "lenient")]
    verdict: Option<String>,
    elo: Estimate,
    games: u64,
    wins: u64,
    losses: u64,
}

fn result_line(summary: &Value) -> String {
    let SummaryHead { verdict, elo, games, wins, losses } = read_head(summary);
    result_text(verdict.as_deref(), &elo, [games, wins, losses])
}

/// `accepted, +12.5 ± 8.3 Elo, 400 games`, of the games, the wins and the losses.
fn result_text(verdict: Option<&str>, elo: &Estimate, [games, wins, losses]: [u64; 3]) -> String {
    let verdict = verdict.map_or_else(String::new, |verdict| format!("{verdict}, "));
    // That gives no Elo.
    let one_sided = match games {
        0 => "",
        games if games == wins => "all won, ",
        games if games == losses => "all lost, ",
        _ => "",
    };
    let elo = elo_and_comma(elo);
    format!("{verdict}{elo}{one_sided}{}", counted(games, "game", "games"))
}

fn comparison(ledger: &Ledger, run: &RunFacts) -> Result<Comparison, ReportError> {
    let (summary, curve) = match_so_far(ledger, run)?;
    let elo = curve.iter().filter_map(|at| Some((at.games as f64, at.elo.value?)));
    let llr: Vec<(f64, f64)> =
        curve.iter().filter_map(|at| Some((at.games as f64, at.llr?))).collect();
    let verdict = summary.verdict.map(verdict_word);
    Ok(Comparison {
        result: result_text(verdict, &summary.elo, [summary.games, summary.wins, summary.losses]),
        score: Some([summary.wins, summary.draws, summary.losses]),
        elo: Some(elo.collect()),
        llr: Some(llr).filter(|points| points.len() > 1),
        ..Comparison::default()
    })
}

/// `+12.5 ± 8.3 Elo, ` of a result line, or `−190.6 [−287.1, 49.1] Elo, ` where the ends of the interval are not
/// equally far; empty without an estimate.
pub(super) fn elo_and_comma(elo: &Estimate) -> String {
    let (Some(value), Some(error)) = (elo.value, elo.error95) else { return String::new() };
    let skewed = elo
        .interval()
        .filter(|[low, high]| elo.is_skewed() && ((high - value) - (value - low)).abs() >= 0.1);
    let interval = match skewed {
        Some([low, high]) => format!("[{low:.1}, {high:.1}]"),
        None => format!("± {error:.1}"),
    };
    format!("{} {interval} Elo, ", plus(value, 1)).replace('-', "−")
}

/// Starts a run.
///
/// # Errors
/// As [`GamesRun::start`].
pub fn start(run: GamesRun, session: &Session, sink: &RunSink<'_>) -> Result<Outcome, Failure> {
    outcome(&run.start(session, &|event| show(event, sink))?, session)
}

/// The result of a match as it is shown: the ratings of a calibration, else its summary.
///
/// # Errors
/// When the ledger of a calibration cannot be read.
pub fn outcome(finished: &Finished, session: &Session) -> Result<Outcome, Failure> {
    let Finished { summary, collected, showing } = finished;
    if let Some(criterion) = &showing.calibration {
        let rated = calibrate::rate(&Ledger::open_to_read(&session.reports)?, &summary.run)?;
        return calibration(&rated, criterion.within);
    }
    if showing.rating.is_some() {
        return rating(&rate::rating(&Ledger::open_to_read(&session.reports)?, &summary.run)?);
    }
    let collected = collected.as_ref().map(ToString::to_string).unwrap_or_default();
    let outcome = Outcome::new(summary, match_text(summary) + &collected, exit_of(summary))?;
    // A stream ends with the summary.
    Ok(Outcome { is_streamed: showing.json_stream, ..outcome })
}

/// The result of a match for hooks.
pub fn ending(finished: &Finished) -> Ending {
    let summary = &finished.summary;
    Ending { summary: Some(json!(summary)), exit: Some(exit_of(summary)) }
}

/// The result of a calibration as it is shown; the exit status is bad if a level is further than
/// `within` Elo off.
///
/// # Errors
/// When it has no JSON form.
pub fn calibration(calibration: &Calibration, within: Option<f64>) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::new(calibration, calibration_text(calibration), Exit::Good)?;
    let Some(within) = within else { return Ok(outcome) };
    for level in calibration.off_by_more_than(within) {
        outcome.warnings.push(format!("{} is more than {within} Elo off", level.name));
        outcome.exit = Exit::Bad;
    }
    Ok(outcome)
}

/// A rating as it is shown; undecided while the interval is too wide.
///
/// # Errors
/// When it has no JSON form.
pub fn rating(report: &RatingReport) -> Result<Outcome, Failure> {
    let exit = if report.reached { Exit::Good } else { Exit::Undecided };
    Outcome::new(report, rating_text(report), exit)
}

/// The exit status of a match: that of its test, if it has one.
pub(super) fn exit_of(summary: &MatchSummary) -> Exit {
    match summary.verdict {
        _ if summary.doubt.is_some() => Exit::Undecided,
        None | Some(Verdict::Accepted) => Exit::Good,
        Some(Verdict::Rejected) => Exit::Bad,
        Some(Verdict::Inconclusive) => Exit::Undecided,
    }
}

/// Tells an event in the words of all kinds.
pub fn show(event: &Event<'_>, sink: &RunSink<'_>) {
    sink(&RunEvent::Games(event));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_says_what_a_match_without_elo_came_to() {
        for (summary, line) in [
            (json!({ "games": 0 }), "0 games"),
            (json!({ "games": 4, "wins": 4 }), "all won, 4 games"),
            (json!({ "games": 4, "losses": 4 }), "all lost, 4 games"),
            (json!({ "games": 4, "wins": 1, "losses": 3 }), "4 games"),
            (
                json!({ "games": 4, "wins": 2, "elo": { "value": 12.5, "error95": 8.25 } }),
                "+12.5 ± 8.2 Elo, 4 games",
            ),
            (
                json!({ "games": 8, "elo": { "value": -190.6, "error95": 168.1, "low95": -287.1, "high95": 49.1, "method": "dirichlet" } }),
                "−190.6 [−287.1, 49.1] Elo, 8 games",
            ),
        ] {
            assert_eq!(result_line(&summary), line);
        }
    }
}
